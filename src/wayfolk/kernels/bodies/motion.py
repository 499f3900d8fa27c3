"""Motion: forces become velocities, bodies that touch push each other, walls hold, and everybody moves for one step.

    accelerate   the velocity at the end of the step, from the force, truncated to the top force and the top speed
    touch        how many others each body touches, or would before the end of the step
    exchange     impulses between bodies that touch; with `touch`, some times
    move         the last impulses, then the walls, then the move

A contact of two bodies is an impulse along the line between their centres. A body with n contacts takes part in each with
the n-th part of its mass ("Mass splitting", Tonge, Benevolenski and Voroshilov, 2012). All contacts are computed from the
same velocities, so the outcome depends neither on an order nor on threads. A contact begins in the step in which the gap
would close: without bounce, the bodies keep the speed at which they just touch at its end.

Invariants  contacts conserve momentum. Kinetic energy never grows by contacts and walls: each contact of mass parts loses
            energy, or keeps it if `bounce` is 1, and the mean of the parts has no more than they. A body moves by at most
            its radius in a step, and its centre never crosses a wall.
"""

from __future__ import annotations

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.bodies.near import MASS, MOST_LISTED, PRESENT, RADIUS, X, Y, span, window
from wayfolk.kernels.bodies.walls import crosses, facing, nearest_on, walls_near

TINY = 1e-12


@kernel
def accelerate(bodies, near, seconds):
    """Write the velocity after the step to `near.after`, for every body: semi-implicit Euler."""
    for row in range(near.shape[PRESENT]):
        agent = near.agents[row]
        fx, fy = truncated(bodies.forces[agent, 0], bodies.forces[agent, 1], bodies.top_forces[agent])
        vx = bodies.velocities[agent, 0] + fx / bodies.masses[agent] * seconds
        vy = bodies.velocities[agent, 1] + fy / bodies.masses[agent] * seconds
        near.after[row, 0], near.after[row, 1] = truncated(vx, vy, bodies.top_speeds[agent])


@inner
def truncated(x, y, longest):
    """A vector with its length cut to `longest`."""
    square = x * x + y * y
    if square > longest * longest:
        scale = longest / np.sqrt(square)
        return x * scale, y * scale
    return x, y


@kernel
def touch(near, reach, seconds, first, last):
    """Count the contacts of the bodies in the rows from `first` to before `last`; `reach` holds all their contacts.

    The sum of all is returned.
    """
    total = 0
    for row in range(first, last):
        n = 0
        x, y = near.rows[row, X], near.rows[row, Y]
        first_line, last_line, first_column, last_column = window(near, x, y, reach)
        for line in range(first_line, last_line + 1):
            begin, end = span(near, line, first_column, last_column)
            for other in range(begin, end):
                dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
                if dx * dx + dy * dy < reach * reach and other != row:
                    gap, closing, _, _ = meeting(near, row, other)
                    if gap < 0.0 or gap < closing * seconds:
                        if n < MOST_LISTED:
                            near.touched[row, n] = other
                        n += 1
        near.contacts[row] = n
        total += n
    return total


@inner
def meeting(near, row, other):
    """The gap between two bodies, how fast it closes, and the unit vector from the other to this one."""
    dx, dy = near.rows[row, X] - near.rows[other, X], near.rows[row, Y] - near.rows[other, Y]
    distance = np.sqrt(dx * dx + dy * dy)
    if distance > TINY:
        scale = 1.0 / distance
        dx, dy = dx * scale, dy * scale
    else:  # two bodies at one point part along the x axis
        dx, dy = (1.0 if row < other else -1.0), 0.0
    closing = (near.after[other, 0] - near.after[row, 0]) * dx + (near.after[other, 1] - near.after[row, 1]) * dy
    return distance - near.rows[row, RADIUS] - near.rows[other, RADIUS], closing, dx, dy


@kernel
def exchange(near, reach, bounce, seconds, first, last):
    """Write the velocities of the bodies in some rows after their contacts to `near.spare`."""
    for row in range(first, last):
        vx, vy = near.after[row, 0], near.after[row, 1]
        if near.contacts[row] > 0:
            vx, vy, _, _ = _pushed(near, row, reach, bounce, seconds)
        near.spare[row, 0], near.spare[row, 1] = vx, vy


