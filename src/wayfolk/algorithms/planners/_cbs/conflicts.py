"""The conflicts between the routes of the node that is entered, and agents that break the constraints of a new node."""

import numpy as np

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
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners

MEETING, PARKED, SWAP, CROSSING = range(4)
"""Kinds of conflicts: in one cell; one of the two has arrived there and stays; along one edge; on two diagonals."""


@kernel
def find_conflicts(s):
    """Write the conflicts of all pairs of agents to `conflicts`; the parked agent is `one`."""
    s.counts[N_CONFLICTS] = s.counts[N_RANKED] = 0
    for agent in range(s.now.size):
        here = where(s, agent, 0)
        for t in range(1, s.now[agent]["length"] + 1):
            if s.counts[N_CONFLICTS] + 2 * s.now.size > s.conflicts.size:
                return FULL_CONFLICTS
            there = where(s, agent, t)
            _find_in_cell(s, agent, here, there, t)
            if here != there:
                _find_from_to(s, agent, here, there, there, here, t, SWAP)
                for k in range(4, 8):
                    if here + s.offsets[k] == there:
                        one, two = corners(s.offsets, here, k)
                        _find_from_to(s, agent, here, there, one, two, t, CROSSING)
                        _find_from_to(s, agent, here, there, two, one, t, CROSSING)
            here = there
    return DONE


@inner
def _find_in_cell(s, agent, here, there, t):
    """Conflicts in the cell `there`: with agents that stay there, and with those of larger numbers that come there."""
    parked = s.owner[there]
    if parked != 0 and parked != agent + 1 and s.now[parked - 1]["length"] < t:
        _add(s, PARKED, one=parked - 1, other=agent, here=there, there=there, here2=here, there2=there, t=t)
    other = s.head[s.spots[there]["row"], t]
    while other != 0:
        if other > agent + 1:
            if s.now[other - 1]["length"] == t:
                _add(s, PARKED, one=other - 1, other=agent, here=there, there=there, here2=here, there2=there, t=t)
            elif s.now[agent]["length"] == t:
                _add(s, PARKED, one=agent, other=other - 1, here=here, there=there, here2=there, there2=there, t=t)
            else:
                _add(s, MEETING, one=agent, other=other - 1, here=here, there=there, here2=there, there2=there, t=t)
        other = s.behind[other - 1, t]


@inner
def _find_from_to(s, agent, here, there, here2, there2, t, kind):
    """Conflicts with agents of larger numbers that move from `here2` to `there2`."""
    other = s.head[s.spots[here2]["row"], t - 1]
    while other != 0:
        if other > agent + 1 and where(s, other - 1, t) == there2:
            _add(s, kind, one=agent, other=other - 1, here=here, there=there, here2=here2, there2=there2, t=t)
        other = s.behind[other - 1, t - 1]


@inner
def _add(s, kind, one, other, here, there, here2, there2, t):
    row = s.conflicts[s.counts[N_CONFLICTS]]
    row["kind"], row["one"], row["other"], row["time"], row["rank"] = kind, one, other, t, 0
    row["here"], row["there"], row["here2"], row["there2"] = here, there, here2, there2
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
            other = _visitor(s, agent, s.goals[agent], begin)
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
def _visitor(s, agent, cell, begin):
    """Another agent that is in `cell` at `begin` or later."""
    for t in range(begin, s.head.shape[1]):
        other = s.head[s.spots[cell]["row"], t]
        while other != 0:
            if other != agent + 1:
                return np.int64(other - 1)
            other = s.behind[other - 1, t]
    return np.int64(NOBODY)


@inner
def _is_broken(s, agent, kind, a, b, begin, end):
    length = np.int64(s.now[agent]["length"])
    if kind == LONGER:
        return length <= begin
    if kind == VERTEX:
        if a == s.goals[agent] and end >= length:
            return True
        t = begin
        while t <= min(end, length) and where(s, agent, t) != a:
            t += 1
        return t <= min(end, length)
    here, there = where(s, agent, begin - 1), where(s, agent, begin)
    return (here == a and there == b) or (kind == DIAGONAL and here == b and there == a)
