"""A* in space and time among reservations: the kernel under CA*, HCA* and WHCA*.

A node is a cell and the slot at which the agent may act again. A move made at slot t holds the cell it leads to from t on
for as long as the move lasts; a wait holds the present cell. Costs count slots, and diagonals only among equals, so
that an agent in no hurry does not zigzag.

Finds    without `end`: the earliest way to stand on the goal for good. With `end`: the cheapest way to spend the time
         until then, counted with the distance that is left; time spent waiting on the goal is free.
Keeps    no returned way enters a cell that another agent holds, swaps with one, or crosses its diagonal.
Why      past the last reservation all slots look alike and are treated as one, so a search always ends.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import heap
from wayfolk.kernels import rra as rra_kernel
from wayfolk.kernels.jit import kernel
from wayfolk.kernels.reservations import NOBODY, holder, is_swap, release, reserve

RUNNING, FOUND, EXHAUSTED, FULL = range(4)
N_NODES, N_OPEN, STAMP, EXPANDED, LAST = range(5)  # places in `count`
WAIT = 8  # the move after the eight directions
NEVER = np.int32(2**31 - 1)
_SLOT = 1 << 10  # cost of a slot; a diagonal adds 1


class Rules(NamedTuple):
    """What does not change from search to search.

    `lasts[k]` is how many slots move k takes. `parked[cell]` is the slot from which somebody stays there for good,
    `held[cell]` the first slot from which nobody passes any more; both are empty where nobody parks.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lasts: NDArray[np.int32]
    parked: NDArray[np.int32]
    held: NDArray[np.int32]


class Nodes(NamedTuple):
    """The search tree, its open list, and a hash table from (cell, slot) to node."""

    cell: NDArray[np.int32]
    slot: NDArray[np.int32]
    cost: NDArray[np.int64]
    parent: NDArray[np.int32]
    fs: NDArray[np.int64]
    ties: NDArray[np.int64]
    items: NDArray[np.int32]
    keys: NDArray[np.int64]
    found: NDArray[np.int32]
    stamps: NDArray[np.int32]
    count: NDArray[np.int64]


def new_nodes(capacity: int) -> Nodes:
    """Room for `capacity` nodes, a power of two."""
    i4, i8 = np.int32, np.int64
    return Nodes(
        *(np.zeros(capacity, kind) for kind in (i4, i4, i8, i4, i8, i8, i4)),
        *(np.zeros(2 * capacity, kind) for kind in (i8, i4, i4)),
        np.zeros(8, i8),
    )


def grown(nodes: Nodes) -> Nodes:
    """The same tree with room for twice as much."""
    larger = new_nodes(2 * len(nodes.cell))
    for name in ("cell", "slot", "cost", "parent", "fs", "ties", "items"):
        getattr(larger, name)[: len(nodes.cell)] = getattr(nodes, name)
    larger.count[:] = nodes.count
    _index(larger)
    return larger


@kernel
def seed(nodes, start, slot, last):
    """Begin at `start`, acting at `slot`; no reservation is later than `last`."""
    count = nodes.count
    count[STAMP] += 1
    count[N_NODES] = count[N_OPEN] = 1
    count[EXPANDED] = 0
    count[LAST] = last
    nodes.cell[0], nodes.slot[0], nodes.cost[0], nodes.parent[0] = start, slot, 0, 0
    nodes.fs[0] = nodes.ties[0] = nodes.items[0] = 0
    nodes.found[_visit(nodes, start, slot)] = 0


