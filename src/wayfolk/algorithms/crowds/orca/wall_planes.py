"""The half-planes of walls: each permits no velocity that brings the agent into its wall within the horizon.

The velocities that do are a cone with its tip cut off: the wall, widened by the agent's radius, divided by every time up to
the horizon. It is convex, so the tangent at its point nearest to the agent's velocity has the whole of it on one side. Its
outline, from left to right as the agent sees it: the left leg, the left end of the cut, the cut, its right end, the right
leg. Walls are taken in the order of their distance, and one that lies behind half-planes already there adds none.
"""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.crowds.orca.programs import DX, DY, MOST_WALLS, PX, PY
from wayfolk.compile.jit import inner
from wayfolk.kernels.bodies.near import RADIUS, VX, VY, X, Y
from wayfolk.kernels.bodies.walls import X1, X2, Y1, Y2, facing, nearest_on, walls_near

TINY = 1e-9


@inner
def wall_planes(walls, near, row, top, horizon, room):
    """Write a half-plane for each wall that could be reached within the horizon; how many."""
    x, y, radius = near.rows[row, X], near.rows[row, Y], near.rows[row, RADIUS]
    n_walls = _in_order(walls, x, y, radius + top * horizon, room.walls, room.gaps)
    n = 0
    for place in range(n_walls):
        n = _add(walls, room.walls[place], near, row, 1.0 / horizon, room.planes, n)
    return n


@inner
def _in_order(walls, x, y, reach, listed, squares):
    """Write the nearest walls within reach that face a point, the nearest first; how many."""
    n = 0
    begin, end = walls_near(walls, x, y)
    for place in range(begin, end):
        wall = walls.listed[place]
        if facing(walls, wall, x, y) < 0.0:
            continue
        _, on_x, on_y = nearest_on(walls, wall, x, y)
        square = (x - on_x) ** 2 + (y - on_y) ** 2
        if square >= reach * reach or (n == MOST_WALLS and square >= squares[n - 1]):
            continue
        at = min(n, MOST_WALLS - 1)
        while at > 0 and squares[at - 1] > square:
            squares[at], listed[at] = squares[at - 1], listed[at - 1]
            at -= 1
        squares[at], listed[at] = square, wall
        n = min(n + 1, MOST_WALLS)
    return n


@inner
def _add(walls, wall, near, row, per_time, planes, n):
    """Write the half-plane of a wall behind the first `n`, if it needs one; how many there are then."""
    x, y, radius = near.rows[row, X], near.rows[row, Y], near.rows[row, RADIUS]
    ax, ay = walls.segments[wall, X1] - x, walls.segments[wall, Y1] - y  # from the agent to the left end
    bx, by = walls.segments[wall, X2] - x, walls.segments[wall, Y2] - y
    if _is_covered(planes, n, ax, ay, bx, by, per_time, radius * per_time):
        return n
    length = np.sqrt((bx - ax) ** 2 + (by - ay) ** 2)
    ux, uy = (bx - ax) / length, (by - ay) / length
    share = -(ax * ux + ay * uy) / length
    height = abs(ax * uy - ay * ux)
    is_convex_a, is_convex_b = walls.convex[wall], walls.convex[walls.nexts[wall]]
    if share < 0.0 and ax * ax + ay * ay <= radius * radius:  # it touches the left end
        return _through_origin(planes, n, -ay, ax) if is_convex_a else n
    if share > 1.0 and bx * bx + by * by <= radius * radius:
        if is_convex_b and not _is_before_next(walls, wall, bx, by):
            return _through_origin(planes, n, -by, bx)
        return n
    if 0.0 <= share <= 1.0 and height <= radius:
        return _through_origin(planes, n, -ux, -uy)
    before, after = walls.befores[wall], walls.nexts[wall]
    if height <= radius:  # seen along its line, a wall is no more than its nearer end
        if not (is_convex_a if share < 0.0 else is_convex_b):
            return n
        if share < 0.0:
            bx, by, is_convex_b, after = ax, ay, True, wall
        else:
            ax, ay, is_convex_a, before = bx, by, True, wall
    left_x, left_y, is_left_own = _leg(walls, before, ax, ay, radius, 1.0) if is_convex_a else (-ux, -uy, True)
    right_x, right_y, is_right_own = _leg(walls, after, bx, by, radius, -1.0) if is_convex_b else (ux, uy, True)
    # where along the outline the point nearest to the velocity is
    scaled, is_point = radius * per_time, ax == bx and ay == by
    ax, ay, bx, by = ax * per_time, ay * per_time, bx * per_time, by * per_time
    vx, vy = near.rows[row, VX], near.rows[row, VY]
    at = 0.5 if is_point else ((vx - ax) * ux + (vy - ay) * uy) / (length * per_time)
    at_left = (vx - ax) * left_x + (vy - ay) * left_y
    at_right = (vx - bx) * right_x + (vy - by) * right_y
    if at_left < 0.0 and (at < 0.0 or (is_point and at_right < 0.0)):
        return _around(planes, n, ax, ay, vx, vy, scaled)
    if at > 1.0 and at_right < 0.0:
        return _around(planes, n, bx, by, vx, vy, scaled)
    to_cut = np.inf if is_point or at < 0.0 or at > 1.0 else abs((vx - ax) * uy - (vy - ay) * ux)
    to_left = np.inf if at_left < 0.0 else abs((vx - ax) * left_y - (vy - ay) * left_x)
    to_right = np.inf if at_right < 0.0 else abs((vx - bx) * right_y - (vy - by) * right_x)
    if to_cut <= to_left and to_cut <= to_right:
        return _beside(planes, n, ax, ay, -ux, -uy, scaled)
    if to_left <= to_right:
        return _beside(planes, n, ax, ay, left_x, left_y, scaled) if is_left_own else n
    return _beside(planes, n, bx, by, -right_x, -right_y, scaled) if is_right_own else n


