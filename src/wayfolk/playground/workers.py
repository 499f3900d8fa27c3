"""All workers of the server: how many there may be, how much memory they may take, and who is stopped if they take more.

The memory of all workers together has a limit. If they take more, the page that takes the most is stopped: so a page that
takes no more than its share, the limit divided by the number of pages, is never stopped for the others.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.machine import available_bytes, memory_of
from wayfolk.playground import limits
from wayfolk.playground.addresses import is_loopback
from wayfolk.playground.messages import ReadFile
from wayfolk.playground.process import Process, kind_of, text_of

LOOK_EVERY = 0.25  # seconds


class Workers:
    """All workers. One spare process is kept ready, so that a scene need not wait for Python to start."""

    def __init__(self, pages: int = limits.PAGES, memory: float | None = None, *, spare: bool = True) -> None:
        self.pages, self.keeps_spare = pages, spare
        self.memory = available_bytes() / 2 if memory is None else memory
        if self.memory < pages * limits.LEAST_SHARE:
            raise BadInput(
                f"{pages} pages need {pages * limits.LEAST_SHARE / 1e9:.1f} GB or more, and {self.memory / 1e9:.1f} GB may "
                "be used: give fewer --pages, or more --memory"
            )
        self.running: set[Process] = set()
        self.spare: Process | None = None
        self.watchdog: Watchdog | None = None
        self._readers = asyncio.Semaphore(limits.READERS)
        self._reads: Counter[str] = Counter()

    def begin(self) -> None:
        """Begin to watch, with a spare process."""
        self.watchdog = Watchdog(self)
        self.prepare()

    def prepare(self) -> None:
        """Have a spare process, if that is wanted."""
        if self.keeps_spare and self._alive_spare() is None:
            with suppress(OSError):  # the machine has no more processes or memory: it may have them later
                self.spare = Process()

    def take(self, page: object) -> Process:
        """A process for a panel of `page`."""
        whose = Counter(id(process.page) for process in self.running if process.page is not None)
        if id(page) in whose and whose.total() - len(whose) >= limits.MAX_BESIDE:
            raise TooLarge(
                f"{limits.MAX_BESIDE} algorithms run beside others already: close a panel of this page or another first"
            )
        return self._take(page)

    def give_back(self, process: Process) -> None:
        """End a process, and forget it."""
        self.running.discard(process)
        process.end()

    @contextmanager
    def place_to_read(self, who: str) -> Iterator[None]:
        """A place for a file that the device `who` sends, from its first byte until it is read."""
        is_greedy = self._reads[who] >= limits.READS_A_DEVICE and not is_loopback(who)
        if self._reads.total() >= limits.WAITING_READS or is_greedy:
            raise TooLarge("too many files are being read already: try again in a moment")
        self._reads[who] += 1
        try:
            yield
        finally:
            self._reads[who] -= 1
            self._reads += Counter()  # forgets those that have none

    async def read(self, name: str, data: bytes, is_gone: Callable[[], Awaitable[bool]]) -> bytes:
        """What `read_upload` says about a file, as JSON, made by a process of its own. `is_gone`: nobody waits for it."""
        async with self._readers:
            return await self._read(name, data, is_gone)

    def end(self) -> None:
        """End all of them, and the watch."""
        if self.watchdog is not None:
            self.watchdog.end()
        for process in [*self.running, *([self.spare] if self.spare else [])]:
            process.end()
        self.running.clear()
        self.spare = None

    async def _read(self, name: str, data: bytes, is_gone: Callable[[], Awaitable[bool]]) -> bytes:
        answer: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()
        process = self._take(None)
        process.purpose = "reading the file"
        process.listen(lambda said: None if answer.done() else answer.set_result(said))
        try:
            process.patience = limits.READ_SECONDS  # then the watchdog ends it
            process.tell(ReadFile(name, data))
            while not answer.done() and not await is_gone():
                await asyncio.wait({answer}, timeout=0.5)
        finally:
            self.give_back(process)
        said = answer.result() if answer.done() else None
        if said is None:
            raise TooLarge(process.why or "the file could not be read: its process has ended")
        kind = kind_of(said)
        if not isinstance(kind, int):
            raise WayfolkError(json.loads(text_of(said))["why"])
        return said[1:]

    def _take(self, page: object) -> Process:
        try:
            process, self.spare = self._alive_spare() or Process(), None
        except OSError as error:
            raise TooLarge(f"the machine cannot start another process: {error.strerror or error}") from None
        process.page = page
        self.running.add(process)
        return process

    def _alive_spare(self) -> Process | None:
        if self.spare is not None and not self.spare.process.is_alive():
            self.spare = None
        return self.spare


class Watchdog:
    """A thread that ends workers that are silent for too long, and the largest one if all together take too much memory.

    It waits neither for the server's loop nor for a worker.
    """

    def __init__(self, workers: Workers) -> None:
        self.workers, self._over = workers, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="wayfolk-watchdog")
        self._thread.start()

    def end(self) -> None:
        """Stop to watch."""
        self._over.set()

    def look(self) -> None:
        """Look at all workers once."""
        running = tuple(self.workers.running)
        for process in running:
            if process.is_silent():
                process.end(f"{process.purpose} was stopped: it did not answer for {process.patience:g} seconds")
        used = memory_of([process.process.pid for process in running if process.process.pid is not None])
        if sum(used.values()) <= self.workers.memory:
            return
        pages: Counter[object] = Counter()
        for process in running:
            pages[process.page or process] += used.get(process.process.pid or 0, 0)
        (page, most), *_ = pages.most_common(1)
        largest = max(
            (process for process in running if (process.page or process) is page),
            key=lambda process: used.get(process.process.pid or 0, 0),
        )
        largest.end(
            f"{largest.purpose} was stopped: all pages together take more than {self.workers.memory / 1e9:.1f} GB of "
            f"memory, and this page takes the most, {most / 1e9:.1f} GB"
        )

    def _run(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            with suppress(OSError):  # a process that has just ended
                self.look()
