"""Task: whatever plans is a state that can be advanced by a budget.

One loop, `finish`, then serves batch use, deadlines, Ctrl-C and progress; real-time use and animation advance the same
task by a few expansions at a time.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable

from wayfolk.errors import BadInput
from wayfolk.result import NO_LIMIT, Result, Status

SLICE_SECONDS = 0.03  # how long Ctrl-C or a deadline may wait


class Task(ABC):
    """Something that can be advanced: `begin -> advance(budget) -> result`."""

    status: Status = Status.RUNNING

    @abstractmethod
    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Work for at most `budget` units (expansions) and say where it stands."""

    @abstractmethod
    def result(self) -> Result:
        """What has been found so far."""


def checked_limits(seconds: float | None, expansions: int | None) -> None:
    """Limits are absent or positive."""
    if seconds is not None and not seconds > 0:
        raise BadInput(f"seconds must be more than 0, not {seconds}")
    if expansions is not None and expansions < 1:
        raise BadInput(f"expansions must be 1 or more, not {expansions}")


def finish(
    task: Task,
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    tell: Callable[[Task], None] | None = None,
    portion: int = 1 << 12,
) -> Result:
    """Advance `task` until it ends or a limit is reached; `tell` is called now and then. The first try is `portion`."""
    checked_limits(seconds, expansions)
    began = time.perf_counter()
    left = NO_LIMIT if expansions is None else expansions
    portion = min(portion, left)
    stopped = None
    while True:
        if seconds is not None and time.perf_counter() - began >= seconds:
            stopped = Status.OUT_OF_TIME
            break
        at = time.perf_counter()
        status = task.advance(portion)
        took = time.perf_counter() - at
        if tell is not None:
            tell(task)
        if status.is_final:
            break
        left -= portion
        if left <= 0:
            stopped = Status.OUT_OF_BUDGET
            break
        # the next portion should take about a slice; the first may have compiled something
        portion = min(left, max(1, int(portion * min(4.0, SLICE_SECONDS / max(took, 1e-6)))))
    result = task.result()
    result.seconds = time.perf_counter() - began
    if stopped is not None:
        result.status = stopped
    return result
