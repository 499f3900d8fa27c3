"""Bridges: the moves of a grid that lie on no cycle. Two agents that meet on one cannot go around each other.

Tarjan, "A note on finding the bridges of a graph", 1974.

Keeps    bit k of `bridges[cell]` is set if and only if taking away the edge of move k would cut the map in two there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid
from wayfolk.kernels.jit import inner, kernel

NODE = np.dtype([("found", np.int32), ("low", np.int32), ("came", np.uint8), ("at", np.uint8)], align=True)


class Bridges(NamedTuple):
    """A byte of bridges for each cell, and what it takes to find them."""

    bits: NDArray[np.uint8]
    free: NDArray[np.int32]
    nodes: NDArray[np.void]
    stack: NDArray[np.int32]


def new_bridges(grid: Grid) -> Bridges:
    """Room for the bridges of `grid`; none are found yet."""
    n, free = grid.n_cells, grid.free_cells
    return Bridges(np.zeros(n, np.uint8), free, np.zeros(n, NODE), np.zeros(len(free), np.int32))


@kernel
def find_bridges(bridges, legal, offsets, shut):
    """Look at the whole map, without the cells in `shut`."""
    nodes, bits = bridges.nodes, bridges.bits
    for cell in bridges.free:
        nodes[cell]["found"] = bits[cell] = 0
    n_found = 0
    for root in bridges.free:
        if nodes[root]["found"] == 0 and not shut[root]:
            n_found = _search(bridges, legal, offsets, shut, root, n_found)


@inner
def _search(bridges, legal, offsets, shut, root, n_found):
    """Depth first from `root`; how many cells have been found in all."""
    nodes, stack = bridges.nodes, bridges.stack
    depth = 0
    stack[0] = root
    n_found += 1
    _enter(nodes[root], n_found, 8)
    while True:
        cell = stack[depth]
        node = nodes[cell]
        k = node["at"]
        if k < 8:
            node["at"] += 1
            if not (legal[cell] >> k) & 1 or k ^ 2 == node["came"]:
                continue
            other = cell + offsets[k]
            if shut[other]:
                continue
            if nodes[other]["found"] > 0:
                node["low"] = min(node["low"], nodes[other]["found"])
            else:
                depth += 1
                stack[depth] = other
                n_found += 1
                _enter(nodes[other], n_found, k)
            continue
        if depth == 0:
            return n_found
        depth -= 1
        parent = stack[depth]
        nodes[parent]["low"] = min(nodes[parent]["low"], node["low"])
        if node["low"] > nodes[parent]["found"]:
            came = node["came"]
            bridges.bits[parent] |= np.uint8(1 << came)
            bridges.bits[cell] |= np.uint8(1 << (came ^ 2))


@inner
def _enter(node, number, came):
    node["found"] = node["low"] = number
    node["came"], node["at"] = came, 0
