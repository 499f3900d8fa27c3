"""Multi-value decision diagrams: all routes of an agent that cost at most a few steps more than the cheapest.

Level t has a node for each cell in which the agent can be at time t. A diagram begins at a place m of the array `mdd`: its
cost, then for each level where it begins, counted from m, then two numbers for each node: its cell; and how much costlier
than the cheapest its cheapest route is, shifted by 9 bits, with a bit for each move to a node of the next level.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.rules import gather, is_forbidden
from wayfolk.algorithms.planners._cbs.tables import (
    BACKWARD,
    BEGIN,
    COST,
    DONE,
    EXPANDED,
    FORWARD,
    FULL_LOW,
    FULL_MDD,
    FULL_TIME,
    LEAST_END,
    LEVEL,
    MOST_END,
    N_LOW,
    N_MDD,
    NO_ROUTE,
    PAUSED,
    PHASE,
    STAMP,
    WORK,
    WRITE,
)  # fmt: skip
from wayfolk.compile.jit import inner

MOVE_BITS = 9


@inner
def mdd_of(s, agent, route):
    """Build the diagram of the cheapest routes, if it is not there yet; DONE, PAUSED, or what is full.

    The constraints are those of the node for which `route` was planned. Where a later node has more, some of the routes
    are no longer possible; so what the diagram excludes is excluded there too.
    """
    row = s.routes[route]
    if row["mdd"] != 0:
        return DONE
    code = gather(s, np.int64(row["node"]), agent)
    if code != DONE:
        return code
    if s.counts[PHASE] == BEGIN:
        s.counts[COST] = row["bound"]
    while s.counts[COST] <= row["length"]:
        place = s.counts[N_MDD]
        code = build(s, agent, s.counts[COST], 0)
        if code == DONE:
            row["mdd"] = place
        if code != NO_ROUTE:
            return code
        s.counts[COST] += 1
    return NO_ROUTE


@inner
def build(s, agent, cost, slack):
    """Append the diagram of the routes that cost `cost` to `cost` + `slack`, under the gathered rules."""
    counts = s.counts
    place, most = counts[N_MDD], min(cost + slack, counts[MOST_END])
    if counts[PHASE] == BEGIN:
        if cost + slack + 2 >= s.head.shape[1]:
            return FULL_TIME
        if place + cost + slack + 4 > s.mdd.size:
            return FULL_MDD
        if cost < counts[LEAST_END] or cost > counts[MOST_END]:
            return NO_ROUTE
        s.low[0]["cell"] = s.starts[agent]
        counts[N_LOW], counts[LEVEL] = 1, 0
        s.mdd[place + 1], s.mdd[place + 2] = 0, 1
        counts[PHASE] = FORWARD
    if counts[PHASE] == FORWARD:
        code = _grow_forward(s, agent, place, most)
        if code != DONE:
            return code
        counts[PHASE], counts[LEVEL] = BACKWARD, most
    if counts[PHASE] == BACKWARD:
        if _go_back(s, agent, place, cost, most) != DONE:
            return PAUSED
        counts[PHASE] = WRITE
    if s.low[0]["f"] > cost:
        counts[PHASE] = BEGIN
        return NO_ROUTE
    return _write(s, place, cost, most)


@inner
def _grow_forward(s, agent, place, most):
    """Write the nodes that are reached in time to `low`, level by level; DONE, PAUSED, or what is full."""
    counts = s.counts
    while counts[LEVEL] < most:
        t = counts[LEVEL]
        begin, end = s.mdd[place + 1 + t], s.mdd[place + 2 + t]
        if counts[WORK] <= 0:
            return PAUSED
        if counts[N_LOW] + 9 * (end - begin) > s.low.size:
            return FULL_LOW
        counts[WORK] -= end - begin
        counts[EXPANDED] += end - begin
        counts[STAMP] += 1
        for k in range(begin, end):
            cell = np.int64(s.low[k]["cell"])
            for move in range(9):
                there = cell
                if move < 8:
                    if (s.legal[cell] >> move) & 1 == 0:
                        continue
                    there = cell + s.offsets[move]
                if t + 1 + s.distance[agent, s.spots[there]["spot"]] > most or is_forbidden(s, cell, there, t + 1):
                    continue
                if s.reach[there]["since"] != counts[STAMP]:
                    s.reach[there]["since"] = counts[STAMP]
                    s.low[counts[N_LOW]]["cell"] = there
                    counts[N_LOW] += 1
        s.mdd[place + 3 + t] = counts[N_LOW]
        counts[LEVEL] += 1
    return DONE


@inner
def _go_back(s, agent, place, cost, most):
    """Let the f of each node be the cost of the cheapest route through it, level by level; DONE or PAUSED."""
    counts = s.counts
    goal = s.goals[agent]
    while counts[LEVEL] >= 0:
        t = counts[LEVEL]
        begin, end = s.mdd[place + 1 + t], s.mdd[place + 2 + t]
        if counts[WORK] <= 0:
            return PAUSED
        counts[WORK] -= end - begin
        counts[EXPANDED] += end - begin
        counts[STAMP] += 1
        if t < most:
            for k in range(end, s.mdd[place + 3 + t]):
                if s.low[k]["f"] <= most:
                    mark = s.reach[s.low[k]["cell"]]
                    mark["since"], mark["node"] = counts[STAMP], k
        for k in range(begin, end):
            node = s.low[k]
            cell = np.int64(node["cell"])
            best = np.int64(most + 1)
            if cell == goal and t >= counts[LEAST_END] and t >= cost:
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
                mark = s.reach[there]
                if mark["since"] == counts[STAMP] and not is_forbidden(s, cell, there, t + 1):
                    moves |= 1 << move
                    best = min(best, np.int64(s.low[mark["node"]]["f"]))
            node["f"], node["n_conflicts"] = best, moves
        counts[LEVEL] -= 1
    return DONE


@inner
def _write(s, place, cost, most):
    """Keep the nodes that lead to the goal in time."""
    at = most + 3
    for k in range(s.counts[N_LOW]):
        if s.low[k]["f"] <= most:
            at += 2
    if place + at > s.mdd.size:
        return FULL_MDD
    at = most + 3
    begin = s.mdd[place + 1]
    for t in range(most + 1):
        end = s.mdd[place + 2 + t]
        s.mdd[place + 1 + t] = at
        for k in range(begin, end):
            node = s.low[k]
            if node["f"] <= most:
                s.mdd[place + at] = node["cell"]
                s.mdd[place + at + 1] = ((node["f"] - cost) << MOVE_BITS) | node["n_conflicts"]
                at += 2
        begin = end
    s.mdd[place + 2 + most] = at
    s.mdd[place] = most
    s.counts[N_MDD] = place + at
    s.counts[PHASE] = BEGIN
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
