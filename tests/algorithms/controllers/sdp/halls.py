"""Maps of halls that are joined by corridors: small, and with as many corridors as one likes."""

from __future__ import annotations

import numpy as np

from wayfolk.world.grid import Grid


def halls(columns: int, rows: int, *, size: int = 14, width: int = 2, length: int = 3, moves: str = "eight") -> Grid:
    """Square halls, each joined to its neighbours by a corridor. Only without a way around are these bottlenecks."""
    pitch, middle = size + length, (size - width) // 2
    free = np.zeros((rows * pitch - length, columns * pitch - length), bool)
    for row, column in np.ndindex(rows, columns):
        y, x = row * pitch, column * pitch
        free[y : y + size, x : x + size] = True
        if column + 1 < columns:
            free[y + middle : y + middle + width, x + size : x + pitch] = True
        if row + 1 < rows:
            free[y + size : y + pitch, x + middle : x + middle + width] = True
    return Grid(free, moves)
