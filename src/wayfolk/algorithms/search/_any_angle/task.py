"""What the any-angle searches share: the task of Theta* and its variants, and the lengths of lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._any_angle.search import RANGE, SIGHTS, AngleRule
from wayfolk.algorithms.search._best_first import POOLED
from wayfolk.algorithms.search._search import Search
from wayfolk.algorithms.search_view import SearchView
from wayfolk.kernels import best_first, heap
from wayfolk.kernels.best_first import CLOSED, STAMP, SearchMemory
from wayfolk.kernels.codes import FULL, RUNNING
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import Counters
from wayfolk.world.cache import pool
from wayfolk.world.grid import Grid


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

    `new_sight` makes the tuple that decides which of the variants it is, from the map, the memory of the search, and room
    for a range of each cell where the variant has `ranges`; see `search.py`. With `is_fifo` cells are expanded in the order
    in which they were generated.
    """

    def __init__(
        self,
        world: Grid,
        start: int,
        goal: int,
        new_sight: Callable[[Grid, SearchMemory, NDArray[np.void]], Any],
        *,
        watch: bool,
        ranges: bool = False,
        is_fifo: bool = False,
    ) -> None:
        super().__init__(world, start, goal, watch)
        self.has_ranges = ranges
        self.memory, self.queue, self.ranges, self.cells = _borrow(world, ranges)
        self.memory.counts[SIGHTS] = 0
        self.rule = AngleRule(new_sight(world, self.memory, self.ranges), is_fifo)
        self.is_new = True
        self.generated = self.sights = 0

    def expand(self, budget: int) -> int:
        """Resume the search; a heap that is full grows."""
        code, self.n_path, _, self.expanded, self.generated, _ = best_first.search(
            self.world.graph,
            self.memory,
            self.queue,
            self.rule,
            start=self.start,
            goal=self.goal,
            budget=budget,
            events=self.events,
            is_new=self.is_new,
            path=self.cells,
        )
        self.is_new = False
        if code == FULL:
            self.queue = heap.grown(self.queue)
            return RUNNING
        return int(code)

    def count(self) -> Counters:
        """The work done so far."""
        self.sights = int(self.memory.counts[SIGHTS])
        return Counters(int(self.expanded), int(self.generated))

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The places where the path bends, from start to goal, and its length."""
        cells = self.cells
        if self.n_path > cells.size:
            cells = np.empty(self.n_path, np.int32)
            best_first.write(
                self.world.graph, self.memory, self.queue, self.rule, start=self.start, goal=self.goal, path=cells
            )
        return cells[: self.n_path], length_of(self.world, cells[: self.n_path][::-1])

    def search_view(self) -> SearchView:
        """Open and closed cells; parents may be far away."""
        cells, stamp = self.memory.cells, int(self.memory.counts[STAMP])
        seen = cells["mark"] >= stamp
        return (
            super()
            .search_view()
            ._replace(
                state=seen.astype(np.uint8) + (seen & (cells["mark"] & CLOSED > 0)),
                g=cells["g"],
                parent=cells["parent"],
                h=estimate_to(self.world.graph, self.goal, HEURISTICS["euclidean"]),
            )
        )

    def release(self) -> None:
        """Leave the arrays to the next search in this world."""
        lent = pool(self.world, ("any angle", self.has_ranges))
        if len(lent) < POOLED:
            lent.append((self.memory, self.queue, self.ranges, self.cells))


def _borrow(world: Grid, ranges: bool) -> tuple[SearchMemory, heap.HeapQueue, NDArray[np.void], NDArray[np.int32]]:
    """Arrays for a search, and one for its path."""
    try:
        memory, queue, room, cells = pool(world, ("any angle", ranges)).pop()
    except IndexError:
        room = np.zeros(world.n_cells if ranges else 0, RANGE)
        return best_first.new_memory(world.n_cells), heap.new_heap_queue(1024), room, np.empty(256, np.int32)
    return memory, queue, room, cells
