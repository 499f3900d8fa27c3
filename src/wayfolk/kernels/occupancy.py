"""Occupancy: which places nodes and moves occupy, where agents are not points on a square grid.

An agent's state is a node. A node occupies places, and a move occupies places while it lasts. No place holds two agents at
once: nothing else is a collision. What follows from this rule holds for every world and every body, so kernels that read an
`Occupancy` know nothing of hexagons, headings or discs.

Points on a square grid do not need it: the place of a cell is the cell, and `kernels.crossing` knows which moves meet.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, inner


class Occupancy(NamedTuple):
    """The moves of all nodes, and the places of nodes and moves.

    The moves of `node` are the edges `first[node]` to `first[node + 1]`; an edge leads to `target[edge]`. An agent on a
    node occupies `node_places[node_first[node] : node_first[node + 1]]`. During one step along an edge, it occupies
    `move_places[move_first[edge] : move_first[edge + 1]]`; the row of a step in which it stays is `target.size + node`.

    Places are numbered from 0 to `n_places` - 1; no number is both in `node_places` and in `move_places`.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    node_first: NDArray[np.int32]
    node_places: NDArray[np.int32]
    move_first: NDArray[np.int32]
    move_places: NDArray[np.int32]
    n_places: int


@inlined
def degree(occupancy, node):
    """How many moves a node has, besides to stay."""
    return occupancy.first[node + 1] - occupancy.first[node]


@inlined
def move_row(occupancy, node, k):
    """The row of move `k` of a node, which is also the number of its edge; `k` equal to the degree is to stay."""
    if k == occupancy.first[node + 1] - occupancy.first[node]:
        return np.int64(occupancy.target.size + node)
    return np.int64(occupancy.first[node] + k)


@inlined
def move_target(occupancy, node, k):
    """Where move `k` of a node leads; `k` equal to the degree is to stay."""
    if k == occupancy.first[node + 1] - occupancy.first[node]:
        return np.int64(node)
    return np.int64(occupancy.target[occupancy.first[node] + k])


@inner
def has_move(occupancy, here, there):
    """Whether one can move from `here` to `there`, or stay."""
    edge = occupancy.first[here]
    while edge < occupancy.first[here + 1] and occupancy.target[edge] != there:
        edge += 1
    return here == there or edge < occupancy.first[here + 1]


@inlined
def row_between(occupancy, here, there):
    """The row of the move from `here` to `there`, which is a legal one."""
    row = np.int64(occupancy.target.size + here)
    if here != there:
        row = np.int64(occupancy.first[here])
        while occupancy.target[row] != there:
            row += 1
    return row
