"""Sessions: what runs in the panels of one page, each algorithm in a process of its own.

A worker gets as much to do as the page asks for, and is never more than MOST_AHEAD steps ahead of what the page has got:
a slow browser slows its own workers down, and nothing piles up. A worker that is silent for too long is ended; the others,
and the other panels of the same page, do not notice.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import struct
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from wayfolk.errors import TooLarge, WayfolkError
from wayfolk.machine import n_cores
from wayfolk.playground import asked, worker
from wayfolk.playground.frames import BEGIN, BODIES, STEPS
from wayfolk.playground.ground import grid_of
from wayfolk.playground.limits import LOADING_SECONDS, MAX_WORKERS, MOST_AHEAD, SILENT_SECONDS

Send = Callable[[str | bytes], Awaitable[None]]
BESIDES = ("loading", "thinking", "planned", "waits", "shown")
"""What workers say while they go on with what they were asked for."""
_SPAWN = multiprocessing.get_context("spawn")


class Process:
    """A worker's process and its pipe. A thread reads the pipe, and hands what comes to `heard` in the server's loop."""

    def __init__(self) -> None:
        self.pipe, far_end = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=worker.run, args=(far_end,), daemon=True, name="wayfolk-worker")
        self.process.start()
        far_end.close()

    def listen(self, heard: Callable[[bytes | None], None]) -> None:
        """Call `heard` in the running loop with every message, and with None when the process has ended."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            data: bytes | None = b""
            while data is not None:
                try:
                    data = self.pipe.recv_bytes()
                except (EOFError, OSError):
                    data = None
                with suppress(RuntimeError):  # the loop may have been closed
                    loop.call_soon_threadsafe(heard, data)

        threading.Thread(target=read, daemon=True, name="wayfolk-pipe").start()

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join(5)
        with suppress(OSError):
            self.pipe.close()


class Workers:
    """All workers of the server. One spare process is kept ready, so that a scene need not wait for Python to start."""

    def __init__(self, most: int = MAX_WORKERS, spare: bool = True) -> None:
        self.most, self.keeps_spare = most, spare
        self.running: set[Process] = set()
        self.spare: Process | None = None

    def prepare(self) -> None:
        """Have a spare process, if that is wanted."""
        if self.spare is not None and not self.spare.process.is_alive():
            self.spare = None
        if self.keeps_spare and self.spare is None:
            self.spare = Process()

    def take(self) -> Process:
        """A process for a panel."""
        if len(self.running) >= self.most:
            raise TooLarge(f"{self.most} algorithms are running already: close a page or a panel first")
        if self.spare is not None and not self.spare.process.is_alive():
            self.spare = None
        process, self.spare = self.spare or Process(), None
        self.running.add(process)
        return process

    def give_back(self, process: Process) -> None:
        """End a process, and forget it."""
        self.running.discard(process)
        process.end()

    def end(self) -> None:
        """End all of them."""
        for process in [*self.running, *([self.spare] if self.spare else [])]:
            process.end()
        self.running.clear()
        self.spare = None


