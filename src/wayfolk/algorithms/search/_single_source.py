"""Costs from one cell to all others, for one cell after the other: what landmarks and databases are made from."""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.search._best_first import settings
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import SearchMemory
from wayfolk.kernels.codes import EXHAUSTED, FULL, NOWHERE
from wayfolk.kernels.deadline import PART, check_deadline
from wayfolk.kernels.graph import ZERO
from wayfolk.world.grid import Grid

EXPANSIONS = PART // 8  # between two looks at the clock; each looks at up to eight neighbours


class SingleSource:
    """Dijkstra's algorithm on one map, with the same arrays for each start. It looks at the deadline of preparations."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.per_unit, n_lists, _ = settings(grid, 0.0, "zero")
        self.memory, self.queue = best_first.new_memory(grid.n_cells), buckets.new_buckets(n_lists, 1024)

    def costs_from(self, cell: int) -> SearchMemory:
        """The search from `cell`, with the costs `g`; valid until the next call."""
        nothing, no_path = np.zeros(0, np.int32), np.zeros(0, np.intp)
        is_new, code = True, FULL
        while code != EXHAUSTED:
            check_deadline()
            code, *_ = best_first.search(
                self.grid.graph,
                self.memory,
                self.queue,
                rule=best_first.Ordering(0.0, ZERO, self.per_unit, False, False),
                start=cell,
                goal=int(NOWHERE),
                budget=EXPANSIONS,
                events=nothing,
                is_new=is_new,
                path=no_path,
            )
            is_new = False
            if code == FULL:
                self.queue = buckets.grown(self.queue)
        return self.memory
