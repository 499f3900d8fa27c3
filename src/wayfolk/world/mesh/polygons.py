"""Outlines and holes as a mesh of convex polygons: checked, triangulated, and merged while they stay convex.

Hertel and Mehlhorn, "Fast triangulation of simple polygons", 1983: an edge between two polygons is left out if the corners
at both its ends stay convex. That gives at most four times as many polygons as there must be.

Deviations  the longest edges are left out first, which makes round polygons rather than long ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, Missing
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.deadline import check_deadline
from wayfolk.world.mesh.arrays import nearness

CLOSE = 1e-9  # areas and lengths that differ by less, relatively, are the same
FLAT = 1e-12  # a corner is not taken for convex if it is less than this from flat
APART = 10  # corners are farther apart than this times what counts as no distance
LARGEST = 1e15  # of a coordinate


def convex_polygons(outlines: Any, holes: Any = ()) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """The rings of polygons that cover the outlines without the holes: `first`, the points, and what lies beyond."""
    try:
        import shapely  # type: ignore[import-untyped]
    except ImportError:
        raise Missing("shapely is not installed: pip install 'wayfolk[graphs]'") from None

    world = shapely.union_all(_separate(shapely, _polygons(shapely, outlines, "outline"), "outline"))
    gaps = _separate(shapely, _polygons(shapely, holes, "hole"), "hole")
    for number, gap in enumerate(gaps):
        if not world.covers(gap) and gap.difference(world).area > CLOSE * gap.area:
            raise BadInput(f"hole {number} is not inside the outlines")
    free = world.difference(shapely.union_all(gaps)) if gaps else world
    if not free.area > CLOSE * world.area:
        raise BadInput("the holes leave nothing free")
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(free))
    corners = shapely.get_coordinates(triangles).reshape(-1, 4, 2)[:, :3]
    sides = np.roll(corners, -1, 1) - corners
    doubled = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    corners[doubled < 0] = corners[doubled < 0, ::-1]
    twin = _twins(corners.reshape(-1, 2))
    lengths = np.hypot(*(np.roll(corners, -1, 1) - corners).reshape(-1, 2).T)
    if lengths.min() <= APART * nearness(corners.reshape(-1, 2)):
        x, y = corners.reshape(-1, 2)[lengths.argmin()]
        raise BadInput(f"two points near ({x}, {y}) are too close together to be distinguished")
    if not (
        (doubled != 0).all()
        and abs(np.abs(doubled).sum() / 2 - free.area) <= CLOSE * free.area
        and abs(lengths[twin == NOWHERE].sum() - free.length) <= CLOSE * free.length
    ):
        x, y = corners[np.abs(doubled).argmin(), 0]
        raise BadInput(f"the polygons are too thin to be divided exactly, near ({x}, {y})")
    return _merged(corners.reshape(-1, 2), twin)


def _polygons(shapely: Any, given: Any, what: str) -> list[Any]:
    """Each ring or shapely polygon of `given`, checked, as a shapely polygon."""
    polygons = []
    for number, ring in enumerate(shapely.get_parts(given) if hasattr(given, "geom_type") else _listed(given, what)):
        name = f"{what} {number}"
        if hasattr(ring, "geom_type"):
            if ring.geom_type != "Polygon":
                raise BadInput(f"{name} is a {ring.geom_type}, not a polygon")
            points, polygon = shapely.get_coordinates(ring), ring
        else:
            points, polygon = _points(ring, name), None
        if not (np.abs(points) < LARGEST).all():
            worst = points[int((~(np.abs(points) < LARGEST)).any(1).argmax())]
            raise BadInput(f"{name} has the point ({worst[0]}, {worst[1]}), which is too far away")
        if len(np.unique(points, axis=0)) < 3:
            raise BadInput(f"{name} has fewer than three different points")
        polygon = shapely.Polygon(points) if polygon is None else polygon
        if not polygon.is_valid:
            raise BadInput(f"{name} is not a simple polygon: {shapely.is_valid_reason(polygon).lower()}")
        if not polygon.area > 0:
            raise BadInput(f"{name} has no area")
        polygons.append(polygon)
    if not polygons and what == "outline":
        raise BadInput("a mesh needs an outline")
    return polygons


def _listed(given: Any, what: str) -> list[Any]:
    """A list of rings; a single one is a list of pairs of numbers."""
    try:
        rings = list(given)
    except TypeError:
        raise BadInput(f"{what}s are lists of points or polygons, not {given!r}") from None
    try:
        is_one = bool(rings) and np.shape(rings[0]) == (2,)
    except ValueError:  # of different lengths, so it is no point
        is_one = False
    return [rings] if is_one else rings


def _points(ring: Any, name: str) -> NDArray[np.float64]:
    try:
        points = np.asarray(ring, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{name} is not a list of points") from None
    if points.ndim != 2 or points.shape[1] != 2:
        raise BadInput(f"{name} is not a list of (x, y), its shape is {points.shape}")
    return points


def _separate(shapely: Any, polygons: list[Any], what: str) -> list[Any]:
    """The same polygons; two that overlap are the caller's mistake. They may touch."""
    for one, other in shapely.STRtree(polygons).query(np.array(polygons, object), "intersects").T.tolist():
        if one < other and shapely.relate_pattern(polygons[one], polygons[other], "T********"):
            overlap = polygons[one].intersection(polygons[other])
            if overlap.area > CLOSE * min(polygons[one].area, polygons[other].area):
                at = overlap.representative_point()
                raise BadInput(f"{what}s {one} and {other} overlap, near ({at.x:g}, {at.y:g})")
    return polygons


