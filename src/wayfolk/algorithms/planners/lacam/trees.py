"""The tree of LaCAM's search: configurations with their costs, links to those that follow, and queues of constraints.

A node is a configuration: the spot of every agent. Nodes remember the successors that were found, and when a node is found
again by a cheaper way, the lower cost is to be passed on along these links (`dirty`, LaCAM*).

Invariants  a configuration has one node. g of a node never rises.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.table import find_row, new_table, put, with_room

S = TypeVar("S", bound=np.generic)
N_NODES, N_CONSTRAINTS, N_LINKS, N_OPEN, FIRST_DIRTY, N_DIRTY, ROOT, GOAL, EXPANDED, REOPENED = range(10)
"""Places in `counts`."""
NONE = np.int32(2**31 - 1)  # no node, no constraint, no link
NODE = np.dtype(
    [
        ("g", np.int64),
        ("h", np.int64),
        ("parent", np.int32),
        ("head", np.int32),  # the queue of constraints
        ("tail", np.int32),
        ("links", np.int32),
        ("begun", np.bool_),  # the empty constraint is used
        ("dirty", np.bool_),  # its g has fallen, and is still to be passed on
    ],
    align=True,
)
CONSTRAINT = np.dtype([("parent", np.int32), ("next", np.int32), ("depth", np.int32), ("spot", np.int32)], align=True)
LINK = np.dtype([("to", np.int32), ("next", np.int32), ("cost", np.int32)], align=True)


class ConfigTree(NamedTuple):
    """Nodes with their configurations and the order of priority of their agents; `slots` is their hash table."""

    configs: NDArray[np.int32]
    orders: NDArray[np.int32]
    nodes: NDArray[np.void]
    slots: NDArray[np.void]
    constraints: NDArray[np.void]
    links: NDArray[np.void]
    open: NDArray[np.int32]
    dirty: NDArray[np.int32]
    best: NDArray[np.int32]
    ranks: NDArray[np.int32]
    children: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_tree(n_agents: int, n_nodes: int, n_moves: int = 9) -> ConfigTree:
    """A tree with room for `n_nodes` configurations, without any yet; a spot has up to `n_moves`, with that to stay."""
    return ConfigTree(
        configs=np.empty((n_nodes, n_agents), np.int32),
        orders=np.empty((n_nodes, n_agents), np.int32),
        nodes=np.zeros(n_nodes, NODE),
        slots=new_table(n_nodes),
        constraints=np.zeros(16 * max(n_nodes, n_moves), CONSTRAINT),
        links=np.zeros(2 * n_nodes, LINK),
        open=np.zeros(2 * n_nodes, np.int32),
        dirty=np.zeros(n_nodes, np.int32),
        best=np.zeros(n_agents, np.int32),
        ranks=np.zeros(n_agents, np.int32),
        children=np.zeros(n_moves, np.int32),
        counts=np.zeros(10, np.int64),
    )


def grown(tree: ConfigTree) -> ConfigTree:
    """The tree with twice the room in each array that is more than half full."""
    counts, n = tree.counts, len(tree.nodes)
    if counts[N_CONSTRAINTS] > len(tree.constraints) // 2:
        tree = tree._replace(constraints=_doubled(tree.constraints))
    if counts[N_LINKS] > len(tree.links) // 2:
        tree = tree._replace(links=_doubled(tree.links))
    if counts[N_OPEN] > len(tree.open) // 2:
        tree = tree._replace(open=_doubled(tree.open))
    if counts[N_NODES] > n // 2:
        first, used = int(counts[FIRST_DIRTY]), int(counts[N_DIRTY])
        dirty = np.zeros(2 * n, np.int32)
        dirty[:used] = tree.dirty[(first + np.arange(used)) % n]
        counts[FIRST_DIRTY] = 0
        tree = tree._replace(
            configs=_doubled(tree.configs),
            orders=_doubled(tree.orders),
            nodes=_doubled(tree.nodes),
            slots=with_room(tree.slots, 2 * n),
            dirty=dirty,
        )
    return tree


def bytes_of(tree: ConfigTree) -> int:
    """The memory that the tree takes."""
    return sum(array.nbytes for array in tree)


def rows_to(tree: ConfigTree, node: int) -> list[int]:
    """The nodes on the path from the root to `node`."""
    rows = []
    while node != NONE:
        rows.append(node)
        node = int(tree.nodes[node]["parent"])
    return rows[::-1]


def _doubled(array: NDArray[S]) -> NDArray[S]:
    larger: NDArray[S] = np.empty((2 * len(array), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


@inner
def has_room(tree):
    """Whether one more visit fits into the arrays."""
    counts = tree.counts
    return (
        counts[N_NODES] < tree.nodes.size
        and counts[N_CONSTRAINTS] + tree.children.size <= tree.constraints.size
        and counts[N_LINKS] < tree.links.size
        and counts[N_OPEN] + 9 <= tree.open.size
    )


@inner
def add_node(tree, parent, g, h, at, key):
    """A node for the configuration in `best`, whose digest `key` belongs to the place `at` of `slots`; its number."""
    number = np.int32(tree.counts[N_NODES])
    tree.counts[N_NODES] += 1
    copy(tree.best, tree.configs[number])
    node = tree.nodes[number]
    node["g"], node["h"] = g, h
    node["parent"], node["head"], node["tail"], node["links"] = parent, NONE, NONE, NONE
    node["begun"] = node["dirty"] = False
    put(tree.slots, at, key, number)
    return number


@inner
def find_node(tree, key):
    """The node with the configuration in `best`, whose digest is `key`, or NONE; and its place in `slots`."""
    at = find_row(tree.slots, tree.configs, tree.best, key)
    return (tree.slots[at]["item"] if tree.slots[at]["key"] == key else NONE), at


@inner
def link(tree, number, other, cost):
    """Note that `other` follows `number`, once."""
    node = tree.nodes[number]
    at = node["links"]
    while at != NONE:
        if tree.links[at]["to"] == other:
            return
        at = tree.links[at]["next"]
    new = tree.counts[N_LINKS]
    tree.counts[N_LINKS] += 1
    row = tree.links[new]
    row["to"], row["next"], row["cost"] = other, node["links"], cost
    node["links"] = new


@inner
def lower(tree, number, other, cost):
    """Let `other` come after `number` if that is cheaper; whether it is."""
    node, counts = tree.nodes[other], tree.counts
    g = tree.nodes[number]["g"] + cost
    if g >= node["g"]:
        return False
    node["g"], node["parent"] = g, number
    if not node["dirty"]:
        node["dirty"] = True
        tree.dirty[(counts[FIRST_DIRTY] + counts[N_DIRTY]) % tree.dirty.size] = other
        counts[N_DIRTY] += 1
    return True


@inner
def copy(one, other):
    """Write all elements of `one` to `other`."""
    for k in range(one.size):
        other[k] = one[k]
