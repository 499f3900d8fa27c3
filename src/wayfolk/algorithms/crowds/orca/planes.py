"""The half-planes of permitted velocities: those of walls first, then those of the nearest agents."""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.crowds.orca.programs import DX, DY, PX, PY, solve
from wayfolk.algorithms.crowds.orca.wall_planes import wall_planes
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.bodies.near import COLUMNS, LEFT, LINES, PER_METRE, RADIUS, TOP, VX, VY, X, Y, span
from wayfolk.kernels.bodies.steering import noise, wanted_velocity

TINY = 1e-9


@kernel
def avoid(bodies, near, walls, room, ranges, squeezed, settings, seconds, seed, tick, first, last):
    """Write the force that gives each agent the velocity found for it at the end of the step.

    `ranges` is the squared distance of the farthest neighbour of each agent in the last step: the search begins with it.
    `squeezed` says of each agent whether no velocity was permitted.
    """
    horizon, wall_horizon, reach, jitter = settings
    for row in range(first, last):
        agent = near.agents[row]
        n_hard = wall_planes(walls, near, row, bodies.top_speeds[agent], wall_horizon, room)
        most = room.found.size
        limit = min(1.5 * ranges[agent], reach * reach)
        n_near = _nearest(near, row, limit, room.found, room.squares)
        if n_near < most and limit < reach * reach:
            n_near = _nearest(near, row, reach * reach, room.found, room.squares)
        ranges[agent] = room.squares[most - 1] if n_near == most else np.inf
        n = _agent_planes(near, row, n_near, room.found, horizon, seconds, n_hard, room.planes)
        want_x, want_y = wanted_velocity(bodies, agent)
        if jitter > 0.0 and (want_x != 0.0 or want_y != 0.0):
            want_x += jitter * (2.0 * noise(seed, agent, 2 * tick) - 1.0)
            want_y += jitter * (2.0 * noise(seed, agent, 2 * tick + 1) - 1.0)
        vx, vy, is_permitted = solve(room, n_hard, n, want_x, want_y, bodies.top_speeds[agent])
        squeezed[agent] = not is_permitted
        bodies.forces[agent, 0] = (vx - near.rows[row, VX]) * bodies.masses[agent] / seconds
        bodies.forces[agent, 1] = (vy - near.rows[row, VY]) * bodies.masses[agent] / seconds


@inner
def _nearest(near, row, limit, found, squares):
    """Write the nearest rows within a squared distance to `found`, the nearest first; how many.

    Lines of bins are visited from the agent's own outwards.
    """
    y, top, scale, lines = near.rows[row, Y], near.frame[TOP], near.frame[PER_METRE], near.shape[LINES]
    own = min(np.int64((y - top) * scale), lines - 1)
    side = 1.0 / scale
    n, limit = _nearest_in(near, row, own, 0.0, limit, 0, found, squares)
    above, below = own - 1, own + 1
    while True:
        up, down = y - (top + (above + 1) * side), (top + below * side) - y
        is_up, is_down = above >= 0 and up * up < limit, below < lines and down * down < limit
        if not (is_up or is_down):
            return n
        if is_up:
            n, limit = _nearest_in(near, row, above, up, limit, n, found, squares)
            above -= 1
        if is_down:
            n, limit = _nearest_in(near, row, below, down, limit, n, found, squares)
            below += 1


@inner
def _nearest_in(near, row, line, away, limit, n, found, squares):
    """Look for nearer ones in a line of bins that is `away` metres away; how many there are, and the new limit."""
    x, y, most = near.rows[row, X], near.rows[row, Y], found.size
    left, scale = near.frame[LEFT], near.frame[PER_METRE]
    half = np.sqrt(max(limit - away * away, 0.0))
    first_column = max(np.int64(np.floor((x - half - left) * scale)), 0)
    last_column = min(np.int64(np.floor((x + half - left) * scale)), near.shape[COLUMNS] - 1)
    begin, end = span(near, line, first_column, last_column)
    for other in range(begin, end):
        dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
        square = dx * dx + dy * dy
        if square >= limit or other == row:
            continue
        at = min(n, most - 1)
        while at > 0 and squares[at - 1] > square:
            squares[at], found[at] = squares[at - 1], found[at - 1]
            at -= 1
        squares[at], found[at] = square, other
        n = min(n + 1, most)
        if n == most:
            limit = squares[most - 1]
    return n, limit


@inner
def _agent_planes(near, row, n_near, found, horizon, seconds, n, planes):
    """Add the half-plane of each neighbour; how many half-planes there are."""
    x, y, vx, vy = near.rows[row, X], near.rows[row, Y], near.rows[row, VX], near.rows[row, VY]
    radius, per_horizon, per_step = near.rows[row, RADIUS], 1.0 / horizon, 1.0 / seconds
    for k in range(n_near):
        other = found[k]
        dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
        rel_x, rel_y = vx - near.rows[other, VX], vy - near.rows[other, VY]
        apart = radius + near.rows[other, RADIUS]
        square = dx * dx + dy * dy
        is_apart = square > apart * apart
        per_time = per_horizon if is_apart else per_step
        # from the centre of the disc that cuts the cone off to the relative velocity
        wx, wy = rel_x - dx * per_time, rel_y - dy * per_time
        w_square = wx * wx + wy * wy
        inward = wx * dx + wy * dy
        if not is_apart or (inward < 0.0 and inward * inward > apart * apart * w_square):
            length = np.sqrt(w_square)
            if length < TINY:
                wx, wy, length = (1.0 if row < other else -1.0), 0.0, 1.0
                w_square = 0.0
            scale = 1.0 / length
            nx, ny = wx * scale, wy * scale
            change = apart * per_time - np.sqrt(w_square)
            ux, uy = change * nx, change * ny
            planes[n, DX], planes[n, DY] = ny, -nx
        else:
            leg, scale = np.sqrt(square - apart * apart), 1.0 / square
            if dx * wy - dy * wx > 0.0:  # the left leg is nearer
                leg_x, leg_y = (dx * leg - dy * apart) * scale, (dx * apart + dy * leg) * scale
            else:
                leg_x, leg_y = -(dx * leg + dy * apart) * scale, -(dy * leg - dx * apart) * scale
            along = rel_x * leg_x + rel_y * leg_y
            ux, uy = along * leg_x - rel_x, along * leg_y - rel_y
            planes[n, DX], planes[n, DY] = leg_x, leg_y
        planes[n, PX], planes[n, PY] = vx + 0.5 * ux, vy + 0.5 * uy
        n += 1
    return n
