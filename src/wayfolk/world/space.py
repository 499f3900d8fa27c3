"""Space: where bodies move, with walls from a grid, from polygons, or none at all.

    Space(grid, cell=0.5)              blocked cells and all that is outside the map are solid
    Space(polygons=[[(0, 0), ...]])    each ring of corners is solid inside; two corners make a thin wall

Lengths are metres, x to the right and y down. The cell (x, y) of the grid covers the square from (x, y) to
(x + 1, y + 1), times `cell`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.bodies.walls import Walls, list_walls, wall_distances
from wayfolk.world.area import in_ring
from wayfolk.world.grid import Grid

Floats = NDArray[np.float64]
MOST_BUCKETS = 1 << 22


class Space:
    """The plane with walls. It never changes; `changed` gives one with another grid."""

    def __init__(self, grid: Grid | None = None, *, cell: float = 1.0, polygons: Sequence[ArrayLike] = ()) -> None:
        if grid is not None and not isinstance(grid, Grid):
            raise BadInput(f"bodies move in a grid or among polygons, not in a {type(grid).__name__}")
        if not (np.isfinite(cell) and cell > 0):
            raise BadInput(f"the side of a cell must be some metres, not {cell}")
        self.grid, self.cell = grid, float(cell)
        self.polygons = [_ring(k, ring) for k, ring in enumerate(polygons)]
        outlines = ([] if grid is None else [ring * self.cell for ring in outlines_of(grid)]) + self.polygons
        self.segments, self.nexts, self.befores, self.convex = _chained(outlines)
        self._walls: dict[float, Walls] = {}

    def changed(self, grid: Grid) -> Space:
        """The same space with another grid."""
        return Space(grid, cell=self.cell, polygons=self.polygons)

    def walls(self, reach: float) -> Walls:
        """The walls as kernels read them, for bodies that look at walls within `reach` metres."""
        if reach not in self._walls:
            self._walls[reach] = _sorted(self, reach)
        return self._walls[reach]

    def clearance(self, places: ArrayLike, reach: float = 10.0) -> Floats:
        """The distance from each place to the nearest wall that faces it, at most `reach`; 0 inside a wall of the grid."""
        points = np.ascontiguousarray(places, np.float64).reshape(-1, 2)
        distances = np.zeros(len(points))
        wall_distances(self.walls(reach), points, distances)
        distances[self.is_solid(points)] = 0.0
        return distances

    def is_solid(self, places: ArrayLike) -> NDArray[np.bool_]:
        """Which places are in a blocked cell, outside the map, or inside a polygon."""
        points = np.asarray(places, np.float64).reshape(-1, 2)
        solid = np.zeros(len(points), np.bool_)
        if self.grid is not None:
            at = np.floor(points / self.cell).astype(np.int64)
            inside = (at >= 0).all(1) & (at[:, 0] < self.grid.width) & (at[:, 1] < self.grid.height)
            solid[~inside] = True
            solid[inside] = ~self.grid.free[at[inside, 1], at[inside, 0]]
        for ring in self.polygons:
            solid |= in_ring(ring, points)
        return solid

    def cells(self, places: ArrayLike) -> NDArray[np.int32]:
        """The cells of the grid that hold some places, the nearest cell of the map for places outside."""
        if self.grid is None:
            raise BadInput("this space has no grid")
        points = np.floor(np.asarray(places, np.float64).reshape(-1, 2) / self.cell).astype(np.int64)
        points = np.clip(points, 0, [self.grid.width - 1, self.grid.height - 1])
        cells: NDArray[np.int32] = ((points[:, 1] + 1) * self.grid.stride + points[:, 0] + 1).astype(np.int32)
        return cells

    def middles(self, cells: ArrayLike) -> Floats:
        """The middles of some cells of the grid, in metres."""
        if self.grid is None:
            raise BadInput("this space has no grid")
        middles: Floats = (self.grid.places(cells).astype(np.float64) + 0.5) * self.cell
        return middles

    def __repr__(self) -> str:
        return f"Space({self.grid!r}, cell={self.cell:g}, {len(self.segments)} walls)"


def outlines_of(grid: Grid) -> list[Floats]:
    """The corners of the blocked areas of a grid, in cells: closed rings with the solid side at a positive cross product.

    Where two blocked cells touch at a corner only, each has its own outline.
    """
    solid = np.pad(~grid.free, 1, constant_values=True)
    starts, ends = _sides(solid)
    stride = solid.shape[1] + 1
    begins, finish = starts @ [1, stride], ends @ [1, stride]
    steps = ends - starts
    order = np.argsort(begins, kind="stable")
    first = np.searchsorted(begins[order], finish)
    after = order[first]
    is_double = (first + 1 < len(order)) & (begins[order[np.minimum(first + 1, len(order) - 1)]] == finish)
    other = order[np.minimum(first + 1, len(order) - 1)]
    turn_left = np.stack([-steps[:, 1], steps[:, 0]], 1)
    is_left = (steps[other] == turn_left).all(1)
    after = np.where(is_double & is_left, other, after)
    is_corner = np.ones(len(begins), np.bool_)
    is_corner[after] = (steps[after] != steps).any(1)
    return _rings(starts, after, is_corner)


def _sides(solid: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The unit sides between solid and free cells, as first and last corners; `solid` has a border."""
    above = np.argwhere(solid[:-1] & ~solid[1:])[:, ::-1]  # the solid cell is above the free one
    below = np.argwhere(~solid[:-1] & solid[1:])[:, ::-1]
    west = np.argwhere(solid[:, :-1] & ~solid[:, 1:])[:, ::-1]
    east = np.argwhere(~solid[:, :-1] & solid[:, 1:])[:, ::-1]
    right, down = np.array([1, 0]), np.array([0, 1])
    starts = np.concatenate([above + right, below, west, east + down])
    ends = np.concatenate([above, below + right, west + down, east])
    shift = np.concatenate([np.tile([0, 1], (len(above) + len(below), 1)), np.tile([1, 0], (len(west) + len(east), 1))])
    return starts + shift - 1, ends + shift - 1


