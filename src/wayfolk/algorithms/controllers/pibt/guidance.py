"""What moves cost to agents that are guided: the same everywhere, by fixed one-way lanes, or by learned ones.

Prices are whole numbers, FINE for a plain straight step.

Invariants  no move is cheaper than a plain one, none costlier than `costliest` says.
"""

# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import DX, DY
from wayfolk.kernels.graph import cost
from wayfolk.kernels.laned_graphs import LanedGrid
from wayfolk.world.grid import Grid

FINE = 12
AGAINST = 2  # how many times as much it costs not to follow the lanes of a criss-cross


def plain(grid: Grid, diagonal: float) -> NDArray[np.int32]:
    """`prices[cell, k]` of move k, which takes 1, or `diagonal` if it is one."""
    return np.tile(np.array([FINE] * 4 + [round(FINE * diagonal)] * 4, np.int32), (grid.n_cells, 1))


def criss_cross(grid: Grid, diagonal: float) -> NDArray[np.int32]:
    """East in even rows and west in odd ones, north in even columns and south in odd ones: all else costs twice as much.

    A diagonal follows the lanes if both of its parts do.
    """
    y, x = np.divmod(np.arange(grid.n_cells), grid.stride)
    east, north = (y - 1) % 2 == 0, (x - 1) % 2 == 0
    prices = plain(grid, diagonal)
    for k in range(8):
        follows = np.ones(grid.n_cells, bool)
        if DX[k]:
            follows &= east == (DX[k] > 0)
        if DY[k]:
            follows &= north == (DY[k] < 0)
        prices[~follows, k] *= AGAINST
    return prices


def costliest(prices: NDArray[np.int32], w_max: float) -> int:
    """The most a move can cost once lanes are learned."""
    return int(prices.max()) + int(np.ceil(FINE * w_max))


@inner
def reprice(prices, base, legal, graph, lanes, occupant, w_max):
    """Let `prices` be those of `base`, and what it costs to go against the lanes on top."""
    laned = LanedGrid(
        grid=graph,
        occupant=occupant,
        cells=lanes,
        eye=0,
        goal=0,
        reach=0.0,
        quarter=0.25 * w_max,
        floor=0.0,
        predicts=False,
    )
    for cell in range(legal.size):
        for k in range(8):
            if (legal[cell] >> k) & 1:
                more = cost(laned, cell, k) - cost(graph, cell, k)
                prices[cell, k] = base[k] + np.int32(FINE * more + 0.5)
