"""Steering behaviours: each returns the change of velocity that one agent wants, or the velocity itself.

Reynolds, "Steering behaviors for autonomous characters", 1999. `steering = desired velocity - velocity`, where the desired
velocity has the length of the agent's speed. Behaviours are combined by a weighted sum, which is truncated after summing,
or by priority: the first that is not zero.

The functions take and return plain numbers, so that kernels combine them without memory.
"""

from __future__ import annotations

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels.bodies.near import RADIUS, VX, VY, X, Y, span, window
from wayfolk.kernels.bodies.walls import facing, nearest_on, walls_near

TINY = 1e-9


@inner
def seek(x, y, vx, vy, to_x, to_y, speed):
    """Steer to a point at full speed."""
    dx, dy = to_x - x, to_y - y
    length = np.sqrt(dx * dx + dy * dy)
    if length < TINY:
        return -vx, -vy
    return dx / length * speed - vx, dy / length * speed - vy


@inner
def flee(x, y, vx, vy, from_x, from_y, speed):
    """Steer away from a point at full speed; along the x axis if the agent is at the point."""
    dx, dy = x - from_x, y - from_y
    length = np.sqrt(dx * dx + dy * dy)
    if length < TINY:
        return speed - vx, -vy
    return dx / length * speed - vx, dy / length * speed - vy


@inner
def arrive(x, y, vx, vy, to_x, to_y, speed, slowing):
    """Steer to a point, more slowly within `slowing` metres of it, and stop there."""
    dx, dy = to_x - x, to_y - y
    length = np.sqrt(dx * dx + dy * dy)
    if length < TINY:
        return -vx, -vy
    wanted = speed * min(1.0, length / slowing) if slowing > 0.0 else speed
    return dx / length * wanted - vx, dy / length * wanted - vy


@inner
def ahead_of(x, y, vx, vy, to_x, to_y, to_vx, to_vy, longest):
    """Where a quarry will be when it is reached: the time is the distance over the speed, at most `longest` seconds.

    Reynolds (OpenSteer) multiplies that time by a factor from a table of nine cases: is the quarry in front, and does it
    go the same way? The factors are like his.
    """
    dx, dy = to_x - x, to_y - y
    distance, speed = np.sqrt(dx * dx + dy * dy), np.sqrt(vx * vx + vy * vy)
    other = np.sqrt(to_vx * to_vx + to_vy * to_vy)
    if distance < TINY or speed < TINY:
        return to_x, to_y
    forwardness = (vx * dx + vy * dy) / (speed * distance)
    parallelness = (vx * to_vx + vy * to_vy) / (speed * other) if other > TINY else 0.0
    is_ahead, is_behind = forwardness > 0.707, forwardness < -0.707
    is_parallel, is_opposite = parallelness > 0.707, parallelness < -0.707
    if is_ahead:
        factor = 4.0 if is_parallel else (0.85 if is_opposite else 1.8)
    elif is_behind:
        factor = 0.5 if is_parallel else 2.0
    else:  # aside
        factor = 1.0 if is_parallel else (4.0 if is_opposite else 0.8)
    time = min(distance / speed * factor, longest)
    return to_x + to_vx * time, to_y + to_vy * time


@inner
def pursue(x, y, vx, vy, to_x, to_y, to_vx, to_vy, speed, longest):
    """Steer to where a quarry will be."""
    at_x, at_y = ahead_of(
        x,
        y,
        vx=vx,
        vy=vy,
        to_x=to_x,
        to_y=to_y,
        to_vx=to_vx,
        to_vy=to_vy,
        longest=longest,
    )
    return seek(x, y, vx, vy, at_x, at_y, speed)


@inner
def evade(x, y, vx, vy, from_x, from_y, from_vx, from_vy, speed, longest):
    """Steer away from where a menace will be; its distance over its speed is the time until then."""
    dx, dy = from_x - x, from_y - y
    pace = np.sqrt(from_vx * from_vx + from_vy * from_vy)
    time = min(np.sqrt(dx * dx + dy * dy) / pace, longest) if pace > TINY else 0.0
    return flee(x, y, vx, vy, from_x + from_vx * time, from_y + from_vy * time, speed)


@inner
def wander(heading, angle, jitter, radius, distance, draw):
    """The new angle on the wander circle, and the direction: `draw` is a random number from 0 to 1."""
    angle = angle + (2.0 * draw - 1.0) * jitter
    dx = distance * np.cos(heading) + radius * np.cos(heading + angle)
    dy = distance * np.sin(heading) + radius * np.sin(heading + angle)
    length = max(np.sqrt(dx * dx + dy * dy), TINY)
    return angle, dx / length, dy / length


