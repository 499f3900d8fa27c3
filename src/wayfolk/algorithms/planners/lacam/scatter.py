"""Scatter: paths of almost shortest length that keep agents apart, as guidance for PIBT.

Okumura, "Engineering LaCAM*", 2024, "SUO" (space utilisation optimisation). Agents in random order plan a path that is at
most `margin` steps longer than the shortest one and collides little, in space and time, with the paths of the others: a
collision costs as much as three steps. This is repeated for agents that collide, as long as collisions become fewer.

A search node is a spot and its slack, the number of steps that a path through it at this time is longer than the shortest.
Neither collisions nor slack fall along a path, so that buckets are enough for a queue.

Deviations  the paper avoids a collision at the cost of any number of steps up to the margin; this takes several times
            longer in a crowd.
Invariants  every path is legal for its agent alone, ends on its goal, and has at most `margin` steps more than a shortest.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners.lacam.moves import SpotMoves, spot_moves
from wayfolk.algorithms.planners.lacam.pibt import GUIDE, place_of_guide
from wayfolk.algorithms.planners.lacam.presence import (
    N_PLACES,
    NONE,
    PLACE,
    STAMP,
    enter,
    leave,
    n_at,
    n_going,
)
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import FOUND, FULL, NOWHERE
from wayfolk.kernels.table import n_places, new_table
from wayfolk.world.spots import DistanceTable

STATE = np.dtype([("stamp", np.int32), ("hits", np.int32), ("parent", np.int32), ("closed", np.bool_)], align=True)
ENTRY = np.dtype([("state", np.int32), ("next", np.int32), ("hits", np.int32)], align=True)
MOST_HITS = 400
WEIGHT = 3  # how many steps a collision is worth
FEWEST, PER_STEP = 4096, 64  # pushes after which a search ends: at least, and more for each step of the path


class ScatterArrays(NamedTuple):
    """`paths[agent, : lasts[agent] + 1]` are spots; `places` is a hash table of who is at a spot at a step."""

    spots: SpotMoves
    steps: NDArray[Any]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    paths: NDArray[np.int32]
    lasts: NDArray[np.int32]
    nexts: NDArray[np.int32]
    places: NDArray[np.void]
    parked: NDArray[np.int32]
    states: NDArray[np.void]
    entries: NDArray[np.void]
    buckets: NDArray[np.int32]
    counts: NDArray[np.int64]
    margin: int


def new_scatter(fields: DistanceTable, starts: NDArray[np.int32], margin: int) -> ScatterArrays:
    """No agent has a path yet."""
    n, n_spots = fields.steps.shape
    shortest = fields.steps[np.arange(n), starts].astype(np.int64)
    shape = n, int(shortest.max()) + margin + 1
    return ScatterArrays(
        spots=spot_moves(fields.spot_map),
        steps=fields.steps,
        starts=starts,
        goals=fields.goals,
        paths=np.empty(shape, np.int32),
        lasts=np.full(n, NONE, np.int32),
        nexts=np.empty(shape, np.int32),
        places=new_table(2 * (int(shortest.sum()) + n * (margin + 1)), PLACE),
        parked=np.full(n_spots, NONE, np.int32),
        states=np.zeros(n_spots * (margin + 1), STATE),
        entries=np.zeros(FEWEST + PER_STEP * shape[1], ENTRY),
        buckets=np.full(WEIGHT * MOST_HITS, NONE, np.int32),
        counts=np.zeros(2, np.int64),
        margin=margin,
    )


def bytes_for(fields: DistanceTable, starts: NDArray[np.int32], margin: int) -> int:
    """About how much memory `new_scatter` takes."""
    n, n_spots = fields.steps.shape
    shortest = fields.steps[np.arange(n), starts].astype(np.int64)
    longest, total = int(shortest.max()) + margin + 1, int(shortest.sum()) + n * (margin + 1)
    return 8 * int(n) * longest + 16 * n_places(2 * total) + 16 * int(n_spots) * (margin + 1)


def cleaned(arrays: ScatterArrays) -> ScatterArrays:
    """The arrays with a hash table that holds only what paths use now."""
    arrays = arrays._replace(places=new_table(2 * int(arrays.counts[N_PLACES]), PLACE))
    arrays.counts[N_PLACES] = 0
    for agent in np.flatnonzero(arrays.lasts != NONE):
        enter(arrays, int(agent))
    return arrays


def guides_of(paths: NDArray[np.int32], lasts: NDArray[np.int32]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Paths as hash tables from spots to next spots, for PIBT: `guides` and `first` of its generator."""
    sizes = np.array([1 << int(2 * last + 2).bit_length() for last in lasts], np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    guides = np.empty(first[-1], GUIDE)
    guides["spot"] = NOWHERE
    _write_guides(paths, lasts, first, guides)
    return guides, first


@kernel
def _write_guides(paths, lasts, first, guides):
    for agent in range(lasts.size):
        for step in range(lasts[agent]):
            here, there = paths[agent, step], paths[agent, step + 1]
            if here in (there, paths[agent, lasts[agent]]):
                continue
            at = place_of_guide(guides, first[agent], first[agent + 1], here)
            guides[at]["spot"], guides[at]["next"] = here, there


@kernel
def replan(arrays, agent):
    """Find a better path for `agent`, if its own collides or it has none: FOUND, or FULL if `places` is.

    Returns the code and the collisions of its path.
    """
    if arrays.counts[N_PLACES] + arrays.paths.shape[1] > arrays.places.size // 2:
        return FULL, np.int64(0)
    old = NONE
    if arrays.lasts[agent] != NONE:
        leave(arrays, agent)
        old = _hits_of(arrays, agent)
        if old == 0:
            enter(arrays, agent)
            return FOUND, np.int64(0)
    hits = _search(arrays, agent, old)
    enter(arrays, agent)
    return FOUND, np.int64(hits)


@inner
def _search(arrays, agent, old):
    """Write the best path of `agent`, who is on none now; the number of its collisions.

    The old path stays if no better one with fewer than MOST_HITS collisions is found in the room there is.
    """
    spots, row, margin, states = arrays.spots, arrays.steps[agent], arrays.margin, arrays.states
    width = margin + 1
    shortest = np.int64(row[arrays.starts[agent]])
    arrays.counts[STAMP] += 1
    stamp = np.int32(arrays.counts[STAMP])
    after = _visits_after(arrays, arrays.goals[agent], shortest)
    n_entries, low, high = 0, 0, 0
    end = np.int32(arrays.goals[agent] * width)  # states of the goal: reaching one is not yet the end
    state = np.int32(arrays.starts[agent] * width)
    states[state]["stamp"], states[state]["hits"], states[state]["parent"] = stamp, 0, state
    states[state]["closed"] = False
    n_entries = _push(arrays, n_entries, state, 0, 0)
    found, best, least = NONE, np.int64(0), np.int64(WEIGHT * MOST_HITS)
    if old != NONE:
        least = min(least, WEIGHT * np.int64(old) + arrays.lasts[agent] - shortest)
    most = min(arrays.entries.size, FEWEST + PER_STEP * (shortest + margin)) - 10
    while low <= high and n_entries < most:
        entry = arrays.buckets[low]
        if entry == NONE:
            low += 1
            continue
        if low >= least:
            break
        arrays.buckets[low] = arrays.entries[entry]["next"]
        state = arrays.entries[entry]["state"]
        if states[state]["closed"] or states[state]["hits"] != arrays.entries[entry]["hits"]:
            continue
        states[state]["closed"] = True
        here, slack = state // width, state % width
        step = shortest + slack - np.int64(row[here])
        hits = states[state]["hits"]
        if end <= state < end + width:
            total = hits + _later_visits(arrays, after, arrays.goals[agent], shortest, step)
            if WEIGHT * total + slack < least:
                found, best, least = state, total, WEIGHT * total + slack
        for k in range(spots.degree[here] + 1):
            there = here if k == spots.degree[here] else spots.near[here, k]
            slack = step + 1 + np.int64(row[there]) - shortest
            if slack > margin:
                continue
            more = hits + _hits(arrays, here, there, step, k)
            bucket = WEIGHT * more + slack
            if bucket >= least:
                continue
            other = np.int32(there * width + slack)
            if states[other]["stamp"] == stamp and (states[other]["closed"] or states[other]["hits"] <= more):
                continue
            states[other]["stamp"], states[other]["hits"], states[other]["parent"] = stamp, more, state
            states[other]["closed"] = False
            n_entries = _push(arrays, n_entries, other, more, bucket)
            high = max(high, bucket)
    for bucket in range(low, high + 1):
        arrays.buckets[bucket] = NONE
    if found == NONE:
        if old == NONE:
            walk_straight(arrays, agent)
            return _hits_of(arrays, agent)
        return np.int64(old)
    step = shortest + found % width
    arrays.lasts[agent] = step
    state = found
    while step >= 0:
        arrays.paths[agent, step] = state // width
        state = states[state]["parent"]
        step -= 1
    return best


@inner
def _push(arrays, n_entries, state, hits, bucket):
    entry = arrays.entries[n_entries]
    entry["state"], entry["hits"], entry["next"] = state, hits, arrays.buckets[bucket]
    arrays.buckets[bucket] = n_entries
    return n_entries + 1


@inner
def walk_straight(arrays, agent):
    """Write a shortest path of `agent`, whoever is in the way."""
    spots, row = arrays.spots, arrays.steps[agent]
    here, step = arrays.starts[agent], 0
    arrays.paths[agent, 0] = here
    while row[here] > 0:
        for k in range(spots.degree[here]):
            if row[spots.near[here, k]] < row[here]:
                here = spots.near[here, k]
                break
        step += 1
        arrays.paths[agent, step] = here
    arrays.lasts[agent] = step


@inner
def _visits_after(arrays, goal, step):
    """How often others are at `goal` after `step`."""
    n = 0
    for later in range(step + 1, arrays.paths.shape[1]):
        n += n_at(arrays, goal, later)
    return n


@inner
def _later_visits(arrays, after, goal, shortest, step):
    """How often others are at `goal` after `step`, which is not before `shortest`; `after` is the number after that."""
    for passed in range(shortest + 1, step + 1):
        after -= n_at(arrays, goal, passed)
    return after


@inner
def _hits_of(arrays, agent):
    """The collisions of the path of `agent`, who is not entered."""
    spots, last = arrays.spots, np.int64(arrays.lasts[agent])
    total = np.int64(0)
    for step in range(last):
        here, there = arrays.paths[agent, step], arrays.paths[agent, step + 1]
        k = np.int64(0)
        while k < spots.degree[here] and spots.near[here, k] != there:
            k += 1
        total += _hits(arrays, here, there, step, k)
    return total + _visits_after(arrays, arrays.goals[agent], last)


@inner
def _hits(arrays, here, there, step, k):
    """With how many agents the move from `here` to `there`, its neighbour k, at `step` collides."""
    n = n_at(arrays, there, step + 1)
    if arrays.parked[there] <= step + 1:
        n += 1
    if here != there:
        n += n_going(arrays, there, here, step)
        if arrays.spots.beside[here, k] != NOWHERE:
            beside, across = arrays.spots.beside[here, k], arrays.spots.across[here, k]
            n += n_going(arrays, beside, across, step) + n_going(arrays, across, beside, step)
    return n
