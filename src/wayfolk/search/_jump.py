"""What the jump point searches share: the task around the kernel `jump_points`, and its memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.grid import Grid
from wayfolk.kernels import buckets, jump_points
from wayfolk.kernels.jump_points import EXPANDED, GENERATED, QUEUE_FULL, REOPENED, RUNNING
from wayfolk.result import Counters
from wayfolk.search._search import Search

PER_UNIT = 1.0  # buckets for each straight step: runs are long, so f hardly repeats
MAX_SIDE = 32_000  # distances are kept in 16 bits


class JumpSearch(Search):
    """A jump point search under way. `prepare` makes the tables of a map, which are kept with it by the name `kept`."""

    def __init__(
        self, world: Grid, start: int, goal: int, kept: str, prepare: Callable[[Grid], Any], watch: bool
    ) -> None:
        _refuse(world, kept)
        super().__init__(world, start, goal, watch)
        self.bound = 1.0
        self.diagonal = world.diagonal
        tables = world.__dict__.setdefault("_jumps", {})
        if kept not in tables:
            tables[kept] = prepare(world)
        self.table = tables[kept]
        self.pool = tables.setdefault("memories", [])
        self.memory: jump_points.JumpMemory
        self.queue: buckets.Buckets
        self.memory, self.queue, self.cells = self.pool.pop() if self.pool else _new(world)
        self.is_new = True

    def expand(self, budget: int) -> int:
        """Expand up to `budget` jump points; a queue that is full grows."""
        code, self.n_path = jump_points.search(
            self.table, self.memory, self.queue, self.start, self.goal, PER_UNIT, self.diagonal, budget, self.events,
            self.is_new, self.cells,
        )  # fmt: skip
        self.is_new = False
        if code == QUEUE_FULL:
            self.queue = buckets.grown(self.queue)
            return RUNNING
        return int(code)

    def count(self) -> Counters:
        """The work done so far."""
        count = self.memory.counts
        return Counters(int(count[EXPANDED]), int(count[GENERATED]), int(count[REOPENED]))

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        if self.n_path > self.cells.size:
            self.cells = np.empty(self.n_path, np.int32)
            jump_points.trace(self.table, self.memory, self.start, self.goal, self.cells)
        return self.cells[: self.n_path][::-1], float(self.memory.cells[self.goal]["g"])

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        if len(self.pool) < 4:
            self.pool.append((self.memory, self.queue, self.cells))

    def batch(self, starts: Any, goals: Any, first: int, costs: Any, expanded: Any, ends: Any, path: Any) -> int:
        """Whole searches from number `first` on while there is room in `path`; how many are done."""
        while True:
            first, is_full = jump_points.search_many(
                self.table, self.memory, self.queue, starts, goals, PER_UNIT, self.diagonal, first, costs, expanded,
                ends, path,
            )  # fmt: skip
            if not is_full:
                return first
            self.queue = buckets.grown(self.queue)


def _refuse(world: Grid, name: str) -> None:
    """Jump points need straight and diagonal steps that can stand for each other everywhere."""
    if world.links is not None:
        raise NotSupported(f"{name} does not know cliffs, and this map has some: use astar")
    if not 1.0 <= world.diagonal <= 2.0:
        raise NotSupported(f"{name} needs diagonal steps that cost 1 to 2, not {world.diagonal}")
    if max(world.width, world.height) > MAX_SIDE:
        raise NotSupported(f"{name} works on maps of up to {MAX_SIDE} cells a side")


def _new(world: Grid) -> tuple[jump_points.JumpMemory, buckets.Buckets, Any]:
    """Arrays for searches in `world`; no run raises f by more than twice its length."""
    around = world.width + world.height
    queue = buckets.new_buckets(int(2 * PER_UNIT * world.diagonal * around) + 2, 32 * around)
    return jump_points.new_memory(world.n_cells), queue, np.empty(8 * around, np.int32)
