"""Following: the next point of a path, the flow of a field, and the moves from cell to cell that a direction map learns."""

from __future__ import annotations

import numpy as np

from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.potential import flow_at, is_in_sight
from wayfolk.kernels.bodies.walls import wall_distance

AT, END = range(2)  # columns of `spans`


@kernel
def follow_paths(bodies, n_agents, pool, spans, slack, tick, best, since):
    """Write the next point of each agent's path to its aim, and when it last came nearer to it.

    The path of an agent is the rows of `pool` from `spans[agent, AT]` to before `spans[agent, END]`. A point is passed
    within the radius and `slack` metres, or if the agent is beyond it as seen along the next part of the path.
    """
    for agent in range(n_agents):
        if not bodies.is_active[agent]:
            continue
        at, end = spans[agent, AT], spans[agent, END]
        if at >= end:
            continue
        x, y = bodies.places[agent, 0], bodies.places[agent, 1]
        near = bodies.radii[agent] + slack
        moved = False
        while at + 1 < end:
            dx, dy = x - pool[at, 0], y - pool[at, 1]
            ahead = dx * (pool[at + 1, 0] - pool[at, 0]) + dy * (pool[at + 1, 1] - pool[at, 1])
            if dx * dx + dy * dy > near * near and not (ahead > 0.0 and dx * dx + dy * dy < 9.0 * near * near):
                break
            at += 1
            moved = True
        spans[agent, AT] = at
        bodies.aims[agent, 0], bodies.aims[agent, 1] = pool[at, 0], pool[at, 1]
        left = np.sqrt((x - pool[at, 0]) ** 2 + (y - pool[at, 1]) ** 2)
        if moved or left < best[agent] - 0.05 or bodies.speeds[agent] == 0.0:
            best[agent], since[agent] = left, tick


@kernel
def follow_flows(bodies, n_agents, fields, field_of, stride, side):
    """Write a point down the flow to each agent's aim; its goal itself when it is near."""
    for agent in range(n_agents):
        if not bodies.is_active[agent] or np.isnan(bodies.goals[agent, 0]):
            continue
        x, y = bodies.places[agent, 0], bodies.places[agent, 1]
        goal_x, goal_y = bodies.goals[agent, 0], bodies.goals[agent, 1]
        k = field_of[agent]
        if is_in_sight(fields.potentials[k], stride, side, x, y, goal_x, goal_y):
            bodies.aims[agent, 0], bodies.aims[agent, 1] = goal_x, goal_y
            continue
        flow_x, flow_y = flow_at(fields.flows[k], fields.potentials[k], stride, side, x, y)
        bodies.aims[agent, 0], bodies.aims[agent, 1] = x + 2.0 * side * flow_x, y + 2.0 * side * flow_y


@kernel
def is_clear(walls, one, other, radius):
    """Whether a body of this radius can move straight from one point to another without touching a wall."""
    x1, y1, x2, y2 = one[0], one[1], other[0], other[1]
    length = np.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)
    n = np.int64(np.ceil(length / (0.5 * radius))) + 1
    for k in range(n + 1):
        share = k / n
        gap, _, _ = wall_distance(walls, x1 + share * (x2 - x1), y1 + share * (y2 - y1))
        if gap < radius:
            return False
    return True


@kernel
def cell_moves(bodies, n_agents, cells, stride, side, moves):
    """Write the moves (cell, other cell) of agents that have entered another cell to `moves`; how many.

    `cells` is the cell of each agent before, and then the one it is in.
    """
    n = 0
    for agent in range(n_agents):
        if bodies.is_active[agent]:
            column, line = np.int64(bodies.places[agent, 0] / side), np.int64(bodies.places[agent, 1] / side)
            cell = (line + 1) * stride + column + 1
            if cells[agent] != cell:
                moves[n, 0], moves[n, 1] = cells[agent], cell
                cells[agent] = cell
                n += 1
    return n
