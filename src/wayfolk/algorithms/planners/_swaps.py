"""Swaps: two neighbours change places, and all other agents end where they were.

The two go to a junction, a cell with three neighbours or more; the others make room. There, two more neighbours of the
junction are emptied, and the two change places. Then all moves before the exchange are made backwards. In an open block of
cells (`_blocks`) they change places by rotations, without empty cells.

de Wilde, ter Mors and Witteveen, "Push and Rotate", 2014, section 3.2: swap, clear and exchange.

Invariants  after a swap only the two agents have changed places; after a failure nobody has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._blocks import Blocks, NoBlocks, exchange_in_block
from wayfolk.algorithms.planners._pebble_graph import degrees
from wayfolk.algorithms.planners._pebbles import (
    FULL,
    N_MOVES,
    STAMP,
    WORK,
    lead_to,
    move,
    push,
    replay_backwards,
    take_back,
)
from wayfolk.algorithms.planners._rings import exchange_in_ring
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

FEW_SITES = 16


class SwapTables(NamedTuple):
    """What swaps need: the tables of blocks, and room for the junctions, a path and the neighbours of a junction.

    `is_junction` marks cells with three neighbours or more. `stages` is how much is tried to empty the neighbours of one:
    2 as Push and Swap was published, 4 as corrected by Push and Rotate. With `rings`, agents may change places in rings.
    """

    blocks: Blocks | NoBlocks
    is_junction: NDArray[np.uint8]
    sites: NDArray[np.int32]
    path: NDArray[np.int32]
    stages: int
    rings: bool


def new_swapping(states: Grid | StateGraph, blocks: Blocks | NoBlocks, *, stages: int, rings: bool) -> SwapTables:
    """Room for swaps on these nodes."""
    n = states.n_cells
    is_junction = (degrees(states) >= 3).astype(np.uint8)
    return SwapTables(blocks, is_junction, np.zeros(n, np.int32), np.zeros(n, np.int32), stages, rings)


@inner
def swap(pebbles, swapping, one, other):
    """Let the agents `one` and `other`, which are neighbours, change places; return whether that was possible."""
    counts, here = pebbles.counts, pebbles.here
    if exchange_in_block(swapping.blocks, pebbles, np.int64(here[one]), np.int64(here[other])):
        return True
    mark = counts[N_MOVES]
    tried = 0
    for limit in (FEW_SITES, swapping.sites.size):
        n_sites = _near_junctions(pebbles, swapping, here[one], limit)
        for k in range(tried, n_sites):
            for turn in range(2):
                leader, follower = (one, other) if turn == 0 else (other, one)
                if _gather(pebbles, swapping, leader, follower, swapping.sites[k]):
                    before = _exchange(pebbles, swapping, leader, follower)
                    if before >= mark:
                        replay_backwards(pebbles, mark, before, one, other)
                        return counts[FULL] == 0
                if counts[FULL] != 0:
                    return False
                take_back(pebbles, mark)
        tried = n_sites
        if n_sites < limit:
            break
    return False


@inner
def _near_junctions(pebbles, swapping, start, limit):
    """Write up to `limit` junctions, the nearest to `start` first; return how many."""
    seen, queue, counts = pebbles.seen, pebbles.queue, pebbles.counts
    counts[STAMP] += 1
    stamp = counts[STAMP]
    queue[0], seen[start] = start, stamp
    first, last, n = 0, 1, 0
    while first < last and n < limit:
        at = queue[first]
        first += 1
        if swapping.is_junction[at]:
            swapping.sites[n] = at
            n += 1
        for k in range(slots(pebbles.graph, at)):
            there = neighbour(pebbles.graph, at, k)
            if there != NOWHERE:
                if seen[there] != stamp:
                    seen[there] = stamp
                    queue[last] = there
                    last += 1
    counts[WORK] += first
    return n


@inner
def _gather(pebbles, swapping, leader, follower, site):
    """Bring the leader to `site` and the follower next to it; the others make room. Returns whether that succeeded."""
    here, avoid, path = pebbles.here, pebbles.avoid, swapping.path
    if here[leader] == site:
        return True
    n = lead_to(pebbles, here[leader], site, here[follower], path)
    for k in range(n):
        avoid[0], avoid[1] = here[leader], here[follower]
        if not push(pebbles, np.int64(path[k]), 2, False):
            return False
        behind = here[leader]
        move(pebbles, behind, path[k])
        move(pebbles, here[follower], behind)
    return n > 0


@inner
def _exchange(pebbles, swapping, leader, follower):
    """Let the leader, at a junction, and the follower next to it change places.

    Returns how many moves were in the log when the exchange itself began; -1 if it is not possible here.
    """
    here, counts = pebbles.here, pebbles.counts
    site, behind = np.int64(here[leader]), np.int64(here[follower])
    before = counts[N_MOVES]
    if exchange_in_block(swapping.blocks, pebbles, site, behind):
        return before
    if not _clear(pebbles, swapping, site, behind):
        take_back(pebbles, before)
        if swapping.rings:
            return exchange_in_ring(pebbles, swapping.path, leader, follower)
        return np.int64(-1)
    before = counts[N_MOVES]
    one = two = site
    for k in range(slots(pebbles.graph, site)):
        there = neighbour(pebbles.graph, site, k)
        if there != NOWHERE:
            if pebbles.occupant[there] == NOBODY:
                if one == site:
                    one = there
                elif two == site:
                    two = there
    move(pebbles, site, one)
    move(pebbles, behind, site)
    move(pebbles, site, two)
    move(pebbles, one, site)
    move(pebbles, site, behind)
    move(pebbles, two, site)
    return before


@inner
def _clear(pebbles, swapping, site, behind):
    """Empty two neighbours of `site` other than `behind`; return whether that succeeded."""
    avoid, occupant = pebbles.avoid, pebbles.occupant
    n_empty, empty = _count_empty(pebbles, site, behind)
    # neighbours that can make room without entering the empty ones
    for k in range(slots(pebbles.graph, site)):
        there = neighbour(pebbles.graph, site, k)
        if n_empty < 2 and there != NOWHERE:
            if there == behind or occupant[there] == NOBODY:
                continue
            avoid[0], avoid[1], avoid[2] = site, behind, empty
            if push(pebbles, there, 3, False):
                n_empty += 1
                empty = there
    if n_empty >= 2:
        return True
    if n_empty == 0 or swapping.stages < 3:
        return False
    mark = pebbles.counts[N_MOVES]
    for k in range(slots(pebbles.graph, site)):
        there = neighbour(pebbles.graph, site, k)
        if there != NOWHERE:
            if there == behind:
                continue
            if there == empty:
                continue
            # its agent goes through the empty one, which then makes room
            avoid[0], avoid[1] = site, behind
            if push(pebbles, there, 2, False):
                avoid[2] = there
                if push(pebbles, empty, 3, False):
                    return True
            take_back(pebbles, mark)
            # the two step back, and its agent goes over the junction into the empty one, which then makes room
            avoid[0], avoid[1], avoid[2] = site, empty, there
            if push(pebbles, behind, 3, False):
                back = pebbles.log[pebbles.counts[N_MOVES] - 1]["there"]
                move(pebbles, site, behind)
                move(pebbles, there, site)
                move(pebbles, site, empty)
                move(pebbles, behind, site)
                move(pebbles, back, behind)
                avoid[0], avoid[1], avoid[2] = site, behind, there
                if push(pebbles, empty, 3, False):
                    return True
            take_back(pebbles, mark)
    return False


@inner
def _count_empty(pebbles, site, behind):
    """How many neighbours of `site` other than `behind` are empty, and the last of them."""
    n, empty = 0, site
    for k in range(slots(pebbles.graph, site)):
        there = neighbour(pebbles.graph, site, k)
        if there != NOWHERE:
            if there != behind and pebbles.occupant[there] == NOBODY:
                n += 1
                empty = there
    return n, empty
