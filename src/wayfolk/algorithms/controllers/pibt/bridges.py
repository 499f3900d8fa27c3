"""Bridges: the moves of a grid that lie on no cycle. Two agents that meet on one cannot go around each other.

Tarjan, "A note on finding the bridges of a graph", 1974.

Invariants  bit k of `bridges[cell]` is set if and only if taking away the edge of move k would cut the map in two there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.world.grid import Grid

ROOT, DEPTH, N_FOUND, BEFORE, RUNS = range(5)  # places in `job`: where the search is
NODE = np.dtype([("found", np.int64), ("low", np.int64), ("came", np.uint8), ("at", np.uint8)], align=True)


class Bridges(NamedTuple):
    """A byte of bridges for each cell, and what it takes to find them; `fresh` are those of a search that goes on.

    Cells are numbered as they are found. Later searches go on counting: numbers above `job[BEFORE]` are of this search.
    """

    bits: NDArray[np.uint8]
    free: NDArray[np.int32]
    nodes: NDArray[np.void]
    stack: NDArray[np.int32]
    fresh: NDArray[np.uint8]
    job: NDArray[np.int64]


def new_bridges(grid: Grid) -> Bridges:
    """Room for the bridges of `grid`; none are found yet."""
    n, free = grid.n_cells, grid.free_cells
    bits, fresh = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
    return Bridges(bits, free, np.zeros(n, NODE), np.zeros(n, np.int32), fresh, np.zeros(5, np.int64))


@kernel
def find_bridges(bridges, legal, offsets, shut):
    """Look at the whole map, without the cells in `shut`."""
    begin_again(bridges)
    go_on(bridges, legal, offsets, shut, np.int64(1) << 62)


@kernel
def begin_again(bridges):
    """Begin to look for bridges; the old ones stay until `go_on` has come to the end."""
    bridges.job[ROOT] = bridges.job[DEPTH] = 0
    bridges.job[BEFORE] = bridges.job[N_FOUND]
    bridges.job[RUNS] = 1


@inner
def go_on(bridges, legal, offsets, shut, budget):
    """Look at up to `budget` moves more of the map without the cells in `shut`, if the search has not ended."""
    nodes, stack, job = bridges.nodes, bridges.stack, bridges.job
    if job[RUNS] == 0:
        return
    depth, n_found, before = job[DEPTH], job[N_FOUND], job[BEFORE]  # `depth` cells are on the stack
    for _ in range(budget):
        if depth == 0:
            # the next cell that has not been found begins a part of the map
            while job[ROOT] < bridges.free.size:
                root = bridges.free[job[ROOT]]
                if nodes[root]["found"] <= before and not shut[root]:
                    break
                job[ROOT] += 1
            if job[ROOT] == bridges.free.size:
                for cell in bridges.free:
                    bridges.bits[cell] = bridges.fresh[cell] if nodes[cell]["found"] > before else 0
                job[RUNS] = 0
                break
            stack[0], depth = bridges.free[job[ROOT]], 1
            n_found += 1
            _enter(bridges, stack[0], n_found, 8)
        cell = stack[depth - 1]
        node = nodes[cell]
        k = node["at"]
        if k < 8:
            node["at"] += 1
            if not (legal[cell] >> k) & 1 or k ^ 2 == node["came"]:
                continue
            other = cell + offsets[k]
            if shut[other]:
                continue
            if nodes[other]["found"] > before:
                node["low"] = min(node["low"], nodes[other]["found"])
            else:
                stack[depth] = other
                depth += 1
                n_found += 1
                _enter(bridges, other, n_found, k)
            continue
        depth -= 1
        if depth > 0:
            parent = stack[depth - 1]
            nodes[parent]["low"] = min(nodes[parent]["low"], node["low"])
            if node["low"] > nodes[parent]["found"]:
                came = node["came"]
                bridges.fresh[parent] |= np.uint8(1 << came)
                bridges.fresh[cell] |= np.uint8(1 << (came ^ 2))
    job[DEPTH], job[N_FOUND] = depth, n_found


@inner
def _enter(bridges, cell, number, came):
    node = bridges.nodes[cell]
    bridges.fresh[cell] = 0
    node["found"] = node["low"] = number
    node["came"], node["at"] = came, 0
