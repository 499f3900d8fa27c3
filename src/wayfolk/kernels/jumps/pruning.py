"""Which moves jump point search prunes: in tables by the legal moves of one cell, where walls alone forbid moves.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", 2011.

Of all shortest paths between two cells, those are kept that go diagonally first and then straight. A cell entered in
direction `way` (0 to 7) is left only in the directions of a table, `WAYS[rule][way, legal moves]`: straight on, and round
a wall where a wall makes a detour necessary. The byte of legal moves of a cell says which cells need that.
"""

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import DX, DY, EAST, NORTH, SOUTH, WEST

ROW_WAY = np.array([EAST, EAST, WEST, WEST, EAST, WEST, WEST, EAST])  # the straight ways beside a diagonal one
COLUMN_WAY = np.array([SOUTH, SOUTH, NORTH, NORTH, SOUTH, SOUTH, NORTH, NORTH])
STEP_X, STEP_Y = np.array(DX), np.array(DY)


def _ways(cutting: bool) -> NDArray[np.uint8]:
    """`[way, legal]`: the ways that leave a cell entered by `way`, as bits; the natural ones and the forced ones."""
    ways = np.zeros((8, 256), np.uint8)
    number = {(dx, dy): k for k, (dx, dy) in enumerate(zip(DX, DY, strict=True))}
    for way, legal in np.ndindex(8, 256):
        dx, dy = DX[way], DY[way]
        left = {(dx, dy)}
        if dx and dy:
            left |= {(dx, 0), (0, dy)}
            if cutting:  # round the corner that was passed on either side
                left |= {side for side, wall in (((-dx, dy), (-dx, 0)), ((dx, -dy), (0, -dy)))
                         if not legal >> number[wall] & 1}  # fmt: skip
        else:
            for side in ((dy, dx), (-dy, -dx)):
                ahead, behind = (side[0] + dx, side[1] + dy), (side[0] - dx, side[1] - dy)
                is_free = legal >> number[side] & 1
                if cutting and not is_free:
                    left |= {ahead}
                if not cutting and is_free and not legal >> number[behind] & 1:
                    left |= {side, ahead}
        ways[way, legal] = legal & sum(1 << number[step] for step in left)
    return ways


def _natural() -> NDArray[np.uint8]:
    """The ways that leave a cell entered by `way` where nothing is in the way."""
    return np.array([1 << w if w < 4 else 1 << w | 1 << ROW_WAY[w] | 1 << COLUMN_WAY[w] for w in range(8)], np.uint8)


NATURAL = _natural()
WAYS = {cutting: _ways(cutting) for cutting in (False, True)}
FORCED = {cutting: (WAYS[cutting] & ~NATURAL[:, None]) > 0 for cutting in (False, True)}
"""`[way, legal]`: whether a cell entered by `way` is a jump point."""
