"""Multi-value decision diagrams: all routes of an agent that cost at most a few steps more than the cheapest.

Level t has a node for each cell in which the agent can be at time t. A diagram begins at a place m of the array `mdd`: its
cost, then for each level where it begins, counted from m, then two numbers for each node: its cell; and how much costlier
than the cheapest its cheapest route is, shifted by 9 bits, with a bit for each move to a node of the next level.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.rules import gather, is_forbidden
from wayfolk.algorithms.planners._cbs.tables import (
    DONE,
    FULL_LOW,
    FULL_MDD,
    FULL_TIME,
    LEAST_END,
    MOST_END,
    N_MDD,
    NO_ROUTE,
)  # fmt: skip
from wayfolk.kernels.jit import inner

MOVE_BITS = 9


@inner
def mdd_of(s, agent, route):
    """Build the diagram of the cheapest routes, if it is not there yet; DONE, or what is full.

    The constraints are those of the node for which `route` was planned. Where a later node has more, some of the routes
    are no longer possible; so what the diagram excludes is excluded there too.
    """
    row = s.routes[route]
    if row["mdd"] != 0:
        return DONE
    code = gather(s, np.int64(row["node"]), agent)
    if code != DONE:
        return code
    for cost in range(np.int64(row["bound"]), np.int64(row["length"]) + 1):
        place = s.counts[N_MDD]
        code = build(s, agent, cost, 0)
        if code == DONE:
            row["mdd"] = place
        if code != NO_ROUTE:
            return code
    return NO_ROUTE


@inner
def build(s, agent, cost, slack):
    """Append the diagram of the routes that cost `cost` to `cost` + `slack`, under the gathered rules."""
    n_cells = s.distance.shape[1]
    place, most = s.counts[N_MDD], cost + slack
    if most + 2 >= s.head.shape[0]:
        return FULL_TIME
    if place + most + 4 > s.mdd.size:
        return FULL_MDD
    if cost < s.counts[LEAST_END] or cost > s.counts[MOST_END]:
        return NO_ROUTE
    most = min(most, s.counts[MOST_END])
    n = _grow_forward(s, agent, place, most)
    if n == 0:
        return FULL_LOW
    # backwards: f becomes the cost of the cheapest route through a node
    goal = s.goals[agent]
    for t in range(most, -1, -1):
        for k in range(s.mdd[place + 1 + t], s.mdd[place + 2 + t]):
            node = s.low[k]
            cell = np.int64(node["cell"])
            best = np.int64(most + 1)
            if cell == goal and t >= s.counts[LEAST_END] and t >= cost:
                best = np.int64(t)
            moves = 0
            for move in range(9):
                there = cell
                if move < 8:
                    if t == most or (s.legal[cell] >> move) & 1 == 0:
                        continue
                    there = cell + s.offsets[move]
                elif t == most:
                    continue
                other = s.seen[(t + 1) * n_cells + there]
                if other < n and s.low[other]["key"] == (t + 1) * n_cells + there and s.low[other]["f"] <= most:
                    if not is_forbidden(s, cell, there, t + 1):
                        moves |= 1 << move
                        best = min(best, np.int64(s.low[other]["f"]))
            node["f"], node["n_conflicts"] = best, moves
    if s.low[0]["f"] > cost:
        return NO_ROUTE
    return _write(s, place, cost, most)


@inner
def _grow_forward(s, agent, place, most):
    """Write the nodes that are reached in time to `low`, level by level; how many, or 0 if there is no room."""
    n_cells = s.distance.shape[1]
    start = np.int64(s.starts[agent])
    s.low[0]["cell"], s.low[0]["key"] = start, start
    s.seen[start] = 0
    s.mdd[place + 1], s.mdd[place + 2] = 0, 1
    n = 1
    for t in range(most):
        for k in range(s.mdd[place + 1 + t], s.mdd[place + 2 + t]):
            if n + 9 > s.low.size:
                return 0
            cell = np.int64(s.low[k]["cell"])
            for move in range(9):
                there = cell
                if move < 8:
                    if (s.legal[cell] >> move) & 1 == 0:
                        continue
                    there = cell + s.offsets[move]
                if t + 1 + s.distance[agent, there] > most or is_forbidden(s, cell, there, t + 1):
                    continue
                key = np.int64(t + 1) * n_cells + there
                other = s.seen[key]
                if other < n and s.low[other]["key"] == key:
                    continue
                s.low[n]["cell"], s.low[n]["key"] = there, key
                s.seen[key] = n
                n += 1
        s.mdd[place + 3 + t] = n
    return n


@inner
def _write(s, place, cost, most):
    """Keep the nodes that lead to the goal in time."""
    at = most + 3
    begin = s.mdd[place + 1]
    for t in range(most + 1):
        end = s.mdd[place + 2 + t]
        s.mdd[place + 1 + t] = at
        for k in range(begin, end):
            node = s.low[k]
            if node["f"] <= most:
                if place + at + 2 > s.mdd.size:
                    return FULL_MDD
                s.mdd[place + at] = node["cell"]
                s.mdd[place + at + 1] = ((node["f"] - cost) << MOVE_BITS) | node["n_conflicts"]
                at += 2
        begin = end
    s.mdd[place + 2 + most] = at
    s.mdd[place] = most
    s.counts[N_MDD] = place + at
    return DONE


@inner
def width(s, route, t):
    """How many cells the diagram of `route` has at time `t`; an agent that has arrived is on its goal."""
    place = s.routes[route]["mdd"]
    if t >= s.mdd[place]:
        return 1
    return (s.mdd[place + 2 + t] - s.mdd[place + 1 + t]) // 2


@inner
def has_node(s, route, cell, t):
    """Whether `cell` is in the diagram of cheapest routes at time `t`."""
    place = s.routes[route]["mdd"]
    if t > s.mdd[place]:
        return cell == s.mdd[place + s.mdd[place + 1 + s.mdd[place]]]  # the goal
    k, end = s.mdd[place + 1 + t], s.mdd[place + 2 + t]
    while k < end and s.mdd[place + k] != cell:
        k += 2
    return k < end
