"""A mesh of convex polygons as kernels see it: which polygons hold a point, and what can be seen from where.

Polygon p has the edges first[p] to first[p + 1], counter-clockwise (where y points up). An edge goes from its own (x, y) to
that of the next one in the ring; `beyond` is the polygon behind it, NOWHERE for a wall, and `twin` is the same edge there.

Polygons meet in corners as well as in edges. Two corners are the same `fan` if one can walk around the point from one to
the other across edges: where two walls touch at a point, there are two fans, and no path leads through between them.
A fan `turns` if a taut path can bend there: it has a wall, and more than half a circle of free space.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE

EDGE = np.dtype(
    [
        ("x", np.float64), ("y", np.float64), ("beyond", np.int32), ("twin", np.int32), ("fan", np.int32),
        ("turns", np.bool_),
    ],
    align=True,
)  # fmt: skip
NOTE = np.dtype([("along", np.float64), ("todo", np.int32), ("met", np.int32), ("waits", np.bool_)], align=True)


class MeshArrays(NamedTuple):
    """A mesh, with bins for finding polygons: those that may hold a point of bin b are bin_first[b] to bin_first[b + 1].

    `near` is the distance that counts as none; bins are `bin_side` wide, `columns` to a row, from (left, top) on.
    """

    first: NDArray[np.int32]
    edges: NDArray[np.void]
    bin_first: NDArray[np.int32]
    in_bin: NDArray[np.int32]
    near: float
    left: float
    top: float
    bin_side: float
    columns: int
    rows: int


class Ray(NamedTuple):
    """A line from (x, y) by (dx, dy), which is `length` long."""

    x: float
    y: float
    dx: float
    dy: float
    length: float


def new_notes(n_polygons: int) -> NDArray[np.void]:
    """What `sees` needs to remember of each polygon."""
    notes = np.zeros(n_polygons, NOTE)
    notes["along"] = np.inf
    return notes


@inner
def following(mesh, polygon, edge):
    """The edge after `edge` in the ring of `polygon`."""
    return edge + 1 if edge + 1 < mesh.first[polygon + 1] else mesh.first[polygon]


@inner
def cross(ax, ay, bx, by):
    """Twice the area of the triangle from the origin to a and b: positive if b is to the left of a."""
    return ax * by - ay * bx


@inner
def distance(dx, dy):
    """The length of a vector."""
    return math.sqrt(dx * dx + dy * dy)


@kernel
def locate(mesh, x, y, polygons):
    """Write the polygons that hold the point to `polygons`, as far as there is room; return how many there are."""
    column = min(max(int((x - mesh.left) / mesh.bin_side), 0), mesh.columns - 1)
    row = min(max(int((y - mesh.top) / mesh.bin_side), 0), mesh.rows - 1)
    n = 0
    for k in range(mesh.bin_first[row * mesh.columns + column], mesh.bin_first[row * mesh.columns + column + 1]):
        polygon = mesh.in_bin[k]
        is_in = True
        for edge in range(mesh.first[polygon], mesh.first[polygon + 1]):
            here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
            dx, dy = after["x"] - here["x"], after["y"] - here["y"]
            if cross(dx, dy, x - here["x"], y - here["y"]) < -mesh.near * distance(dx, dy):
                is_in = False
                break
        if is_in:
            if n < polygons.size:
                polygons[n] = polygon
            n += 1
    return n


@kernel
def look(mesh, notes, ax, ay, homes, xs, ys, first, holders, reach, seen):
    """Write to `seen` which of the points are in sight of a, and not farther away than `reach`.

    `homes` are the polygons that hold a; those that hold point k are holders[first[k] : first[k + 1]].
    """
    for k in range(xs.size):
        far = distance(xs[k] - ax, ys[k] - ay) > reach
        seen[k] = not far and _sees(mesh, notes, ax, ay, homes, xs[k], ys[k], holders[first[k] : first[k + 1]])


@inner
def _sees(mesh, notes, ax, ay, homes, bx, by, ends):
    """Whether the straight line from a to b stays in the mesh.

    Go from polygon to polygon through every edge that the line touches, never back along it. A line through a corner
    so passes all polygons of its fan; along a wall it stays with those that have this wall as an edge.
    """
    line = Ray(ax, ay, bx - ax, by - ay, distance(bx - ax, by - ay))
    n_todo, n_met = 0, 0
    for polygon in homes:
        notes[polygon]["along"], notes[polygon]["waits"] = 0.0, True
        notes[n_todo]["todo"] = notes[n_met]["met"] = polygon
        n_todo, n_met = n_todo + 1, n_met + 1
    is_seen = False
    while n_todo > 0 and not is_seen:
        n_todo -= 1
        polygon = notes[n_todo]["todo"]
        notes[polygon]["waits"] = False
        for end in ends:
            is_seen = is_seen or end == polygon
        for edge in range(mesh.first[polygon], mesh.first[polygon + 1]):
            other = mesh.edges[edge]["beyond"]
            if other == NOWHERE:
                continue
            along = _touches(mesh, polygon, edge, line, notes[polygon]["along"])
            if along >= notes[other]["along"]:
                continue
            if notes[other]["along"] == np.inf:
                notes[n_met]["met"] = other
                n_met += 1
            notes[other]["along"] = along
            if not notes[other]["waits"]:
                notes[other]["waits"] = True
                notes[n_todo]["todo"] = other
                n_todo += 1
    for k in range(n_met):
        met = notes[notes[k]["met"]]
        met["along"], met["waits"] = np.inf, False
    return is_seen


@inner
def _touches(mesh, polygon, edge, line, since):
    """How far along the line it first touches the edge, `since` or later; infinite if it does not."""
    x, y, dx, dy, length = line
    here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
    ux, uy, vx, vy = here["x"] - x, here["y"] - y, after["x"] - x, after["y"] - y
    if length == 0.0:
        return np.inf
    to_u, to_v = cross(dx, dy, ux, uy) / length, cross(dx, dy, vx, vy) / length
    on_u, on_v = abs(to_u) <= mesh.near, abs(to_v) <= mesh.near
    along_u, along_v = (dx * ux + dy * uy) / length, (dx * vx + dy * vy) / length
    if on_u and on_v:
        begin, end = min(along_u, along_v), max(along_u, along_v)
    elif on_u:
        begin = end = along_u
    elif on_v:
        begin = end = along_v
    elif (to_u > 0.0) == (to_v > 0.0):
        return np.inf
    else:
        begin = end = along_u + (along_v - along_u) * to_u / (to_u - to_v)
    if end < since - mesh.near or begin > length + mesh.near:
        return np.inf
    return max(begin, since)
