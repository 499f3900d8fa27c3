"""Landmarks: the costs from everywhere to a few far-off cells, for a better heuristic than the distance on an empty map.

Goldberg and Harrelson, "Computing the shortest path: A* search meets graph theory", 2005; differential heuristics:
Sturtevant et al., "Memory-based heuristics for explicit state spaces", 2009.

The costs from two cells to a landmark differ by at most the cost between the two (moves go both ways here). So
|away[a] - away[b]| never overestimates, nor does the largest one of several landmarks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._single_source import SingleSource
from wayfolk.world.grid import Grid


def away_from_landmarks(grid: Grid, n_landmarks: int) -> NDArray[np.float32]:
    """`away[cell, k]`: the cost from each cell to landmark k, rounded; 0 for cells that cannot reach it.

    The landmarks lie in the largest connected part, each as far as can be from those before.
    """
    away = np.zeros((grid.n_cells, n_landmarks), np.float32)
    parts = grid.components[grid.free_cells]
    cells = grid.free_cells[parts == np.bincount(parts, minlength=1).argmax()]
    if not n_landmarks or not len(cells):
        return away
    source = SingleSource(grid)
    landmark = int(cells[source.costs_from(int(cells[0])).cells["g"][cells].argmax()])
    nearest = np.full(len(cells), np.inf)
    for k in range(n_landmarks):
        away[cells, k] = source.costs_from(landmark).cells["g"][cells]
        nearest = np.minimum(nearest, away[cells, k])
        landmark = int(cells[nearest.argmax()])
    return away
