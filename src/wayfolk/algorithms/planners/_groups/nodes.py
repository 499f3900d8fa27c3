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
from wayfolk.kernels.table import digest, find_row, put

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
    """The tree and its open list, and the states that standard nodes stand for.

    `places[row, agent]` is twice the cell of the agent, plus 1 if it has finished. The last column is the step, or 0 where
    it makes no difference. `rows[row]` is the best way to that state, and `table` finds the row of a state.
    """

    tree: NDArray[np.void]
    places: NDArray[np.int32]
    rows: NDArray[np.void]
    table: NDArray[np.void]
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
                cells[step, a] = nodes.places[row, a] >> 1
            row = nodes.rows[row]["before"]
    return n_steps


@inner
def row_at(nodes, row, step, hard):
    """The number of the row in which agents are at `row[:-1]` at `step`; a new one costs more than any.

    It writes to `row[-1]` the step, if it makes a difference: until all agents that must be avoided have arrived.
    """
    row[row.size - 1] = 0 if hard.parked.size == 0 else min(np.int64(step), hard.last[0] + 1)
    key = digest(row)
    at = find_row(nodes.table, nodes.places, row, key)
    if nodes.table[at]["key"] == key:
        return nodes.table[at]["item"]
    number = nodes.counts[N_ROWS]
    nodes.counts[N_ROWS] += 1
    put(nodes.table, at, key, number)
    for k in range(row.size):
        nodes.places[number, k] = row[k]
    nodes.rows[number]["g"] = NOWHERE
    nodes.rows[number]["closed"] = 0
    return np.int32(number)


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