@kernel
def advance(rules, table, nodes, rra, exact, agent, goal, end, budget):
    """Expand up to `budget` nodes; RUNNING, FOUND (the top of the open list is it), EXHAUSTED or FULL.

    `exact` guesses by reverse search, otherwise by the empty map. `end` is a slot, or NEVER to go all the way.
    """
    count = nodes.count
    stop = count[EXPANDED] + budget
    last = count[LAST]
    while count[N_OPEN] > 0:
        node = nodes.items[0]
        cell, slot, spent = nodes.cell[node], nodes.slot[node], nodes.cost[node]
        spot = _visit(nodes, cell, min(slot, last + 1))
        if nodes.found[spot] != node:  # a cheaper way to the same place and time came before
            count[N_OPEN] = heap.pop(nodes.fs, nodes.ties, nodes.items, count[N_OPEN])
            continue
        if slot >= end or (end == NEVER and cell == goal and slot >= rules.held[goal]):
            return FOUND
        if count[EXPANDED] >= stop:
            return RUNNING
        if count[N_NODES] + 9 > nodes.cell.size or count[N_OPEN] + 9 > nodes.items.size:
            return FULL
        count[N_OPEN] = heap.pop(nodes.fs, nodes.ties, nodes.items, count[N_OPEN])
        count[EXPANDED] += 1
        legal = rules.legal[cell]
        for k in range(WAIT + 1):
            if k < WAIT and not (legal >> k) & 1:
                continue
            other = cell if k == WAIT else cell + rules.offsets[k]
            if not _is_open(rules, table, agent, cell, other, k, slot):
                continue
            if exact:
                left = rra_kernel.distance(rra, agent, other)
                if left == rra_kernel.UNREACHABLE:
                    continue
            else:
                left = rra_kernel.guess(rra, other, goal)
            lasts = rules.lasts[k]
            total = spent
            if not (k == WAIT and cell == goal and end != NEVER):
                total += lasts * _SLOT
            if 4 <= k < WAIT:
                total += 1
            then = slot + lasts
            spot = _visit(nodes, other, min(then, last + 1))
            if nodes.found[spot] != NEVER and nodes.cost[nodes.found[spot]] <= total:
                continue
            new = count[N_NODES]
            count[N_NODES] += 1
            nodes.found[spot] = new
            nodes.cell[new], nodes.slot[new], nodes.cost[new], nodes.parent[new] = other, then, total, node
            f = total + left * _SLOT
            count[N_OPEN] = heap.push(nodes.fs, nodes.ties, nodes.items, count[N_OPEN], f, -total, new)
    return EXHAUSTED


@kernel
def trace(nodes, cells, slots):
    """Write the way that was found, from the first node on; its number of nodes, which may exceed the room."""
    n = 1
    node = nodes.items[0]
    while node != 0:
        node = nodes.parent[node]
        n += 1
    if n <= cells.size:
        node = nodes.items[0]
        for k in range(n - 1, -1, -1):
            cells[k], slots[k] = nodes.cell[node], nodes.slot[node]
            node = nodes.parent[node]
    return n


@kernel
def hold(table, cells, slots, n, agent):
    """Reserve a way of `n` nodes."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            reserve(table, cells[k], slot, agent)


@kernel
def let_go(table, cells, slots, n, agent):
    """Give the reservations of a way back."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            release(table, cells[k], slot, agent)


@kernel
def _is_open(rules, table, agent, cell, other, k, slot):
    """Whether `agent` may make move `k` at `slot`."""
    for t in range(slot, slot + rules.lasts[k]):
        who = holder(table, other, t)
        if who != NOBODY and who != agent:
            return False
    if rules.parked.size > 0 and rules.parked[other] < slot + rules.lasts[k]:
        return False
    if k == WAIT:
        return True
    if is_swap(table, agent, cell, other, slot):
        return False
    if k < 4:
        return True
    beside = cell + rules.offsets[k - 4]  # south-east is 4 and south 1: the straight moves around a diagonal
    across = other - (beside - cell)
    return not (is_swap(table, agent, across, beside, slot) or is_swap(table, agent, beside, across, slot))


@kernel
def _visit(nodes, cell, slot):
    """The place of (cell, slot) in the hash table; `found` there is NEVER if it is new in this search."""
    key = (np.int64(cell) << 31) + slot
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mask = nodes.keys.size - 1
    at = np.int64((mixed >> np.uint64(32)) & np.uint64(mask))
    stamp = nodes.count[STAMP]
    while nodes.stamps[at] == stamp and nodes.keys[at] != key:
        at = (at + 1) & mask
    if nodes.stamps[at] != stamp:
        nodes.stamps[at] = stamp
        nodes.keys[at] = key
        nodes.found[at] = NEVER
    return at


@kernel
def _index(nodes):
    """Enter all nodes into an empty hash table; of two for one place and time the cheaper counts."""
    last = nodes.count[LAST]
    for node in range(nodes.count[N_NODES]):
        spot = _visit(nodes, nodes.cell[node], min(nodes.slot[node], last + 1))
        if nodes.found[spot] == NEVER or nodes.cost[node] < nodes.cost[nodes.found[spot]]:
            nodes.found[spot] = node