@inner
def _is_covered(planes, n, ax, ay, bx, by, per_time, radius):
    """Whether one of the first `n` half-planes forbids the whole cut already."""
    for k in range(n):
        px, py, dx, dy = planes[k, PX], planes[k, PY], planes[k, DX], planes[k, DY]
        left = (ax * per_time - px) * dy - (ay * per_time - py) * dx - radius
        right = (bx * per_time - px) * dy - (by * per_time - py) * dx - radius
        if left >= -TINY and right >= -TINY:
            return True
    return False


@inner
def _is_before_next(walls, wall, bx, by):
    """Whether the wall after this one comes towards the agent from the end (bx, by) that they share."""
    dx, dy = _unit(walls, walls.nexts[wall])
    return bx * dy - by * dx < 0.0


@inner
def _leg(walls, neighbour, x, y, radius, side):
    """The direction of the left (`side` 1) or right (-1) leg past the end (x, y), and whether it is this wall's own.

    Where the wall's neighbour reaches over the leg, the outline goes on along the neighbour, which has its own half-plane.
    """
    square = x * x + y * y
    along = np.sqrt(max(square - radius * radius, 0.0))
    leg_x, leg_y = (x * along - side * y * radius) / square, (side * x * radius + y * along) / square
    dx, dy = _unit(walls, neighbour)
    dx, dy = -side * dx, -side * dy
    if side * (leg_x * dy - leg_y * dx) >= 0.0:
        return dx, dy, False
    return leg_x, leg_y, True


@inner
def _unit(walls, wall):
    """The direction of a wall."""
    dx, dy = walls.segments[wall, X2] - walls.segments[wall, X1], walls.segments[wall, Y2] - walls.segments[wall, Y1]
    length = np.sqrt(dx * dx + dy * dy)
    return dx / length, dy / length


@inner
def _through_origin(planes, n, dx, dy):
    """Write the half-plane of the velocities that do not lead into a wall that is touched; how many there are then."""
    length = np.sqrt(dx * dx + dy * dy)
    if length < TINY:
        return n
    return _beside(planes, n, 0.0, 0.0, dx / length, dy / length, 0.0)


@inner
def _around(planes, n, x, y, vx, vy, radius):
    """Write the tangent of a disc at the point nearest to the velocity; how many half-planes there are then."""
    dx, dy = vx - x, vy - y
    length = np.sqrt(dx * dx + dy * dy)
    if length < TINY:
        return n
    return _beside(planes, n, x, y, dy / length, -dx / length, radius)


@inner
def _beside(planes, n, x, y, dx, dy, radius):
    """Write the half-plane on the left of a line that is `radius` to the left of a point; how many there are then."""
    planes[n, PX], planes[n, PY] = x - radius * dy, y + radius * dx
    planes[n, DX], planes[n, DY] = dx, dy
    return n + 1
