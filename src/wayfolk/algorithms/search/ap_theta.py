"""Angle-propagation Theta*: Theta* without line-of-sight checks: cells pass on the range of directions that are in sight.

Daniel, Nash, Koenig and Felner, "Theta*: any-angle path planning on grids", JAIR 39, 2010; Arun 4.0.8.

Guarantees  a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
            the grid (the proof of Theta* holds), slightly longer than that of Theta* where the ranges are too narrow.
Invariants  a cell that has been generated has a range of directions: every ray from its parent in that range that enters
            the cell gets there unhindered. A neighbour takes over a parent only if it lies in such a range.
Cost        constant time for each neighbour of an expanded cell, however far away its parent is.
Deviations  agents stand in the middle of cells, in the paper on their corners. So the ends of a range are corners of
            cells, kept as integers and compared exactly. A cell gets its range with its parent, not when it is closed.
            A neighbour is tested against the range of the cell through which the line to it comes; if that has another
            parent or too narrow a range, against the few cells before it.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._any_angle.search import SIGHTS, seeing
from wayfolk.algorithms.search._any_angle.task import AnyAngle
from wayfolk.compile.jit import inner
from wayfolk.kernels.best_first import STAMP, SearchMemory
from wayfolk.kernels.codes import (
    DX,
    DY,
    EAST,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
)
from wayfolk.world.grid import Grid, Moves

PAPER = "Daniel, Nash, Koenig and Felner 2010; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False

REACH = 4  # how many cells a line is followed back to one whose range it is in


class RangeSight(NamedTuple):
    """What a range is computed from: the map, and arrays of the search. `ends` is 1 if ranges include their ends."""

    legal: NDArray[np.uint8]
    cells: NDArray[np.void]
    ranges: NDArray[np.void]
    counts: NDArray[np.int64]
    stride: int
    ends: int


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> AnyAngle:
    """A search from `start` to `goal`."""
    return AnyAngle(world, start, goal, _new_sight, watch=watch, ranges=True)


def _new_sight(world: Grid, memory: SearchMemory, ranges: NDArray[np.void]) -> RangeSight:
    ends = int(world.moves is Moves.EIGHT_CUTTING)
    return RangeSight(world.legal, memory.cells, ranges, memory.counts, world.stride, ends)


def _is_confirmed(sight, parent, cell):
    return True


def _is_in_sight(sight, parent, other, wide, tall):
    sight.counts[SIGHTS] += 1
    return _is_in_range(sight, parent, other, wide, tall)


def _pass_on(sight, parent, other, wide, tall):
    _propagate(sight, parent, other, wide, tall)


seeing(RangeSight, _is_confirmed, _is_in_sight, _pass_on)


# Below, directions are vectors from the middle of the parent in half cells; one is left of another if it is reached by
# turning from east towards south. Without corner cutting a range excludes its ends, with it (`ends`) it includes
# them: a line may then touch the corner of a wall.


@inner
def _turn(one_x, one_y, other_x, other_y):
    """Above 0 if the other direction is left of the one, 0 if they are the same."""
    return one_x * other_y - one_y * other_x


@inner
def _knows(sight, parent, cell):
    """Whether `cell` has a range of directions from `parent`; the parent itself has none."""
    node = sight.cells[cell]
    return node["mark"] >= sight.counts[STAMP] and node["parent"] == parent and cell != parent


@inner
def _is_in_range(sight, parent, other, wide, tall):
    """Whether `other`, which lies (wide, tall) from `parent`, is surely in its sight."""
    line_x, line_y = 2 * wide, 2 * tall
    cell = other
    for _ in range(REACH):
        k = _way_in(line_x, line_y, wide, tall)
        cell -= DY[k] * sight.stride + DX[k]
        if not (sight.legal[cell] >> k) & 1:
            return False
        if cell == parent:
            return True
        if _knows(sight, parent, cell):
            seen = sight.ranges[cell]
            right = _turn(seen["low_x"], seen["low_y"], line_x, line_y)
            left = _turn(line_x, line_y, seen["high_x"], seen["high_y"])
            if right > -sight.ends and left > -sight.ends and (seen["low_x"] != 0 or seen["low_y"] != 0):
                return True
        wide, tall = wide - DX[k], tall - DY[k]
    return False


@inner
def _way_in(line_x, line_y, wide, tall):
    """The number of the step by which a line enters the cell at (wide, tall)."""
    if line_y == 0:
        return EAST if line_x > 0 else WEST
    if line_x == 0:
        return SOUTH if line_y > 0 else NORTH
    to_x, to_y = 1 if line_x > 0 else -1, 1 if line_y > 0 else -1
    side = _turn(2 * wide - to_x, 2 * tall - to_y, line_x, line_y) * to_x * to_y
    if side > 0:
        return EAST if to_x > 0 else WEST
    if side < 0:
        return SOUTH if to_y > 0 else NORTH
    if to_y > 0:
        return SOUTH_EAST if to_x > 0 else SOUTH_WEST
    return NORTH_EAST if to_x > 0 else NORTH_WEST


@inner
def _propagate(sight, parent, cell, wide, tall):
    """Write the range of `cell`, whose parent is now `parent`, (wide, tall) away."""
    low_x = low_y = high_x = high_y = 0
    if wide == 0 or tall == 0:
        k = _way_in(wide, tall, wide, tall)
        low_x, low_y, high_x, high_y = _rays(sight, parent, cell, k, k, wide, tall)
    else:
        flat = EAST if wide > 0 else WEST
        upright = SOUTH if tall > 0 else NORTH
        near_x, near_y = 2 * wide - DX[flat], 2 * tall - DY[upright]  # the corner both ways in have in common
        right_k, left_k = (upright, flat) if wide * tall > 0 else (flat, upright)
        low_x, low_y, end_x, end_y = _rays(sight, parent, cell, right_k, left_k, wide, tall)
        from_x, from_y, high_x, high_y = _rays(sight, parent, cell, left_k, right_k, wide, tall)
        is_right = (low_x != 0 or low_y != 0) and _turn(near_x, near_y, end_x, end_y) > -sight.ends
        is_left = (high_x != 0 or high_y != 0) and _turn(from_x, from_y, near_x, near_y) > -sight.ends
        if not (is_right and is_left):  # there is a gap, or nothing on one side: keep the side the cell itself is on
            side = _turn(near_x, near_y, wide, tall)
            if side < 0 or (side == 0 and sight.ends and is_right):
                high_x, high_y = (near_x, near_y) if is_right else (end_x, end_y)
            elif side > 0 or (sight.ends and is_left):
                low_x, low_y = (near_x, near_y) if is_left else (from_x, from_y)
            else:
                low_x = low_y = high_x = high_y = 0
    seen = sight.ranges[cell]
    seen["low_x"], seen["low_y"], seen["high_x"], seen["high_y"] = low_x, low_y, high_x, high_y


@inner
def _rays(sight, parent, cell, k, aside, wide, tall):
    """The range of rays known to enter `cell` by step `k`, four zeros if there are none; `aside` is the other way in.

    They are those of the cell before. If that is not known, or they do not get as far as the corner between the two
    ways in, those that come to it from the cell in the corner count.
    """
    is_line = aside == k
    is_right = is_line or _turn(DX[k], DY[k], DX[aside], DY[aside]) < 0
    is_left = is_line or not is_right
    before = cell - (DY[k] * sight.stride + DX[k])
    if not (sight.legal[before] >> k) & 1:
        return 0, 0, 0, 0
    middle_x, middle_y = 2 * wide - DX[k], 2 * tall - DY[k]
    if before == parent:
        return middle_x + DY[k], middle_y - DX[k], middle_x - DY[k], middle_y + DX[k]
    near_x, near_y = middle_x - DX[aside], middle_y - DY[aside]
    low_x = low_y = high_x = high_y = 0
    if _knows(sight, parent, before):
        seen = sight.ranges[before]
        low_x, low_y, high_x, high_y = seen["low_x"], seen["low_y"], seen["high_x"], seen["high_y"]
        if is_line:
            return low_x, low_y, high_x, high_y
        is_there = low_x != 0 or low_y != 0
        if is_there and is_right and _turn(near_x, near_y, high_x, high_y) > -sight.ends:
            return low_x, low_y, high_x, high_y
        if is_there and is_left and _turn(low_x, low_y, near_x, near_y) > -sight.ends:
            return low_x, low_y, high_x, high_y
    corner = before - (DY[aside] * sight.stride + DX[aside])
    if not (sight.legal[corner] >> aside) & 1:
        return low_x, low_y, high_x, high_y
    if corner == parent:  # everything is in sight: an eighth of a turn beyond the corner will do
        from_x, from_y, to_x, to_y = near_x + near_y, near_y - near_x, near_x - near_y, near_y + near_x
    elif _knows(sight, parent, corner):
        seen = sight.ranges[corner]
        from_x, from_y, to_x, to_y = seen["low_x"], seen["low_y"], seen["high_x"], seen["high_y"]
        if from_x == 0 and from_y == 0:
            return low_x, low_y, high_x, high_y
    else:
        return low_x, low_y, high_x, high_y
    # what crosses the edge from there to the cell before
    middle_x, middle_y = middle_x - DX[k] - DX[aside], middle_y - DY[k] - DY[aside]
    if is_right:
        right_x, right_y = middle_x + DY[aside], middle_y - DX[aside]
        if corner == parent or _turn(from_x, from_y, right_x, right_y) > 0:
            from_x, from_y = right_x, right_y
    if is_left:
        left_x, left_y = middle_x - DY[aside], middle_y + DX[aside]
        if corner == parent or _turn(to_x, to_y, left_x, left_y) < 0:
            to_x, to_y = left_x, left_y
    return from_x, from_y, to_x, to_y
