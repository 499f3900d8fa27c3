"""Search: what searches for a path have in common: budgets, room for events, and the answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.shown import Shown
from wayfolk.algorithms.task import Task
from wayfolk.kernels.best_first import EXHAUSTED, FOUND, QUEUE_FULL, RUNNING, Answers
from wayfolk.kernels.buckets import Buckets, grown
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.kept import kept

GIVEN_UP = 4  # one more outcome of `expand`: neither found nor ruled out
UNDER_WAY, SOLVED = Status.RUNNING, Status.SOLVED  # global names are found faster than members of an enum
ENDS = {FOUND: SOLVED, EXHAUSTED: Status.IMPOSSIBLE, GIVEN_UP: Status.GAVE_UP}
INFINITE = float("inf")
NO_EVENTS = np.empty(0, np.int32)
POOLED = 4  # arrays of ended searches that are kept with a world
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

    def shown(self) -> Shown:
        """The expanded cells."""
        return Shown(self.events[: min(self.expanded, len(self.events))])

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


class Request(NamedTuple):
    """The last arguments of the kernels of queue searches, in their order."""

    start: int
    goal: int
    budget: int
    events: NDArray[np.int32]
    is_new: bool
    path: NDArray[np.intp]


EXAMPLE = Request(start=0, goal=0, budget=NO_LIMIT, events=NO_EVENTS, is_new=True, path=np.empty(1, np.intp))
"""A request with the types of all others, to get the entry point of a kernel."""


class QueueSearch(Search):
    """A search with a bucket queue, whose arrays come from a pool that belongs to the world.

    It can be restarted with another start and goal, which takes less time than to begin a new one, and it can answer many
    queries in one call of its kernel.
    """

    keeps_arrays = False
    """Whether it is to be restarted, and so does not return its arrays to the pool when it ends."""
    run: Callable[..., Any]
    """The entry point of its kernel."""
    pool: list[Any]

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.memory, self.queue, self.cells = self.borrow()
        self.inputs = self.arranged()
        self.places = place_table(world)
        self.is_new = True
        self.generated = self.reopened = 0

    @abstractmethod
    def borrow(self) -> tuple[Any, Buckets, NDArray[np.intp]]:
        """Arrays of a search that has ended in this world, or new ones: memory, queue, and room for the path."""

    @abstractmethod
    def arranged(self) -> tuple[Any, ...]:
        """The first arguments of the kernels: the world, memory, queue and settings."""

    @abstractmethod
    def trace(self, cells: NDArray[np.intp]) -> None:
        """Write the path backwards to `cells`."""

    @abstractmethod
    def many(self, *arguments: Any) -> tuple[int, bool]:
        """Call the kernel for many queries: how many are answered, and whether the queue was full."""

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
        if code == QUEUE_FULL:
            self._grow()
            return RUNNING
        return code

    def _grow(self) -> None:
        self.queue = grown(self.queue)
        self.inputs = self.arranged()

    def count(self) -> Counters:
        """The work done so far."""
        return Counters(int(self.expanded), int(self.generated), int(self.reopened))  # plain Python counts in numpy's

    def read(self) -> tuple[NDArray[Any], float]:
        """The path and its cost."""
        if self.n_path > self.cells.size:
            backwards = np.empty(self.n_path, np.intp)
            self.trace(backwards)
            self.cells = backwards[::-1].copy()
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
        if len(self.pool) < POOLED:
            self.pool.append((self.memory, self.queue, self.cells))

    def batch(self, starts: NDArray[np.int32], goals: NDArray[np.int32], first: int, answers: Answers) -> int:
        """Answer queries from number `first` on while there is room for their paths; how many are answered."""
        while True:
            first, is_full = self.many(*self.inputs, starts, goals, first, answers)
            if not is_full:
                return first
            self._grow()


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
    stride = world.stride  # type: ignore[union-attr]
    if len(cells) < FEW:
        return [(cell % stride - 1, cell // stride - 1) for cell in np.asarray(cells).tolist()]
    y, x = np.divmod(cells, stride)
    return list(zip((x - 1).tolist(), (y - 1).tolist(), strict=True))


def place_table(world: Grid | Graph) -> NDArray[np.object_] | None:
    """The places of all cells, or None for large maps: to look them up takes a third of the time of computing them."""
    if isinstance(world, Grid):
        return _places(world.stride, world.n_cells) if world.n_cells <= SMALL else None
    return kept(world, "places", lambda world: as_objects(world.names))


@lru_cache(maxsize=8)
def _places(stride: int, n_cells: int) -> NDArray[np.object_]:
    return as_objects([(cell % stride - 1, cell // stride - 1) for cell in range(n_cells)])


def as_objects(things: list[Any]) -> NDArray[np.object_]:
    """An array of objects, none of which is taken for an array itself."""
    table = np.empty(len(things), np.object_)
    for k, thing in enumerate(things):
        table[k] = thing
    return table
