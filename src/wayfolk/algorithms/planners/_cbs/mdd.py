"""Multi-value decision diagrams: all routes of an agent that cost at most a few steps more than the cheapest.

Level t has a node for each cell in which the agent can be at time t. A diagram begins at a place m of the array `mdd`: its
cost, then for each level where it begins, counted from m, then two numbers for each node: its cell; and how much costlier
than the cheapest its cheapest route is, shifted by 9 bits, with a bit for each move to a node of the next level. Where a
node can have more than nine moves, the bits are in words of their own behind these two numbers.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.moves import (
    has_move,
    has_words,
    is_home,
    lag,
    most_moves,
    n_moves,
    node_size,
    place_at,
    span,
    stay,
    step_by,
    target,
)
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
from wayfolk.kernels.codes import NOWHERE

MOVE_BITS = 9
WORD_BITS = 31  # moves in a word of a node


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
        if counts[N_LOW] + most_moves(s.moves) * (end - begin) > s.low.size:
            return FULL_LOW
        counts[WORK] -= end - begin
        counts[EXPANDED] += end - begin
        counts[STAMP] += 1
        for k in range(begin, end):
            cell = np.int64(s.low[k]["cell"])
            for move in range(n_moves(s.moves, cell)):
                there = target(s.moves, cell, move)
                if there == NOWHERE or t + 1 + s.distance[agent, s.spots[there]["spot"]] > most:
                    continue
                if is_forbidden(s, cell, there, step_by(s.moves, cell, move, there), t + 1):
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
            _mark_level(s, end, s.mdd[place + 3 + t], most)
        for k in range(begin, end):
            node = s.low[k]
            cell = np.int64(node["cell"])
            best = np.int64(most + 1)
            if is_home(s.moves, cell, goal) and t >= counts[LEAST_END] and t >= cost:
                best = np.int64(t)
            moves = 0
            if t < most:
                for move in range(n_moves(s.moves, cell)):
                    there = target(s.moves, cell, move)
                    if _leads_on(s, cell, there, move, t + 1):
                        if not has_words(s.moves):
                            moves |= 1 << move
                        best = min(best, np.int64(s.low[s.reach[there]["node"]]["f"]))
            node["f"], node["n_conflicts"] = best, moves
        counts[LEVEL] -= 1
    return DONE


@inner
def _mark_level(s, begin, end, most):
    """Mark the nodes of a level that lead to the goal in time, by the present stamp."""
    for k in range(begin, end):
        if s.low[k]["f"] <= most:
            mark = s.reach[s.low[k]["cell"]]
            mark["since"], mark["node"] = s.counts[STAMP], k


@inner
def _leads_on(s, here, there, move, t):
    """Whether a move leads to a node of the level at `t` that is marked."""
    if there == NOWHERE or s.reach[there]["since"] != s.counts[STAMP]:
        return False
    return not is_forbidden(s, here, there, step_by(s.moves, here, move, there), t)


@inner
def _write(s, place, cost, most):
    """Keep the nodes that lead to the goal in time."""
    at, size = most + 3, node_size(s.moves)
    for k in range(s.counts[N_LOW]):
        if s.low[k]["f"] <= most:
            at += size
    if place + at > s.mdd.size:
        return FULL_MDD
    at = most + 3
    begin = s.mdd[place + 1]
    for t in range(most + 1):
        end = s.mdd[place + 2 + t]
        s.mdd[place + 1 + t] = at
        if has_words(s.moves):
            s.counts[STAMP] += 1
            if t < most:
                _mark_level(s, end, s.mdd[place + 3 + t], most)
        for k in range(begin, end):
            node = s.low[k]
            if node["f"] <= most:
                s.mdd[place + at] = node["cell"]
                s.mdd[place + at + 1] = ((node["f"] - cost) << MOVE_BITS) | node["n_conflicts"]
                if has_words(s.moves):
                    _write_words(s, place + at, size, t + 1)
                at += size
        begin = end
    s.mdd[place + 2 + most] = at
    s.mdd[place] = most
    s.counts[N_MDD] = place + at
    s.counts[PHASE] = BEGIN
    return DONE


@inner
def _write_words(s, at, size, t):
    """Write the bits of the moves of a node of a diagram that lead to the level at `t`, which is marked."""
    for k in range(2, size):
        s.mdd[at + k] = 0
    here = np.int64(s.mdd[at])
    for move in range(n_moves(s.moves, here)):
        if _leads_on(s, here, target(s.moves, here, move), move, t):
            s.mdd[at + 2 + move // WORD_BITS] |= 1 << (move % WORD_BITS)


@inner
def must_hold(s, agent, route, held, t):
    """Whether every cheapest route of `agent` holds the place `held` at time `t`."""
    place = np.int64(s.routes[route]["mdd"])
    if t > s.mdd[place]:
        return s.owner[held] == agent + 1
    level = t - lag(s.moves, held)  # a place of a move, by the nodes where it begins
    for at in range(place + s.mdd[place + 1 + level], place + s.mdd[place + 2 + level], node_size(s.moves)):
        here = np.int64(s.mdd[at])
        if level == t:
            if not _has_place(s, stay(s.moves, here), held):
                return False
            continue
        for move in range(n_moves(s.moves, here)):
            if has_move(s.moves, s.mdd, at, move):
                if not _has_place(s, step_by(s.moves, here, move, target(s.moves, here, move)), held):
                    return False
    return True


@inner
def _has_place(s, step, held):
    """Whether a step holds the place `held`."""
    k, end = span(s.moves, step)
    while k < end and place_at(s.moves, k) != held:
        k += 1
    return k < end


@inner
def width(s, route, t):
    """How many cells the diagram of `route` has at time `t`; an agent that has arrived is on its goal."""
    place = s.routes[route]["mdd"]
    if t >= s.mdd[place]:
        return 1
    return (s.mdd[place + 2 + t] - s.mdd[place + 1 + t]) // node_size(s.moves)


@inner
def has_node(s, route, cell, t):
    """Whether `cell` is in the diagram of cheapest routes at time `t`."""
    place = s.routes[route]["mdd"]
    if t > s.mdd[place]:
        return cell == s.mdd[place + s.mdd[place + 1 + s.mdd[place]]]  # the goal
    k, end = s.mdd[place + 1 + t], s.mdd[place + 2 + t]
    while k < end and s.mdd[place + k] != cell:
        k += node_size(s.moves)
    return k < end
