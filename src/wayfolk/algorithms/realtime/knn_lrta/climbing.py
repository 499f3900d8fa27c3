"""Hill climbing: move to the neighbour that seems nearest to a target. kNN LRTA* keeps paths made of such climbs.

Bulitko and Bjornsson, "kNN LRTA*: simple subgoaling for real-time search", AIIDE 2009.

A cell can be climbed to from another if moves that each reduce the initial heuristic lead there.

Invariants  in a record each subgoal can be climbed to from the one before within `cutoff` moves.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._hints import HintedGraph, SparseHints
from wayfolk.algorithms.realtime._look_ahead.plans import step
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, WALKING
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.best_first import FUZZ
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there

LOOKING, CLIMBING = range(2)  # modes of a journey: it looks for a record before each plan, or follows one
JOURNEY = np.dtype([("mode", np.int64), ("at", np.int64), ("end", np.int64)], align=True)
CANDIDATE = np.dtype([("away", np.float64), ("record", np.int64)], align=True)


class Records(NamedTuple):
    """Record k leads along subgoals[first[k] : first[k + 1]], from its start to its goal."""

    first: NDArray[np.int64]
    subgoals: NDArray[np.int32]


class Lookup(NamedTuple):
    """How to find a record: the records, room for the nearest ones, and the most moves of a climb."""

    records: Records
    candidates: NDArray[np.void]
    cutoff: int


class Journey(NamedTuple):
    """One agent, which record it follows and from where to where (JOURNEY), and its route when it follows none."""

    agents: NDArray[np.void]
    course: NDArray[np.void]
    route: NDArray[np.int32]


@kernel
def move_along_record(world, lookup, learned, ahead, journey, trail, limits):
    """Plan and move within `limits`; WALKING, ARRIVED, STUCK, or NO_ROOM in the table of what was `learned`."""
    agent, course, subgoals, events = journey.agents[0], journey.course[0], lookup.records.subgoals, trail.events
    stop = agent["expanded"] + limits.work
    for _ in range(limits.moves):
        here, goal, before = agent["here"], agent["goal"], agent["expanded"]
        if here == goal:
            return ARRIVED
        if before >= stop:
            return WALKING
        if 2 * (learned.used[0] + ahead.budget) > learned.table.size:
            return NO_ROOM
        if course["mode"] == LOOKING and agent["at"] >= agent["n_route"]:
            _choose(world, lookup, agent, course, events, ahead.kind)
        cell, price = NOWHERE, 0.0
        if course["mode"] == CLIMBING:
            while course["at"] < course["end"] and here == subgoals[course["at"]]:
                course["at"] += 1
            target = subgoals[course["at"]] if course["at"] < course["end"] else goal
            cell, price = _nearer(world, agent, events, here, target, ahead.kind)
        if cell == NOWHERE:
            looked, plans = agent["expanded"], agent["plans"]
            hints = SparseHints(learned.table, learned.used, goal, learned.n_cells)
            code = step(HintedGraph(world, hints), ahead, agent, journey.route, ahead.budget)
            if code in (STUCK, NO_ROOM):
                return code
            if agent["plans"] > plans and events.size > 0:
                for k in range(agent["expanded"] - looked):
                    events[looked + k] = ahead.closed[k]
        else:
            agent["here"] = cell
            agent["travel"] += price
            agent["moves"] += 1
        agent["most"] = max(agent["most"], agent["expanded"] - before)
        trail.walked[agent["moves"] - 1] = agent["here"]
    return ARRIVED if agent["here"] == agent["goal"] else WALKING


@inner
def _choose(world, lookup, agent, course, events, kind):
    """Choose one of the nearest records to follow, without the subgoals that the agent can climb past; else look on.

    At most (4 n + 1) `cutoff` expansions, for n candidates.
    """
    records, candidates, cutoff = lookup.records, lookup.candidates, lookup.cutoff
    here, goal, subgoals = agent["here"], agent["goal"], records.subgoals
    course["mode"], course["at"], course["end"] = CLIMBING, 0, 0
    if climbs(world, agent, events, here, goal, cutoff, kind):
        return
    for c in range(_nearest(world, records, candidates, here, goal, kind)):
        at, end = records.first[candidates[c]["record"]], records.first[candidates[c]["record"] + 1]
        if not climbs(world, agent, events, here, subgoals[at], cutoff, kind):
            continue
        if not climbs(world, agent, events, subgoals[end - 1], goal, cutoff, kind):
            continue
        for _ in range(candidates.size):
            if at + 1 == end or not climbs(world, agent, events, here, subgoals[at + 1], cutoff, kind):
                break
            at += 1
        for _ in range(candidates.size):
            if at + 1 == end or not climbs(world, agent, events, subgoals[end - 2], goal, cutoff, kind):
                break
            end -= 1
        course["at"], course["end"] = at, end
        return
    course["mode"] = LOOKING


@inner
def _nearest(world, records, candidates, here, goal, kind):
    """Write the records whose start and goal are both near to `candidates`, the nearest first; how many there are."""
    n = 0
    for record in range(records.first.size - 1):
        start, end = records.subgoals[records.first[record]], records.subgoals[records.first[record + 1] - 1]
        away = max(heuristic(world, here, np.int64(start), kind), heuristic(world, np.int64(end), goal, kind))
        if n == candidates.size and away >= candidates[n - 1]["away"]:
            continue
        spot = min(n, candidates.size - 1)
        while spot > 0 and candidates[spot - 1]["away"] > away:
            candidates[spot] = candidates[spot - 1]
            spot -= 1
        candidates[spot]["away"], candidates[spot]["record"] = away, record
        n = min(n + 1, candidates.size)
    return n


@inner
def _nearer(world, agent, events, here, target, kind):
    """The neighbour to climb to, and the cost of the move; NOWHERE if none is nearer to the target."""
    if agent["expanded"] < events.size:
        events[agent["expanded"]] = here
    agent["expanded"] += 1
    away, best, least, price = heuristic(world, here, np.int64(target), kind), NOWHERE, np.inf, 0.0
    for k in range(slots(world, here)):
        other = there(world, here, k)
        if other == NOWHERE:
            continue
        rest = heuristic(world, np.int64(other), np.int64(target), kind)
        value = cost(world, here, k) + rest
        if other == target:
            return other, cost(world, here, k)
        if rest < away - FUZZ and value < least - FUZZ:
            best, least, price = other, value, cost(world, here, k)
    return best, price


@inner
def climbs(world, agent, events, here, target, cutoff, kind):
    """Whether `target` can be climbed to from `here` in at most `cutoff` moves."""
    cell = np.int64(here)
    for _ in range(cutoff):
        if cell == target:
            return True
        other, _ = _nearer(world, agent, events, cell, target, kind)
        if other == NOWHERE:
            return False
        cell = np.int64(other)
    return cell == target


@kernel
def compress(world, agents, path, cutoff, kind, subgoals):
    """Write so many cells of `path`, which is backwards, to `subgoals` that each can be climbed to; how many.

    Bisection finds the next one: not always the farthest, but never one that cannot be climbed to.
    """
    no_events = path[:0]
    last = path.size - 1
    at, n = last, 1
    subgoals[0] = path[last]
    while at > 0:
        near, far = at - 1, max(at - cutoff, 0)
        while near > far:
            middle = (near + far) // 2
            if climbs(world, agents[0], no_events, path[at], path[middle], cutoff, kind):
                near = middle
            else:
                far = middle + 1
        at = near
        subgoals[n] = path[at]
        n += 1
    return n
