"""The routes of the node that is entered, and whom an agent would meet on a move."""

import numpy as np

from wayfolk.algorithms.planners._cbs.moves import (
    agent_of,
    crossed,
    entry,
    has_opposites,
    place_at,
    span,
    stay,
    step_between,
)
from wayfolk.algorithms.planners._cbs.tables import N_USED, ROOT, STAMP
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE


@kernel
def enter(s, node):
    """Let every agent take the route that it has in `node`."""
    s.counts[STAMP] += 1
    stamp = s.counts[STAMP]
    while True:
        first = s.tree[node]["first_change"]
        for k in range(first, first + s.tree[node]["n_changes"]):
            agent = np.int64(s.changes[k]["agent"])
            if s.now[agent]["stamp"] != stamp:
                s.now[agent]["stamp"] = stamp
                take(s, agent, np.int64(s.changes[k]["route"]))
        if node == ROOT:
            break
        node = np.int64(s.tree[node]["parent"])


@kernel
def retake(s, agent, route):
    """Let `agent`, which has no route, take one."""
    take(s, agent, route)


@inner
def take(s, agent, route):
    """Let `agent` leave its route and take another."""
    now = s.now[agent]
    if now["route"] == route:
        return
    if now["route"] != NOWHERE:
        _leave(s, agent)
    now["route"], now["length"], now["first"] = route, s.routes[route]["length"], s.routes[route]["first"]
    here = np.int64(s.cells[now["first"]])
    for t in range(now["length"] + 1):
        there = np.int64(s.cells[now["first"] + t])
        begin, end = span(s.moves, step_between(s.moves, here, there))
        for k in range(begin, end):
            place, number = place_at(s.moves, k), entry(s.moves, agent, k - begin)
            if s.spots[place]["row"] == 0:
                s.counts[N_USED] += 1
                s.spots[place]["row"] = s.counts[N_USED]
            s.behind[number, t] = s.head[s.spots[place]["row"], t]
            s.head[s.spots[place]["row"], t] = number + 1
        here = there


@inner
def _leave(s, agent):
    now = s.now[agent]
    here = np.int64(s.cells[now["first"]])
    for t in range(now["length"] + 1):
        there = np.int64(s.cells[now["first"] + t])
        begin, end = span(s.moves, step_between(s.moves, here, there))
        for k in range(begin, end):
            row, number = s.spots[place_at(s.moves, k)]["row"], entry(s.moves, agent, k - begin)
            other = s.head[row, t]
            if other == number + 1:
                s.head[row, t] = s.behind[number, t]
                continue
            while s.behind[other - 1, t] != number + 1:
                other = s.behind[other - 1, t]
            s.behind[other - 1, t] = s.behind[number, t]
        here = there


@inner
def where(s, agent, t):
    """The cell of `agent` at time `t`; an agent stays at the end of its route."""
    now = s.now[agent]
    return np.int64(s.cells[now["first"] + min(t, np.int64(now["length"]))])


@inner
def route_of(s, agent):
    """The number of the route of `agent`."""
    return np.int64(s.now[agent]["route"])


@inner
def n_met(s, agent, here, there, step, t):
    """How many conflicts `agent` has with others by a step from `here` to `there` that ends at time `t`."""
    total = 0
    n_steps = s.head.shape[1]
    begin, end = span(s.moves, step)
    for k in range(begin, end):
        place = place_at(s.moves, k)
        parked = s.owner[place]
        if parked != 0 and parked != agent + 1 and s.now[parked - 1]["route"] != NOWHERE:
            if s.now[parked - 1]["length"] < t:
                total += 1
        if t < n_steps:
            total += _n_others(s, agent, place, t)
    if t < n_steps and has_opposites(s.moves, here, there):
        total += _n_from_to(s, agent, there, here, t)
        one, two = crossed(s.moves, here, there)
        if one != NOWHERE:
            total += _n_from_to(s, agent, one, two, t) + _n_from_to(s, agent, two, one, t)
    return total


@inner
def _n_others(s, agent, place, t):
    """How many others hold `place` at time `t` on their way."""
    total = 0
    other = s.head[s.spots[place]["row"], t]
    while other != 0:
        if agent_of(s.moves, other - 1) != agent:
            total += 1
        other = s.behind[other - 1, t]
    return total


@inner
def _n_from_to(s, agent, here, there, t):
    """How many others move from `here` to `there` and arrive at `t`."""
    total = 0
    other = s.head[s.spots[here]["row"], t - 1]
    while other != 0:
        if other != agent + 1 and where(s, other - 1, t) == there:
            total += 1
        other = s.behind[other - 1, t - 1]
    return total


@inner
def count_passing(s, agent):
    """Write to `passing[t]` how often others hold a place of the goal of `agent` at `t` or later."""
    begin, end = span(s.moves, stay(s.moves, s.goals[agent]))
    n_steps = s.head.shape[1]
    total = 0
    s.passing[n_steps] = 0
    for t in range(n_steps - 1, -1, -1):
        for k in range(begin, end):
            total += _n_others(s, agent, place_at(s.moves, k), t)
        s.passing[t] = total


@inner
def n_colliding(s, agent):
    """With how many others `agent` has conflicts on its route."""
    s.counts[STAMP] += 1
    stamp, total = s.counts[STAMP], 0
    length = np.int64(s.now[agent]["length"])
    here = where(s, agent, 0)
    for t in range(1, length + 1):
        there = where(s, agent, t)
        begin, end = span(s.moves, step_between(s.moves, here, there))
        for k in range(begin, end):
            place = place_at(s.moves, k)
            parked = np.int64(s.owner[place]) - 1
            if parked >= 0 and parked != agent and s.now[parked]["route"] != NOWHERE and s.now[parked]["length"] < t:
                total += _mark(s, parked, stamp)
            total += _mark_all(s, agent, place, t, stamp)
        if has_opposites(s.moves, here, there):
            total += _mark_from_to(s, agent, there, here, t, stamp)
            one, two = crossed(s.moves, here, there)
            if one != NOWHERE:
                total += _mark_from_to(s, agent, one, two, t, stamp) + _mark_from_to(s, agent, two, one, t, stamp)
        here = there
    begin, end = span(s.moves, stay(s.moves, here))
    for t in range(length + 1, s.head.shape[1]):
        for k in range(begin, end):
            total += _mark_all(s, agent, place_at(s.moves, k), t, stamp)
    return total


@inner
def _mark(s, other, stamp):
    """Mark an agent; 1 if it was not marked, else 0."""
    if s.now[other]["met"] == stamp:
        return 0
    s.now[other]["met"] = stamp
    return 1


@inner
def _mark_all(s, agent, place, t, stamp):
    """Mark the others that hold `place` at time `t`; how many were not marked."""
    total = 0
    other = np.int64(s.head[s.spots[place]["row"], t])
    while other != 0:
        if agent_of(s.moves, other - 1) != agent:
            total += _mark(s, agent_of(s.moves, other - 1), stamp)
        other = np.int64(s.behind[other - 1, t])
    return total


@inner
def _mark_from_to(s, agent, here, there, t, stamp):
    """Mark the others that move from `here` to `there` and arrive at `t`; how many were not marked."""
    total = 0
    other = np.int64(s.head[s.spots[here]["row"], t - 1])
    while other != 0:
        if other != agent + 1 and where(s, other - 1, t) == there:
            total += _mark(s, other - 1, stamp)
        other = np.int64(s.behind[other - 1, t - 1])
    return total
