"""Paths for one agent: `find_path`, `finder` for many calls in one world, and `begin_path` to advance a search by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.refusals import check_world
from wayfolk.algorithms.task import Task, Unprepared, begin_task, begin_within, checked_limits, finish
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.machine import memory_limit
from wayfolk.problem.result import Result
from wayfolk.world.cache import cached
from wayfolk.world.clearance import clearance
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

SMALL = 1 << 14  # cells of a grid whose free places are looked up


class Finder:
    """One algorithm in one world, prepared once: `finder(start, goal)` returns a Result.

    The name, the options and the world are checked when it is made, and not again with each query. A search that can be
    restarted is used again for the next query. Several threads may use one finder at the same time.
    """

    def __init__(
        self,
        world: Grid | Graph,
        algorithm: Any,
        options: dict[str, Any],
        is_kept: bool = True,
        size: int = 1,
        radius: float = 0.0,
    ) -> None:
        """With `is_kept` False it is for one query, and the arrays of the search are left to other searches."""
        self._entry = entry = catalogue.find(algorithm, "search", "realtime")
        self._body = ""
        if size != 1 or radius != 0.0:
            if not isinstance(world, Grid):
                raise NotSupported(f"the size or radius of one agent is for paths on square grids, not in {world!r}")
            world = clearance(world, size, radius)
            self._body = f"a body of {size} x {size} cells" if size > 1 else f"a disc of radius {radius:g}"
        self.world, self.algorithm, self.options = world, entry.name, options
        check_world(entry, world)
        if options and is_kept:
            entry.checked(options)
        self._is_kept = is_kept
        self._can_restart = False
        self._cells = free_places(world) if is_kept else {}
        self._idle: list[Any] = []  # searches that have ended and can be restarted

    def __call__(
        self,
        start: Any,
        goal: Any,
        *,
        seconds: float | None = None,
        expansions: int | None = None,
        steps: int | None = None,
        memory: int | None = None,
    ) -> Result:
        """The path from `start` to `goal`, as `find_path` returns it, within the same limits."""
        if memory is not None:
            checked_limits(memory=memory)
            with memory_limit(memory):
                return self(start, goal, seconds=seconds, expansions=expansions, steps=steps)
        limits = {} if seconds is expansions is steps is None else self._limits(seconds, expansions, steps)
        cells, idle = self._cells, self._idle
        if type(start) is type(goal) is tuple and start in cells and goal in cells:
            first, last = cells[start], cells[goal]
        else:
            first, last = self._cell(start, "start"), self._cell(goal, "goal")
        if idle:
            task = idle.pop()
            task.restart(first, last)
        elif seconds is None:
            task = self._new(first, last)
        else:
            task, limits["spent"] = begin_within(seconds, self._entry, lambda: self._new(first, last))
        result = finish(task, **limits)
        result.query = (self.world, first, last)
        if self._can_restart and not isinstance(task, Unprepared):
            idle.append(task)
        return result

    def begin(self, start: Any, goal: Any) -> Task:
        """A search or a real-time search from `start` to `goal` that has not been advanced yet."""
        ends = self._cell(start, "start"), self._cell(goal, "goal")
        return begin_task(self._entry, (self.world, *ends), self.options)

    def _cell(self, place: Any, what: str) -> int:
        return free_cell(self.world, place, what, self._body)

    def _new(self, start: int, goal: int) -> Any:
        task: Any = begin_task(self._entry, (self.world, start, goal), self.options)
        if self._is_kept and hasattr(task, "restart"):
            self._can_restart = task.keeps_arrays = True
        return task

    def _limits(self, seconds: float | None, expansions: int | None, steps: int | None) -> dict[str, Any]:
        """The limits for `finish`, checked."""
        checked_limits(seconds=seconds, expansions=expansions, steps=steps)
        unit, budget, wrong = "expansions", expansions, steps
        if self._entry.family == "realtime":
            unit, budget, wrong = "steps", steps, expansions
        if wrong is not None:
            raise NotSupported(f"{self.algorithm} is limited by {unit} or seconds")
        return {"seconds": seconds, "budget": budget, "what": unit}

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"finder({self.world!r}, {self.algorithm!r}{options})"


def finder(
    world: Grid | Graph, algorithm: Any = "astar", *, size: int = 1, radius: float = 0.0, **options: Any
) -> Finder:
    """A function that finds paths in `world`: `finder(start, goal)` returns what `find_path` would, in less time.

    `options` are those of the algorithm, `size` and `radius` those of the agent's body, as for `find_path`. Use it for many
    queries that come one by one; `find_many` is for a list of them.
    """
    return Finder(world, algorithm, options, size=size, radius=radius)


def find_path(
    world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: Any = "astar",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    steps: int | None = None,
    memory: int | None = None,
    size: int = 1,
    radius: float = 0.0,
    **options: Any,
) -> Result:
    """The path from `start` to `goal` (places: `(x, y)` on a grid), or the reason why there is none.

    `algorithm` is a name of `wayfolk list`, the text `module:begin`, or a function like `begin`, of the caller's own.
    A search is limited by `expansions`. A real-time search moves while it plans and is limited by `steps`; if it has an
    option called `expansions`, that is the limit of each of its plans. `seconds` is the deadline; the tables that an
    algorithm prepares count, compiling does not. `memory` is how many bytes more the process may take, by default until it
    holds half of the machine's.

    On a grid the agent may have a body: a square of `size` x `size` cells, whose place is its upper left cell, or a disc
    with a `radius` in cells around the middle of its cell. Paths keep clear of walls by as much as the body needs.
    """
    if expansions is not None and _has_expansions(algorithm):
        options["expansions"], expansions = expansions, None
    finder = Finder(world, algorithm, options, is_kept=False, size=size, radius=radius)
    return finder(start, goal, seconds=seconds, expansions=expansions, steps=steps, memory=memory)


def begin_path(
    world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: Any = "astar",
    *,
    size: int = 1,
    radius: float = 0.0,
    **options: Any,
) -> Task:
    """A search or a real-time search that can be advanced step by step; `start` and `goal` are places."""
    return Finder(world, algorithm, options, size=size, radius=radius).begin(start, goal)


def finish_path(algorithm: Any, begin: Callable[[], Task], seconds: float | None, expansions: int | None) -> Result:
    """The result of the search that `begin` begins with `algorithm`, within the limits; preparations count."""
    checked_limits(seconds=seconds, expansions=expansions)
    if seconds is None:
        return finish(begin(), budget=expansions)
    make_ready(algorithm)
    task, spent = begin_within(seconds, catalogue.find(algorithm, "search", "realtime"), begin)
    return finish(task, seconds=seconds, budget=expansions, spent=spent)


def free_cell(world: Grid | Graph, place: Any, what: str, body: str = "") -> int:
    """The cell of `place`, which must be free; the message names `what` it is, and the `body` that does not fit there."""
    if type(place) is tuple and isinstance(world, Grid):  # the common case, without a call
        x, y = place if len(place) == 2 else (-1, -1)
        if type(x) is type(y) is int and 0 <= x < world.width and 0 <= y < world.height:
            cell: int = (y + 1) * world.stride + x + 1
            if world._free.item(cell):
                return cell
    if isinstance(world, Graph):
        cell = world.cell(place)
    elif isinstance(place, np.integer):
        cell = int(place)
    else:
        try:
            cell = world.cell(place)
        except (TypeError, ValueError, IndexError):
            raise BadInput(f"the {what} must be a place (x, y), not {place!r}") from None
    if not world.is_free(cell):
        where = f"the {what} {world.place(cell)}"
        raise BadProblem(f"there is no room for {body} at {where}" if body else f"{where} is in a wall")
    return cell


def free_places(world: Grid | Graph) -> dict[Any, int]:
    """The cells of all free places of a small grid, of none elsewhere: to look them up is faster than to check them."""
    if not isinstance(world, Grid) or world.n_cells > SMALL:
        return {}
    return cached(world, "free places", _free_places)


def _free_places(world: Grid) -> dict[Any, int]:
    cells = world.free_cells.tolist()
    return dict(zip(map(world.place, cells), cells, strict=True))


def _has_expansions(algorithm: Any) -> bool:
    """Whether `expansions` is an option of the algorithm."""
    entry = catalogue.find(algorithm, "search", "realtime")
    return any(option.name == "expansions" for option in entry.options)


@cache
def make_ready(algorithm: Any) -> None:
    """Load or compile the kernels of `algorithm` by finding a short path."""
    entry = catalogue.find(algorithm, "search", "realtime")
    find_path(tiny_grid(entry), (0, 0), (3, 3), entry)


def tiny_grid(entry: catalogue.Entry) -> Grid:
    """A map of 4 x 4 free cells with moves that the algorithm allows."""
    return Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