@kernel
def move(bodies, near, walls, reach, firm, bounce, seconds, first, last):
    """Move the bodies in the rows from `first` to before `last` for one step.

    Walls keep a body away by the share `firm` of its radius: a model with its own contact forces needs some overlap.
    """
    for row in range(first, last):
        agent = near.agents[row]
        x, y, radius = near.rows[row, X], near.rows[row, Y], firm * near.rows[row, RADIUS]
        vx, vy, push_x, push_y = near.after[row, 0], near.after[row, 1], 0.0, 0.0
        if firm == 1.0 and near.contacts[row] > 0:
            vx, vy, push_x, push_y = _pushed(near, row, reach, bounce, seconds)
        vx, vy = _held_by_walls(walls, x, y, radius, vx, vy, bounce, seconds)
        dx, dy = truncated(vx * seconds + push_x, vy * seconds + push_y, radius)
        new_x, new_y = _out_of_walls(walls, x, y, x + dx, y + dy, radius)
        if crosses(walls, x, y, new_x, new_y):
            new_x, new_y, vx, vy = x, y, 0.0, 0.0
        bodies.places[agent, 0], bodies.places[agent, 1] = new_x, new_y
        bodies.velocities[agent, 0], bodies.velocities[agent, 1] = vx, vy
        if vx * vx + vy * vy > 1e-4:
            bodies.headings[agent] = np.arctan2(vy, vx)


@inner
def _pushed(near, row, reach, bounce, seconds):
    """The velocity of a body after its contacts, and by how much it is pushed out of those that it overlaps."""
    vx, vy, push_x, push_y = near.after[row, 0], near.after[row, 1], 0.0, 0.0
    n = near.contacts[row]
    if n <= MOST_LISTED:
        for k in range(n):
            ax, ay, bx, by = _contact(near, row, near.touched[row, k], bounce, seconds)
            vx, vy, push_x, push_y = vx + ax, vy + ay, push_x + bx, push_y + by
        return vx, vy, push_x, push_y
    x, y = near.rows[row, X], near.rows[row, Y]
    first_line, last_line, first_column, last_column = window(near, x, y, reach)
    for line in range(first_line, last_line + 1):
        begin, end = span(near, line, first_column, last_column)
        for other in range(begin, end):
            dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
            if dx * dx + dy * dy < reach * reach and other != row:
                ax, ay, bx, by = _contact(near, row, other, bounce, seconds)
                vx, vy, push_x, push_y = vx + ax, vy + ay, push_x + bx, push_y + by
    return vx, vy, push_x, push_y


@inner
def _contact(near, row, other, bounce, seconds):
    """The change of the velocity of a body by a contact, and by how much it is pushed out of the other."""
    gap, closing, dx, dy = meeting(near, row, other)
    if gap >= 0.0 and gap >= closing * seconds:
        return 0.0, 0.0, 0.0, 0.0
    n, mass = near.contacts[row], near.rows[row, MASS]
    m, other_mass = near.contacts[other], near.rows[other, MASS]
    change, push = 0.0, 0.0
    if closing > 0.0:
        parting = bounce * closing if bounce > 0.0 else -max(gap, 0.0) / seconds
        change = (closing + parting) / (n / mass + m / other_mass) / mass
    if gap < 0.0:
        push = -gap * other_mass / (mass + other_mass) / max(n, m)
    return change * dx, change * dy, push * dx, push * dy


@inner
def _held_by_walls(walls, x, y, radius, vx, vy, bounce, seconds):
    """A velocity that does not lead into a wall within the step."""
    begin, end = walls_near(walls, x, y)
    for place in range(begin, end):
        wall = walls.listed[place]
        if facing(walls, wall, x, y) < 0.0:
            continue
        _, on_x, on_y = nearest_on(walls, wall, x, y)
        dx, dy = x - on_x, y - on_y
        distance = np.sqrt(dx * dx + dy * dy)
        if distance < TINY:
            continue
        dx, dy = dx / distance, dy / distance
        closing = -(vx * dx + vy * dy)
        gap = distance - radius
        if closing > 0.0 and gap < closing * seconds:
            change = closing + (bounce * closing if bounce > 0.0 else -max(gap, 0.0) / seconds)
            vx += change * dx
            vy += change * dy
    return vx, vy


@inner
def _out_of_walls(walls, x, y, new_x, new_y, radius):
    """The new place of a body that was at (x, y), pushed out of the walls it would overlap."""
    begin, end = walls_near(walls, x, y)
    for _ in range(2):  # the second time for corners, where one wall pushes into the other
        for place in range(begin, end):
            wall = walls.listed[place]
            if facing(walls, wall, x, y) < 0.0:
                continue
            _, on_x, on_y = nearest_on(walls, wall, new_x, new_y)
            dx, dy = new_x - on_x, new_y - on_y
            distance = np.sqrt(dx * dx + dy * dy)
            if TINY < distance < radius:
                scale = radius / distance
                new_x, new_y = on_x + dx * scale, on_y + dy * scale
    return new_x, new_y
