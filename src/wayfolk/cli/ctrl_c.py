"""Ctrl-C ends a command soon, even while compiled code does not listen or a library swallows it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from wayfolk.machine import end_children

STOPPED = 130  # the exit code that shells expect
GRACE = 1.0  # seconds for a tidy end
LEAVE_LINE = "\x1b[?25h\n"  # shows the cursor, which a progress bar hides, and begins a new line


@contextmanager
def obeyed() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt in this block; if the block then does not end in time, the process does.

    Python runs its handler between two lines of Python, which may be long after the signal. A byte is written to the
    wake-up pipe when the signal comes, and another thread waits for that. A library may turn KeyboardInterrupt into an
    error of its own: whatever the block raises after Ctrl-C is raised as KeyboardInterrupt.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread hears signals
        return
    listening, waking = os.pipe()
    os.set_blocking(waking, False)
    is_over = threading.Event()
    before = signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    watcher = threading.Thread(target=_watch, args=(listening, is_over), daemon=True)
    watcher.start()
    handler = signal.getsignal(signal.SIGINT)
    is_heard = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal is_heard
        is_heard = True
        if callable(handler):
            handler(number, frame)

    if callable(handler):  # it is not if Ctrl-C is to be ignored, as by nohup
        signal.signal(signal.SIGINT, interrupt)
    hook = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if issubclass(lost.exc_type, KeyboardInterrupt) else hook(lost)
    try:
        yield
    except Exception:
        if is_heard:
            raise KeyboardInterrupt from None
        raise
    finally:
        is_over.set()
        sys.unraisablehook = hook
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
        signal.set_wakeup_fd(before)
        os.close(waking)
        watcher.join()
        os.close(listening)


def _watch(listening: int, is_over: threading.Event) -> None:
    """Wait for a Ctrl-C that the block does not obey in time, and end the process and those that it has started."""
    while heard := os.read(listening, 1):
        if heard[0] == signal.SIGINT and not is_over.wait(GRACE):
            end_children()  # first, as a child that loses its parent while it starts complains
            os.write(2, f"{LEAVE_LINE if sys.stderr.isatty() else ''}wayfolk: stopped\n".encode())
            os._exit(STOPPED)
