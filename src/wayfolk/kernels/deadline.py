"""The deadline of a call, for preparations: tables, abstractions and databases that are computed before a search begins.

A task that advances is stopped by its caller. Preparations are not tasks: they call `check_deadline` between their parts,
and the caller of the algorithm turns OutOfTime into a result. Tables that are not finished are not kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from wayfolk.compile.loading import LOADED, loading_seconds

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
