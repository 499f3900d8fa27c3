"""A* in space and time among reservations: the kernel under CA*, HCA* and WHCA*.

A node is a cell and the slot at which the agent may act again. A move made at slot t holds the cell it leads to from t on
for as long as the move lasts; a wait holds the present cell. Costs count slots; diagonals only break ties, so that an
agent with time to spare does not zigzag.

The search is one for all worlds and bodies: what a move reserves and whether it is open are functions of the class of the
rules (`kernels.reservation_rules`). Where agents are not points on a grid, a cell here is a node of a graph of states.

Guarantees  without `end`: the earliest path to stand on a goal for good, or to be there once. With `end`: the cheapest
            path until then, counted with the distance that is left; waiting on a goal is free.
Invariants  no returned path enters a cell that another agent holds, swaps with one, or crosses its diagonal.
Why         past the last reservation all slots look alike and are treated as one, so a search always ends.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels import rra as rra_kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.reservation_rules import (
    NEVER,
    duration,
    give_back,
    is_free_for_good,
    is_goal,
    is_open,
    move_to,
    moves_from,
    park,
    pass_by,
    take,
    tie_break,
)
from wayfolk.kernels.table import find_stamped, new_table, next_stamp, put_stamped

N_NODES, N_OPEN, STAMP, EXPANDED, LAST = range(5)  # places in `counts`
_SLOT = 1 << 10  # cost of a slot; a diagonal adds 1
_OUTDONE = np.int64(2**62)  # cost of a node that a cheaper one with the same cell and slot has replaced


class Query(NamedTuple):
    """What is searched for: the way of `agent` to any of the first `n_goals` of `goals`, up to the slot `end`.

    If `end` is NEVER, all the way: to stand there for good (`stays`), or to be there at one slot. `exact`: the heuristic is
    the true distance by reverse search, which knows one goal; otherwise the distance to the box around the goals on an
    empty map, of states that to the first goal. Of states, a goal is a stand: a body that turns is there in every heading.
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
    box = rra_kernel.box_of(rra, query.goals, query.n_goals)
    stop = count[EXPANDED] + budget
    last = count[LAST]
    while count[N_OPEN] > 0:
        node = nodes.open[0]["item"]
        cell, slot, spent = nodes.tree[node]["cell"], nodes.tree[node]["slot"], nodes.tree[node]["cost"]
        if spent == _OUTDONE:
            count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
            continue
        on_goal = is_goal(rules, query, cell)
        if slot >= end or (end == NEVER and on_goal and (not query.stays or is_free_for_good(rules, cell, slot))):
            return FOUND
        if count[EXPANDED] >= stop:
            return RUNNING
        n_moves = moves_from(rules, cell)
        if count[N_NODES] + n_moves > nodes.tree.size or count[N_OPEN] + n_moves > nodes.open.size:
            return FULL
        count[N_OPEN] = heap.pop(nodes.open, count[N_OPEN])
        count[EXPANDED] += 1
        for k in range(n_moves):
            other = move_to(rules, cell, k)
            if other == NOWHERE or not is_open(rules, table, agent, cell, other, k, slot):
                continue
            if query.exact:
                left = rra_kernel.distance(rra, agent, other)
                if left == rra_kernel.UNREACHABLE:
                    continue
            else:
                left = rra_kernel.to_box(rra, box, other)
            lasts = duration(rules, k)
            total = spent + tie_break(rules, k)
            if not (other == cell and on_goal and end != NEVER):
                total += lasts * _SLOT
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
def hold(rules, table, cells, slots, n, agent):
    """Reserve a path of `n` nodes."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            take(rules, table, cells[k - 1], cells[k], slot, agent)


@kernel
def let_go(rules, table, cells, slots, n, agent):
    """Release the reservations of a path."""
    for k in range(1, n):
        for slot in range(slots[k - 1], slots[k]):
            give_back(rules, table, cells[k - 1], cells[k], slot, agent)


@kernel
def settle(rules, cells, slots, n):
    """Note when a path of `n` nodes passes, and that somebody stands for good at its end."""
    for k in range(1, n):
        pass_by(rules, cells[k - 1], cells[k], slots[k])
    park(rules, cells[n - 1], slots[n - 1])


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
