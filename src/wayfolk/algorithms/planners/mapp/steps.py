"""Progression and repositioning of MAPP.

In a progression step, agents advance in the order of priority, round after round, until the first of them arrives. If the
next cell is occupied, a blank is brought there along the alternate path. Then moves are undone, but for those of agents
that have arrived, until all others are on their paths again, with an empty cell in front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebbles import FULL, N_MOVES, has_room, move, shift
from wayfolk.algorithms.planners.mapp.paths import alternate
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY

MASTER, UNIT, ROUND, MARK, MOVED, LEFT = range(6)  # places in `job`
ALL_ARRIVED, LOG_FULL, PAUSED, NO_PROGRESS = range(4)  # what `progress` returns


class Sliding(NamedTuple):
    """Slidable agents in the order of priority; how far each is, and was, on its path; and the private cells of a round."""

    order: NDArray[np.int32]
    at: NDArray[np.int64]
    furthest: NDArray[np.int64]
    private: NDArray[np.int64]
    way: NDArray[np.int32]
    job: NDArray[np.int64]


@kernel
def progress(pebbles, paths, sliding, budget):
    """Let agents try to advance, up to `budget` times; return why it ends."""
    job, counts, order = sliding.job, pebbles.counts, sliding.order
    job[LEFT] = budget
    while job[MASTER] < order.size:
        if job[LEFT] <= 0:
            return PAUSED
        job[LEFT] -= 1
        agent = order[job[UNIT]]
        if not pebbles.done[agent]:
            before = counts[N_MOVES]
            _attempt(pebbles, paths, sliding, agent)
            if counts[FULL] != 0:
                counts[FULL] = 0
                job[LEFT] += 1
                return LOG_FULL
            job[MOVED] += counts[N_MOVES] - before
            _claim(pebbles, paths, sliding, agent)
        job[UNIT] += 1
        if job[UNIT] < order.size:
            continue
        # a round is over
        if pebbles.done[order[job[MASTER]]]:
            if not _reposition(pebbles, paths, sliding):
                counts[FULL] = 0
                job[UNIT] -= 1
                return LOG_FULL
            while job[MASTER] < order.size and pebbles.done[order[job[MASTER]]]:
                job[MASTER] += 1
            job[MARK] = counts[N_MOVES]
            for unit in order:
                sliding.furthest[unit] = sliding.at[unit]
        elif job[MOVED] == 0:
            return NO_PROGRESS
        job[UNIT], job[MOVED] = job[MASTER], 0
        job[ROUND] += 1
    return ALL_ARRIVED


@inner
def _attempt(pebbles, paths, sliding, agent):
    """Let the agent advance by a cell, if it is on its path, has not been in the next cell, and can get a blank there."""
    at, path, here = sliding.at[agent], paths.first[agent], pebbles.here[agent]
    if paths.cells[path + at] != here:
        return
    if at + 1 < paths.lengths[agent]:
        there = paths.cells[path + at + 1]
        if at + 1 <= sliding.furthest[agent] or sliding.private[there] == sliding.job[ROUND]:
            return
        if pebbles.occupant[there] != NOBODY:
            if at == 0 or not _bring_blank(pebbles, paths, sliding, paths.cells[path + at - 1], here, there):
                return
        if not has_room(pebbles, 1):
            return
        move(pebbles, here, there)
        sliding.at[agent] = sliding.furthest[agent] = at + 1
    if sliding.at[agent] + 1 == paths.lengths[agent]:
        pebbles.done[agent] = 1


@inner
def _bring_blank(pebbles, paths, sliding, before, here, there):
    """Move the agents between `there` and the nearest blank of the alternate path; return whether that was possible."""
    way, round_number = sliding.way, sliding.job[ROUND]
    if alternate(paths, before, here, there) == 0:
        return False
    way[0], n = there, 1
    while True:
        if sliding.private[way[n - 1]] == round_number:
            return False
        if pebbles.occupant[way[n - 1]] == NOBODY:
            break
        if way[n - 1] == before:
            return False
        way[n] = paths.near_came[way[n - 1]]
        n += 1
    if not has_room(pebbles, n + 1):
        return False
    for k in range(n - 1, 0, -1):
        _push_along(pebbles, paths, sliding, way[k - 1], way[k])
    return True


@inner
def _push_along(pebbles, paths, sliding, here, there):
    """Move the agent in `here` to `there`, which is empty."""
    agent = pebbles.occupant[here]
    move(pebbles, here, there)
    _locate(pebbles, paths, sliding, agent)


@inner
def _locate(pebbles, paths, sliding, agent):
    """Find out where on its path the agent is; off it, the place on the path stays as it was."""
    path, here = paths.first[agent], pebbles.here[agent]
    for k in range(paths.lengths[agent]):
        if paths.cells[path + k] == here:
            sliding.at[agent] = k
            break


@inner
def _claim(pebbles, paths, sliding, agent):
    """The agent's cell and the one behind it on its path are private: those with less priority must not touch them."""
    sliding.private[pebbles.here[agent]] = sliding.job[ROUND]
    at, path = sliding.at[agent], paths.first[agent]
    if not pebbles.done[agent] and at > 0 and paths.cells[path + at] == pebbles.here[agent]:
        sliding.private[paths.cells[path + at - 1]] = sliding.job[ROUND]


@inner
def _reposition(pebbles, paths, sliding):
    """Undo moves of the progression step until all agents that have not arrived are well positioned."""
    job, counts, order, log = sliding.job, pebbles.counts, sliding.order, pebbles.log
    last = counts[N_MOVES]
    if not has_room(pebbles, last - job[MARK]):
        return False
    unit = job[MASTER]
    while unit < order.size:
        agent = order[unit]
        if pebbles.done[agent] or _is_well_positioned(pebbles, paths, sliding, agent):
            unit += 1
            continue
        undone = False
        while last > job[MARK] and not undone:
            last -= 1
            mover, here, there = log[last]["agent"], log[last]["here"], log[last]["there"]
            if not pebbles.done[mover]:
                shift(pebbles, mover, there, here, 0)
                _locate(pebbles, paths, sliding, mover)
                undone = True
        if not undone:
            break
        unit = job[MASTER]
    return True


@inner
def _is_well_positioned(pebbles, paths, sliding, agent):
    """Whether the agent is on its path with an empty cell in front."""
    at, path = sliding.at[agent], paths.first[agent]
    is_on_path = paths.cells[path + at] == pebbles.here[agent]
    return is_on_path and pebbles.occupant[paths.cells[path + at + 1]] == NOBODY
