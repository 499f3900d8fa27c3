"""The outbox of a page: what it is sent, in its order, as fast as it takes it.

It is bounded: workers wait while much of theirs is in it (see `process.py`), and so does whoever reads the page's messages.
Of what describes a moment as a whole, such as reservations, only the newest is sent: an older one that waits is dropped.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from wayfolk.playground import limits
from wayfolk.playground.messages import Answer

MOST_LETTERS = 128
"""Letters that may wait, besides those of workers, which have their own bound."""


class Letter(NamedTuple):
    """Something to send. With a `topic` it is a moment as a whole. `sent` is called when it has left, else `dropped`."""

    data: str | bytes
    topic: tuple[int, int | type[Answer]] | None = None
    sent: Callable[[], None] | None = None
    dropped: Callable[[], None] | None = None


class Outbox:
    """Letters to one page."""

    def __init__(self, send: Callable[[str | bytes], Awaitable[None]]) -> None:
        self.send = send
        self.letters: deque[Letter] = deque()
        self._changed = asyncio.Event()

    def put(self, letter: Letter) -> None:
        """Send `letter` after all others; an older one about the same moment need not be sent any more."""
        older = [other for other in self.letters if letter.topic is not None and other.topic == letter.topic]
        for other in older:
            self.letters.remove(other)
            if other.dropped is not None:
                other.dropped()
        self.letters.append(letter)
        self._changed.set()

    async def room(self) -> None:
        """Wait until few letters wait."""
        while len(self.letters) >= MOST_LETTERS:
            self._changed.clear()
            await self._changed.wait()

    async def run(self) -> None:
        """Send letters; raises TimeoutError if the page takes nothing for too long."""
        while True:
            while not self.letters:
                self._changed.clear()
                await self._changed.wait()
            letter = self.letters.popleft()
            self._changed.set()
            await asyncio.wait_for(self.send(letter.data), limits.STALLED_SECONDS)
            if letter.sent is not None:
                letter.sent()