def _twins(points: NDArray[np.float64]) -> NDArray[np.int32]:
    """For each edge of the triangles, three points each, the same edge of another one, or NOWHERE."""
    ends = points.reshape(-1, 3, 2)
    rows = np.concatenate([ends, np.roll(ends, -1, 1)], axis=2).reshape(-1, 4).tolist()
    number = {tuple(row): edge for edge, row in enumerate(rows)}
    return np.array([number.get((*row[2:], *row[:2]), NOWHERE) for row in rows], np.int32)


def _merged(
    points: NDArray[np.float64], twin: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Leave out edges between triangles while all corners stay convex; the rings of what remains."""
    n = len(points)
    after = [edge + 1 if edge % 3 < 2 else edge - 2 for edge in range(n)]
    before = [edge - 1 if edge % 3 else edge + 2 for edge in range(n)]
    at = [(x, y) for x, y in points.tolist()]
    others = twin.tolist()
    is_left_out = [False] * n
    length = np.hypot(*(points[after] - points).T)
    for edge in np.argsort(-length, kind="stable").tolist():
        check_deadline()
        other = others[edge]
        if other == NOWHERE or is_left_out[edge]:
            continue
        joints = (before[edge], after[other]), (before[other], after[edge])
        if all(_is_convex(at[one], at[two], at[after[two]]) for one, two in joints):
            is_left_out[edge] = is_left_out[other] = True
            for one, two in joints:
                after[one], before[two] = two, one
    return _rings(at, after, others, is_left_out)


def _is_convex(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Whether the way from a over b to c turns left, clearly, or is exactly straight."""
    dx, dy, ex, ey = b[0] - a[0], b[1] - a[1], c[0] - b[0], c[1] - b[1]
    turn = dx * ey - dy * ex
    return turn == 0.0 or turn > FLAT * ((dx * dx + dy * dy) * (ex * ex + ey * ey)) ** 0.5


def _rings(
    at: Sequence[tuple[float, float]], after: list[int], others: list[int], is_left_out: list[bool]
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int32]]:
    """Number the polygons and write down their rings."""
    whose = [int(NOWHERE)] * len(after)
    first, order = [0], []
    for edge in range(len(after)):
        if is_left_out[edge] or whose[edge] != NOWHERE:
            continue
        here = edge
        while whose[here] == NOWHERE:
            whose[here] = len(first) - 1
            order.append(here)
            here = after[here]
        first.append(len(order))
    beyond = [NOWHERE if others[edge] == NOWHERE else whose[others[edge]] for edge in order]
    return np.array(first, np.int32), np.array([at[edge] for edge in order]), np.array(beyond, np.int32)
