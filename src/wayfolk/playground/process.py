"""The process of a worker, and its pipe. Neither end can block the server by it.

    to the worker     `tell` appends to a bounded queue, and never waits; a thread writes the queue to the pipe
    from the worker   a thread reads the pipe, and hands what comes to the server's loop; while too much waits for the page
                      it reads no further, so that a page that does not read stops its own worker and nothing piles up

Both threads end with the process. `is_silent` is for the watchdog, which may call it from another thread.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import struct
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

import psutil

from wayfolk.errors import TooLarge
from wayfolk.machine import n_cores
from wayfolk.playground import limits, worker
from wayfolk.playground.frames import BEGIN, BODIES, FILE, STEPS
from wayfolk.playground.messages import ANSWERS, AdvanceTo, Answer, Loading, Order

_SPAWN = multiprocessing.get_context("spawn")


class Process:
    """A worker's process. `page` is whose it is; `why` the reason for which it was ended, if it was."""

    def __init__(self) -> None:
        self.pipe, far_end = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=worker.run, args=(far_end,), daemon=True, name="wayfolk-worker")
        self.process.start()
        far_end.close()
        self.page: object = None
        self.purpose = "the algorithm"
        self.why = ""
        self.is_busy = self.is_full = self.is_listening = self.has_ended = False
        self.heard_at, self.patience = monotonic(), limits.LOADING_SECONDS
        self.asked_for = 0
        self._lock = threading.Condition()
        self._queue: deque[bytes] = deque()
        self._until: AdvanceTo | None = None
        self._unsent = self._unsent_bytes = 0

    def listen(self, heard: Callable[[bytes | None], None]) -> None:
        """Call `heard` in the running loop with every message, and with None when the process has ended."""
        loop = asyncio.get_running_loop()

        def hand(data: bytes | None) -> None:
            with suppress(RuntimeError):  # the loop may have been closed
                loop.call_soon_threadsafe(heard, data)

        self.is_listening = True
        writer = threading.Thread(target=self._write, daemon=True, name="wayfolk-to-worker")
        threading.Thread(target=self._read, args=(hand, writer), daemon=True, name="wayfolk-from-worker").start()
        writer.start()

    def tell(self, order: Order) -> None:
        """Send `order` as soon as the worker takes it. Raises if too much waits already."""
        data = pickle.dumps(order)
        with self._lock:
            n_bytes = sum(map(len, self._queue))
            if len(self._queue) >= limits.QUEUED_MESSAGES or n_bytes >= limits.QUEUED_BYTES:
                raise TooLarge("the algorithm is busy, and too much waits for it already: try again in a moment")
            self._queue.append(data)
            self._expect()

    def until(self, request: AdvanceTo) -> None:
        """Let time pass, after all changes that wait; of several such requests only the last counts."""
        with self._lock:
            self.asked_for, self._until = request.step, request
            self._expect()

    def sent(self, data: bytes) -> None:
        """`data` is no longer waiting for the page: it was sent, or is not needed any more."""
        with self._lock:
            self._unsent -= 1
            self._unsent_bytes -= len(data)
            self._lock.notify_all()

    def is_silent(self) -> bool:
        """Whether it has something to do and has said nothing for too long; on a busy machine it has longer."""
        return self.is_busy and not self.is_full and monotonic() - self.heard_at > self.patience * _crowding()

    def end(self, why: str = "") -> None:
        """End the process at once, also if it was stopped. Does not wait."""
        self.why = self.why or why
        with self._lock:
            self.has_ended = True
            self._lock.notify_all()
        self.process.kill()
        if not self.is_listening:
            threading.Thread(target=self._clear, daemon=True, name="wayfolk-end").start()

    def _expect(self) -> None:
        """Something waits for the worker: from now on it has to answer."""
        if not self.is_busy:
            self.is_busy, self.heard_at = True, monotonic()
        self._lock.notify_all()

    def _clear(self) -> None:
        self.process.join()
        with suppress(OSError):
            self.pipe.close()

    def _write(self) -> None:
        """The thread that writes."""
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._queue or self._until is not None or self.has_ended)
                if self.has_ended:
                    return
                is_queued = bool(self._queue)  # it counts until it is written
                data = self._queue[0] if is_queued else pickle.dumps(self._until)
                self._until = self._until if is_queued else None
            with suppress(OSError, ValueError):  # the end of the process is noticed by the thread that reads
                self.pipe.send_bytes(data)
            if is_queued:
                with self._lock:
                    self._queue.popleft()

    def _read(self, hand: Callable[[bytes | None], None], writer: threading.Thread) -> None:
        """The thread that reads."""
        while True:
            try:
                data = self.pipe.recv_bytes()
            except (EOFError, OSError):
                break
            self._note(data)
            with self._lock:
                self._unsent += 1
                self._unsent_bytes += len(data)
                hand(data)
                self.is_full = not self._has_room()
                self._lock.wait_for(lambda: self.has_ended or self._has_room())
                if self.is_full:
                    self.heard_at = monotonic()
                self.is_full = False
        with self._lock:
            self.has_ended = True
            self._lock.notify_all()
        hand(None)
        writer.join()
        self._clear()

    def _has_room(self) -> bool:
        return self._unsent < limits.UNSENT_MESSAGES and self._unsent_bytes < limits.UNSENT_BYTES

    def _note(self, data: bytes) -> None:
        """Note that it has answered, if it has."""
        self.heard_at = monotonic()
        kind = kind_of(data)
        if kind is not Loading:
            self.patience = limits.SILENT_SECONDS
        if kind in (STEPS, BODIES):
            self.is_busy = last_step(data) < self.asked_for
        elif kind in (BEGIN, FILE, worker.SCENE) or (not isinstance(kind, int) and kind.is_last):
            self.is_busy = False


def kind_of(data: bytes) -> int | type[Answer]:
    """What a worker has sent: the kind of a frame, or the type of an answer."""
    return ANSWERS[data[1]] if data[0] == worker.ANSWER else data[0]


def text_of(data: bytes) -> str:
    """The JSON of an answer that a worker has sent."""
    return data[2:].decode()


def last_step(data: bytes) -> int:
    """The last step in a frame; of several steps, their number is added to the first."""
    first = int(struct.unpack_from("<I", data, 4)[0])
    n = int.from_bytes(data[2:4], "little")
    return first + max(0, n - 1)


def _crowding() -> float:
    """How many times longer things take because the machine has more to do than it has cores; at least 1."""
    return max(1.0, float(psutil.getloadavg()[0]) / n_cores())
