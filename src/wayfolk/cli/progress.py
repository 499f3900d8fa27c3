"""Progress on stderr: drawn on a terminal, silent elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
PAUSE = 0.1  # seconds between two looks at a task, whose result so far may take long to put together


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
