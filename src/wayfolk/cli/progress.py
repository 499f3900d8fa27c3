"""Progress on stderr: drawn on a terminal. Elsewhere there is none, but for sweeps, which may take days."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from wayfolk.experiments.sweeps.engine import SweepProgress

T = TypeVar("T")
PAUSE = 0.1  # seconds between two looks at a task, whose result so far may take long to put together
LINE_SECONDS = 5.0  # how often a log gets a line about a sweep


def bar(what: str) -> Callable[[Iterable[T], int], Iterator[T]]:
    """A function that passes on the items of a collection of known length, and shows how far it is."""

    def walk(items: Iterable[T], total: int) -> Iterator[T]:
        if not sys.stderr.isatty():
            yield from items
            return
        from rich.progress import track

        yield from track(items, description=what, total=total, console=_console(), transient=True)

    return walk


@contextmanager
def spinner(what: str) -> Iterator[Callable[[Any], None] | None]:
    """A function that shows the expansions or the clock of the task it is given; None if there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with _console().status(what) as status:
        looked = 0.0

        def tell(task: Any) -> None:
            nonlocal looked
            if time.monotonic() - looked < PAUSE:
                return
            shown = f"time {task.time:.0f}" if hasattr(task, "time") else f"{task.result().expanded:,} expanded"
            status.update(f"{what}: {shown}")
            looked = time.monotonic()

        yield tell


def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


@contextmanager
def byte_bar(what: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """A function `draw(what, done, total)` that shows how far a download is."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=_console(), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda what, done, total: progress.update(task, description=what, completed=done, total=total)


@contextmanager
def progress_of(what: str) -> Iterator[Callable[[SweepProgress], None]]:
    """A function that shows the progress of a sweep on stderr: a bar on a terminal, else a line every few seconds."""
    if not sys.stderr.isatty():
        last = [time.perf_counter()]

        def line(at: SweepProgress) -> None:
            if time.perf_counter() - last[0] >= LINE_SECONDS:
                last[0] = time.perf_counter()
                sys.stderr.write(f"{what}: {_shown(at)}\n")  # at once: Ctrl-C must not come before the end of the line
                sys.stderr.flush()

        yield line
        return
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[shown]}")
    with Progress(*columns, console=_console(), transient=True) as bar:
        task = bar.add_task(what, total=None, shown="")

        def draw(at: Any) -> None:
            bar.update(task, total=at.total, completed=at.done + at.skipped, shown=_shown(at))

        yield draw


def _shown(at: SweepProgress) -> str:
    """How far a sweep is, in a line."""
    done = at.done + at.skipped
    rate = at.done / at.seconds if at.seconds else 0.0
    parts = [f"{done} of {at.total}" if at.total is not None else f"{done} jobs", f"{rate:.1f} a second"]
    if at.eta is not None:
        parts.append(f"{at.eta:.0f} s left")
    parts.append(f"{at.failed} failed")
    if at.best is not None:
        parts.append(f"best so far {at.best}")
    return ", ".join(parts)
