"""Search: what searches for a path have in common: budgets, room for events, and the answer."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search_view import SearchView
from wayfolk.algorithms.task import Task
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

GIVEN_UP = FULL + 1  # one more outcome of `expand`: neither found nor ruled out
UNDER_WAY, SOLVED = Status.RUNNING, Status.SOLVED  # global names are found faster than members of an enum
ENDS = {FOUND: SOLVED, EXHAUSTED: Status.IMPOSSIBLE, GIVEN_UP: Status.GAVE_UP}
INFINITE = float("inf")
NO_EVENTS = np.empty(0, np.int32)
FEW = 50  # cells, for which numpy takes longer than Python
SMALL = 1 << 14  # a map with so few cells has a table of its places


class Search(Task):
    """A search that can be advanced. Its kernel writes events while there is room, which is made before each call."""

    bound: float | None = None
    detail = ""
    path: list[Any]
    cost = INFINITE
    expanded = 0
    """Cells expanded so far; `expand` keeps it up to date."""
    counted: Counters
    """The work done, once the search has ended."""

    def __init__(self, world: Any, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal = world, start, goal
        self.events = np.empty(1024, np.int32) if watch else NO_EVENTS

    @abstractmethod
    def expand(self, budget: int) -> int:
        """Expand up to `budget` cells: FOUND, EXHAUSTED, GIVEN_UP, or RUNNING, also to be called again with more room."""

    @abstractmethod
    def count(self) -> Counters:
        """The work done so far."""

    @abstractmethod
    def read(self) -> tuple[NDArray[Any], float]:
        """The path that was found and its cost."""

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if self.status is not UNDER_WAY:
            return self.status
        code, left, stop = RUNNING, budget, self.expanded + budget
        while code == RUNNING and left > 0:
            if self.events is not NO_EVENTS:
                self.events, left = with_room(self.events, self.expanded, left)
            code = self.expand(left)
            left = stop - self.expanded
        if code in ENDS:
            self.end(code == FOUND)
            self.status = ENDS[code]
        return self.status

    def search_view(self) -> SearchView:
        """The expanded cells."""
        return SearchView(self.events[: min(self.expanded, len(self.events))])

    def end(self, is_found: bool) -> None:
        """Take the counters and the path out of the arrays, and release those."""
        self.counted = self.count()
        if is_found:
            cells, self.cost = self.read()
            self.path = places_of(self.world, cells)
        self.release()

    def result(self) -> Result:
        """The path, once there is one."""
        counters = self.count() if self.status is UNDER_WAY else self.counted
        if self.status is SOLVED:
            path, cost, bound = self.path, self.cost, self.bound
        else:
            path, cost, bound = None, INFINITE, None
        # arguments by name would take half a microsecond more, longer than to set the last fields afterwards
        result = Result(self.status, self.algorithm, path, cost, None, counters)
        result.bound, result.options, result.detail = bound, dict(self.options), self.detail
        if self.events is not NO_EVENTS:
            result.events = self.events[: self.expanded].copy()
        return result


def with_room(events: NDArray[np.int32], expanded: int, budget: int) -> tuple[NDArray[np.int32], int]:
    """`events`, longer if need be, and how much of `budget` there is room for; all of it without `watch`."""
    if not events.size:
        return events, budget
    if expanded * 2 > events.size:
        events = np.concatenate([events, np.empty_like(events)])
    return events, min(budget, events.size // 2)


def places_of(world: Grid | Graph, cells: Any) -> list[Any]:
    """The places a caller knows `cells` by: `(x, y)` on a grid, names on a graph."""
    table = place_table(world)
    if table is not None:
        places: list[Any] = table[cells].tolist()
        return places
    if not isinstance(world, Grid):
        return [world.place(cell) for cell in np.asarray(cells).tolist()]
    stride = world.stride
    if len(cells) < FEW:
        return [(cell % stride - 1, cell // stride - 1) for cell in np.asarray(cells).tolist()]
    y, x = np.divmod(cells, stride)
    return list(zip((x - 1).tolist(), (y - 1).tolist(), strict=True))


def place_table(world: Grid | Graph) -> NDArray[np.object_] | None:
    """The places of all cells, or None for large worlds: to look them up takes a third of the time of computing them."""
    if world.n_cells > SMALL:
        return None
    if isinstance(world, Grid):
        return _places(world.stride, world.n_cells)
    return cached(world, "places", lambda world: as_objects(list(world.names)))


@lru_cache(maxsize=8)
def _places(stride: int, n_cells: int) -> NDArray[np.object_]:
    return as_objects([(cell % stride - 1, cell // stride - 1) for cell in range(n_cells)])


def as_objects(things: list[Any]) -> NDArray[np.object_]:
    """An array of objects, none of which is taken for an array itself."""
    table = np.empty(len(things), np.object_)
    for k, thing in enumerate(things):
        table[k] = thing
    return table
