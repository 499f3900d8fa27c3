"""Which conflict to resolve, and how: the constraints of the two children."""

import numpy as np

from wayfolk.algorithms.planners._cbs.conflicts import CROSSING, MEETING, PARKED, SWAP
from wayfolk.algorithms.planners._cbs.mdd import has_node, mdd_of, must_hold, width
from wayfolk.algorithms.planners._cbs.moves import corridor, is_in_corridor, lag, rectangle
from wayfolk.algorithms.planners._cbs.routes import route_of, where
from wayfolk.algorithms.planners._cbs.splits import put
from wayfolk.algorithms.planners._cbs.tables import (
    BEGIN,
    COST,
    DIAGONAL,
    DONE,
    EDGE,
    FOREVER,
    LEVEL,
    LONGER,
    N_CONFLICTS,
    N_RANKED,
    N_SPLIT,
    N_SPLIT2,
    PAUSED,
    PHASE,
    PRESENT,
    RECTANGLES,
    SHORTER,
    SPLIT_RANK,
    VERTEX,
    WORK,
)  # fmt: skip
from wayfolk.compile.jit import inner, kernel

CARDINAL, SEMI, NOT_CARDINAL = range(3)
"""Ranks of conflicts: both children, one child or no child costs more than the node."""
RECTANGLE_WORK = 16  # units of work for a conflict that may be in a rectangle


@kernel
def rank_conflicts(s):
    """Write the rank of each conflict; DONE, PAUSED, or what is full."""
    while s.counts[N_RANKED] < s.counts[N_CONFLICTS]:
        row = s.conflicts[s.counts[N_RANKED]]
        for agent in (row["one"], row["other"]):
            code = mdd_of(s, np.int64(agent), route_of(s, agent))
            if code != DONE:
                return code
        row["rank"] = 2 - _must(s, row, np.int64(row["one"])) - _must(s, row, np.int64(row["other"]))
        s.counts[N_RANKED] += 1
    return DONE


@inner
def _must(s, row, agent):
    """1 if every cheapest route of `agent` has the conflict, else 0."""
    route, t = route_of(s, agent), np.int64(row["time"])
    if row["kind"] != SWAP and row["kind"] != CROSSING:
        return 1 if must_hold(s, agent, route, np.int64(row["place"]), t) else 0
    for at in (t, t - 1):
        if width(s, route, at) > 1 or not has_node(s, route, where(s, agent, at), at):
            return 0
    return 1


@kernel
def choose(s, node, rectangles, corridors, targets, disjoint):
    """Choose a conflict and write the constraints of the two children to `split`; DONE, PAUSED, or what is full.

    Cardinal conflicts come first, then semi-cardinal ones; among equals, those with parked agents, then those in corridors,
    then the earliest.
    SPLIT_RANK of `counts` gets the rank of the split; one in a corridor counts as cardinal.
    """
    counts = s.counts
    row = s.conflicts[_first(s, corridors)]
    if counts[PHASE] == BEGIN:
        counts[N_SPLIT] = counts[N_SPLIT2] = 0
        counts[SPLIT_RANK] = CARDINAL
        if corridors and row["kind"] != PARKED and row["kind"] != CROSSING:
            code = corridor(s.moves, s, node, row)
            if code != DONE or counts[N_SPLIT] > 0:
                return code
    if rectangles and row["rank"] != CARDINAL:
        if counts[PHASE] == BEGIN:
            counts[PHASE], counts[LEVEL], counts[COST] = RECTANGLES, 0, 3
        while counts[LEVEL] < counts[N_CONFLICTS] and counts[COST] != CARDINAL:
            if counts[WORK] <= 0:
                return PAUSED
            counts[WORK] -= RECTANGLE_WORK
            other = s.conflicts[counts[LEVEL]]
            if other["kind"] == MEETING and other["rank"] > CARDINAL:
                rank_here = rectangle(s.moves, s, other, counts[COST])
                counts[COST] = min(counts[COST], rank_here)
            counts[LEVEL] += 1
        counts[PHASE] = BEGIN
        if counts[COST] <= row["rank"]:
            counts[SPLIT_RANK] = counts[COST]
            return DONE
    counts[SPLIT_RANK] = row["rank"]
    _split(s, row, targets, disjoint)
    return DONE


@inner
def _first(s, corridors):
    best, least = 0, np.int64(1) << 60
    for k in range(s.counts[N_CONFLICTS]):
        row = s.conflicts[k]
        key = (np.int64(row["rank"]) << 40) + np.int64(row["time"])
        if row["kind"] != PARKED:
            key += np.int64(1) << 36
            if not (corridors and is_in_corridor(s.moves, s, row)):
                key += np.int64(1) << 35
        if key < least:
            best, least = k, key
    return best


@inner
def _split(s, row, targets, disjoint):
    """The usual children: one agent or the other avoids the conflict. Disjoint: one agent has the cell, or avoids it."""
    s.counts[N_SPLIT] = s.counts[N_SPLIT2] = 0
    one, other, t, place = row["one"], row["other"], row["time"], row["place"]
    if row["kind"] == SWAP:
        put(s, 0, one, EDGE, row["here"], row["there"], t, t)
        put(s, 1, other, EDGE, row["here2"], row["there2"], t, t)
    elif row["kind"] == CROSSING:
        put(s, 0, one, DIAGONAL, row["here"], row["there"], t, t)
        put(s, 1, other, DIAGONAL, row["here2"], row["there2"], t, t)
    elif row["kind"] == PARKED and targets:
        since = t - lag(s.moves, place)
        put(s, 0, one, LONGER, place, place, since, since)
        put(s, 1, one, SHORTER, place, place, since, FOREVER)
    elif row["kind"] == MEETING and disjoint:
        put(s, 0, one, VERTEX, place, place, t, t)
        put(s, 1, one, PRESENT, place, place, t, t)
    else:
        put(s, 0, one, VERTEX, place, place, t, t)
        put(s, 1, other, VERTEX, place, place, t, t)


@kernel
def split_lengths(s, one, other):
    """Write the children of two agents that cannot both keep their costs: agent `one` takes longer; or it does not, and
    agent `other` takes longer.
    """
    s.counts[N_SPLIT] = s.counts[N_SPLIT2] = 0
    cost, cost2 = s.now[one]["length"], s.now[other]["length"]
    goal, goal2 = s.goals[one], s.goals[other]
    put(s, 0, one, LONGER, goal, goal, cost, cost)
    put(s, 1, one, SHORTER, goal, goal, cost, FOREVER)
    put(s, 1, other, LONGER, goal2, goal2, cost2, cost2)
