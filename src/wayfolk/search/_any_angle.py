"""What the any-angle searches share: the task around Theta* and its kin, and the lengths of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.grid import Grid
from wayfolk.kernels import any_angle
from wayfolk.kernels.any_angle import EXPANDED, GENERATED, SIGHTS
from wayfolk.kernels.best_first import EXHAUSTED, FOUND, QUEUE_FULL
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._best_first import places_of
from wayfolk.task import Task


def length_of(world: Grid, cells: Any) -> float:
    """How long the lines from each of `cells` to the next are together; on terrain, what steps between them cost."""
    y, x = np.divmod(cells, world.stride)
    lengths = np.hypot(np.diff(x), np.diff(y))
    if world.graph.terrain.size:
        prices = world.graph.terrain[cells]
        lengths *= 0.5 * (prices[1:] + prices[:-1])
    return float(lengths.sum())


class AnyAngle(Task):
    """A search like Theta* under way; `search` is its kernel. Lengths are Euclidean, whatever the grid's diagonal."""

    def __init__(
        self, world: Grid, start: int, goal: int, search: Callable[..., Any], *, watch: bool, ranges: bool = False
    ) -> None:
        self.world, self.start, self.goal, self.search, self.ranges = world, start, goal, search, ranges
        self.memory, self.cells = _borrow(world, ranges)
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.is_new = True
        self.expanded = 0
        self.sights = 0

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if self.status.is_final:
            return self.status
        stop = self.expanded + budget
        while True:
            left = stop - self.expanded
            if self.events.size:
                if self.expanded * 2 > self.events.size:
                    self.events = np.concatenate([self.events, np.empty_like(self.events)])
                left = min(left, self.events.size // 2)
            code, n_path = self.search(
                self.world.graph, self.memory, self.start, self.goal, left, self.events, self.is_new, self.cells
            )
            self.is_new = False
            self.expanded = int(self.memory.counts[EXPANDED])
            if code == QUEUE_FULL:
                self.memory = any_angle.grown(self.memory)
            elif code in (FOUND, EXHAUSTED) or self.expanded >= stop:
                break
        if code == FOUND:
            self.status = Status.SOLVED
            self._read_path(n_path)
        elif code == EXHAUSTED:
            self.status = Status.IMPOSSIBLE
        self.sights = int(self.memory.counts[SIGHTS])
        if self.status.is_final:
            self.counted = self._counters()
            self.release()
        return self.status

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        pool = _pool(self.world, self.ranges)
        if len(pool) < 4:
            pool.append((self.memory, self.cells))

    def _read_path(self, n: int) -> None:
        cells = self.cells
        if n > cells.size:
            cells = np.empty(n, np.int32)
            any_angle.trace(self.memory, self.start, self.goal, cells)
        self.path = places_of(self.world, cells[:n][::-1])
        self.cost = length_of(self.world, cells[:n])

    def _counters(self) -> Counters:
        if self.is_new:
            return Counters()
        return Counters(int(self.memory.counts[EXPANDED]), int(self.memory.counts[GENERATED]))

    def result(self) -> Result:
        """The path, once there is one: the places where it bends, from start to goal."""
        done = self.status.is_final
        made = Result(self.status, "", counters=self.counted if done else self._counters())
        if self.status is Status.SOLVED:
            made.path, made.cost = self.path, self.cost
        if self.events.size:
            made.events = self.events[: made.counters.expanded].copy()
        return made


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
