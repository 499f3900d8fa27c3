"""Search: what searches for a path have in common: budgets, room for events, and the answer."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.kernels.best_first import EXHAUSTED, FOUND, RUNNING
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.task import Task

GIVEN_UP = 4  # one more outcome of `expand`: neither found nor ruled out
ENDS = {FOUND: Status.SOLVED, EXHAUSTED: Status.IMPOSSIBLE, GIVEN_UP: Status.GAVE_UP}
FEW = 50


class Search(Task):
    """A search under way. Events are written by its kernel while there is room, which is made before it is called."""

    bound: float | None = None
    detail = ""
    path: list[Any]
    cost = float("inf")

    def __init__(self, world: Any, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal = world, start, goal
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.counted = Counters()

    @abstractmethod
    def expand(self, budget: int) -> int:
        """Expand up to `budget` cells: FOUND, EXHAUSTED, GIVEN_UP, or RUNNING, also to be called again with more room."""

    @abstractmethod
    def count(self) -> Counters:
        """The work done so far."""

    @abstractmethod
    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path that was found and its cost."""

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""

    @property
    def expanded(self) -> int:
        """Cells expanded so far."""
        return self.counted.expanded

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if self.status.is_final:
            return self.status
        stop = self.expanded + budget
        code = RUNNING
        while code == RUNNING and self.expanded < stop:
            self.events, portion = with_room(self.events, self.expanded, stop - self.expanded)
            code = self.expand(portion)
            self.counted = self.count()
        if code in ENDS:
            self.status = ENDS[code]
            if code == FOUND:
                cells, self.cost = self.read()
                self.path = places_of(self.world, cells)
            self.release()
        return self.status

    def result(self) -> Result:
        """The path, once there is one."""
        made = Result(self.status, "", counters=self.counted, detail=self.detail)
        if self.status is Status.SOLVED:
            made.path, made.cost, made.bound = self.path, self.cost, self.bound
        if self.events.size:
            made.events = self.events[: self.expanded].copy()
        return made


def with_room(events: NDArray[np.int32], expanded: int, budget: int) -> tuple[NDArray[np.int32], int]:
    """`events`, longer if need be, and how much of `budget` there is room for; all of it if nobody watches."""
    if not events.size:
        return events, budget
    if expanded * 2 > events.size:
        events = np.concatenate([events, np.empty_like(events)])
    return events, min(budget, events.size // 2)


def places_of(world: Grid | Graph, cells: Any) -> list[Any]:
    """The places a caller knows cells by."""
    if isinstance(world, Grid):
        cells = np.asarray(cells)
        if len(cells) < FEW:  # numpy would take longer
            stride = world.stride
            return [(cell % stride - 1, cell // stride - 1) for cell in cells.tolist()]
        y, x = np.divmod(cells, world.stride)
        return list(zip((x - 1).tolist(), (y - 1).tolist(), strict=True))
    return [world.place(cell) for cell in cells]
