"""What the any-angle searches share: the task around Theta* and its variants, and the lengths of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._search import Search
from wayfolk.algorithms.shown import Shown
from wayfolk.kernels import any_angle
from wayfolk.kernels.any_angle import CLOSED, EXPANDED, GENERATED, IS_QUEUE, SIGHTS, STAMP
from wayfolk.kernels.best_first import QUEUE_FULL, RUNNING
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import Counters
from wayfolk.world.grid import Grid
from wayfolk.world.kept import pool


def length_of(world: Grid, cells: Any) -> float:
    """The length of the lines from each of `cells` to the next; on terrain, the cost of the steps between them."""
    y, x = np.divmod(cells, world.stride)
    lengths = np.hypot(np.diff(x), np.diff(y))
    if world.graph.terrain.size:
        costs = world.graph.terrain[cells]
        lengths *= 0.5 * (costs[1:] + costs[:-1])
    return float(lengths.sum())


class AnyAngle(Search):
    """A search like Theta* that can be advanced. Lengths are Euclidean, whatever the grid's diagonal.

    `new_sight` makes the tuple that decides which of the variants it is; see `wayfolk.kernels.any_angle`. With `is_queue`
    cells are expanded in the order in which they were generated.
    """

    def __init__(
        self,
        world: Grid,
        start: int,
        goal: int,
        new_sight: Callable[[Grid, any_angle.AngleMemory], Any],
        *,
        watch: bool,
        ranges: bool = False,
        is_queue: bool = False,
    ) -> None:
        super().__init__(world, start, goal, watch)
        self.ranges = ranges
        self.memory, self.cells = _borrow(world, ranges)
        self.memory.counts[IS_QUEUE] = is_queue
        self.sight = new_sight(world, self.memory)
        self.is_new = True
        self.sights = 0

    def expand(self, budget: int) -> int:
        """Resume the search; a heap that is full grows."""
        code, self.n_path = any_angle.search(
            self.world.graph,
            self.sight,
            self.memory,
            start=self.start,
            goal=self.goal,
            budget=budget,
            events=self.events,
            is_new=self.is_new,
            path=self.cells,
        )
        self.is_new = False
        self.expanded = int(self.memory.counts[EXPANDED])
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

    def shown(self) -> Shown:
        """Open and closed cells; parents may be far away."""
        cells, stamp = self.memory.cells, int(self.memory.counts[STAMP])
        seen = cells["mark"] >= stamp
        return (
            super()
            .shown()
            ._replace(
                state=seen.astype(np.uint8) + (cells["mark"] >= stamp + CLOSED),
                g=cells["g"],
                parent=cells["parent"],
                h=estimate_to(self.world.graph, self.goal, HEURISTICS["euclidean"]),
            )
        )

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        lent = pool(self.world, ("any angle", self.ranges))
        if len(lent) < 4:
            lent.append((self.memory, self.cells))


def _borrow(world: Grid, ranges: bool) -> tuple[any_angle.AngleMemory, Any]:
    """Arrays for a search, and one for its path."""
    try:
        memory, cells = pool(world, ("any angle", ranges)).pop()
    except IndexError:
        return any_angle.new_memory(world.n_cells, world.n_cells if ranges else 0), np.empty(256, np.int32)
    return memory, cells
