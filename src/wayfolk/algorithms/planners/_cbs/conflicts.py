"""The conflicts between the routes of the node that is entered, and agents that break the constraints of a new node."""

import numpy as np

from wayfolk.algorithms.planners._cbs.moves import (
    agent_of,
    crossed,
    has_opposites,
    lag,
    place_at,
    span,
    stay,
    step_between,
)
from wayfolk.algorithms.planners._cbs.routes import where
from wayfolk.algorithms.planners._cbs.tables import (
    DIAGONAL,
    DONE,
    FULL_CONFLICTS,
    LONGER,
    N_CONFLICTS,
    N_RANKED,
    PRESENT,
    SHORTER,
    VERTEX,
)  # fmt: skip
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE

MEETING, PARKED, SWAP, CROSSING = range(4)
"""Kinds of conflicts: in one place; one of the two has arrived there and stays; along one edge; on two diagonals."""


@kernel
def find_conflicts(s):
    """Write the conflicts of all pairs of agents to `conflicts`; the parked agent is `one`."""
    s.counts[N_CONFLICTS] = s.counts[N_RANKED] = 0
    for agent in range(s.now.size):
        here = where(s, agent, 0)
        for t in range(1, s.now[agent]["length"] + 1):
            there = where(s, agent, t)
            begin, end = span(s.moves, step_between(s.moves, here, there))
            if s.counts[N_CONFLICTS] + (end - begin + 1) * s.now.size > s.conflicts.size:
                return FULL_CONFLICTS
            for k in range(begin, end):
                _find_in_place(s, agent, here, there, place_at(s.moves, k), t)
            if has_opposites(s.moves, here, there):
                _find_from_to(s, agent, here, there, there, here, t, SWAP)
                one, two = crossed(s.moves, here, there)
                if one != NOWHERE:
                    _find_from_to(s, agent, here, there, one, two, t, CROSSING)
                    _find_from_to(s, agent, here, there, two, one, t, CROSSING)
            here = there
    return DONE


@inner
def _find_in_place(s, agent, here, there, place, t):
    """Conflicts in a place of a step: with agents that rest there, and with those of larger numbers that come there."""
    parked = s.owner[place]
    if parked != 0 and parked != agent + 1 and s.now[parked - 1]["length"] < t:
        _add(s, PARKED, parked - 1, agent, place=place, here=here, there=there, here2=there, there2=there, t=t)
    other = s.head[s.spots[place]["row"], t]
    while other != 0:
        who = agent_of(s.moves, other - 1)
        if who > agent:
            kind, one, two = MEETING, agent, who
            if s.now[who]["length"] == t and _rests(s, who, place):
                kind, one, two = PARKED, who, agent
            elif s.now[agent]["length"] == t and _rests(s, agent, place):
                kind = PARKED
            _add(s, kind, one, two, place=place, here=here, there=there, here2=there, there2=there, t=t)
        other = s.behind[other - 1, t]


@inner
def _rests(s, agent, place):
    """Whether an agent that arrives holds `place` from then on."""
    return s.owner[place] == agent + 1 and lag(s.moves, place) == 0


@inner
def _find_from_to(s, agent, here, there, here2, there2, t, kind):
    """Conflicts with agents of larger numbers that move from `here2` to `there2`."""
    other = s.head[s.spots[here2]["row"], t - 1]
    while other != 0:
        if other > agent + 1 and where(s, other - 1, t) == there2:
            _add(s, kind, agent, other - 1, place=there, here=here, there=there, here2=here2, there2=there2, t=t)
        other = s.behind[other - 1, t - 1]


@inner
def _add(s, kind, one, other, place, here, there, here2, there2, t):
    row = s.conflicts[s.counts[N_CONFLICTS]]
    row["kind"], row["one"], row["other"], row["time"], row["rank"] = kind, one, other, t, 0
    row["place"], row["here"], row["there"], row["here2"], row["there2"] = place, here, there, here2, there2
    s.counts[N_CONFLICTS] += 1


@kernel
def next_violator(s, node):
    """An agent whose route breaks a constraint of `node` itself, NOBODY if there is none."""
    first = s.tree[node]["first_constraint"]
    for k in range(first, first + s.tree[node]["n_constraints"]):
        row = s.constraints[k]
        kind, agent, begin = row["kind"], np.int64(row["agent"]), np.int64(row["begin"])
        if kind == SHORTER:
            if s.now[agent]["length"] > begin:
                return agent
            other = _visitor(s, agent, begin)
            if other != NOBODY:
                return other
        elif kind == PRESENT:
            if where(s, agent, begin) != row["a"]:
                return agent
            for other in range(s.now.size):
                if other != agent and where(s, other, begin) == row["a"]:
                    return other
        elif _is_broken(s, agent, kind, row["a"], row["b"], begin, np.int64(row["end"])):
            return agent
    return np.int64(NOBODY)


@inner
def _visitor(s, agent, begin):
    """Another agent that holds a place of the goal of `agent` although that one rests there from `begin` on."""
    first, end = span(s.moves, stay(s.moves, s.goals[agent]))
    for k in range(first, end):
        place = place_at(s.moves, k)
        for t in range(begin + lag(s.moves, place), s.head.shape[1]):
            other = s.head[s.spots[place]["row"], t]
            while other != 0:
                if agent_of(s.moves, other - 1) != agent:
                    return np.int64(agent_of(s.moves, other - 1))
                other = s.behind[other - 1, t]
    return np.int64(NOBODY)


@inner
def _holds(s, agent, place, t):
    """Whether `agent` holds `place` at time `t`."""
    k, end = span(s.moves, step_between(s.moves, where(s, agent, max(t - 1, 0)), where(s, agent, t)))
    while k < end and place_at(s.moves, k) != place:
        k += 1
    return k < end


@inner
def _is_broken(s, agent, kind, a, b, begin, end):
    length = np.int64(s.now[agent]["length"])
    if kind == LONGER:
        return length <= begin
    if kind == VERTEX:
        t, last = min(begin, length + 1), min(end, length + 1)
        while t <= last and not _holds(s, agent, a, t):
            t += 1
        return t <= last
    here, there = where(s, agent, begin - 1), where(s, agent, begin)
    return (here == a and there == b) or (kind == DIAGONAL and here == b and there == a)
