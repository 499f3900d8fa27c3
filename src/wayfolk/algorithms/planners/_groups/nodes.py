"""The nodes of a joint search: a tree, the rows of standard nodes with their hash table, and the open list.

Invariants  no two rows have the same places; among agents that must be avoided, not at the same step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE

N_NODES, N_ROWS, N_OPEN, EXPANDED = range(4)  # places in `counts`

STEP_NODE = np.dtype(
    [
        ("g", np.int32),
        ("h", np.int32),
        ("meets", np.int32),  # collisions with agents that are to be avoided
        ("parent", np.int32),
        ("row", np.int32),  # of a standard node: its own; else that of the standard node it belongs to
        ("next", np.int32),  # 0 for a standard node, else the agent that moves next
        ("mover", np.int32),  # who has moved last, and where to
        ("place", np.int32),
    ],
    align=True,
)
ROW = np.dtype(
    [
        ("g", np.int32),
        ("meets", np.int32),
        ("before", np.int32),
        ("node", np.int32),
        ("step", np.int32),
        ("closed", np.int32),
    ],
    align=True,
)


class JointNodes(NamedTuple):
    """The nodes; the places of all agents in row r, each twice the cell, plus 1 if it has finished, from r * agents on;
    what is known of each row; the hash table of rows; the open list."""

    tree: NDArray[np.void]
    places: NDArray[np.int32]
    rows: NDArray[np.void]
    table: NDArray[np.int32]
    open: NDArray[np.void]
    counts: NDArray[np.int64]


@kernel
def trace_joint(nodes, n, cells):
    """Write the plan that was found to `cells[step, agent]`; its number of steps, which may exceed the room."""
    row = nodes.tree[nodes.open[0]["item"]]["row"]
    n_steps = nodes.rows[row]["step"]
    if n_steps < cells.shape[0]:
        for step in range(n_steps, -1, -1):
            for a in range(n):
                cells[step, a] = nodes.places[row * n + a] >> 1
            row = nodes.rows[row]["before"]
    return n_steps


@kernel
def index_rows(places, hard, nodes):
    """Enter all rows into an empty hash table."""
    n = places.size
    nodes.table[:] = NOWHERE
    for row in range(nodes.counts[N_ROWS]):
        for a in range(n):
            places[a] = nodes.places[row * n + a]
        nodes.table[spot_of(places, nodes, nodes.rows[row]["step"], hard)] = row


@inner
def spot_of(places, nodes, step, hard):
    """Where the row of `places` is in the table, or the empty place where it would go."""
    n = places.size
    moment = np.int64(0)
    if hard.parked.size > 0:
        moment = min(np.int64(step), hard.last[0] + 1)
    mixed = np.uint64(moment) * np.uint64(0x9E3779B97F4A7C15)
    for a in range(n):
        mixed = (mixed ^ np.uint64(places[a])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mask = nodes.table.size - 1
    at = np.int64(mixed & np.uint64(mask))
    while nodes.table[at] != NOWHERE:
        row = nodes.table[at]
        same = hard.parked.size == 0 or min(np.int64(nodes.rows[row]["step"]), hard.last[0] + 1) == moment
        a = 0
        while same and a < n:
            same = nodes.places[row * n + a] == places[a]
            a += 1
        if same:
            break
        at = (at + 1) & mask
    return at


@inner
def row_at(places, nodes, at):
    """The row at this place of the table; a new one costs more than any."""
    if nodes.table[at] != NOWHERE:
        return nodes.table[at]
    n, row = places.size, nodes.counts[N_ROWS]
    nodes.counts[N_ROWS] += 1
    nodes.table[at] = row
    for a in range(n):
        nodes.places[row * n + a] = places[a]
    nodes.rows[row]["g"] = NOWHERE
    nodes.rows[row]["closed"] = 0
    return np.int32(row)


@inner
def enter_row(nodes, row, g, meets, before, step):
    """The node that is added next is the best one of `row`."""
    known = nodes.rows[row]
    known["g"], known["meets"], known["before"], known["step"] = g, meets, before, step
    known["node"] = nodes.counts[N_NODES]


@inner
def add_node(nodes, f, g, h, meets, parent, row, following, mover, place):
    """A new node, and an entry of the open list: the least f first, then fewest collisions, least h, latest node."""
    new = nodes.counts[N_NODES]
    nodes.counts[N_NODES] += 1
    node = nodes.tree[new]
    node["g"], node["h"], node["meets"], node["parent"] = g, h, meets, parent
    node["row"], node["next"], node["mover"], node["place"] = row, following, mover, place
    tie = (np.int64(min(meets, 1 << 11)) << 51) + (np.int64(min(h, (1 << 19) - 1)) << 32) - new
    nodes.counts[N_OPEN] = heap.push(nodes.open, nodes.counts[N_OPEN], f, tie, new)
