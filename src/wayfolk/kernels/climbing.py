"""Climbing: going to the neighbour that looks nearest, and how far that gets one. What kNN LRTA* is built on.

Bulitko and Bjornsson, "kNN LRTA*: simple subgoaling for real-time search", AIIDE 2009.

One cell can be climbed to from another if steps that each bring the agent nearer, by the first guess, lead there.

Keeps    in a record each subgoal can be climbed to from the one before within `cutoff` steps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, cost, guess, slots, there
from wayfolk.kernels.best_first import FUZZ
from wayfolk.kernels.hints import HintedGraph, SparseHints
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, WALKING, step

LOOKING, CLIMBING = range(2)  # modes of a journey: for a record that fits, before each plan, or along one
JOURNEY = np.dtype([("mode", np.int64), ("at", np.int64), ("end", np.int64)], align=True)
CANDIDATE = np.dtype([("away", np.float64), ("record", np.int64)], align=True)


class Records(NamedTuple):
    """Record k leads along subgoals[first[k] : first[k + 1]], from its start to its goal."""

    first: NDArray[np.int64]
    subgoals: NDArray[np.int32]


@kernel
def walk(world, records, candidates, cutoff, table, used, ahead, walkers, journeys, route, walked, events, n_moves):
    """Think and move up to `n_moves` times; WALKING, ARRIVED, STUCK, or NO_ROOM in `table`."""
    walker, journey = walkers[0], journeys[0]
    for _ in range(n_moves):
        here, goal, before = walker["here"], walker["goal"], walker["expanded"]
        if here == goal:
            return ARRIVED
        if 2 * (used[0] + ahead.budget) > table.size:
            return NO_ROOM
        if journey["mode"] == LOOKING and walker["at"] >= walker["n_route"]:
            _choose(world, records, candidates, cutoff, walker, journey, events, ahead.kind)
        cell, price = NOWHERE, 0.0
        if journey["mode"] == CLIMBING:
            while journey["at"] < journey["end"] and here == records.subgoals[journey["at"]]:
                journey["at"] += 1
            target = records.subgoals[journey["at"]] if journey["at"] < journey["end"] else goal
            cell, price = _nearer(world, walker, events, here, target, ahead.kind)
        if cell == NOWHERE:
            looked, plans = walker["expanded"], walker["plans"]
            hints = SparseHints(table, used, goal, world.legal.size)
            code = step(HintedGraph(world, hints), ahead, walker, route)
            if code in (STUCK, NO_ROOM):
                return code
            if walker["plans"] > plans and events.size > 0:
                for k in range(walker["expanded"] - looked):
                    events[looked + k] = ahead.closed[k]
        else:
            walker["here"] = cell
            walker["travel"] += price
            walker["moves"] += 1
        walker["most"] = max(walker["most"], walker["expanded"] - before)
        walked[walker["moves"] - 1] = walker["here"]
    return ARRIVED if walker["here"] == walker["goal"] else WALKING


@inner
def _choose(world, records, candidates, cutoff, walker, journey, events, kind):
    """Find a record to follow among the nearest ones, and cut off what the agent can climb past; else look on.

    At most (4 n + 1) `cutoff` expansions, for n candidates.
    """
    here, goal, subgoals = walker["here"], walker["goal"], records.subgoals
    journey["mode"], journey["at"], journey["end"] = CLIMBING, 0, 0
    if climbs(world, walker, events, here, goal, cutoff, kind):
        return
    for c in range(_nearest(world, records, candidates, here, goal, kind)):
        at, end = records.first[candidates[c]["record"]], records.first[candidates[c]["record"] + 1]
        if not climbs(world, walker, events, here, subgoals[at], cutoff, kind):
            continue
        if not climbs(world, walker, events, subgoals[end - 1], goal, cutoff, kind):
            continue
        for _ in range(candidates.size):
            if at + 1 == end or not climbs(world, walker, events, here, subgoals[at + 1], cutoff, kind):
                break
            at += 1
        for _ in range(candidates.size):
            if at + 1 == end or not climbs(world, walker, events, subgoals[end - 2], goal, cutoff, kind):
                break
            end -= 1
        journey["at"], journey["end"] = at, end
        return
    journey["mode"] = LOOKING


@inner
def _nearest(world, records, candidates, here, goal, kind):
    """The records whose start and goal are both near, the nearest first; how many."""
    n = 0
    for record in range(records.first.size - 1):
        start, end = records.subgoals[records.first[record]], records.subgoals[records.first[record + 1] - 1]
        away = max(guess(world, here, np.int64(start), kind), guess(world, np.int64(end), goal, kind))
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
def _nearer(world, walker, events, here, target, kind):
    """The neighbour to climb to, and what it costs to go there; NOWHERE if none is nearer."""
    if walker["expanded"] < events.size:
        events[walker["expanded"]] = here
    walker["expanded"] += 1
    away, best, least, price = guess(world, here, np.int64(target), kind), NOWHERE, np.inf, 0.0
    for k in range(slots(world, here)):
        other = there(world, here, k)
        if other == NOWHERE:
            continue
        rest = guess(world, np.int64(other), np.int64(target), kind)
        value = cost(world, here, k) + rest
        if other == target:
            return other, cost(world, here, k)
        if rest < away - FUZZ and value < least - FUZZ:
            best, least, price = other, value, cost(world, here, k)
    return best, price


@inner
def climbs(world, walker, events, here, target, cutoff, kind):
    """Whether `target` can be climbed to from `here` in at most `cutoff` steps."""
    cell = np.int64(here)
    for _ in range(cutoff):
        if cell == target:
            return True
        other, _ = _nearer(world, walker, events, cell, target, kind)
        if other == NOWHERE:
            return False
        cell = np.int64(other)
    return cell == target


@kernel
def compress(world, walkers, path, cutoff, kind, subgoals):
    """Write to `subgoals` enough cells of `path`, which is backwards, that each can be climbed to; how many.

    The next one is sought by halving: not always the farthest, but never one that cannot be climbed to.
    """
    nobody = path[:0]
    last = path.size - 1
    at, n = last, 1
    subgoals[0] = path[last]
    while at > 0:
        near, far = at - 1, max(at - cutoff, 0)
        while near > far:
            middle = (near + far) // 2
            if climbs(world, walkers[0], nobody, path[at], path[middle], cutoff, kind):
                near = middle
            else:
                far = middle + 1
        at = near
        subgoals[n] = path[at]
        n += 1
    return n
