"""What the any-angle searches share: the task around Theta* and its kin, and the lengths of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid
from wayfolk.kernels import any_angle
from wayfolk.kernels.any_angle import EXPANDED, GENERATED, SIGHTS
from wayfolk.kernels.best_first import QUEUE_FULL, RUNNING
from wayfolk.result import Counters
from wayfolk.search._search import Search


def length_of(world: Grid, cells: Any) -> float:
    """How long the lines from each of `cells` to the next are together; on terrain, what steps between them cost."""
    y, x = np.divmod(cells, world.stride)
    lengths = np.hypot(np.diff(x), np.diff(y))
    if world.graph.terrain.size:
        prices = world.graph.terrain[cells]
        lengths *= 0.5 * (prices[1:] + prices[:-1])
    return float(lengths.sum())


class AnyAngle(Search):
    """A search like Theta* under way; `search` is its kernel. Lengths are Euclidean, whatever the grid's diagonal."""

    def __init__(
        self, world: Grid, start: int, goal: int, search: Callable[..., Any], *, watch: bool, ranges: bool = False
    ) -> None:
        super().__init__(world, start, goal, watch)
        self.search, self.ranges = search, ranges
        self.memory, self.cells = _borrow(world, ranges)
        self.is_new = True
        self.sights = 0

    def expand(self, budget: int) -> int:
        """Go on with the search; a heap that is full grows."""
        code, self.n_path = self.search(
            self.world.graph, self.memory, self.start, self.goal, budget, self.events, self.is_new, self.cells
        )
        self.is_new = False
        if code == QUEUE_FULL:
            self.memory = any_angle.grown(self.memory)
            return RUNNING
        return int(code)

    def count(self) -> Counters:
        """The work done so far."""
        count = self.memory.counts
        self.sights = int(count[SIGHTS])
        return Counters(int(count[EXPANDED]), int(count[GENERATED]))

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The places where the path bends, from start to goal, and its length."""
        cells = self.cells
        if self.n_path > cells.size:
            cells = np.empty(self.n_path, np.int32)
            any_angle.trace(self.memory, self.start, self.goal, cells)
        return cells[: self.n_path][::-1], length_of(self.world, cells[: self.n_path])

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        pool = _pool(self.world, self.ranges)
        if len(pool) < 4:
            pool.append((self.memory, self.cells))


def _pool(world: Grid, ranges: bool) -> list[tuple[any_angle.AngleMemory, Any]]:
    """The arrays of searches that have ended in this world."""
    kept: list[tuple[any_angle.AngleMemory, Any]]
    kept = world.__dict__.setdefault("_settings", {}).setdefault("angle_ranges" if ranges else "any_angle", [])
    return kept


def _borrow(world: Grid, ranges: bool) -> tuple[any_angle.AngleMemory, Any]:
    """Arrays for a search, and one for its path."""
    try:
        return _pool(world, ranges).pop()
    except IndexError:
        return any_angle.new_memory(world.n_cells, world.n_cells if ranges else 0), np.empty(256, np.int32)
