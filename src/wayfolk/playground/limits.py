"""The limits of what a page of the playground may ask for: more is refused in one sentence, and other pages go on."""

from __future__ import annotations

from time import monotonic

from wayfolk.errors import TooLarge

MAX_SIDE = 2048
MAX_CELLS = 1024 * 1024
MAX_AGENTS = 10_000
MAX_MESSAGE = 2_000_000
"""Bytes of a message from the page, and of a file that is dropped on it."""
MAX_EDIT_CELLS = 20_000
MESSAGES_A_SECOND = 200
BURST = 400
"""Messages that may come at once before the rate counts."""
BYTES_A_MESSAGE = 10_000
"""A longer message counts as several."""
OPENS_A_SECOND, OPENS_BURST = 2, 16
"""Scenes that a page may begin: each is a process."""
PAGES = 8
"""Pages that may be open at the same time, unless `--pages` says another number."""
MAX_PAGES = 100
PAGES_A_DEVICE = 8
"""Pages that one other device may have open: it cannot take the places of all others."""
MAX_PANELS = 4
"""Algorithms side by side on one page."""
MAX_BESIDE = 8
"""Algorithms that run beside the first one of a page, on all pages together."""
LEAST_SHARE = 100_000_000
"""Bytes that an algorithm takes with a small scene; each page must have that much."""
MOST_AHEAD = 256
"""Steps that a worker may be ahead of what the page has received."""
UNSENT_MESSAGES, UNSENT_BYTES = 16, 4_000_000
"""Messages of one worker that wait for the page, and their bytes; a worker that has said more waits itself."""
QUEUED_MESSAGES, QUEUED_BYTES = 64, 4_000_000
"""Messages of a page that wait for one worker, and their bytes."""
SILENT_SECONDS = 60.0
"""Seconds without a word after which a worker that has something to do is stopped."""
LOADING_SECONDS = 300.0
"""The same while an algorithm is being compiled, which happens once."""
STALLED_SECONDS = 60.0
"""Seconds after which a page that does not take what it is sent is closed."""
REQUEST_SECONDS = 10.0
"""Seconds within which a connection must have sent a whole request."""
UNFINISHED = 256
"""Connections that may have sent a part of a request, or nothing; the oldest are ended first."""
SEARCH_SECONDS = 20.0
"""Seconds after which a search that is watched is stopped, and shown as far as it came."""
READ_SECONDS = 60.0
"""Seconds after which the reading of a dropped file is given up."""
READ_BYTES = 1_500_000_000
"""Memory that the reading of a dropped file may take."""
READERS, WAITING_READS, READS_A_DEVICE = 2, 16, 4
"""Dropped files that are read at the same time, that come or wait for it, and those of one other device among them."""


def check_size(width: int, height: int) -> None:
    """Raise if a map of this size is too large for the playground."""
    if width > MAX_SIDE or height > MAX_SIDE or width * height > MAX_CELLS:
        raise TooLarge(
            f"the playground holds maps of up to {MAX_CELLS:,} cells and {MAX_SIDE:,} a side, not {width:,} x {height:,}"
        )


def check_agents(agents: int) -> None:
    """Raise if there are too many agents for the playground."""
    if agents > MAX_AGENTS:
        raise TooLarge(f"the playground holds up to {MAX_AGENTS:,} agents, not {agents:,}")


class Rate:
    """Counts messages: a bucket that fills with time, and loses one for each message, or more for a long one."""

    def __init__(self, a_second: float = MESSAGES_A_SECOND, burst: float = BURST) -> None:
        self.a_second, self.burst, self.left, self.last = a_second, burst, burst, monotonic()

    def allows(self, cost: float = 1.0) -> bool:
        """Whether one more message may come now."""
        now = monotonic()
        self.left = min(self.burst, self.left + (now - self.last) * self.a_second)
        self.last = now
        if self.left < cost:
            return False
        self.left -= cost
        return True
