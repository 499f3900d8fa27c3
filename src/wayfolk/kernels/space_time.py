"""A* in space and time among reservations: the kernel under CA*, HCA* and WHCA*.

A node is a cell and the slot at which the agent may act again. A move made at slot t holds the cell it leads to from t on
for as long as the move lasts; a wait holds the present cell. Costs count slots; diagonals only break ties, so that an
agent with time to spare does not zigzag.

Guarantees  without `end`: the earliest path to stand on a goal for good, or to be there once. With `end`: the cheapest
            path until then, counted with the distance that is left; waiting on a goal is free.
Invariants  no returned path enters a cell that another agent holds, swaps with one, or crosses its diagonal.
Why         past the last reservation all slots look alike and are treated as one, so a search always ends.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels import rra as rra_kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, RUNNING
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.reservations import holder, is_swap, release, reserve
from wayfolk.kernels.table import find_stamped, new_table, next_stamp, put_stamped

N_NODES, N_OPEN, STAMP, EXPANDED, LAST = range(5)  # places in `counts`
WAIT = 8  # the move after the eight directions
NEVER = np.int32(2**31 - 1)
_SLOT = 1 << 10  # cost of a slot; a diagonal adds 1
_OUTDONE = np.int64(2**62)  # cost of a node that a cheaper one with the same cell and slot has replaced


class Rules(NamedTuple):
    """What does not change from search to search.

    `lasts[k]` is how many slots move k takes. `parked[cell]` is the slot from which an agent stays there for good,
    `held[cell]` the first slot from which no agent passes any more; both are empty where no agent parks.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lasts: NDArray[np.int32]
    parked: NDArray[np.int32]
    held: NDArray[np.int32]


class Query(NamedTuple):
    """What is searched for: the way of `agent` to any of the first `n_goals` of `goals`, up to the slot `end`.

    If `end` is NEVER, all the way: to stand there for good (`stays`), or to be there at one slot. `exact`: the heuristic is
    the true distance by reverse search, which knows one goal; otherwise the distance to the box around the goals on an
    empty map.
    """

    agent: int
    goals: NDArray[np.int32]
    n_goals: int
    end: int
    exact: bool
    stays: bool


NODE = np.dtype([("cost", np.int64), ("cell", np.int32), ("slot", np.int32), ("parent", np.int32)], align=True)


class Nodes(NamedTuple):
    """The search tree, its open list (a heap), and a hash table from (cell, slot) to node."""

    tree: NDArray[np.void]
    open: NDArray[np.void]
    seen: NDArray[np.void]
    counts: NDArray[np.int64]


def new_nodes(capacity: int) -> Nodes:
    """Room for `capacity` nodes, a power of two."""
    return Nodes(np.zeros(capacity, NODE), np.zeros(capacity, heap.ROW), new_table(capacity), np.zeros(8, np.int64))


def grown(nodes: Nodes) -> Nodes:
    """The same tree with room for twice as much."""
    larger = new_nodes(2 * len(nodes.tree))
    larger.tree[: len(nodes.tree)] = nodes.tree
    larger.open[: len(nodes.open)] = nodes.open
    larger.counts[:] = nodes.counts
    _index(larger)
    return larger


@kernel
def open_start(nodes, start, slot, last):
    """Begin at `start`, acting at `slot`; no reservation is later than `last`."""
    count = nodes.counts
    count[STAMP] = next_stamp(nodes.seen, count[STAMP])
    count[N_NODES] = count[N_OPEN] = 1
    count[EXPANDED] = 0
    count[LAST] = last
    _put(nodes.tree[0], start, slot, 0, 0)
    heap.push(nodes.open, 0, 0, 0, 0)
    nodes.seen[_visit(nodes, start, min(slot, last + 1))]["item"] = 0


