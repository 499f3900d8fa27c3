"""The arrays of a mesh, from the rings of its polygons: twins, fans, and bins for finding polygons."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.mesh.geometry import EDGE, MeshArrays

NEAR = 1e-12  # times the size of the world: the distance that counts as none
NEAR_ZERO = 1e-14  # and times its distance from (0, 0), which takes digits away
FLAT = 1e-9  # a corner that opens less than this more than half a circle is flat
PER_POLYGON = 4  # bins for each polygon


def mesh_arrays(first: NDArray[np.int32], points: NDArray[np.float64], beyond: NDArray[np.int32]) -> MeshArrays:
    """What kernels read, for rings whose edges are each a wall (`beyond` is NOWHERE) or shared with one other polygon."""
    edges = np.zeros(len(points), EDGE)
    edges["x"], edges["y"] = points.T
    edges["beyond"] = beyond
    after = ring_order(first)
    edges["twin"] = _twins(first, (points + points[after]) / 2, beyond)
    edges["fan"] = _fans(edges["twin"], after)
    edges["turns"] = _turns(edges, points, after)
    return _with_bins(first, edges, points)


def nearness(points: NDArray[np.float64]) -> float:
    """The distance that counts as none."""
    return float(NEAR * np.ptp(points, axis=0).max() + NEAR_ZERO * np.abs(points).max())


def ring_order(first: NDArray[np.int32]) -> NDArray[np.int64]:
    """The edge after each edge."""
    after = np.arange(1, first[-1] + 1)
    after[first[1:] - 1] = first[:-1]
    return after


def _twins(first: NDArray[np.int32], middles: NDArray[np.float64], beyond: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same edge in the ring of the polygon beyond."""
    whose = np.repeat(np.arange(len(first) - 1), np.diff(first))
    # sorted by the pair of polygons and the place of the edge, both sides of the pair list their edges in the same order
    order = np.lexsort((middles[:, 1], middles[:, 0], np.maximum(whose, beyond), np.minimum(whose, beyond)))
    one, other = (order[is_it[order]] for is_it in (whose < np.where(beyond == NOWHERE, 0, beyond), whose > beyond))
    twin = np.full(len(beyond), NOWHERE)
    twin[one], twin[other] = other, one
    return twin


def _fans(twin: NDArray[np.int32], after: NDArray[np.int64]) -> NDArray[np.int32]:
    """The number of each corner's fan: corners that are neighbours across an edge have the same."""
    inner = np.flatnonzero(twin != NOWHERE)
    opposite = after[twin[inner]]
    least = np.arange(len(twin))
    while (least[inner] != least[opposite]).any():
        both = np.minimum(least[inner], least[opposite])
        np.minimum.at(least, inner, both)
        np.minimum.at(least, opposite, both)
        least = least[least]
    return np.unique(least, return_inverse=True)[1].astype(np.int32)


def _turns(edges: NDArray[np.void], points: NDArray[np.float64], after: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether a taut path can bend at each corner: its fan has a wall, and more than half a circle of free space."""
    fan, n = edges["fan"], int(edges["fan"].max()) + 1
    onwards, back = points[after] - points, np.empty_like(points)
    back[after] = -onwards
    angle = np.arctan2(onwards[:, 0] * back[:, 1] - onwards[:, 1] * back[:, 0], (onwards * back).sum(1))
    walls = np.flatnonzero(edges["twin"] == NOWHERE)
    has_wall = np.zeros(n, bool)
    has_wall[fan[walls]] = has_wall[fan[after[walls]]] = True
    turns: NDArray[np.bool_] = (has_wall & (np.bincount(fan, angle, n) > np.pi + FLAT))[fan]
    return turns


def _with_bins(first: NDArray[np.int32], edges: NDArray[np.void], points: NDArray[np.float64]) -> MeshArrays:
    """Note in each square bin which polygons may reach into it: those whose bounding box does."""
    n = len(first) - 1
    low, high = points.min(0), points.max(0)
    near = nearness(points)
    side = max(float(np.sqrt(np.prod(high - low) / (PER_POLYGON * n))), float((high - low).max()) / 2048)
    columns, rows = (int(count) for count in (high - low) / side + 1)
    boxes = [np.minimum.reduceat(points, first[:-1]) - 2 * near, np.maximum.reduceat(points, first[:-1]) + 2 * near]
    begin, end = (np.clip(((box - low) / side).astype(int), 0, [columns - 1, rows - 1]) for box in boxes)
    wide, tall = (end - begin + 1).T
    polygon = np.repeat(np.arange(n, dtype=np.int32), wide * tall)
    k = np.arange(len(polygon)) - np.repeat(np.cumsum(wide * tall) - wide * tall, wide * tall)
    number = (begin[polygon, 1] + k // wide[polygon]) * columns + begin[polygon, 0] + k % wide[polygon]
    order = np.argsort(number, kind="stable")
    bin_first = np.searchsorted(number[order], np.arange(columns * rows + 1)).astype(np.int32)
    return MeshArrays(
        first=first,
        edges=edges,
        bin_first=bin_first,
        in_bin=polygon[order],
        near=near,
        left=float(low[0]),
        top=float(low[1]),
        bin_side=side,
        columns=columns,
        rows=rows,
    )
