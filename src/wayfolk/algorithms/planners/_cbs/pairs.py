"""How much two agents together cost more than each alone, under their constraints: a weight of the dependency graph.

A* over the nodes of both agents' diagrams at the same time. A diagram knows the cost to the goal of each agent alone, so
the search looks only at pairs of routes that cost `delta` more than the cheapest, for delta 0, 1, 2 and so on.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.low_level import key_of
from wayfolk.algorithms.planners._cbs.mdd import MOVE_BITS, build, mdd_of
from wayfolk.algorithms.planners._cbs.moves import collide, has_move, is_home, most_moves, n_moves, node_size, target
from wayfolk.algorithms.planners._cbs.routes import route_of
from wayfolk.algorithms.planners._cbs.rules import gather
from wayfolk.algorithms.planners._cbs.tables import (
    DONE,
    FIRST,
    FULL_INDEX,
    N_MDD,
    N_STATES,
    SECOND,
    STAGE,
    STATE_STAMP,
    STEP,
)  # fmt: skip
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import clear, find, find_stamped, next_stamp, put, put_stamped

STEPS = (0, 2, 7)
"""Weights up to each of these are looked for in turn; larger ones count as one more than the last."""
NO_NODE = np.int64(NOWHERE)
ARRIVED = NO_NODE - 1

NEW, NARROW, ONE, OTHER, BOTH = range(5)
"""Stages of `pair_weight`: it begins; looks at a weight; appends the wider diagram of one agent, of the other; has both."""


@kernel
def pair_weight(s, one, other, most, answer):
    """Write to `answer` a lower bound of the weight of agents `one` and `other` on their present routes.

    It is the weight itself if that is at most `most` and few enough nodes are expanded. DONE, PAUSED, or what is full.
    """
    counts = s.counts
    routes = route_of(s, one), route_of(s, other)
    if counts[STAGE] == NEW:
        for agent, route in ((one, routes[0]), (other, routes[1])):
            code = mdd_of(s, agent, route)
            if code != DONE:
                return code
        answer[0] = counts[STEP] = 0
        counts[STAGE] = NARROW
    narrow = s.routes[routes[0]]["mdd"], s.routes[routes[1]]["mdd"]
    while counts[STEP] < len(STEPS) and STEPS[counts[STEP]] <= most:
        slack = STEPS[counts[STEP]]
        places = narrow
        if counts[STAGE] == NARROW:
            counts[FIRST], counts[STAGE] = counts[N_MDD], ONE
        if slack > 0:
            code = _widen(s, (one, other), routes, slack)
            if code != DONE:
                return code
            places = counts[FIRST], counts[SECOND]
        n_slots = _fill(s, s.mdd_index[0], places[0]), _fill(s, s.mdd_index[1], places[1])
        if n_slots[0] == 0 or n_slots[1] == 0:
            return FULL_INDEX
        indices = s.mdd_index[0, : n_slots[0]], s.mdd_index[1, : n_slots[1]]
        delta = _search_pair(s, indices, (one, other), places, (s.mdd[narrow[0]], s.mdd[narrow[1]]), slack)
        counts[N_MDD], counts[STAGE] = counts[FIRST], NARROW
        counts[STEP] += 1
        answer[0] = max(answer[0], np.int64(delta))
        if delta <= slack:
            break
    counts[STAGE] = NEW
    return DONE


@inner
def _widen(s, agents, routes, slack):
    """Append diagrams of both agents with costlier routes, at FIRST and SECOND; DONE, PAUSED, or what is full."""
    if s.counts[STAGE] == ONE:
        code = _wider(s, agents[0], routes[0], slack)
        if code != DONE:
            return code
        s.counts[SECOND], s.counts[STAGE] = s.counts[N_MDD], OTHER
    if s.counts[STAGE] == OTHER:
        code = _wider(s, agents[1], routes[1], slack)
        if code != DONE:
            return code
        s.counts[STAGE] = BOTH
    return DONE


@inner
def _wider(s, agent, route, slack):
    """Append a diagram with costlier routes."""
    code = gather(s, np.int64(s.routes[route]["node"]), agent)
    if code != DONE:
        return code
    return build(s, agent, np.int64(s.mdd[s.routes[route]["mdd"]]), slack)


@inner
def _search_pair(s, indices, agents, places, costs, slack):
    """The least delta of two routes that have no conflict, `slack` + 1 if it is more than `slack`."""
    place1, place2 = places
    room = (most_moves(s.moves) + 1) * (most_moves(s.moves) + 1)
    first1, first2 = np.int64(s.mdd[place1 + 1]), np.int64(s.mdd[place2 + 1])
    s.counts[N_STATES] = 0
    s.counts[STATE_STAMP] = next_stamp(s.state_slots, s.counts[STATE_STAMP])
    n = _reach(s, 0, first1, first2, 0, 0)
    while n > 0:
        state = s.states[s.focal[0]["item"]]
        delta, t = s.focal[0]["f"], np.int64(state["time"])
        fresh = delta == state["delta"]
        n = heap.pop(s.focal, n)
        if not fresh:
            continue
        k1, k2 = np.int64(state["one"]), np.int64(state["other"])
        if k1 == ARRIVED and k2 == ARRIVED:
            return delta
        if s.counts[N_STATES] + room > s.states.size or n + room > s.focal.size:
            return delta
        slack1 = slack2 = np.int64(0)
        n1 = n2 = np.int64(1)
        if k1 != ARRIVED:
            slack1 = np.int64(s.mdd[place1 + k1 + 1] >> MOVE_BITS)
            n1 = n_moves(s.moves, np.int64(s.mdd[place1 + k1])) + 1
        if k2 != ARRIVED:
            slack2 = np.int64(s.mdd[place2 + k2 + 1] >> MOVE_BITS)
            n2 = n_moves(s.moves, np.int64(s.mdd[place2 + k2])) + 1
        rest = delta - slack1 - slack2  # of those who have arrived
        for move1 in range(n1):
            here1, there1, next1 = _step(s, agents[0], indices[0], place1, k1, t, move1, costs[0])
            if next1 == NO_NODE:
                continue
            delta1 = _delta_of(s, place1, k1, next1, t, costs[0])
            if rest + delta1 + slack2 > slack:
                continue
            for move2 in range(n2):
                here2, there2, next2 = _step(s, agents[1], indices[1], place2, k2, t, move2, costs[1])
                if next2 == NO_NODE:
                    continue
                total = rest + delta1 + _delta_of(s, place2, k2, next2, t, costs[1])
                if total <= slack and not collide(s.moves, here1, there1, here2, there2):
                    n = _reach(s, n, next1, next2, t + 1, total)
    return slack + 1


@inner
def _fill(s, index, place):
    """Write where each node of a diagram is to a hash table; the length of the table, 0 if there is no room."""
    last = place + 1 + s.mdd[place]
    n_slots = np.int64(64)
    while n_slots < s.mdd[last + 1] - s.mdd[place + 1]:  # two numbers or more for each node
        n_slots *= 2
    if n_slots > index.size:
        return np.int64(0)
    slots = index[:n_slots]
    clear(slots)
    for t in range(s.mdd[place] + 1):
        for k in range(s.mdd[place + 1 + t], s.mdd[place + 2 + t], node_size(s.moves)):
            key = key_of(s, t, s.mdd[place + k]) + 1
            put(slots, find(slots, key), key, k)
    return n_slots


@inner
def _step(s, agent, index, place, k, t, move, cost):
    """The cells before and after move number `move` of an agent at node `k`, and its next node.

    The move after the last one is to stay on the goal for good: the next node is ARRIVED. NO_NODE says that there is no
    such move.
    """
    goal = np.int64(s.goals[agent])
    if k == ARRIVED:
        return goal, goal, ARRIVED
    cell = np.int64(s.mdd[place + k])
    if move == n_moves(s.moves, cell):
        if is_home(s.moves, cell, goal) and t >= cost:
            return goal, goal, ARRIVED
        return cell, cell, NO_NODE
    if not has_move(s.moves, s.mdd, place + k, move):
        return cell, cell, NO_NODE
    there = target(s.moves, cell, move)
    return cell, there, np.int64(index[find(index, key_of(s, t + 1, there) + 1)]["item"])


@inner
def _delta_of(s, place, k, there, t, cost):
    """How much costlier than the cheapest the routes of an agent are that goes from node `k` to node `there`."""
    if k == ARRIVED:
        return np.int64(0)
    if there == ARRIVED:
        return np.int64(t - cost)
    return np.int64(s.mdd[place + there + 1] >> MOVE_BITS)


@inner
def _reach(s, n, one, other, t, delta):
    """Push the state in which the agents are at nodes `one` and `other`, unless it is known; the new length of the heap."""
    # nodes of a diagram have different numbers at different times; only if both have arrived does the time not matter
    key = (np.int64(one) << 32) | np.int64(other)
    stamp = s.counts[STATE_STAMP]
    at = find_stamped(s.state_slots, key, stamp)
    if s.state_slots[at]["stamp"] == stamp:
        k = np.int64(s.state_slots[at]["item"])
        if s.states[k]["delta"] <= delta:
            return n
    else:
        k = s.counts[N_STATES]
        s.counts[N_STATES] += 1
        put_stamped(s.state_slots, at, key, k, stamp)
    state = s.states[k]
    state["delta"], state["time"], state["one"], state["other"] = delta, t, one, other
    return heap.push(s.focal, n, np.int64(delta), -np.int64(t), np.int64(k))
