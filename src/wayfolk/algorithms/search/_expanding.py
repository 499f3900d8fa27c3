"""What the searches with a kernel of their own share: counters and borrowed memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.algorithms.search._best_first import POOLED, borrow, edge_range
from wayfolk.algorithms.search._search import Search
from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED, GENERATED, REOPENED, STAMP
from wayfolk.problem.result import Counters
from wayfolk.world.cache import cached, pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

N_COUNTS = 16


class Expanding(Search):
    """A search that keeps its counters in `counts` and borrows the memory of best-first searches."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.borrowed: list[tuple[best_first.SearchMemory, Any, Any]] = []

    def count(self) -> Counters:
        """The work done so far."""
        count = self.counts
        return Counters(int(count[EXPANDED]), int(count[GENERATED]), int(count[REOPENED]))

    def borrow(self) -> best_first.SearchMemory:
        """Memory of a search that has ended in this world, or new.

        With it come the queue and the path of a best-first search, which are handed on as they are.
        """
        self.borrowed.append(borrow(self.world, 2))
        return self.borrowed[-1][0]

    def release(self) -> None:
        """Leave the memory to the next search in this world."""
        lent = pool(self.world, "memories")
        lent += self.borrowed[: max(0, POOLED - len(lent))]
        self.borrowed = []


def cheapest_edge(world: Grid | Graph) -> float:
    """The cost of the cheapest edge that is not free; worked out once for each world."""
    return cached(world, "cheapest edge", lambda world: edge_range(world)[0])


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
