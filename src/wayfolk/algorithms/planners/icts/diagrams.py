"""Multi-value decision diagrams (MDDs): all paths of one agent that reach its goal for good after a given number of steps.

A diagram has a layer of nodes for every step; a node is a cell, its kids are nodes of the next layer. The last node, the
goal, is its own kid: the agent stays. All diagrams of a group lie one after another in the same arrays.

Invariants  every node that is alive lies on a path from the first node to the last. No path is on the goal one step before
            its end, so each path is in the diagram of one cost only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.search import Ground
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.distance import steps_between
from wayfolk.machine import available_bytes

DRAWN, NONE, FULL = range(3)
N_NODES, N_LAYERS = range(2)  # places in `counts`
N_KIDS = 9


class Diagrams(NamedTuple):
    """The cell, the kids and the state of each node; the first node of each layer."""

    cells: NDArray[np.int32]
    kids: NDArray[np.int32]
    alive: NDArray[np.bool_]
    layers: NDArray[np.int32]
    counts: NDArray[np.int64]


class Diagram(NamedTuple):
    """Where a diagram begins in `layers`; its number of steps; its nodes, and which of them are alive at first."""

    layer: int
    cost: int
    nodes: slice
    alive: NDArray[np.bool_]


class Atlas:
    """The diagrams of a group, drawn when they are asked for."""

    def __init__(self, ground: Ground, agents: list[int]) -> None:
        self.ground, self.agents = ground, agents
        self.arrays = Diagrams(
            np.zeros(1 << 10, np.int32),
            np.zeros((1 << 10, N_KIDS), np.int32),
            np.zeros(1 << 10, np.bool_),
            np.zeros(1 << 10, np.int32),
            np.zeros(2, np.int64),
        )
        self.known: dict[tuple[int, int], Diagram | None] = {}

    def diagram(self, k: int, cost: int) -> Diagram | None:
        """All paths of the k-th agent that take `cost` steps; None if there are none."""
        if (k, cost) not in self.known:
            self.known[k, cost] = self._drawn(self.agents[k], cost)
        return self.known[k, cost]

    def _drawn(self, agent: int, cost: int) -> Diagram | None:
        ground, problem = self.ground, self.ground.problem
        first, layer = map(int, self.arrays.counts)
        while True:
            code = draw(
                ground.fields, agent, problem.starts[agent], problem.goals[agent], cost, ground.before, self.arrays
            )
            if code != FULL:
                break
            self._grow(cost)
        if code == NONE:
            return None
        nodes = slice(first, int(self.arrays.counts[N_NODES]))
        return Diagram(layer, cost, nodes, self.arrays.alive[nodes].copy())

    def _grow(self, cost: int) -> None:
        """Double the arrays; MemoryError if they do not fit."""
        cells, kids, alive, layers, counts = self.arrays
        if 2 * (kids.nbytes + cells.nbytes) > 0.8 * available_bytes():
            raise MemoryError
        more = np.zeros(len(layers) + cost + 2, np.int32)
        self.arrays = Diagrams(
            np.concatenate([cells, np.zeros_like(cells)]),
            np.concatenate([kids, np.zeros_like(kids)]),
            np.concatenate([alive, np.zeros_like(alive)]),
            np.concatenate([layers, more]),
            counts,
        )


@kernel
def draw(fields, agent, start, goal, cost, mark, diagrams):
    """Add the diagram of `agent` with `cost` steps: DRAWN, NONE if it has no path, or FULL. `mark` is all NOBODY."""
    cells, kids, alive, layers = diagrams.cells, diagrams.kids, diagrams.alive, diagrams.layers
    first, layer = diagrams.counts[N_NODES], diagrams.counts[N_LAYERS]
    if first + 1 > cells.size or layer + cost + 2 > layers.size:
        return FULL
    if steps_between(fields, agent, start) > cost or (cost == 1 and start == goal):
        return NONE
    cells[first], layers[layer] = start, first
    n = first + 1
    for step in range(1, cost + 1):
        layers[layer + step] = n
        for node in range(layers[layer + step - 1], layers[layer + step]):
            n_kids = 0
            for k in range(N_KIDS):
                if k < 8 and not (fields.legal[cells[node]] >> k) & 1:
                    continue
                cell = cells[node]
                if k < 8:
                    cell += fields.offsets[k]
                if steps_between(fields, agent, cell) > cost - step or (step == cost - 1 and cell == goal):
                    continue
                if mark[cell] == NOBODY:
                    if n == cells.size:
                        for drawn in range(layers[layer + step], n):
                            mark[cells[drawn]] = NOBODY
                        return FULL
                    cells[n], mark[cell] = cell, n
                    n += 1
                kids[node, n_kids] = mark[cell]
                n_kids += 1
            if n_kids < N_KIDS:
                kids[node, n_kids] = NOWHERE
        for drawn in range(layers[layer + step], n):
            mark[cells[drawn]] = NOBODY
    layers[layer + cost + 1] = n
    if layers[layer + cost] == n:
        return NONE
    kids[n - 1, 0], kids[n - 1, 1], alive[n - 1] = n - 1, NOWHERE, True
    _keep_living_kids(diagrams, first, n - 1)
    if not alive[first]:
        return NONE
    diagrams.counts[N_NODES], diagrams.counts[N_LAYERS] = n, layer + cost + 2
    return DRAWN


@inner
def _keep_living_kids(diagrams, first, last):
    """From the last layer back: forget kids that lead nowhere. Kids have higher numbers than their parents."""
    kids, alive = diagrams.kids, diagrams.alive
    for node in range(last - 1, first - 1, -1):
        n_kids = 0
        for k in range(N_KIDS):
            kid = kids[node, k]
            if kid == NOWHERE:
                break
            if alive[kid]:
                kids[node, n_kids] = kid
                n_kids += 1
        if n_kids < N_KIDS:
            kids[node, n_kids] = NOWHERE
        alive[node] = n_kids > 0