class Session:
    """One panel: its worker, what it owes to the page, and when it was last heard of."""

    def __init__(self, panel: int, workers: Workers, send: Send) -> None:
        self.panel, self.workers, self.send = panel, workers, send
        self.process: Process | None = None
        self.queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.pump: asyncio.Task[None] | None = None
        self.watch: asyncio.Task[None] | None = None
        self.received = self.wanted = self.asked_for = 0
        self.heard_at = monotonic()
        self.patience = LOADING_SECONDS
        self.is_busy = False

    def open(self, scene: asked.Scene) -> None:
        """Begin `scene`, in place of what runs here."""
        entry = scene.entry()
        asked.checked_options(entry, dict(scene.options))
        grid = grid_of(scene.map, scene.moves)
        self.close()
        process = self.process = self.workers.take()
        self.queue = asyncio.Queue()
        process.listen(lambda data: self._heard(process, data))
        self.received = self.wanted = self.asked_for = 0
        self._busy(LOADING_SECONDS)
        with suppress(OSError):  # its end is noticed by the thread that reads
            process.pipe.send((worker.OPEN, self.panel, scene, grid))
        self.pump = asyncio.create_task(self._pump(self.queue))
        self.watch = asyncio.create_task(self._watch(process))

    def until(self, step: int) -> None:
        """Let time pass until `step`, as far as the page keeps up."""
        self.wanted = step
        self._ask()

    def edit(self, edit: asked.Edit) -> None:
        """Change something in the world."""
        self._tell(worker.EDIT, edit)

    def look(self, ahead: bool, waits: bool) -> None:
        """Say what else the page shows."""
        self._tell(worker.LOOK, ahead, waits)

    def export(self, kind: str) -> None:
        """Ask for a file."""
        self._tell(worker.EXPORT, kind)

    def close(self) -> None:
        """End the worker."""
        for task in (self.pump, self.watch):
            if task is not None:
                task.cancel()
        self.pump = self.watch = None
        if self.process is not None:
            self.workers.give_back(self.process)
        self.process, self.is_busy = None, False

    def _tell(self, *message: Any) -> None:
        if self.process is None:
            raise WayfolkError("nothing runs here: start a scene first")
        self._busy(SILENT_SECONDS)
        with suppress(OSError):  # its end is noticed by the thread that reads
            self.process.pipe.send(message)

    def _ask(self) -> None:
        step = min(self.wanted, self.received + MOST_AHEAD)
        if self.process is not None and step > self.asked_for:
            self.asked_for = step
            self._tell(worker.UNTIL, step)

    def _busy(self, patience: float) -> None:
        self.is_busy, self.heard_at = True, monotonic()
        self.patience = max(self.patience, patience) if self.patience == LOADING_SECONDS else patience

    def _heard(self, process: Process, data: bytes | None) -> None:
        if process is self.process:
            self.heard_at = monotonic()
            self.queue.put_nowait(data)

    async def _pump(self, queue: asyncio.Queue[bytes | None]) -> None:
        """Send to the page what the worker says, one after another, as fast as the page takes it."""
        while True:
            data = await queue.get()
            if data is None:
                await self._stopped("the algorithm's process has ended")
                return
            if data[:1] == worker.TEXT:
                text = data[1:].decode()
                kind = _type_of(text)
                if kind != "loading":
                    self.patience = SILENT_SECONDS
                if kind not in BESIDES:
                    self.is_busy = False
                await self.send(text)
                continue
            await self.send(data)
            if data[0] in (BEGIN, STEPS, BODIES):
                self.is_busy = False
                self.received = max(self.received, _last_step(data))
                if data[0] != BEGIN and self.received < self.asked_for:
                    self._busy(SILENT_SECONDS)
                self._ask()

    async def _watch(self, process: Process) -> None:
        """End a worker that has something to do and is silent for too long."""
        while process is self.process:
            await asyncio.sleep(0.25)
            if self.is_busy and monotonic() - self.heard_at > self.patience * _crowding():
                await self._stopped(f"the algorithm was stopped: it did not answer for {self.patience:g} seconds")
                return

    async def _stopped(self, why: str) -> None:
        process, self.process, self.is_busy = self.process, None, False
        if process is not None:
            self.workers.give_back(process)
        await self.send(json.dumps({"type": "stopped", "panel": self.panel, "why": why}))


def _crowding() -> float:
    """How many times longer things take because the machine has more to do than it has cores; at least 1."""
    try:
        return max(1.0, os.getloadavg()[0] / n_cores())
    except (OSError, AttributeError):  # not every system knows
        return 1.0


def _type_of(text: str) -> str:
    """The type of what a worker says, from the beginning of it: the rest may be long."""
    found = re.search(r'"type": "(\w+)"', text[:100])
    return found[1] if found else ""


def _last_step(data: bytes) -> int:
    """The last step in a frame; of several steps, their number is added to the first."""
    first = int(struct.unpack_from("<I", data, 4)[0])
    n = int.from_bytes(data[2:4], "little")
    return first + max(0, n - 1)