@inner
def avoid_walls(walls, x, y, vx, vy, radius, seconds):
    """The push away from the wall that the agent would hit first within `seconds`: at right angles to it, else zero."""
    best, push_x, push_y = np.inf, 0.0, 0.0
    speed = np.sqrt(vx * vx + vy * vy)
    begin, end = walls_near(walls, x, y)
    for place in range(begin, end):
        wall = walls.listed[place]
        height = facing(walls, wall, x, y)
        if height < 0.0:
            continue
        _, on_x, on_y = nearest_on(walls, wall, x + vx * seconds, y + vy * seconds)
        dx, dy = x - on_x, y - on_y
        distance = np.sqrt(dx * dx + dy * dy)
        if distance < TINY:
            continue
        closing = -(vx * dx + vy * dy) / distance
        gap = distance - radius
        if closing > TINY and gap < closing * seconds:
            time = max(gap, 0.0) / closing
            if time < best:
                best = time
                _, at_x, at_y = nearest_on(walls, wall, x, y)
                nx, ny = x - at_x, y - at_y
                length = max(np.sqrt(nx * nx + ny * ny), TINY)
                push_x, push_y = nx / length * speed, ny / length * speed
    return push_x, push_y


@inner
def avoid_bodies(near, row, reach, seconds, margin):
    """Unaligned collision avoidance: the sideways steering away from the body that would be hit first, else zero.

    Two bodies come nearest to each other after the time at which the square of their distance is least. If that is within
    `seconds` and they would be nearer than the sum of their radii and `margin`, the agent steers away from where the other
    will be.
    """
    x, y, vx, vy = near.rows[row, X], near.rows[row, Y], near.rows[row, VX], near.rows[row, VY]
    soonest, threat = seconds, row
    first_line, last_line, first_column, last_column = window(near, x, y, reach)
    for line in range(first_line, last_line + 1):
        begin, end = span(near, line, first_column, last_column)
        for other in range(begin, end):
            if other == row:
                continue
            dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
            dvx, dvy = near.rows[other, VX] - vx, near.rows[other, VY] - vy
            square = dvx * dvx + dvy * dvy
            if square < TINY or dx * dx + dy * dy > reach * reach:
                continue
            time = -(dx * dvx + dy * dvy) / square
            apart = near.rows[row, RADIUS] + near.rows[other, RADIUS] + margin
            if 0.0 <= time < soonest and (dx + dvx * time) ** 2 + (dy + dvy * time) ** 2 < apart * apart:
                soonest, threat = time, other
    if threat == row:
        return 0.0, 0.0
    at_x = near.rows[threat, X] + near.rows[threat, VX] * soonest
    at_y = near.rows[threat, Y] + near.rows[threat, VY] * soonest
    speed = np.sqrt(vx * vx + vy * vy)
    if speed < TINY:
        return 0.0, 0.0
    side = vx * (at_y - y) - vy * (at_x - x)  # on which hand the meeting is
    turn = -1.0 if side > 0.0 else 1.0
    return -turn * vy, turn * vx


@inner
def follow_leader(x, y, vx, vy, to_x, to_y, to_vx, to_vy, behind, speed, slowing):
    """Arrive at a point `behind` metres behind a leader; step aside from the way in front of it."""
    pace = np.sqrt(to_vx * to_vx + to_vy * to_vy)
    if pace < TINY:
        return arrive(x, y, vx, vy, to_x, to_y, speed, max(slowing, behind))
    ux, uy = to_vx / pace, to_vy / pace
    along = (x - to_x) * ux + (y - to_y) * uy
    across = (y - to_y) * ux - (x - to_x) * uy
    if 0.0 < along < 3.0 * behind and abs(across) < behind:
        turn = 1.0 if across >= 0.0 else -1.0
        return -turn * uy * speed - vx, turn * ux * speed - vy
    return arrive(x, y, vx, vy, to_x - ux * behind, to_y - uy * behind, speed, slowing)


@inner
def noise(seed, agent, tick):
    """A random number from 0 to 1 for a seed, an agent and a tick: SplitMix64 of the three."""
    word = (
        np.uint64(seed)
        + np.uint64(agent) * np.uint64(0x9E3779B97F4A7C15)
        + np.uint64(tick) * np.uint64(0xD1B54A32D192ED03)
    )
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    return np.float64(word >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inner
def wanted_velocity(bodies, agent):
    """The velocity at which an agent would move to the point it heads for; zero without one.

    It slows down half a second before its goal, not before other points on its way.
    """
    aim_x, aim_y = bodies.aims[agent, 0], bodies.aims[agent, 1]
    dx, dy = aim_x - bodies.places[agent, 0], aim_y - bodies.places[agent, 1]
    length = np.sqrt(dx * dx + dy * dy)
    if np.isnan(length) or length < TINY:
        return 0.0, 0.0
    speed = bodies.speeds[agent]
    if aim_x == bodies.goals[agent, 0] and aim_y == bodies.goals[agent, 1]:
        speed = min(speed, 2.0 * length)
    return dx / length * speed, dy / length * speed
