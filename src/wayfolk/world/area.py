"""Area: a part of the plane that is a goal or is measured: a rectangle, a polygon, or cells of a grid.

    Area((9, 0, 10, 3))                        left, top, right and bottom in metres
    Area([(9, 0), (10, 0), (10, 3)])           the corners of a polygon
    Area.of_cells([(9, 0), (9, 1)], cell=0.5)  cells of a grid with cells of this side

Lengths are metres, x to the right and y down. The left and upper sides belong to an area, the right and lower ones do not:
so two areas that share a side have no point in common.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import NOWHERE

if TYPE_CHECKING:
    from wayfolk.world.space import Space

Floats = NDArray[np.float64]
Corners = Any  # a rectangle, the corners of a polygon, or an area
TARGETS = 48  # about how many points inside each part of an area agents can head for
DEEP = 0.6  # share of the deepest point's distance from the border that the others need


class Area:
    """What is inside a rectangle (left, top, right, bottom) or a polygon, given by its corners in metres."""

    def __init__(self, corners: Corners) -> None:
        self.rings = [_ring(corners)]

    @classmethod
    def of(cls, corners: Corners) -> Area:
        """The area with these corners, which may be an area already."""
        return corners if isinstance(corners, Area) else cls(corners)

    @classmethod
    def of_cells(cls, places: ArrayLike, *, cell: float = 1.0) -> Area:
        """The cells at `places`, rows of whole numbers (x, y), of a grid whose cells have a side of `cell` metres."""
        from wayfolk.world.grid import Grid
        from wayfolk.world.space import outlines_of

        rows = np.asarray(places)
        if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows) or not np.issubdtype(rows.dtype, np.integer):
            raise BadInput("the cells of an area are rows of two whole numbers (x, y)")
        if not (np.isfinite(cell) and cell > 0):
            raise BadInput(f"the side of a cell must be some metres, not {cell}")
        low = rows.min(0)
        width, height = (rows.max(0) - low + 1).tolist()
        inside = np.zeros((height, width), np.bool_)
        inside[tuple((rows - low).T[::-1])] = True
        area = object.__new__(cls)
        area.rings = [(ring + low) * cell for ring in outlines_of(Grid(inside))]
        return area

    @property
    def size(self) -> float:
        """Square metres."""
        return abs(sum(_signed_size(ring) for ring in self.rings))

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the smallest rectangle around the area."""
        corners = np.concatenate(self.rings)
        (left, top), (right, bottom) = corners.min(0).tolist(), corners.max(0).tolist()
        return left, top, right, bottom

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Which points (rows x, y) are inside; a point that is not a number is not."""
        rows = np.asarray(points, np.float64)
        inside = np.zeros(rows.shape[:-1], np.bool_)
        for ring in self.rings:
            inside ^= in_ring(ring, rows)
        return inside

    @cached_property
    def depth(self) -> float:
        """How far from its border one can be inside, in metres: about the radius of the largest disc that fits in."""
        return float(self._depths(self.targets).max())

    @cached_property
    def targets(self) -> Floats:
        """Points inside the area, spread over each of its parts and not close to the border, that agents can head for."""
        parts = [self._targets_in(ring) for ring in self.rings]
        targets = np.concatenate(parts)
        if not len(targets):
            left, top, _, _ = self.bounds
            raise BadInput(f"the area around ({left:g}, {top:g}) is too thin to stand in")
        return targets

    def _targets_in(self, ring: Floats) -> Floats:
        """Targets inside one ring; none if it is the outline of a hole."""
        (left, top), (right, bottom) = ring.min(0), ring.max(0)
        spacing = np.sqrt(abs(_signed_size(ring)) / TARGETS)
        for _ in range(6):
            columns, lines = max(1, round((right - left) / spacing)), max(1, round((bottom - top) / spacing))
            x = left + (right - left) * (np.arange(columns) + 0.5) / columns
            y = top + (bottom - top) * (np.arange(lines) + 0.5) / lines
            points = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
            points = points[in_ring(ring, points)]
            inside = points[self.contains(points)]
            if len(inside):
                depths = self._depths(inside)
                return inside[depths >= DEEP * min(float(depths.max()), 1.0)]
            if len(points):
                return inside
            spacing /= 2.0
        return np.zeros((0, 2))

    def _depths(self, points: Floats) -> Floats:
        """How far each point is from the border."""
        least = np.full(len(points), np.inf)
        for ring in self.rings:
            for one, other in zip(ring, np.roll(ring, -1, 0), strict=True):
                along = other - one
                share = np.clip((points - one) @ along / (along @ along), 0.0, 1.0)
                least = np.minimum(least, np.hypot(*(points - one - share[:, None] * along).T))
        return least

    def __repr__(self) -> str:
        left, top, right, bottom = self.bounds
        return f"Area({self.size:g} square metres, from ({left:g}, {top:g}) to ({right:g}, {bottom:g}))"


class AreaGoals:
    """The areas that are goals of agents in one space, and the points of each that agents head for.

    of       for each agent an index into `areas`, or NOWHERE if its goal is a point
    targets  the points of area k are the rows from `starts[k]` to before `starts[k + 1]`
    """

    def __init__(self, space: Space) -> None:
        self.space = space
        self.areas: list[Area] = []
        self.of = np.zeros(0, np.int32)
        self.starts, self.targets = np.zeros(1, np.int64), np.zeros((0, 2))

    def grow(self, room: int) -> None:
        """Make room for so many agents."""
        self.of = np.pad(self.of, (0, max(0, room - len(self.of))), constant_values=NOWHERE)

    def number(self, area: Area) -> int:
        """The index of an area, which is entered if it is new."""
        for k, known in enumerate(self.areas):
            if known is area:
                return k
        if self.space.is_solid(area.targets).all():
            raise BadProblem(f"the goal {area!r} is in a wall")
        self.areas.append(area)
        self.changed(self.space)
        return len(self.areas) - 1

    def targets_of(self, number: int) -> Floats:
        """The points of one area."""
        return self.targets[self.starts[number] : self.starts[number + 1]]

    def changed(self, space: Space) -> None:
        """Leave out the points that are in walls now, unless all are."""
        self.space = space
        targets = [area.targets for area in self.areas]
        clear = [~space.is_solid(points) for points in targets]
        kept = [points[free] if free.any() else points for points, free in zip(targets, clear, strict=True)]
        self.starts = np.cumsum([0, *map(len, kept)], dtype=np.int64)
        self.targets = np.concatenate([np.zeros((0, 2)), *kept])


def in_ring(ring: Floats, points: Floats) -> NDArray[np.bool_]:
    """Which points are inside a ring of corners, by counting the sides that a ray to the right crosses."""
    (x1, y1), (x2, y2) = ring.T, np.roll(ring, -1, 0).T
    x, y = points[..., :1], points[..., 1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        spans = (y1 > y) != (y2 > y)
        right_of: Any = x < (x2 - x1) * (y - y1) / (y2 - y1) + x1
    inside: NDArray[np.bool_] = (spans & right_of).sum(-1) % 2 == 1
    return inside


def _signed_size(ring: Floats) -> float:
    """Square metres inside a ring, negative if it turns the other way."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) / 2.0


def _ring(corners: Corners) -> Floats:
    """The corners as rows x, y."""
    try:
        values = np.array(corners, np.float64)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape == (4,):
        left, top, right, bottom = values.tolist()
        if not (np.isfinite(values).all() and left < right and top < bottom):
            raise BadInput(f"an area is left < right and top < bottom in metres, not {corners!r}")
        return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    if values.ndim != 2 or values.shape[1] != 2 or len(values) < 3 or not np.isfinite(values).all():
        raise BadInput(
            f"an area is left, top, right, bottom in metres, or three or more corners (x, y), not {corners!r}"
        )
    if abs(_signed_size(values)) <= 1e-12:
        raise BadInput(f"the corners of this area enclose nothing: {corners!r}")
    return values
