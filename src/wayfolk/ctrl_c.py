"""Ctrl-C ends a command at once, even while compiled code does not listen or a library swallows it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STOPPED = 130  # the exit code that shells expect
GRACE = 1.0  # seconds for a tidy end
SHOW_CURSOR = "\x1b[?25h"  # whoever draws progress may have hidden it


@contextmanager
def obeyed() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt in this block, as always; if the block then does not end, the process does.

    Python runs its own handler between two lines of Python, which may be long after the signal. A byte is written to
    the wake-up pipe when the signal comes, and another thread waits for that.
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
    try:
        yield
    finally:
        is_over.set()
        signal.set_wakeup_fd(before)
        os.close(waking)
        watcher.join()
        os.close(listening)


def _watch(listening: int, is_over: threading.Event) -> None:
    """Wait for a Ctrl-C that is not obeyed, and obey it."""
    while heard := os.read(listening, 1):
        if heard[0] == signal.SIGINT and not is_over.wait(GRACE):
            said = f"{SHOW_CURSOR if sys.stderr.isatty() else ''}\nwayfolk: stopped\n"
            os.write(2, said.encode())
            os._exit(STOPPED)
