"""The deadline of a call, for preparations: tables, abstractions and databases that are computed before a search begins.

A task that advances is stopped by its caller. Preparations are not tasks: they call `check_deadline` between their parts,
or work `in_parts`, and the caller of the algorithm turns OutOfTime into a result. Tables that are not finished are not
kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.loading import LOADED, loading_seconds

PART = 1 << 20  # simple steps of a kernel between two looks at the clock: some hundredths of a second
_END: ContextVar[tuple[float, int] | None] = ContextVar("end", default=None)


class OutOfTime(Exception):
    """A preparation has reached the deadline."""


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Let preparations in this block raise OutOfTime after `seconds`; compiling and loading kernels does not count."""
    before = _END.set(None if seconds is None else (perf_counter() + seconds, len(LOADED)))
    try:
        yield
    finally:
        _END.reset(before)


def check_deadline() -> None:
    """Raise OutOfTime if the deadline of the call under way has passed."""
    end = _END.get()
    if end is not None and perf_counter() > end[0] + loading_seconds(end[1]):
        raise OutOfTime


def in_parts(items: NDArray[Any], work: NDArray[np.int64] | int) -> Iterator[NDArray[Any]]:
    """`items` in parts of one or more, each for about PART steps of work; the deadline is checked before each part.

    `work` are the steps for each item.
    """
    check_deadline()
    if not len(items):
        return
    before = np.cumsum(np.broadcast_to(work, len(items))) - work
    for part in np.split(items, np.flatnonzero(np.diff(before // PART)) + 1):
        check_deadline()
        yield part
