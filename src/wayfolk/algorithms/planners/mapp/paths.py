"""Paths of MAPP: for any three cells in a row there is an alternate path that avoids the second."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE

N_CELLS, STAMP, WORK = range(3)  # places in `counts`


class SlidePaths(NamedTuple):
    """Paths of all agents, one after another in `cells`, from `first[agent]` on, `lengths[agent]` cells.

    `shut` marks the starts of agents that are not slidable, `taken` all starts, and `owner[cell]` is the slidable agent
    whose goal the cell is. A node of the search is a cell and the direction in which it was entered.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    taken: NDArray[np.uint8]
    shut: NDArray[np.uint8]
    owner: NDArray[np.int32]
    first: NDArray[np.int64]
    lengths: NDArray[np.int64]
    cells: NDArray[np.int32]
    seen: NDArray[np.int64]
    came: NDArray[np.int32]
    queue: NDArray[np.int32]
    near_seen: NDArray[np.int64]
    near_came: NDArray[np.int32]
    near_queue: NDArray[np.int32]
    counts: NDArray[np.int64]
    reach: int


@kernel
def find_path(paths, agent, start, goal):
    """Find the agent's path with the fewest steps, and append it to `cells`."""
    seen, came, queue, counts = paths.seen, paths.came, paths.queue, paths.counts
    paths.lengths[agent] = 0
    if start != goal and paths.taken[goal]:
        return EXHAUSTED
    counts[STAMP] += 1
    stamp = counts[STAMP]
    head, tail = 0, 0
    for k in range(8):
        there = np.int64(start + paths.offsets[k])
        if (
            start != goal
            and (paths.legal[start] >> k) & 1
            and not paths.taken[there]
            and _may_pass(paths, there, agent)
        ):
            node = 8 * there + k
            seen[node], came[node], queue[tail] = stamp, NOWHERE, node
            tail += 1
    found = np.int64(NOWHERE)
    while head < tail and found == NOWHERE:
        node = np.int64(queue[head])
        head += 1
        cell = node // 8
        if cell == goal:
            found = node
            break
        before = cell - paths.offsets[node % 8]
        for k in range(8):
            there = cell + paths.offsets[k]
            after = 8 * there + k
            if not (paths.legal[cell] >> k) & 1 or there == before or seen[after] == stamp:
                continue
            if not _may_pass(paths, there, agent):
                continue
            if there != goal and alternate(paths, before, cell, there) == 0:
                continue
            seen[after], came[after], queue[tail] = stamp, node, after
            tail += 1
    counts[WORK] += head
    if found == NOWHERE and start != goal:
        return EXHAUSTED
    length, node = 1, found
    while node != NOWHERE:
        length += 1
        node = np.int64(came[node])
    if counts[N_CELLS] + length > paths.cells.size:
        return FULL
    first = counts[N_CELLS]
    counts[N_CELLS] += length
    paths.first[agent], paths.lengths[agent] = first, length
    node = found
    for k in range(length - 1, 0, -1):
        paths.cells[first + k] = node // 8
        node = np.int64(came[node])
    paths.cells[first] = start
    return FOUND


@inner
def alternate(paths, before, cell, there):
    """Find a way from `before` to `there` that avoids `cell`; `near_came` leads back. Returns 0 if there is none nearby.

    It looks at up to `reach` cells, and avoids all goals, also the agent's own: others are moved along this way and back.
    """
    seen, came, queue, counts = paths.near_seen, paths.near_came, paths.near_queue, paths.counts
    counts[STAMP] += 1
    stamp = counts[STAMP]
    seen[before] = seen[cell] = stamp
    queue[0] = before
    head, tail = 0, 1
    while head < tail and head < paths.reach:
        at = np.int64(queue[head])
        head += 1
        for k in range(8):
            if (paths.legal[at] >> k) & 1:
                beside = at + paths.offsets[k]
                if seen[beside] == stamp or paths.shut[beside] or paths.owner[beside] != NOBODY:
                    continue
                seen[beside], came[beside] = stamp, at
                if beside == there:
                    counts[WORK] += head
                    return 1
                queue[tail] = beside
                tail += 1
    counts[WORK] += head
    return 0


@inner
def _may_pass(paths, cell, agent):
    """Whether a path of the agent may lead over `cell`."""
    owner = paths.owner[cell]
    is_others_goal = owner != NOBODY and owner != agent
    return not paths.shut[cell] and not is_others_goal
