"""Arrival: who is at its goal because others keep it away, and which point of its area an agent heads for."""

from __future__ import annotations

import numpy as np

from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.near import PRESENT, RADIUS, X, Y, span, window
from wayfolk.kernels.codes import NOWHERE


@kernel
def spread_arrival(bodies, near, area_of, reach, is_there, queue):
    """Let agents be there that have the same goal as one that is there, and no room for a third body between them.

    `near` is sorted, and `reach` is four times the radius of the largest body. `queue` has room for all rows.
    """
    first, last = 0, 0
    for row in range(near.shape[PRESENT]):
        if is_there[near.agents[row]]:
            queue[last] = row
            last += 1
    while first < last:
        row = queue[first]
        first += 1
        agent = near.agents[row]
        x, y, radius = near.rows[row, X], near.rows[row, Y], near.rows[row, RADIUS]
        first_line, last_line, first_column, last_column = window(near, x, y, reach)
        for line in range(first_line, last_line + 1):
            begin, end = span(near, line, first_column, last_column)
            for beside in range(begin, end):
                other = near.agents[beside]
                if is_there[other] or area_of[other] != area_of[agent]:
                    continue
                if area_of[agent] == NOWHERE and (
                    bodies.goals[other, 0] != bodies.goals[agent, 0] or bodies.goals[other, 1] != bodies.goals[agent, 1]
                ):
                    continue
                dx, dy = near.rows[beside, X] - x, near.rows[beside, Y] - y
                apart = radius + 3.0 * near.rows[beside, RADIUS]
                if dx * dx + dy * dy <= apart * apart:
                    is_there[other] = True
                    queue[last] = beside
                    last += 1


@kernel
def head_for_areas(bodies, n_agents, area_of, starts, targets):
    """Write the nearest target of its area to the goal of each agent that has one.

    The targets of area k are the rows of `targets` from `starts[k]` to before `starts[k + 1]`.
    """
    for agent in range(n_agents):
        k = area_of[agent]
        if not bodies.is_active[agent] or k == NOWHERE:
            continue
        x, y = bodies.places[agent, 0], bodies.places[agent, 1]
        best, least = starts[k], np.inf
        for row in range(starts[k], starts[k + 1]):
            apart = (targets[row, 0] - x) ** 2 + (targets[row, 1] - y) ** 2
            if apart < least:
                best, least = row, apart
        bodies.goals[agent, 0], bodies.goals[agent, 1] = targets[best, 0], targets[best, 1]
