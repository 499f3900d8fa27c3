"""Rings: two neighbours at a junction change places with one empty cell, if the junction lies on a ring.

The leader stands at the junction and the follower beside the ring, and the cell before the junction is empty. The ring
rotates by a cell, the follower enters the junction, the ring rotates back, the leader leaves to where the follower was, and
the follower takes the last step. All others end where they were. If both stand on the ring, the leader first leaves it at
the junction. If the ring is full and only a cell beside the junction can be emptied, the leader goes there, and an agent of
the ring makes room for it in the follower's cell.

Invariants  an exchange leaves all agents but the two where they were when it began.
"""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.planners._pebble_graph import crosses_itself
from wayfolk.algorithms.planners._pebbles import N_MOVES, STAMP, WORK, has_room, move, push, shift, take_back
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour


@inner
def exchange_in_ring(pebbles, ring, leader, follower):
    """Let the leader, at a junction, and the follower next to it change places in a ring; `ring` is room for its cells.

    Returns how many moves were in the log when the exchange itself began; -1 if it is not possible here.
    """
    here, avoid, counts = pebbles.here, pebbles.avoid, pebbles.counts
    site, behind = np.int64(here[leader]), np.int64(here[follower])
    mark = counts[N_MOVES]
    for k in range(slots(pebbles.graph, site)):
        other = neighbour(pebbles.graph, site, k)
        if other == NOWHERE:
            continue
        if other == behind:
            continue
        # a ring from the junction over `other`, beside which the follower stands
        length = _find_ring(pebbles, site, other, behind, ring)
        avoid[0], avoid[1] = site, behind
        if length > 0 and push(pebbles, np.int64(ring[length - 1]), 2, False):
            before = counts[N_MOVES]
            if _insert(pebbles, ring, length, behind):
                return before
        take_back(pebbles, mark)
        # a ring from the junction over the follower, beside which `other` is empty
        length = _find_ring(pebbles, site, behind, other, ring)
        avoid[0], avoid[1] = site, behind
        if length > 0 and push(pebbles, other, 2, False):
            move(pebbles, site, other)
            _rotate_back(pebbles, ring, length)
            before = counts[N_MOVES]
            if _insert(pebbles, ring, length, other):
                return before
        take_back(pebbles, mark)
    for k in range(slots(pebbles.graph, site)):
        for other_k in range(slots(pebbles.graph, site)):
            first, other = neighbour(pebbles.graph, site, k), neighbour(pebbles.graph, site, other_k)
            if NOWHERE in (first, other) or first in (other, behind) or other == behind:
                continue
            # a full ring from the junction over `first`, beside which the follower stands and `other` is empty
            length = _find_ring(pebbles, site, first, behind, ring)
            for m in range(length):
                if ring[m] == other:
                    length = 0
                    break
            avoid[0], avoid[1] = site, behind
            if length > 0 and push(pebbles, other, 2, False):
                before = counts[N_MOVES]
                if _insert_by_turns(pebbles, ring, length, behind, other):
                    return before
            take_back(pebbles, mark)
    return np.int64(-1)


@inner
def _find_ring(pebbles, site, first, shut, ring):
    """Write the shortest ring from `site` over `first` that avoids `shut`; return its length, 0 if none can rotate."""
    seen, came, queue, counts = pebbles.seen, pebbles.came, pebbles.queue, pebbles.counts
    counts[STAMP] += 1
    stamp = counts[STAMP]
    seen[site] = seen[shut] = seen[first] = stamp
    queue[0], came[first] = first, first
    head, tail = 0, 1
    while head < tail:
        at = queue[head]
        head += 1
        for k in range(slots(pebbles.graph, at)):
            there = neighbour(pebbles.graph, at, k)
            if there == NOWHERE:
                continue
            if there == site and at != first:
                counts[WORK] += head
                length, cell = 2, at
                while cell != first:
                    cell = came[cell]
                    length += 1
                ring[0], cell = site, at
                for m in range(length - 1, 0, -1):
                    ring[m] = cell
                    cell = came[cell]
                return 0 if crosses_itself(pebbles.graph, ring, length, stamp) else length
            if seen[there] != stamp:
                seen[there], came[there] = stamp, at
                queue[tail] = there
                tail += 1
    counts[WORK] += head
    return 0


@inner
def _insert(pebbles, ring, length, outside):
    """Exchange the agents in `ring[0]` and in `outside` next to it; the last cell of the ring is empty."""
    if not has_room(pebbles, 2 * length + 3):
        return False
    _rotate(pebbles, ring, length)
    move(pebbles, outside, ring[0])
    _rotate_back(pebbles, ring, length)
    move(pebbles, ring[0], outside)
    move(pebbles, ring[length - 1], ring[0])
    return True


@inner
def _insert_by_turns(pebbles, ring, length, outside, empty):
    """Exchange the agents in `ring[0]` and in `outside` next to it; the ring is full, and `empty` next to it is not."""
    for k in range(length):
        if pebbles.occupant[ring[k]] == NOBODY:
            return False
    if not has_room(pebbles, 4 * length + 8):
        return False
    move(pebbles, ring[0], empty)
    move(pebbles, outside, ring[0])
    _rotate(pebbles, ring, length)
    move(pebbles, ring[0], outside)
    move(pebbles, empty, ring[0])
    _rotate_back(pebbles, ring, length)
    move(pebbles, ring[0], empty)
    move(pebbles, outside, ring[0])
    _rotate(pebbles, ring, length)
    move(pebbles, ring[0], outside)
    _rotate_back(pebbles, ring, length)
    move(pebbles, ring[0], ring[length - 1])
    move(pebbles, empty, ring[0])
    return True


@inner
def _rotate(pebbles, ring, length):
    """Move the agents of the ring on by a cell, all at once."""
    last, joined = pebbles.occupant[ring[length - 1]], 0
    for k in range(length - 2, -1, -1):
        agent = pebbles.occupant[ring[k]]
        if agent != NOBODY:
            shift(pebbles, agent, ring[k], ring[k + 1], joined)
            joined = 1
    if last != NOBODY:
        shift(pebbles, last, ring[length - 1], ring[0], joined)


@inner
def _rotate_back(pebbles, ring, length):
    """Move the agents of the ring back by a cell, all at once."""
    if not has_room(pebbles, length):
        return
    first, joined = pebbles.occupant[ring[0]], 0
    for k in range(1, length):
        agent = pebbles.occupant[ring[k]]
        if agent != NOBODY:
            shift(pebbles, agent, ring[k], ring[k - 1], joined)
            joined = 1
    if first != NOBODY:
        shift(pebbles, first, ring[0], ring[length - 1], joined)