def _rings(starts: NDArray[np.int64], after: NDArray[np.int64], is_corner: NDArray[np.bool_]) -> list[Floats]:
    rings, following, corner = [], after.tolist(), is_corner.tolist()
    is_left = corner.copy()
    for first in np.flatnonzero(is_corner).tolist():
        if not is_left[first]:
            continue
        ring, side = [], first
        while True:
            if corner[side]:
                if not is_left[side]:
                    break
                is_left[side] = False
                ring.append(side)
            side = following[side]
        rings.append(starts[ring].astype(np.float64))
    return rings


def _ring(number: int, corners: ArrayLike) -> Floats:
    """A ring of corners in the order that kernels expect."""
    try:
        ring = np.array(corners, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"polygon {number} is no list of points (x, y)") from None
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 2 or not np.isfinite(ring).all():
        raise BadInput(f"polygon {number} needs two or more points (x, y) of finite numbers")
    if (ring == np.roll(ring, 1, 0)).all(1).any():
        raise BadInput(f"polygon {number} has the same point twice in a row")
    x, y = ring.T
    area = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
    return ring if area >= 0 else ring[::-1].copy()


def _chained(
    rings: list[Floats],
) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """The segments of all rings, the next and the one before each, and whether the corner at its start is convex."""
    sizes = np.array([len(ring) for ring in rings], np.int64)
    points = np.concatenate(rings) if rings else np.zeros((0, 2))
    base = np.repeat(np.cumsum(sizes) - sizes, sizes)
    size = np.repeat(sizes, sizes)
    within = np.arange(len(points)) - base
    nexts, befores = base + (within + 1) % np.maximum(size, 1), base + (within - 1) % np.maximum(size, 1)
    segments = np.concatenate([points, points[nexts]], 1) if len(points) else np.zeros((0, 4))
    into, out = points - points[befores], points[nexts] - points
    convex = into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0] >= 0.0
    return segments, nexts.astype(np.int32), befores.astype(np.int32), convex


def _sorted(space: Space, reach: float) -> Walls:
    """The walls in buckets of about the reach."""
    segments = space.segments
    if not len(segments):
        none = np.zeros(0, np.int32)
        return Walls(
            np.zeros((0, 4)), none, none, np.zeros(0, np.bool_), np.zeros(2, np.int32), none,
            np.array([0.0, 0.0, 1.0, reach]), np.ones(2, np.int64),
        )  # fmt: skip
    ends = segments.reshape(-1, 2)
    low, high = ends.min(0) - reach, ends.max(0) + reach
    side = max(reach, 0.5 * space.cell)
    while np.prod(np.floor((high - low) / side) + 1) > MOST_BUCKETS:
        side *= 1.5
    columns, lines = (np.floor((high - low) / side) + 1).astype(np.int64)
    frame = np.array([low[0], low[1], 1.0 / side, reach])
    starts = np.zeros(columns * lines + 1, np.int32)
    walls = Walls(
        segments, space.nexts, space.befores, space.convex, starts, np.zeros(0, np.int32), frame,
        np.array([columns, lines], np.int64),
    )  # fmt: skip
    list_walls(walls, True)
    np.cumsum(starts, out=starts)
    walls = walls._replace(listed=np.zeros(int(starts[-1]), np.int32))
    list_walls(walls, False)
    starts[1:] = starts[:-1].copy()
    starts[0] = 0
    return walls
