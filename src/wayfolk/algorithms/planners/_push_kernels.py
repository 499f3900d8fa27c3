"""Agents go to their goals one after another; the others make room, and agents that are done stay on their goals.

An agent that meets one that is not done pushes it aside. If that is not possible, or the other is done, the two change
places: the other then stands one cell behind and follows as soon as the agent walks on, so that it is on its goal again.
Those who follow are the trail.

Invariants  between two agents' walks every agent that is done is on its goal. An agent whose walk fails leaves no trace.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebbles import FULL, N_MOVES, STAMP, WORK, Pebbles, move, push, take_back
from wayfolk.algorithms.planners._swaps import SwapTables, swap
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour

TURN, AT, LENGTH, TRAIL, MARK, ATTEMPT, LEFT, N_SWAPS = range(8)  # places in `job`
DONE_WITH_TURNS, LOG_FULL, PAUSED = range(3)  # what `walk` returns
N_BUCKETS = 64
LOOK_AHEAD = 8  # cells of its path that an agent would rather not push others into
OCCUPIED_COST = 1
"""What it costs, beside the step, to pass a cell where an agent stands that is not done."""


class PushTables(NamedTuple):
    """The goals, the order in which agents walk, the path of the one that walks, and room for the search for paths.

    `job` holds whose turn it is, how far on its path it is (`LENGTH` 0: it has no path yet), the length of the trail, where
    the log was when it began to walk, and what is left of the budget. `banned[cell] == ATTEMPT`: it cannot pass there.
    `done_cost` is what it costs, beside the step, to pass a cell where an agent stands that is done.
    """

    goals: NDArray[np.int32]
    order: NDArray[np.int32]
    stuck: NDArray[np.uint8]
    path: NDArray[np.int32]
    banned: NDArray[np.int64]
    heads: NDArray[np.int32]
    links: NDArray[np.int32]
    job: NDArray[np.int64]
    done_cost: int
    detours: bool


def new_walking(goals: NDArray[np.int32], n_cells: int, *, done_cost: int, detours: bool) -> PushTables:
    """Nobody has walked; with `detours`, an agent that cannot pass a cell looks for a path around it."""
    n = len(goals)
    job = np.zeros(8, np.int64)
    job[ATTEMPT] = 1
    return PushTables(
        goals=goals.astype(np.int32),
        order=np.arange(n, dtype=np.int32),
        stuck=np.zeros(n, np.uint8),
        path=np.zeros(n_cells, np.int32),
        banned=np.zeros(n_cells, np.int64),
        heads=np.zeros(N_BUCKETS, np.int32),
        links=np.zeros(n_cells, np.int32),
        job=job,
        done_cost=done_cost,
        detours=detours,
    )


@kernel
def walk(pebbles: Pebbles, swapping: SwapTables, walking: PushTables, budget, most_work):  # type: ignore[no-untyped-def]
    """Take up to `budget` steps of agents towards their goals; return why it ends. `LEFT` is what is left of the budget.

    A step looks at any number of cells; after about `most_work` of them, walking pauses.
    """
    job, counts, here = walking.job, pebbles.counts, pebbles.here
    job[LEFT] = budget
    stop = counts[WORK] + most_work
    while job[TURN] < walking.order.size:
        agent = walking.order[job[TURN]]
        goal = walking.goals[agent]
        if job[LENGTH] == 0 and (here[agent] == goal or pebbles.done[agent]):
            pebbles.done[agent] = 1
            _next_turn(job)
            continue
        if job[LEFT] <= 0 or counts[WORK] >= stop:
            return PAUSED
        job[LEFT] -= 1
        if job[LENGTH] == 0:
            if not _find_path(pebbles, walking, agent):
                walking.stuck[agent] = 1
                _next_turn(job)
                continue
            job[AT], job[TRAIL], job[MARK] = 0, 0, counts[N_MOVES]
        before = counts[N_MOVES]
        went = _take_step(pebbles, swapping, walking, agent)
        if counts[FULL] != 0:
            take_back(pebbles, before)
            counts[FULL] = 0
            job[LEFT] += 1
            return LOG_FULL
        if went:
            if here[agent] == goal:
                pebbles.done[agent], walking.stuck[agent] = 1, 0
                _next_turn(job)
        else:
            take_back(pebbles, job[MARK])
            walking.banned[walking.path[job[AT] + 1]] = job[ATTEMPT]
            job[LENGTH] = 0
            if not walking.detours:
                walking.stuck[agent] = 1
                _next_turn(job)
    return DONE_WITH_TURNS


@inner
def _next_turn(job):
    job[TURN] += 1
    job[ATTEMPT] += 1
    job[LENGTH] = 0


@inner
def _take_step(pebbles, swapping, walking, agent):
    """Take the next step of the path; return whether that was possible. Positions on the path change only if it was."""
    job, path, occupant = walking.job, walking.path, pebbles.occupant
    at, trail, n_swaps = job[AT], job[TRAIL], 0
    here, there = np.int64(path[at]), np.int64(path[at + 1])
    other = occupant[there]
    is_free = other == NOBODY
    if not is_free and not pebbles.done[other]:
        for k in range(trail + 1):
            pebbles.avoid[k] = path[at - k]
        n_ahead = min(LOOK_AHEAD, job[LENGTH] - at - 2)
        for k in range(n_ahead):
            pebbles.avoid[trail + 1 + k] = path[at + 2 + k]
        is_free = push(pebbles, there, trail + 1 + n_ahead, True) or push(pebbles, there, trail + 1, True)
    if is_free:
        move(pebbles, here, there)
        for k in range(trail):
            move(pebbles, path[at - k - 1], path[at - k])
        trail = 0
    elif swap(pebbles, swapping, agent, other):
        trail += 1
        n_swaps = 1
    else:
        return False
    if at + 2 == job[LENGTH] and trail > 0:
        if not _settle(pebbles, swapping, walking, at + 1, trail):
            return False
    if pebbles.counts[FULL] != 0:
        return False
    job[AT], job[TRAIL] = at + 1, trail
    job[N_SWAPS] += n_swaps
    return True


@inner
def _settle(pebbles, swapping, walking, at, trail):
    """The agent has reached its goal by a swap: bring all in its trail that are done back to their goals."""
    path, occupant = walking.path, pebbles.occupant
    first = trail  # the last of the trail that is done
    while first > 1 and not pebbles.done[occupant[path[at - first]]]:
        first -= 1
    if first == 1:
        return True  # the one that stood on the goal is not done
    for k in range(first + 1):
        pebbles.avoid[k] = path[at - k] if k != 1 else path[at]
    if push(pebbles, np.int64(path[at - 1]), first + 1, True):
        for k in range(1, first):
            move(pebbles, path[at - k - 1], path[at - k])
        return True
    is_settled = True
    for k in range(1, first):
        is_settled = is_settled and swap(pebbles, swapping, occupant[path[at - k]], occupant[path[at - k - 1]])
    return is_settled


@inner
def _find_path(pebbles, walking, agent):
    """Write the agent's cheapest path, from its cell to its goal; return whether there is one.

    Cells are searched backwards from the goal, by cost, in buckets. The cost of a step depends only on the cell that it
    leaves, so the first time a cell is reached is the cheapest.
    """
    job, links, heads, banned = walking.job, walking.links, walking.heads, walking.banned
    seen, came, counts, occupant = pebbles.seen, pebbles.came, pebbles.counts, pebbles.occupant
    start, goal = pebbles.here[agent], walking.goals[agent]
    counts[STAMP] += 1
    stamp = counts[STAMP]
    heads[:] = NOWHERE
    heads[0], links[goal], seen[goal] = goal, NOWHERE, stamp
    cost, n_waiting = 0, 1
    if banned[goal] == job[ATTEMPT]:
        return False
    while n_waiting > 0:
        at = heads[cost % N_BUCKETS]
        if at == NOWHERE:
            cost += 1
            continue
        heads[cost % N_BUCKETS] = links[at]
        n_waiting -= 1
        counts[WORK] += 1
        if at == start:
            n = 0
            walking.path[0] = start
            while at != goal:
                at = came[at]
                n += 1
                walking.path[n] = at
            job[LENGTH] = n + 1
            return True
        for k in range(slots(pebbles.graph, at)):
            there = neighbour(pebbles.graph, at, k)
            if there != NOWHERE:
                if seen[there] == stamp or banned[there] == job[ATTEMPT]:
                    continue
                seen[there], came[there] = stamp, at
                price = cost + 1
                other = occupant[there]
                if other != NOBODY and other != agent:
                    price += walking.done_cost if pebbles.done[other] else OCCUPIED_COST
                links[there] = heads[price % N_BUCKETS]
                heads[price % N_BUCKETS] = there
                n_waiting += 1
    return False
