"""What A*, weighted A* and Dijkstra share: the task around the kernel `best_first`, and its memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import GUESSES, CsrGraph, Graph
from wayfolk.grid import Grid, Moves
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED, GENERATED, QUEUE_FULL, REOPENED, RUNNING
from wayfolk.result import Counters
from wayfolk.search._search import Search

PER_EDGE = 5  # buckets for each cheapest edge: fewer reopen cells, more are empty
MAX_BUCKETS = 1 << 16
MAX_ROW = 1 << 14  # lists of a row, which are gone through at the start of each search
NOTHING = np.zeros(0, np.int32)


class BestFirst(Search):
    """A best-first search under way."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, weight: float, guess: str, oldest_first: bool, watch: bool
    ) -> None:
        super().__init__(world, start, goal, watch)
        self.weight, self.guess, self.oldest_first = float(weight), GUESSES[guess], oldest_first
        self.per_unit, n_lists, self.falls = settings(world, self.weight, guess)
        self.memory, self.queue, self.cells = _borrow(world, n_lists)
        self.is_new = True

    def expand(self, budget: int) -> int:
        """Go on with the search; a queue that is full grows."""
        code, self.n_path = best_first.search(
            self.world.graph, self.memory, self.queue, self.start, self.goal, self.weight, self.guess,
            self.per_unit, self.falls, self.oldest_first, budget, self.events, self.is_new, self.cells,
        )  # fmt: skip
        self.is_new = False
        if code == QUEUE_FULL:
            self.queue = buckets.grown(self.queue)
            return RUNNING
        return int(code)

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        pool = self.world.__dict__.setdefault("_memories", [])
        if len(pool) < 4:
            pool.append((self.memory, self.queue, self.cells))

    def batch(self, starts: Any, goals: Any, first: int, costs: Any, expanded: Any, ends: Any, path: Any) -> int:
        """Whole searches from number `first` on while there is room in `path`; how many are done."""
        while True:
            first, is_full = best_first.search_many(
                self.world.graph, self.memory, self.queue, starts, goals, self.weight, self.guess, self.per_unit,
                self.falls, self.oldest_first, first, costs, expanded, ends, path,
            )  # fmt: skip
            if not is_full:
                return first
            self.queue = buckets.grown(self.queue)

    def count(self) -> Counters:
        """The work done so far."""
        count = self.memory.counts
        return Counters(int(count[EXPANDED]), int(count[GENERATED]), int(count[REOPENED]))

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        cells = self.cells
        if self.n_path > cells.size:
            cells = np.empty(self.n_path, np.int32)
            best_first.trace(self.memory, self.start, self.goal, cells)
        return cells[: self.n_path][::-1], float(self.memory.cells[self.goal]["g"])


def best_guess(world: Grid | Graph) -> str:
    """The largest guess that never overestimates."""
    if isinstance(world, Graph):
        return "euclidean"
    return "manhattan" if world.moves is Moves.FOUR else "octile"


def never_overestimates(world: Grid | Graph, guess: str) -> bool:
    """Whether `guess` is a lower bound in this world."""
    if guess in ("zero", "euclidean"):
        return not (isinstance(world, Grid) and guess == "euclidean" and world.diagonal < 2**0.5 - 1e-12)
    if isinstance(world, Graph):
        return False
    return guess == "octile" or world.moves is Moves.FOUR


def settings(world: Grid | Graph, weight: float, guess: str) -> tuple[float, int, bool]:
    """Buckets to a unit, buckets in all, and whether f can fall; worked out once for each world."""
    known = world.__dict__.setdefault("_settings", {})
    if (weight, guess) not in known:
        falls = can_fall(world, weight, guess)
        known[weight, guess] = *lists_for(world, weight, falls), falls
    found: tuple[float, int, bool] = known[weight, guess]
    return found


def can_fall(world: Grid | Graph, weight: float, guess: str) -> bool:
    """Whether f can fall along a path."""
    return weight > 1.0 or not (weight == 0.0 or never_overestimates(world, guess))


def lists_for(world: Grid | Graph, weight: float, falls: bool) -> tuple[float, int]:
    """How many buckets to a unit of cost, and in all.

    In a ring they must hold more than the most f can rise by one step; a row should hold whatever f is likely to be.
    """
    cheapest, dearest = edge_range(world)
    if falls and isinstance(world, Grid):
        span = 4.0 * weight * cheapest * (world.width + world.height)
    elif falls and isinstance(world, Graph):
        graph = world.graph
        span = 4.0 * weight * graph.cheapest * float(np.ptp(graph.x) + np.ptp(graph.y)) + 4.0 * dearest
    else:
        span = dearest * (1.0 + 1.5 * weight)
    width = max(cheapest / PER_EDGE, span / (MAX_ROW if falls else MAX_BUCKETS))
    return 1.0 / width, int(span / width) + 2


def edge_range(world: Grid | Graph) -> tuple[float, float]:
    """The cheapest and dearest edge; the cheapest is above 0 even if some edges are free."""
    graph = world.graph
    if isinstance(graph, CsrGraph):
        dearest = float(graph.weight.max(initial=0.0)) or 1.0
        paid = graph.weight[graph.weight > 0]
        return float(paid.min(initial=dearest)), dearest
    top = float(graph.terrain.max(initial=0.0)) if graph.terrain.size else 1.0
    return graph.cheapest, top * float(graph.lengths.max())


def _borrow(world: Grid | Graph, n_lists: int) -> tuple[best_first.Memory, buckets.Buckets, Any]:
    """Arrays of a search that has ended in this world, or new ones; the last is for the path."""
    pool = world.__dict__.setdefault("_memories", [])
    size = buckets.ring_size(n_lists)
    try:
        memory, queue, cells = pool.pop()
    except IndexError:
        return best_first.new_memory(world.n_cells), buckets.new_buckets(n_lists, 1024), np.empty(1024, np.int32)
    return memory, queue if len(queue.lists) == size else buckets.new_buckets(n_lists, 1024), cells
