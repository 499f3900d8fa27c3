"""Maps (b), (c) and (d) as one would draw them from the text alone.

`maps` has the true ones. These show how much of the printed numbers depends on the maps: they fit each sentence about
the maps and the lengths of loops in the tables, and lead to other numbers of nodes and collisions all the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.world.grid import Grid, Moves

SIZE = 64  # columns and rows
ZONE = 20  # columns of each patrol zone, from the edge of the map and over its full height
BARRIER = slice(24, 40)  # columns of the barriers of (b) and (c)
STRIP = 4  # rows left free above and below the barrier of (b)
CORRIDORS = (25, 29, 33, 37)  # first rows of the corridors of (c), each two rows high
POSTS = (23, 27, 31, 35, 39)  # first rows of the posts before them, each two rows high
POST_COLUMNS = (21, 42)
PASSAGES = (4, 15, 25, 36, 46, 57)  # first rows of the passageways of (d), each three rows high


def guessed_map(letter: str) -> tuple[Grid, tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """Map 'b', 'c' or 'd', and its two zones."""
    free = np.ones((SIZE, SIZE), dtype=bool)
    if letter == "b":
        free[STRIP:-STRIP, BARRIER] = False
    elif letter == "c":
        free[:, BARRIER] = False
        for row in CORRIDORS:
            free[row : row + 2, BARRIER] = True
        for row in POSTS:
            free[row : row + 2, POST_COLUMNS] = False
    else:
        free[:, 31:33] = False
        for row in PASSAGES:
            free[row : row + 3, 31:33] = True
    left = np.zeros((SIZE, SIZE), dtype=bool)
    left[:, :ZONE] = True
    return Grid(free, Moves.EIGHT), (left, left[:, ::-1].copy())
