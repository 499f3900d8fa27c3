"""The bounds of the playground: what a page may ask for. Whoever asks for more gets a sentence, and the others go on."""

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
MAX_PAGES = 8
MAX_PANELS = 4
"""Algorithms side by side on one page."""
MAX_WORKERS = 8
"""Algorithms that run at the same time, on all pages together."""
MOST_AHEAD = 256
"""Steps that a worker may be ahead of what the page has received."""
SILENT_SECONDS = 60.0
"""Seconds without a word after which a worker that has something to do is stopped."""
LOADING_SECONDS = 300.0
"""The same while an algorithm is being compiled, which happens once."""
SEARCH_SECONDS = 20.0
"""Seconds after which a search that is watched is stopped, and shown as far as it came."""


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
    """Counts the messages of one page: a bucket that fills with time and loses one for each message."""

    def __init__(self, a_second: float = MESSAGES_A_SECOND, burst: float = BURST) -> None:
        self.a_second, self.burst, self.left, self.last = a_second, burst, burst, monotonic()

    def allows(self) -> bool:
        """Whether one more message may come now."""
        now = monotonic()
        self.left = min(self.burst, self.left + (now - self.last) * self.a_second)
        self.last = now
        if self.left < 1.0:
            return False
        self.left -= 1.0
        return True
