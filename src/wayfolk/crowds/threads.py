"""Threads: each works on its own part of the rows of a crowd."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from wayfolk.compile.jit import is_plain
from wayfolk.machine import n_cores

FEW = 256  # bodies that are not worth another thread


class Threads:
    """Up to `count` threads, all cores by default. The caller's own thread does the last part."""

    def __init__(self, count: int | None = None) -> None:
        self.count = 1 if is_plain() else n_cores() if count is None else count
        self._pool: ThreadPoolExecutor | None = None

    def run(self, work: Callable[[int, int], Any], n: int) -> list[Any]:
        """Call `work(first, last)` for parts that together are the rows from 0 to before `n`; return what they return."""
        parts = min(self.count, 1 + n // FEW)
        if parts == 1:
            return [work(0, n)]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1)
        edges = [n * k // parts for k in range(parts + 1)]
        others = [self._pool.submit(work, edges[k], edges[k + 1]) for k in range(parts - 1)]
        own = work(edges[-2], edges[-1])
        return [*(other.result() for other in others), own]

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
