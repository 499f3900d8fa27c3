"""What the searches with a kernel of their own share: budgets, events, borrowed memory, and the price of a path."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import Graph, cost, slots, there
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXHAUSTED, EXPANDED, FOUND, GENERATED, QUEUE_FULL, REOPENED, STAMP
from wayfolk.kernels.jit import inner, kernel
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._best_first import edge_range, places_of
from wayfolk.task import Task

GIVEN_UP = 4  # one more outcome of `expand`: neither found nor ruled out
N_COUNTS = 16
ENDS = {FOUND: Status.SOLVED, EXHAUSTED: Status.IMPOSSIBLE, GIVEN_UP: Status.GAVE_UP}


class Expanding(Task):
    """A search under way that keeps its counters in `counts` and the path, once there is one, in what `read` returns.

    Events are written by the kernel while there is room, which is made before it is called.
    """

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal = world, start, goal
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.borrowed: list[Any] = []
        self.path: list[Any] | None = None
        self.cost = float("inf")
        self.bound: float | None = None
        self.detail = ""

    @abstractmethod
    def expand(self, budget: int) -> int:
        """Expand up to `budget` cells and say how it stands; QUEUE_FULL to be called again after `grow`."""

    def grow(self) -> None:
        """Make room in what was full, for a search that says QUEUE_FULL."""
        raise NotImplementedError

    @abstractmethod
    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path that was found and its cost."""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if self.status.is_final:
            return self.status
        stop = self.expanded + budget
        while True:
            left = stop - self.expanded
            if self.events.size:
                if self.expanded * 2 > self.events.size:
                    self.events = np.concatenate([self.events, np.empty_like(self.events)])
                left = min(left, self.events.size // 2)
            code = self.expand(left)
            if code == QUEUE_FULL:
                self.grow()
            elif code in ENDS or self.expanded >= stop:
                break
        if code in ENDS:
            self.status = ENDS[code]
            if code == FOUND:
                cells, self.cost = self.read()
                self.path = places_of(self.world, cells)
            self.release()
        return self.status

    @property
    def expanded(self) -> int:
        """Cells expanded so far."""
        return int(self.counts[EXPANDED])

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

    def result(self) -> Result:
        """The path, once there is one."""
        count = self.counts
        made = Result(self.status, "", detail=self.detail)
        made.counters = Counters(int(count[EXPANDED]), int(count[GENERATED]), int(count[REOPENED]))
        if self.path is not None:
            made.path, made.cost, made.bound = self.path, self.cost, self.bound
        if self.events.size:
            made.events = self.events[: self.expanded].copy()
        return made


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
