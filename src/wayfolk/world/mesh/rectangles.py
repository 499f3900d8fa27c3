"""The free cells of a grid as a mesh of rectangles; a cell is the square of side 1 around its place (x, y)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import DX, DY, EAST, NORTH, NOWHERE, SOUTH, WEST
from wayfolk.world.grid import Grid

# the sides of a rectangle in the order in which its ring goes around
AROUND = (NORTH, EAST, SOUTH, WEST)


def rectangles(grid: Grid) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """The rings of rectangles that cover the free cells: `first`, the points, and what lies beyond the edge after each.

    An edge is as long as what lies beyond it stays the same, a rectangle or (NOWHERE) a wall or a cliff.
    """
    owner = np.full(grid.n_cells, NOWHERE, np.int32)
    n = _cover(grid.legal, grid.stride, grid.free_cells, owner)
    parts = [_side(grid, owner, side, order) for order, side in enumerate(AROUND)]
    whose, order, along, x, y, beyond = (np.concatenate(part) for part in zip(*parts, strict=True))
    around = np.lexsort((along, order, whose))
    first = np.searchsorted(whose[around], np.arange(n + 1)).astype(np.int32)
    return first, np.stack([x, y], axis=1)[around], beyond[around]


def _side(grid: Grid, owner: NDArray[np.int32], side: int, order: int) -> tuple[NDArray[np.generic], ...]:
    """The edges of all rectangles on one side: whose, the side's place in the ring, that of the edge, x, y and beyond."""
    shape = (grid.height + 2, grid.stride)
    is_across = DX[side] != 0  # the edges run along y
    whose = owner.reshape(shape)
    other = np.roll(whose, (-DY[side], -DX[side]), (0, 1))
    beyond = np.where((grid.legal.reshape(shape) >> side) & 1, other, NOWHERE)
    if is_across:
        whose, beyond = whose.T, beyond.T
    is_edge = (whose != NOWHERE) & (whose != beyond)
    same = (whose[:, 1:] == whose[:, :-1]) & (beyond[:, 1:] == beyond[:, :-1]) & is_edge[:, 1:] & is_edge[:, :-1]
    is_first, is_last = is_edge.copy(), is_edge.copy()
    is_first[:, 1:] &= ~same
    is_last[:, :-1] &= ~same
    line, begin = np.nonzero(is_first)
    end = np.nonzero(is_last)[1]
    forward = side in (NORTH, EAST)
    along = begin - 1.5 if forward else end - 0.5  # the border of the array is one cell wide
    place = line - 1 + 0.5 * (DX[side] + DY[side])
    x, y = (place, along) if is_across else (along, place)
    owner, neighbour = whose[line, begin], beyond[line, begin]
    return owner, np.full(len(line), order), along if forward else -along, x, y, neighbour


@kernel
def _cover(legal, stride, cells, owner):
    """Write the number of its rectangle to `owner` for each of the free `cells`, NOWHERE so far; how many there are.

    Within a rectangle every step to the east and south is legal, so that no cliff runs through it.
    """
    n = 0
    for cell in cells:
        if owner[cell] != NOWHERE:
            continue
        width, height = _largest(legal, stride, owner, cell)
        for y in range(height):
            for x in range(width):
                owner[cell + y * stride + x] = n
        n += 1
    return n


@inner
def _largest(legal, stride, owner, cell):
    """Width and height of the largest rectangle of cells without an owner whose first one is `cell`."""
    widest = 1
    while (legal[cell + widest - 1] >> EAST) & 1 and owner[cell + widest] == NOWHERE:
        widest += 1
    width, best_width, best_height = widest, widest, 1
    row = cell
    height = 1
    while True:
        x = 0
        while x < width and (legal[row + x] >> SOUTH) & 1 and owner[row + stride + x] == NOWHERE:
            x += 1
            if x < width and not (legal[row + stride + x - 1] >> EAST) & 1:
                break
        width = x
        if width == 0:
            return best_width, best_height
        row += stride
        height += 1
        if width * height > best_width * best_height:
            best_width, best_height = width, height
