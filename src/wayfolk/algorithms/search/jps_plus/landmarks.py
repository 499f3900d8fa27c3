"""Landmarks: the costs from everywhere to a few far-off cells, for a better heuristic than the distance on an empty map.

Goldberg and Harrelson, "Computing the shortest path: A* search meets graph theory", 2005; differential heuristics:
Sturtevant et al., "Memory-based heuristics for explicit state spaces", 2009.

The costs from two cells to a landmark differ by at most the cost between the two (moves go both ways here). So
|away[a] - away[b]| never overestimates, nor does the largest one of several landmarks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.graph import ZERO
from wayfolk.problem.result import NO_LIMIT
from wayfolk.world.grid import Grid

PER_UNIT, LISTS = 5.0, 16  # moves of 1 or up to 2 on a map without terrain costs
NO_EVENTS, NO_PATH = np.zeros(0, np.int32), np.zeros(0, np.intp)
BORDER = 0  # a cell that no path reaches


def away_from_landmarks(grid: Grid, n_landmarks: int) -> NDArray[np.float32]:
    """`away[cell, k]`: the cost from each cell to landmark k, rounded; 0 for cells that cannot reach it.

    The landmarks lie in the largest connected part, each as far as can be from those before.
    """
    away = np.zeros((grid.n_cells, n_landmarks), np.float32)
    parts = grid.components[grid.free_cells]
    cells = grid.free_cells[parts == np.bincount(parts, minlength=1).argmax()]
    if not n_landmarks or not len(cells):
        return away
    field = _Field(grid)
    landmark = int(cells[field.costs(int(cells[0]))[cells].argmax()])
    nearest = np.full(len(cells), np.inf)
    for k in range(n_landmarks):
        away[cells, k] = field.costs(landmark)[cells]
        nearest = np.minimum(nearest, away[cells, k])
        landmark = int(cells[nearest.argmax()])
    return away


class _Field:
    """Costs from one cell to all, again and again."""

    def __init__(self, grid: Grid) -> None:
        self.graph = grid.graph
        self.memory, self.queue = best_first.new_memory(grid.n_cells), buckets.new_buckets(LISTS, 1024)

    def costs(self, start: int) -> NDArray[np.float64]:
        code, is_new = best_first.RUNNING, True
        while code != best_first.EXHAUSTED:
            code, *_ = best_first.search(
                self.graph,
                self.memory,
                self.queue,
                ordering=best_first.Ordering(1.0, ZERO, PER_UNIT, False, False),
                start=start,
                goal=BORDER,
                budget=NO_LIMIT,
                events=NO_EVENTS,
                is_new=is_new,
                path=NO_PATH,
            )
            is_new = False
            if code == best_first.QUEUE_FULL:
                self.queue = buckets.grown(self.queue)
        costs: NDArray[np.float64] = self.memory.cells["g"]
        return costs
