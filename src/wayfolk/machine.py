"""The machine: cores and memory that we may use, where caches and results live, and processes that do not hear Ctrl-C."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any


def n_cores() -> int:
    """Cores this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


_MOST: ContextVar[int | None] = ContextVar("most", default=None)
"""The most bytes that this process may hold; None: half of the machine's memory."""


@contextmanager
def memory_limit(memory: int | None) -> Iterator[None]:
    """Let this thread take at most `memory` bytes more in this block; None: half of the machine's memory in all."""
    before = _MOST.set(None if memory is None else resident_bytes() + memory)
    try:
        yield
    finally:
        _MOST.reset(before)


def available_bytes() -> int:
    """Memory that can be taken without swapping, and within the limit; ask before arrays are made or enlarged."""
    return max(0, min(_free_bytes(), _most_bytes() - resident_bytes()))


def is_memory_full() -> bool:
    """Whether this process holds as much memory as its limit allows."""
    return resident_bytes() >= _most_bytes()


def resident_bytes() -> int:
    """Memory that this process holds."""
    return int(_process(os.getpid()).memory_info().rss)


@cache
def total_bytes() -> int:
    """The memory of the machine, or of the container that this process runs in."""
    import psutil

    total = int(psutil.virtual_memory().total)
    with suppress(ValueError, OSError):  # "max" if the container has no limit; psutil does not know of containers
        total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return total


def _most_bytes() -> int:
    most = _MOST.get()
    return total_bytes() // 2 if most is None else most


def _free_bytes() -> int:
    """Memory that programs can get without swapping."""
    import psutil

    return int(psutil.virtual_memory().available)


def memory_of(pids: Iterable[int]) -> dict[int, int]:
    """The bytes of memory that each of these processes has for itself; those that have ended are missing."""
    import psutil

    used = {}
    for pid in pids:
        with suppress(psutil.Error):
            memory = psutil.Process(pid).memory_info()
            used[pid] = int(memory.rss - getattr(memory, "shared", 0))  # only Linux tells what is shared
    return used


def limit_memory(more: int) -> None:
    """Let this process take up to `more` bytes besides what it has, then a MemoryError; only on Linux."""
    import psutil

    process = psutil.Process()
    if psutil.LINUX:
        with suppress(OSError, ValueError):
            hard = process.rlimit(psutil.RLIMIT_DATA)[1]
            process.rlimit(psutil.RLIMIT_DATA, (process.memory_info().data + more, hard))


def cache_home() -> Path:
    """The folder for data that can be downloaded or computed again: `$WAYFOLK_CACHE`, else the user's cache folder."""
    import platformdirs

    given = os.environ.get("WAYFOLK_CACHE")
    return Path(given) if given else platformdirs.user_cache_path("wayfolk", appauthor=False)


def data_home() -> Path:
    """The folder for results that are kept: `$WAYFOLK_HOME`, else the user's data folder."""
    import platformdirs

    given = os.environ.get("WAYFOLK_HOME")
    return Path(given) if given else platformdirs.user_data_path("wayfolk", appauthor=False)


@contextmanager
def quiet_children() -> Iterator[None]:
    """Processes that this thread, or a thread begun in this block, starts do not hear Ctrl-C: their parent ends them.

    A terminal sends it to all of them, and each would print a traceback. The parent obeys it after the block, since a
    process that loses its parent while it starts complains too.
    """
    _start_tracker()
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        yield
        return
    heard: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if is_main else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGINT, signal.default_int_handler if handler is None else handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if heard:
            signal.raise_signal(signal.SIGINT)


def end_children() -> None:
    """Kill the processes that this one has started, also those that are just being started.

    The process that removes what they leave behind lives on: it ends by itself.
    """
    import psutil

    tracker = getattr(resource_tracker._resource_tracker, "_pid", None)
    with suppress(psutil.Error):
        for child in psutil.Process().children():
            if child.pid != tracker:
                with suppress(psutil.Error):
                    child.kill()


@cache
def _process(pid: int) -> Any:
    """What psutil knows of a process. It is loaded when it is needed: importing it takes longer than a short search."""
    import psutil

    return psutil.Process(pid)


def _start_tracker() -> None:
    """Start the process by which Python removes the semaphores of processes that were ended; it is not to warn of them."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before
