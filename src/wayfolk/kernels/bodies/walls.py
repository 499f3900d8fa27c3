"""Walls: straight segments with the free side on one hand, sorted into square buckets.

A segment goes from a corner to the next one of its outline. The solid side is where the cross product of the segment with
a vector from its first corner is positive. A bucket lists all segments within `reach` of it, so that a body looks into one
bucket only and finds no segment twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.bodies.arrays import Floats

X1, Y1, X2, Y2 = range(4)  # columns of `Walls.segments`
LEFT, TOP, PER_METRE, REACH = range(4)  # places in `Walls.frame`
COLUMNS, LINES = range(2)  # places in `Walls.shape`


class Walls(NamedTuple):
    """Segments, and for each bucket those within reach of it.

    segments  X1, Y1, X2 and Y2
    nexts     the segment that begins where this one ends
    befores   the segment that ends where this one begins
    convex    whether the solid side has a corner of less than 180 degrees where the segment begins
    starts    the first place of each bucket in `listed`, and after the last bucket the length of `listed`
    listed    numbers of segments, bucket by bucket
    frame     LEFT, TOP, PER_METRE (buckets in a metre) and REACH
    shape     COLUMNS and LINES of buckets
    """

    segments: Floats
    nexts: NDArray[np.int32]
    befores: NDArray[np.int32]
    convex: NDArray[np.bool_]
    starts: NDArray[np.int32]
    listed: NDArray[np.int32]
    frame: Floats
    shape: NDArray[np.int64]


@inner
def walls_near(walls, x, y):
    """The first place in `listed` of the segments near a point, and the place after the last."""
    columns, lines = walls.shape[COLUMNS], walls.shape[LINES]
    column = np.int64(np.floor((x - walls.frame[LEFT]) * walls.frame[PER_METRE]))
    line = np.int64(np.floor((y - walls.frame[TOP]) * walls.frame[PER_METRE]))
    if column < 0 or line < 0 or column >= columns or line >= lines:
        return 0, 0
    return walls.starts[line * columns + column], walls.starts[line * columns + column + 1]


@inner
def facing(walls, wall, x, y):
    """How far a point is in front of the line of a segment, on its free side; negative behind it."""
    x1, y1 = walls.segments[wall, X1], walls.segments[wall, Y1]
    dx, dy = walls.segments[wall, X2] - x1, walls.segments[wall, Y2] - y1
    return -(dx * (y - y1) - dy * (x - x1)) / np.sqrt(dx * dx + dy * dy)


@inner
def nearest_on(walls, wall, x, y):
    """Where along a segment, from 0 to 1, the point nearest to (x, y) is, and its x and y."""
    x1, y1 = walls.segments[wall, X1], walls.segments[wall, Y1]
    dx, dy = walls.segments[wall, X2] - x1, walls.segments[wall, Y2] - y1
    share = ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)
    share = min(max(share, 0.0), 1.0)
    return share, x1 + share * dx, y1 + share * dy


@inner
def is_own_point(walls, wall, share, x, y):
    """Whether the nearest point at `share` of a segment belongs to it, so that no corner counts for two segments.

    A corner belongs to the segment that begins there, unless the one that ends there has a point that is nearer.
    """
    if share >= 1.0:
        return False
    if share <= 0.0:
        before, _, _ = nearest_on(walls, walls.befores[wall], x, y)
        return before >= 1.0
    return True


@inner
def wall_distance(walls, x, y):
    """The distance to the nearest wall that faces a point, at most the reach of the walls, and the nearest point."""
    least, near_x, near_y = walls.frame[REACH], x, y
    begin, end = walls_near(walls, x, y)
    for place in range(begin, end):
        wall = walls.listed[place]
        if facing(walls, wall, x, y) >= 0.0:
            _, on_x, on_y = nearest_on(walls, wall, x, y)
            distance = np.sqrt((x - on_x) ** 2 + (y - on_y) ** 2)
            if distance < least:
                least, near_x, near_y = distance, on_x, on_y
    return least, near_x, near_y


@inner
def crosses(walls, x, y, new_x, new_y):
    """Whether the way from one point to another goes through a wall from its free side."""
    begin, end = walls_near(walls, x, y)
    for place in range(begin, end):
        wall = walls.listed[place]
        if facing(walls, wall, x, y) >= 0.0 and facing(walls, wall, new_x, new_y) < 0.0:
            x1, y1 = walls.segments[wall, X1], walls.segments[wall, Y1]
            x2, y2 = walls.segments[wall, X2], walls.segments[wall, Y2]
            dx, dy = new_x - x, new_y - y
            if (dx * (y1 - y) - dy * (x1 - x)) * (dx * (y2 - y) - dy * (x2 - x)) <= 0.0:
                return True
    return False


@kernel
def wall_distances(walls, places, distances):
    """Write the distance from each place to the nearest wall that faces it, at most the reach of the walls."""
    for k in range(len(places)):
        distances[k], _, _ = wall_distance(walls, places[k, 0], places[k, 1])


@kernel
def list_walls(walls, is_counting):
    """Enter each segment into the buckets within reach of it; first count, then, with sums in `starts`, list."""
    reach, scale = walls.frame[REACH], walls.frame[PER_METRE]
    columns, lines = walls.shape[COLUMNS], walls.shape[LINES]
    for wall in range(len(walls.segments)):
        x1, y1 = walls.segments[wall, X1], walls.segments[wall, Y1]
        x2, y2 = walls.segments[wall, X2], walls.segments[wall, Y2]
        left = np.int64(np.floor((min(x1, x2) - reach - walls.frame[LEFT]) * scale))
        right = np.int64(np.floor((max(x1, x2) + reach - walls.frame[LEFT]) * scale))
        top = np.int64(np.floor((min(y1, y2) - reach - walls.frame[TOP]) * scale))
        bottom = np.int64(np.floor((max(y1, y2) + reach - walls.frame[TOP]) * scale))
        for line in range(max(top, 0), min(bottom, lines - 1) + 1):
            for column in range(max(left, 0), min(right, columns - 1) + 1):
                bucket = line * columns + column
                middle_x = walls.frame[LEFT] + (column + 0.5) / scale
                middle_y = walls.frame[TOP] + (line + 0.5) / scale
                _, on_x, on_y = nearest_on(walls, wall, middle_x, middle_y)
                gap = reach + 0.7072 / scale  # half the diagonal of a bucket
                if (middle_x - on_x) ** 2 + (middle_y - on_y) ** 2 <= gap * gap:
                    if is_counting:
                        walls.starts[bucket + 1] += 1
                    else:
                        walls.listed[walls.starts[bucket]] = wall
                        walls.starts[bucket] += 1
