"""The machine: cores and memory that we may use, where caches and results live, and processes that do not hear Ctrl-C."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from multiprocessing import active_children, resource_tracker
from pathlib import Path


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
    """Memory that this process holds; where the system does not say, 0."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


@cache
def total_bytes() -> int:
    """The memory of the machine, or of the container that this process runs in; cautious where the system does not say."""
    with suppress(AttributeError, ValueError, OSError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        with suppress(ValueError, OSError):  # "max" if there is no limit
            total = min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
        return total
    return 8 << 30


def _most_bytes() -> int:
    most = _MOST.get()
    return total_bytes() // 2 if most is None else most


def _free_bytes() -> int:
    """Memory that no process holds."""
    with suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return total_bytes() // 2


def memory_of(pids: Iterable[int]) -> dict[int, int]:
    """The bytes of memory that each of these processes has for itself; those that have ended are missing."""
    if not Path("/proc/self/status").exists():
        return _memory_by_ps(list(pids))
    used = {}
    for pid in pids:
        with suppress(OSError):
            rows = [line.split() for line in Path(f"/proc/{pid}/status").read_text().splitlines()]
            kinds = {"RssAnon:", "RssShmem:", "VmSwap:"}
            used[pid] = 1024 * sum(int(row[1]) for row in rows if row and row[0] in kinds)
    return used


def limit_memory(more: int) -> None:
    """Let this process take up to `more` bytes besides what it has, then a MemoryError; only on Linux."""
    try:
        import resource

        rows = [line.split() for line in Path("/proc/self/status").read_text().splitlines()]
        limit = 1024 * next(int(row[1]) for row in rows if row and row[0] == "VmData:") + more
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    except (ImportError, OSError, ValueError, StopIteration):
        return


def cache_home() -> Path:
    """The folder for data that can be downloaded or computed again: `$WAYFOLK_CACHE`, else the user's cache folder."""
    given = os.environ.get("WAYFOLK_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wayfolk"


def data_home() -> Path:
    """The folder for results that are kept: `$WAYFOLK_HOME`, else the user's data folder."""
    given = os.environ.get("WAYFOLK_HOME")
    return (
        Path(given) if given else Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "wayfolk"
    )


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
    tracker = getattr(resource_tracker._resource_tracker, "_pid", None)
    for pid in _children():
        if pid != tracker:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _memory_by_ps(pids: list[int]) -> dict[int, int]:
    """What `ps` says of these processes, where there is no /proc; nothing where there is no `ps` either."""
    import subprocess

    command = ["ps", "-o", "pid=,rss=", "-p", ",".join(map(str, pids))]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return {int(pid): 1024 * int(size) for pid, size in (line.split() for line in listed.splitlines())}


def _children() -> list[int]:
    """The numbers of our child processes; where the system does not list them, of those that Python knows of."""
    pids = [child.pid for child in active_children() if child.pid is not None]
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                pids.append(int(stat.parent.name))
    return pids


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
