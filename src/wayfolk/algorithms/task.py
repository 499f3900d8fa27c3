"""Task: whatever plans is a state that can be advanced by a budget.

One loop, `finish`, serves batch use, deadlines, Ctrl-C and progress; real-time use and animation advance the same task by
a small budget at a time. The limits and seeds of every call are checked here.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from time import perf_counter
from types import MappingProxyType
from typing import Any

import numpy as np

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.options import MOST_INT
from wayfolk.algorithms.refusals import check_problem
from wayfolk.algorithms.search_view import SearchView
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadInput, BadProblem, TooLarge
from wayfolk.kernels.deadline import OutOfTime, deadline
from wayfolk.machine import is_memory_full
from wayfolk.problem.layers import Layer
from wayfolk.problem.result import NO_LIMIT, Result, Status

RUNNING = Status.RUNNING  # a global name is found faster than a member of an enum
SLICE_SECONDS = 0.03  # how long Ctrl-C or a deadline may wait
UNPREPARED = "the deadline came while tables were prepared"
UNITS = ("expansions", "steps", "ticks")
"""What a task may count as its work."""


class Task(ABC):
    """Something that can be advanced: `begin -> advance(budget) -> result`.

    `algorithm` is the name of the algorithm, and `options` are those that its caller gave. `begin_task` writes both, and
    results carry them.
    """

    status: Status = Status.RUNNING
    algorithm: str = ""
    options: Mapping[str, Any] = MappingProxyType({})
    until: float = math.inf
    """The time (`perf_counter()`) at which `advance` should return although its budget is not spent. A task whose
    units can take long heeds it; others need not."""
    unspent: int = 0
    """What the last `advance` has left of its budget, because `until` came first."""
    has_plan: bool = False
    """Whether an anytime task, which keeps RUNNING to improve its plan, has one already. Its `advance` returns as soon as
    it has found the first plan, and its result is SOLVED from then on."""

    @abstractmethod
    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Work for at most `budget` units (expansions, steps or ticks) and return the status."""

    @abstractmethod
    def result(self) -> Result:
        """The result so far."""

    def search_view(self) -> SearchView:
        """What a replay shows of a search now: its expanded cells, unless it has more to show."""
        events = self.result().events
        return SearchView(np.zeros(0, np.int32) if events is None else events)

    def view_layers(self) -> tuple[Layer, ...]:
        """What a replay shows of the map, such as the levels of an abstraction."""
        return ()