@kernel
def advance(rules, table, nodes, rra, query, budget):
    """Expand up to `budget` nodes; RUNNING, FOUND (the top of the open list is it), EXHAUSTED or FULL."""
    agent, end = query.agent, query.end
    count = nodes.counts
    box = _box(rra.stride, query)
    stop = count[EXPANDED] + budget
    last = count[LAST]
    while count[N_OPEN] > 0:
        node = nodes.open[0]["item"]
        cell, slot, spent = nodes.tree[node]["cell"], nodes.tree[node]["slot"], nodes.tree[node]["cost"]
        if spent == _OUTDONE:
            count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
            continue
        on_goal = _is_goal(query, cell)
        if slot >= end or (end == NEVER and on_goal and (not query.stays or is_free_for_good(rules, cell, slot))):
            return FOUND
        if count[EXPANDED] >= stop:
            return RUNNING
        if count[N_NODES] + 9 > nodes.tree.size or count[N_OPEN] + 9 > nodes.open.size:
            return FULL
        count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
        count[EXPANDED] += 1
        legal = rules.legal[cell]
        for k in range(WAIT + 1):
            if k < WAIT and not (legal >> k) & 1:
                continue
            other = cell if k == WAIT else cell + rules.offsets[k]
            if not is_open(rules, table, agent, cell, other, k, slot):
                continue
            if query.exact:
                left = rra_kernel.distance(rra, agent, other)
                if left == rra_kernel.UNREACHABLE:
                    continue
            else:
                left = _to_box(rra, box, other)
            lasts = rules.lasts[k]
            total = spent
            if not (k == WAIT and on_goal and end != NEVER):
                total += lasts * _SLOT
            if 4 <= k < WAIT:
                total += 1
            then = slot + lasts
            spot = _visit(nodes, other, min(then, last + 1))
            known = nodes.seen[spot]["item"]
            if known != NEVER:
                if nodes.tree[known]["cost"] <= total:
                    continue
                nodes.tree[known]["cost"] = _OUTDONE
            new = count[N_NODES]
            count[N_NODES] += 1
            nodes.seen[spot]["item"] = new
            _put(nodes.tree[new], other, then, total, node)
            f = total + left * _SLOT
            count[N_OPEN] = heap.push(nodes.open, count[N_OPEN], f, -total, new)
    return EXHAUSTED


@kernel
def trace(nodes, cells, slots):
    """Write the path that was found, from the first node on; its number of nodes, which may exceed the room."""
    n = 1
    node = nodes.open[0]["item"]
    while node != 0:
        node = nodes.tree[node]["parent"]
        n += 1
    if n <= cells.size:
        node = nodes.open[0]["item"]
        for k in range(n - 1, -1, -1):
            cells[k], slots[k] = nodes.tree[node]["cell"], nodes.tree[node]["slot"]
            node = nodes.tree[node]["parent"]
    return n


@kernel
def hold(table, cells, slots, n, agent):
    """Reserve a path of `n` nodes."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            reserve(table, cells[k], slot, agent)


@kernel
def let_go(table, cells, slots, n, agent):
    """Release the reservations of a path."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            release(table, cells[k], slot, agent)


@inner
def _is_goal(query, cell):
    k = 0
    while k < query.n_goals and query.goals[k] != cell:
        k += 1
    return k < query.n_goals


@inner
def is_free_for_good(rules, cell, slot):
    """Whether no agent passes `cell` from `slot` on."""
    return rules.held.size == 0 or slot >= rules.held[cell]


@inner
def _box(stride, query):
    """The least and the most x and y of the goals."""
    left, right, top, bottom = np.int64(NEVER), np.int64(0), np.int64(NEVER), np.int64(0)
    for k in range(query.n_goals):
        y = query.goals[k] // stride
        x = query.goals[k] - y * stride
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    return left, right, top, bottom


@inner
def _to_box(rra, box, cell):
    """The cost from `cell` to the box on an empty map."""
    left, right, top, bottom = box
    y = cell // rra.stride
    x = cell - y * rra.stride
    dx, dy = max(left - x, x - right, 0), max(top - y, y - bottom, 0)
    return rra.costs[0] * (max(dx, dy) - min(dx, dy)) + rra.costs[4] * min(dx, dy)


@inlined
def is_open(rules, table, agent, cell, other, k, slot):
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
    beside, across = corners(rules.offsets, cell, k)
    return not (is_swap(table, agent, across, beside, slot) or is_swap(table, agent, beside, across, slot))


@inner
def _put(node, cell, slot, cost, parent):
    node["cell"], node["slot"], node["cost"], node["parent"] = cell, slot, cost, parent


@inner
def _visit(nodes, cell, slot):
    """The place of (cell, slot) in the hash table; the node there is NEVER if it is new in this search."""
    seen, stamp = nodes.seen, nodes.counts[STAMP]
    key = (np.int64(cell) << 31) + slot
    at = find_stamped(seen, key, stamp)
    if seen[at]["stamp"] != stamp:
        put_stamped(seen, at, key, NEVER, stamp)
    return at


@kernel
def _index(nodes):
    """Enter all nodes into an empty hash table; of two with one cell and slot the cheaper is entered."""
    last = nodes.counts[LAST]
    for node in range(nodes.counts[N_NODES]):
        spot = _visit(nodes, nodes.tree[node]["cell"], min(nodes.tree[node]["slot"], last + 1))
        known = nodes.seen[spot]["item"]
        if known == NEVER or nodes.tree[node]["cost"] < nodes.tree[known]["cost"]:
            nodes.seen[spot]["item"] = node
