"""The task of A*, weighted A*, Dijkstra and jump point search, around the one loop of `kernels/best_first.py`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._search import NO_EVENTS, UNDER_WAY, Search, place_table, places_of
from wayfolk.algorithms.search_view import SearchView
from wayfolk.compile.jit import entry_point
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import CLOSED, STAMP, Answers, Ordering
from wayfolk.kernels.codes import FULL, RUNNING
from wayfolk.kernels.graph import HEURISTICS, CsrGraph
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import NO_LIMIT, Counters
from wayfolk.world.cache import cached, pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves

PER_EDGE = 5  # buckets for each cheapest edge: with fewer, more cells are reopened; with more, more are empty
FOUR = Moves.FOUR
MAX_BUCKETS = 1 << 16
MAX_ROW = 1 << 14  # lists of a row
POOLED = 4  # arrays of ended searches that are kept with a world


class Request(NamedTuple):
    """The last arguments of the kernel `search`, in their order."""

    start: int
    goal: int
    budget: int
    events: NDArray[np.int32]
    is_new: bool
    path: NDArray[np.intp]


EXAMPLE = Request(start=0, goal=0, budget=NO_LIMIT, events=NO_EVENTS, is_new=True, path=np.empty(1, np.intp))
"""A request with the types of all others, to get the entry point of the kernel."""


class Method(NamedTuple):
    """How searches of one kind work in one world; worked out once, and kept with the world.

    Kernels read `graph`, which is the world's own graph or tables made from it. `rule` chooses what the loop does. A queue
    has `n_lists` and room for `n_entries` at first, a path room for `n_path` cells. `run` is the entry point of the kernel,
    `pool` is the name of the pool of arrays, and `estimate(goal)` is the heuristic as a function of cells. With `leaps` the
    parent of a cell may be far away.
    """

    graph: Any
    rule: Any
    n_lists: int
    n_entries: int
    n_path: int
    run: Callable[..., Any]
    pool: str
    estimate: Callable[[int], Callable[[NDArray[np.int32]], NDArray[np.float64]]]
    leaps: bool


def new_method(
    world: Grid | Graph, graph: Any, rule: Any, name: str, estimate: Any, n_lists: int, n_entries: int = 1024,
    n_path: int = 1024, leaps: bool = False,
) -> Method:  # fmt: skip
    """A method, with the entry point of the kernel for graphs and rules of these types. `name` is that of the pool."""
    run = entry_point(best_first.search, graph, best_first.new_memory(1), buckets.new_buckets(2, 1), rule, *EXAMPLE)
    return Method(graph, rule, n_lists, n_entries, n_path, run=run, pool=name, estimate=estimate, leaps=leaps)


def on_graph(world: Grid | Graph, weight: float, heuristic: str, oldest_first: bool = False) -> Method:
    """The method of searches that read the graph of `world`, ordered by f = g + weight * heuristic."""
    key = "best first", weight, heuristic, oldest_first
    return cached(world, key, partial(_on_graph, float(weight), heuristic, oldest_first))


def _on_graph(weight: float, heuristic: str, oldest_first: bool, world: Grid | Graph) -> Method:
    per_unit, n_lists, falls = settings(world, weight, heuristic)
    kind = HEURISTICS[heuristic]
    rule = Ordering(weight, kind, per_unit, falls, oldest_first)
    return new_method(world, world.graph, rule, "memories", partial(estimate_to, world.graph, kind=kind), n_lists)


class BestFirst(Search):
    """A best-first search that can be advanced. Its arrays come from a pool that belongs to the world.

    It can be restarted with another start and goal, which takes less time than to begin a new one, and it can answer many
    queries in one call of its kernel.
    """

    keeps_arrays = False
    """Whether it is to be restarted, and so does not return its arrays to the pool when it ends."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, method: Method, watch: bool, bound: float | None = None
    ) -> None:
        super().__init__(world, start, goal, watch)
        self.method, self.run, self.bound = method, method.run, bound
        self.memory, self.queue, self.cells = borrow(
            world, method.n_lists, method.n_entries, method.n_path, method.pool
        )
        self.inputs = self.arranged()
        self.places = place_table(world)
        self.is_new = True
        self.generated = self.reopened = 0

    def arranged(self) -> Any:
        """The first arguments of the kernels."""
        return self.method.graph, self.memory, self.queue, self.method.rule

    def restart(self, start: int, goal: int) -> None:
        """Become a new search from `start` to `goal`. Results given so far stay as they are."""
        self.start, self.goal, self.status, self.is_new = start, goal, UNDER_WAY, True
        self.expanded = self.generated = self.reopened = 0

    def expand(self, budget: int) -> int:
        """Resume the search; a queue that is full grows."""
        code: int
        code, self.n_path, self.cost, self.expanded, self.generated, self.reopened = self.run(
            *self.inputs, self.start, self.goal, budget, self.events, self.is_new, self.cells
        )
        self.is_new = False
        if code == FULL:
            self._grow()
            return RUNNING
        return code

    def _grow(self) -> None:
        self.queue = buckets.grown(self.queue)
        self.inputs = self.arranged()

    def count(self) -> Counters:
        """The work done so far."""
        return Counters(int(self.expanded), int(self.generated), int(self.reopened))  # plain Python counts in numpy's

    def read(self) -> tuple[NDArray[Any], float]:
        """The path and its cost."""
        if self.n_path > self.cells.size:
            self.cells = np.empty(self.n_path, np.intp)
            graph, memory, queue, rule = self.inputs
            best_first.write(graph, memory, queue, rule, start=self.start, goal=self.goal, path=self.cells)
        return self.cells[: self.n_path], self.cost

    def end(self, is_found: bool) -> None:
        """Take the counters and the path out of the arrays, and release those if it is not to be restarted."""
        self.counted = self.count()
        if is_found:
            n, places = self.n_path, self.places
            cells = self.cells[:n] if n <= self.cells.size else self.read()[0]
            self.path = places_of(self.world, cells) if places is None else places[cells].tolist()
        if not self.keeps_arrays:
            self.release()

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        lent = pool(self.world, self.method.pool)
        if len(lent) < POOLED:
            lent.append((self.memory, self.queue, self.cells))

    def batch(self, starts: NDArray[np.int32], goals: NDArray[np.int32], first: int, answers: Answers) -> int:
        """Answer queries from number `first` on while there is room for their paths; how many are answered."""
        while True:
            graph, memory, queue, rule = self.inputs
            first, is_full = best_first.search_many(graph, memory, queue, rule, starts, goals, first, answers)
            if not is_full:
                return first
            self._grow()

    def search_view(self) -> SearchView:
        """Open and closed cells."""
        cells, stamp = self.memory.cells, int(self.memory.counts[STAMP])
        seen = cells["mark"] >= stamp
        return (
            super()
            .search_view()
            ._replace(
                state=seen.astype(np.uint8) + (seen & (cells["mark"] & CLOSED > 0)),
                g=cells["g"],
                parent=cells["parent"],
                h=self.method.estimate(self.goal),
                leaps=self.method.leaps,
            )
        )


def borrow(
    world: Grid | Graph, n_lists: int, n_entries: int = 1024, n_path: int = 1024, name: str = "memories"
) -> tuple[best_first.SearchMemory, buckets.Buckets, NDArray[np.intp]]:
    """Arrays of a search that has ended in this world, or new ones: memory, a queue, and room for a path."""
    try:
        memory, queue, cells = pool(world, name).pop()
    except IndexError:
        memory, cells = best_first.new_memory(world.n_cells), np.empty(n_path, np.intp)
        return memory, buckets.new_buckets(n_lists, n_entries), cells
    if len(queue.lists) != buckets.ring_size(n_lists):
        queue = buckets.new_buckets(n_lists, n_entries)
    return memory, queue, cells


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
    return cached(world, ("buckets", weight, heuristic), lambda world: _settings(world, weight, heuristic))


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
        spread = sum(float(np.ptp(axis)) for axis in (graph.x, graph.y, graph.z))
        span = 4.0 * weight * graph.cheapest * spread + 4.0 * costliest
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
