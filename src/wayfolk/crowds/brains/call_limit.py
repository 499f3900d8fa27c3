"""The limit of a call: interrupts a call into somebody else's Python code that takes too long.

A thread looks at the clock while calls are being made. If one lasts longer than the limit, it raises TooSlow in the thread
that made the call, between two instructions of Python. A call that sleeps or is inside of compiled code is interrupted
when it returns from there.
"""

from __future__ import annotations

import ctypes
import threading
import time
from types import TracebackType

NEVER = float("inf")
IDLE = 5  # seconds after which the thread ends


class TooSlow(BaseException):
    """A call took longer than its limit. Not an Exception, so that a brain that catches those cannot catch this."""


class CallLimit:
    """Use it as a context around calls, and set `began` to `time.perf_counter()` before each of them."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.began = NEVER
        self._whose = 0
        self._is_armed = False
        self._has_fired = False
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> CallLimit:
        with self._lock:
            self._whose, self.began, self._has_fired, self._is_armed = threading.get_ident(), NEVER, False, True
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, daemon=True, name="wayfolk brains")
                self._thread.start()
        self._wake.set()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._is_armed = False
        self.settle()

    def settle(self) -> None:
        """Wait for an interruption that is on its way: from here on none comes for the calls before."""
        self.began = NEVER
        try:
            while self._has_fired:
                time.sleep(0)
        except TooSlow:
            self._has_fired = False

    def answered(self) -> None:
        """The interruption has arrived."""
        self.began = NEVER
        self._has_fired = False

    def _look(self) -> None:
        """Look at the clock while calls are made; end when there has been nothing to do for a while."""
        idle = 0
        while True:
            idle = 0 if self._wake.wait(1.0) else idle + 1
            with self._lock:
                if not self._is_armed:
                    self._wake.clear()
                    if idle >= IDLE:
                        self._thread = None
                        return
                elif time.perf_counter() - self.began > self.limit and not self._has_fired:
                    self._has_fired = True
                    self.began = NEVER
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._whose), ctypes.py_object(TooSlow))
            time.sleep(self.limit / 4)
