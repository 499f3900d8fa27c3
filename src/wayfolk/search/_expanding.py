"""What the searches with a kernel of their own share: counters, borrowed memory, and the price of a path."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.graph import Graph, cost, slots, there
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED, GENERATED, REOPENED, STAMP
from wayfolk.kernels.jit import inner, kernel
from wayfolk.result import Counters
from wayfolk.search._best_first import edge_range
from wayfolk.search._search import Search

N_COUNTS = 16


class Expanding(Search):
    """A search that keeps its counters in `counts` and borrows the memory of best-first searches."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.borrowed: list[Any] = []

    def count(self) -> Counters:
        """The work done so far."""
        count = self.counts
        return Counters(int(count[EXPANDED]), int(count[GENERATED]), int(count[REOPENED]))

    def borrow(self) -> best_first.Memory:
        """Memory of a search that has ended in this world, or new.

        With it come the queue and the path of a best-first search, which are handed on as they are.
        """
        try:
            found = self.world.__dict__.setdefault("_memories", []).pop()
        except IndexError:
            found = best_first.new_memory(self.world.n_cells), buckets.new_buckets(2, 1024), np.empty(1024, np.int32)
        self.borrowed.append(found)
        memory: best_first.Memory = found[0]
        return memory

    def release(self) -> None:
        """Leave the memory to the next search in this world."""
        pool = self.world.__dict__.setdefault("_memories", [])
        pool += self.borrowed[: max(0, 4 - len(pool))]
        self.borrowed = []


def cheapest_edge(world: Grid | Graph) -> float:
    """The cost of the cheapest edge that is not free; worked out once for each world."""
    known = world.__dict__.setdefault("_settings", {})
    if "cheapest" not in known:
        known["cheapest"] = edge_range(world)[0]
    found: float = known["cheapest"]
    return found


@inner
def fresh_stamp(memory):
    """A mark no cell has yet, nor the one after it; whether all marks had to be cleared for that."""
    is_cleared = memory.counts[STAMP] > 2**31 - 8
    if is_cleared:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        memory.counts[STAMP] = 0
    memory.counts[STAMP] += 2
    return is_cleared


@kernel
def price(graph, path):
    """What a path costs, by the cheapest of parallel edges."""
    total = 0.0
    for step in range(path.size - 1):
        cheapest = np.inf
        for k in range(slots(graph, path[step])):
            if there(graph, path[step], k) == path[step + 1]:
                cheapest = min(cheapest, cost(graph, path[step], k))
        total += cheapest
    return total