class Unprepared(Task):
    """A task whose preparations have reached the deadline."""

    status = Status.OUT_OF_TIME

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Nothing is left to do."""
        return self.status

    def result(self) -> Result:
        """That there is no answer."""
        return Result(self.status, self.algorithm, options=dict(self.options), detail=UNPREPARED)


def begin_within(seconds: float | None, entry: Entry, begin: Callable[[], Task]) -> tuple[Task, float]:
    """The task that `begin` begins, and how many seconds that took; if they are too many, an `Unprepared` one."""
    began, loaded = perf_counter(), len(LOADED)
    try:
        with deadline(seconds):
            task = begin()
    except OutOfTime:
        task = Unprepared()
        task.algorithm = entry.name
    return task, perf_counter() - began - loading_seconds(loaded)


def begin_task(entry: Entry, where: tuple[Any, ...], options: dict[str, Any], seed: int | None = None) -> Task:
    """The task that `entry` begins with `where` (a world and two cells, or a problem) and `options`, checked here."""
    checked = entry.checked(options) if options else {}
    if entry.family == "planners":
        check_problem(entry, *where)
    task = entry.load()(*where, **(checked if seed is None else seeded(entry, seed, checked)))
    if not isinstance(task, Task):
        raise BadInput(f"{entry.name} must begin a Task, not a {type(task).__name__}: its `begin` returns it")
    task.algorithm, task.options = entry.name, checked
    return task


def seeded(entry: Entry, seed: Any, options: dict[str, Any]) -> dict[str, Any]:
    """`options` with the random seed, which is checked, for algorithms that have such an option."""
    seed = checked_seed(seed)
    return {"seed": seed} | options if any(option.name == "seed" for option in entry.options) else options


def checked_limits(*, seconds: float | None = None, until: float | None = None, **counts: int | None) -> None:
    """Raise unless every limit is absent or above 0, and those in `counts` (expansions, steps, ticks) whole numbers."""
    for name, limit in {"seconds": seconds, "until": until}.items():
        if limit is not None and not _is(limit, Real):
            raise BadProblem(f"{name} must be a number, not {limit!r}")
        if limit is not None and not limit > 0:
            raise BadProblem(f"{name} must be more than 0, not {limit}")
    for name, count in counts.items():
        if count is not None and not _is(count, Integral):
            raise BadProblem(f"{name} must be a whole number, not {count!r}")
        if count is not None and count < 1:
            raise BadProblem(f"{name} must be 1 or more, not {count}")


def checked_seed(seed: Any) -> int:
    """The random seed as an int, or an error if it is none from 0 to 2 ** 62."""
    if not _is(seed, Integral):
        raise BadProblem(f"a seed must be a whole number, not {seed!r}")
    if not 0 <= seed <= MOST_INT:
        raise BadProblem(f"a seed must be {'0 or more' if seed < 0 else f'at most {MOST_INT:,}'}, not {seed}")
    return int(seed)


def _is(value: Any, kind: type) -> bool:
    """Whether `value` is a number of this kind; truth values are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def finish(
    task: Task,
    *,
    seconds: float | None = None,
    budget: int | None = None,
    what: str = "expansions",
    tell: Callable[[Task], None] | None = None,
    portion: int = 1 << 12,
    largest: int = NO_LIMIT,
    first_plan: bool = False,
    spent: float = 0.0,
) -> Result:
    """Advance `task` until it ends or a limit is reached, and return its result.

    `seconds` is the deadline, of which `spent` have passed since the task was begun, and `budget` the most work, counted in
    `what`: "expansions", "steps" or "ticks". `tell` is called with the task after every portion of the work. The first has
    `portion` units, later ones take SLICE_SECONDS, and none has more than `largest`: where time is looked at after every
    step, that is one step. A task that stops at `until` by itself gets more than it can do. With `first_plan`, or without
    `seconds` and `budget`, an anytime task ends with its first plan; a limit reached later leaves it solved. A task also
    ends where `memory_limit` allows it no more memory: `detail` of the result says so.
    """
    left = NO_LIMIT
    if seconds is not None or budget is not None:
        checked_limits(seconds=seconds, **{what: budget})
        left = NO_LIMIT if budget is None else min(int(budget), NO_LIMIT)
    if portion > left or portion > largest:
        portion = min(left, largest)
    first_plan = first_plan or (seconds is None and budget is None)
    stopped = found_after = None
    detail = ""
    loaded = len(LOADED)  # compiling and loading kernels is not work: limits and timings leave it out
    began = now = perf_counter()
    began -= spent
    worked = spent  # seconds until `now`; what `tell` and `result` load after it has no part in them
    while True:
        left_seconds = math.inf if seconds is None else seconds - worked
        if left_seconds <= 0:
            stopped = Status.OUT_OF_TIME
            break
        before, task.until = now, now + min(SLICE_SECONDS, left_seconds)
        try:
            status = task.advance(portion)
        except (TooLarge, MemoryError) as error:
            status, detail = RUNNING, str(error) or "there is no memory left"
        finally:
            task.until = math.inf
        now = perf_counter()
        worked = now - began
        if len(LOADED) > loaded:
            worked -= loading_seconds(loaded)
        done = portion - task.unspent
        if tell is not None:
            tell(task)
        if task.has_plan and found_after is None:
            found_after = worked
        if status is not RUNNING or (task.has_plan and first_plan):
            break
        if not detail and is_memory_full():
            detail = "stopped at the limit of memory"
        if detail:
            stopped = Status.OUT_OF_BUDGET
            break
        left -= done
        if left <= 0:
            stopped = Status.OUT_OF_BUDGET
            break
        # the next portion should take about a slice; the first may have compiled something
        enough = int(done * min(4.0, SLICE_SECONDS / max(now - before, 1e-6)))
        portion = min(left, largest, max(1, enough if task.unspent == 0 else 2 * portion))
    result = task.result()
    result.seconds = worked
    result.first_seconds = found_after
    if stopped is not None and not task.has_plan:
        result.status = stopped
    result.detail = result.detail or detail
    if not result.algorithm:  # the author of a task need not set it
        result.algorithm, result.options = task.algorithm, dict(task.options)
    return result
