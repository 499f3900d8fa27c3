"""What A*, weighted A* and Dijkstra share: the task around the kernel `best_first`, and its memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._search import EXAMPLE, QueueSearch
from wayfolk.algorithms.shown import Shown, states_by_stamp
from wayfolk.compile.jit import entry_point
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import Ordering
from wayfolk.kernels.graph import HEURISTICS, CsrGraph
from wayfolk.kernels.watching import estimate_to
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.kept import kept, pool

PER_EDGE = 5  # buckets for each cheapest edge: with fewer, more cells are reopened; with more, more are empty
FOUR = Moves.FOUR
MAX_BUCKETS = 1 << 16
MAX_ROW = 1 << 14  # lists of a row


class BestFirst(QueueSearch):
    """A best-first search that can be advanced."""

    def __init__(
        self,
        world: Grid | Graph,
        start: int,
        goal: int,
        *,
        weight: float,
        heuristic: str,
        oldest_first: bool,
        watch: bool,
    ) -> None:
        self.ordering, self.n_lists, self.run = kept(
            world, ("best first", weight, heuristic, oldest_first), partial(_prepared, weight, heuristic, oldest_first)
        )
        self.pool = pool(world, "memories")
        super().__init__(world, start, goal, watch)

    def borrow(self) -> tuple[best_first.Memory, buckets.Buckets, NDArray[np.intp]]:
        """Memory, a queue and room for the path."""
        return borrow(self.world, self.n_lists)

    def arranged(self) -> tuple[Any, ...]:
        """The first arguments of the kernels."""
        return self.world.graph, self.memory, self.queue, self.ordering

    def many(self, *arguments: Any) -> Any:
        """Call the kernel for many queries."""
        return best_first.search_many(*arguments)

    def trace(self, cells: NDArray[np.intp]) -> None:
        """Write the path backwards to `cells`."""
        best_first.trace(self.memory, self.start, self.goal, cells)

    def shown(self) -> Shown:
        """Open and closed cells."""
        cells = self.memory.cells
        return (
            super()
            .shown()
            ._replace(
                state=states_by_stamp(cells["mark"], int(self.memory.counts[best_first.STAMP])),
                g=cells["g"],
                parent=cells["parent"],
                h=estimate_to(self.world.graph, self.goal, self.ordering.kind),
            )
        )


def _prepared(weight: float, heuristic: str, oldest_first: bool, world: Grid | Graph) -> Any:
    """The ordering, the number of lists, and the kernel for worlds of this kind, whose types need not be found again."""
    per_unit, n_lists, falls = settings(world, float(weight), heuristic)
    ordering = Ordering(float(weight), HEURISTICS[heuristic], per_unit, falls, oldest_first)
    arrays = best_first.new_memory(1), buckets.new_buckets(2, 1)
    run = entry_point(best_first.search, world.graph, *arrays, ordering, *EXAMPLE)
    return ordering, n_lists, run


def best_heuristic(world: Grid | Graph) -> str:
    """The largest heuristic that never overestimates."""
    if isinstance(world, Graph):
        return "euclidean"
    return "manhattan" if world.moves is FOUR else "octile"


def never_overestimates(world: Grid | Graph, heuristic: str) -> bool:
    """Whether `heuristic` is a lower bound in this world."""
    if heuristic in ("zero", "euclidean"):
        return not (isinstance(world, Grid) and heuristic == "euclidean" and world.diagonal < 2**0.5 - 1e-12)
    if isinstance(world, Graph):
        return False
    return heuristic == "octile" or world.moves is FOUR


def settings(world: Grid | Graph, weight: float, heuristic: str) -> tuple[float, int, bool]:
    """Buckets for each unit of cost, buckets in all, and whether f can fall along a path; kept with the world."""
    return kept(world, ("buckets", weight, heuristic), lambda world: _settings(world, weight, heuristic))


def _settings(world: Grid | Graph, weight: float, heuristic: str) -> tuple[float, int, bool]:
    falls = can_fall(world, weight, heuristic)
    return *lists_for(world, weight, falls), falls


def can_fall(world: Grid | Graph, weight: float, heuristic: str) -> bool:
    """Whether f can fall along a path."""
    return weight > 1.0 or not (weight == 0.0 or never_overestimates(world, heuristic))


def lists_for(world: Grid | Graph, weight: float, falls: bool) -> tuple[float, int]:
    """How many buckets to a unit of cost, and in all.

    In a ring they must hold more than the most f can rise by one step; a row should hold whatever f is likely to be.
    """
    cheapest, costliest = edge_range(world)
    if falls and isinstance(world, Grid):
        span = 4.0 * weight * cheapest * (world.width + world.height)
    elif falls and isinstance(world, Graph):
        graph = world.graph
        span = 4.0 * weight * graph.cheapest * float(np.ptp(graph.x) + np.ptp(graph.y)) + 4.0 * costliest
    else:
        span = costliest * (1.0 + 1.5 * weight)
    width = max(cheapest / PER_EDGE, span / (MAX_ROW if falls else MAX_BUCKETS))
    return 1.0 / width, int(span / width) + 2


def edge_range(world: Grid | Graph) -> tuple[float, float]:
    """The cheapest and costliest edge; the cheapest is above 0 even if some edges are free."""
    graph = world.graph
    if isinstance(graph, CsrGraph):
        costliest = float(graph.weight.max(initial=0.0)) or 1.0
        paid = graph.weight[graph.weight > 0]
        return float(paid.min(initial=costliest)), costliest
    top = float(graph.terrain.max(initial=0.0)) if graph.terrain.size else 1.0
    return graph.cheapest, top * float(graph.lengths.max())


def borrow(world: Grid | Graph, n_lists: int) -> tuple[best_first.Memory, buckets.Buckets, Any]:
    """Arrays of a search that has ended in this world, or new ones; the last is for the path."""
    size = buckets.ring_size(n_lists)
    try:
        memory, queue, cells = pool(world, "memories").pop()
    except IndexError:
        return new_arrays(world, n_lists)
    return memory, queue if len(queue.lists) == size else buckets.new_buckets(n_lists, 1024), cells


def new_arrays(world: Grid | Graph, n_lists: int) -> tuple[best_first.Memory, buckets.Buckets, NDArray[np.intp]]:
    """Memory, a queue and room for the path."""
    return best_first.new_memory(world.n_cells), buckets.new_buckets(n_lists, 1024), np.empty(1024, np.intp)
