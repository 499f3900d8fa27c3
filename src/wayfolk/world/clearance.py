"""Clearance: the map of a body that is larger than a point.

A square body of `size` cells is at its upper left cell, and may be there if all of its cells are free. A disc is at the
centre of its cell, and may be there if no wall is nearer than its radius. Either way what remains is a `Grid`, and whatever
works on grids works on it: a body moves along a diagonal if the two places beside that move are free for it.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, Moves

T = TypeVar("T", bound=np.generic)


def clearance(grid: Grid, size: int = 1, radius: float = 0.0) -> Grid:
    """The map of a square body of `size` x `size` cells, or of a disc whose `radius` is in cells; made once for each map.

    The terrain cost of a square body is the mean of its cells. A cliff stops every body that has a cell on it. Discs larger
    than half a cell need a map without cliffs.
    """
    if size < 1 or not (math.isfinite(radius) and radius >= 0.0):
        raise BadInput(f"a body has a size of 1 or more and a radius of 0 or more, not {size} and {radius}")
    if size > 1 and radius > 0.0:
        raise BadInput("a body is a square with a size or a disc with a radius, not both")
    if size == 1 and radius == 0.0:
        return grid
    if radius > 0.0:
        return cached(grid, ("clearance of a disc", float(radius)), lambda grid: _of_disc(grid, radius))
    return cached(grid, ("clearance of a square", size), lambda grid: _of_square(grid, size))


def _of_square(grid: Grid, size: int) -> Grid:
    free = _everywhere(grid.free, size, size)
    costs = links = None
    if grid.costs is not None:
        parts = [_shifted(grid.costs, dy, dx, 1.0) for dy in range(size) for dx in range(size)]
        costs = np.mean(parts, axis=0)
    if grid.links is not None:
        east = _everywhere(grid.links & OPEN_EAST > 0, size, size)
        south = _everywhere(grid.links & OPEN_SOUTH > 0, size, size)
        links = east * np.uint8(OPEN_EAST) | south * np.uint8(OPEN_SOUTH)
    return Grid(free, grid.moves, costs=costs, links=links, diagonal=grid.diagonal, name=grid.name)


def _of_disc(grid: Grid, radius: float) -> Grid:
    if grid.links is not None and radius > 0.5:
        raise BadInput(
            f"a disc of radius {radius:g} reaches beyond its cell, and this map has cliffs: give a size instead"
        )
    reach = math.floor(radius + 0.5)
    free = np.array(grid.free)
    for dy in range(-reach, reach + 1):
        for dx in range(-reach, reach + 1):
            if math.hypot(max(abs(dx) - 0.5, 0.0), max(abs(dy) - 0.5, 0.0)) < radius - 1e-9:
                free &= _shifted(grid.free, dy, dx, False)
    moves = Moves.EIGHT if grid.moves is Moves.EIGHT_CUTTING else grid.moves  # a disc does not pass through a corner
    return Grid(free, moves, costs=grid.costs, links=grid.links, diagonal=grid.diagonal, name=grid.name)


def _everywhere(values: NDArray[np.bool_], height: int, width: int) -> NDArray[np.bool_]:
    """Where a rectangle whose upper left is here has True in all of its cells; outside the map is False."""
    rows = reduce(np.logical_and, (_shifted(values, dy, 0, False) for dy in range(height)))
    return reduce(np.logical_and, (_shifted(rows, 0, dx, False) for dx in range(width)))


def _shifted(values: NDArray[T], dy: int, dx: int, outside: object) -> NDArray[T]:
    """What is `dy` rows below and `dx` columns right of each cell."""
    height, width = values.shape
    moved = np.full_like(values, outside)
    if abs(dy) < height and abs(dx) < width:
        moved[max(-dy, 0) : height - max(dy, 0), max(-dx, 0) : width - max(dx, 0)] = values[
            max(dy, 0) : height - max(-dy, 0), max(dx, 0) : width - max(-dx, 0)
        ]
    return moved
