"""The diagrams (MDDs) of a group: all paths of one agent that reach its goal for good after a given number of steps.

A diagram has a layer of nodes for every step; a node is a cell, its kids are nodes of the next layer. A node of the last
layer, the goal in some heading, is its own kid: the agent stays. All diagrams of a group lie one after another in the same
arrays. They are those of conflict-based search (`_cbs.mdd`), under the constraint that the agent is not on its goal one
step before its end.

Invariants  every node that is alive lies on a path from the first node to the last layer. Each path is in the diagram of
            one cost only, because of that constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._cbs import tables as tb
from wayfolk.algorithms.planners._cbs.mdd import build
from wayfolk.algorithms.planners._cbs.moves import has_move, is_home, most_moves, n_moves, node_size, target
from wayfolk.algorithms.planners._cbs.nodes import NodeTables
from wayfolk.algorithms.planners._cbs.rules import gather
from wayfolk.algorithms.planners._groups.search import SharedFields
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import FULL, NOWHERE
from wayfolk.machine import available_bytes

COPIED = FULL + 1
N_NODES, N_LAYERS = range(2)  # places in `counts`


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


class Atlas(NodeTables):
    """The diagrams of a group, each built when it is needed first."""

    def __init__(self, ground: SharedFields, agents: list[int]) -> None:
        super().__init__(ground.problem, 1.0)
        self.agents = agents
        for agent in agents:
            self._measure(agent)
        self.arrays = Diagrams(
            np.zeros(1 << 10, np.int32),
            np.zeros((1 << 10, most_moves(self.tables.moves)), np.int32),
            np.zeros(1 << 10, np.bool_),
            np.zeros(1 << 10, np.int32),
            np.zeros(2, np.int64),
        )
        self.known: dict[tuple[int, int], Diagram | None] = {}

    def diagram(self, k: int, cost: int) -> Diagram | None:
        """All paths of the k-th agent that take `cost` steps; None if there are none."""
        if (k, cost) not in self.known:
            self.known[k, cost] = self._built(self.agents[k], cost)
        return self.known[k, cost]

    def _built(self, agent: int, cost: int) -> Diagram | None:
        s, goal = self.tables, int(self.problem.goals[agent])
        if cost == 1 and is_home(s.moves, self.problem.starts[agent], goal):  # it is there one step before its end
            return None
        s.tree[tb.ROOT]["n_constraints"] = cost > 0
        s.constraints[0] = agent, tb.AWAY, goal, goal, cost - 1, cost - 1
        s.counts[tb.N_MDD] = 1
        if self._whole(build_cost, agent, cost) == tb.NO_ROUTE:
            return None
        first, layer = map(int, self.arrays.counts)
        while copy_diagram(self.tables, self.arrays) == FULL:
            self._grow_arrays(cost)
        nodes = slice(first, int(self.arrays.counts[N_NODES]))
        return Diagram(layer, cost, nodes, self.arrays.alive[nodes].copy())

    def _whole(self, run: Callable[..., int], *arguments: int) -> int:
        """Run a kernel to its end."""
        work = self._run(run, *arguments)
        while True:
            try:
                next(work)
            except StopIteration as end:
                return int(end.value)

    def _grow_arrays(self, cost: int) -> None:
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
def build_cost(s, agent, cost):
    """Build the diagram of `agent` with `cost` steps, under the constraints of the root: DONE, NO_ROUTE or what is full."""
    code = gather(s, tb.ROOT, agent)
    if code != tb.DONE:
        return code
    return build(s, agent, cost, 0)


@kernel
def copy_diagram(s, diagrams):
    """Append the diagram at place 1 of `mdd`, with the numbers of the kids of each node; COPIED, or FULL."""
    cells, kids, alive, layers = diagrams.cells, diagrams.kids, diagrams.alive, diagrams.layers
    first, layer = diagrams.counts[N_NODES], diagrams.counts[N_LAYERS]
    place, cost = 1, np.int64(s.mdd[1])
    nodes = place + cost + 3  # where the first node is
    size, n_slots = node_size(s.moves), most_moves(s.moves)
    n = (np.int64(s.mdd[place + cost + 2]) - (cost + 3)) // size
    if first + n > cells.size or layer + cost + 2 > layers.size:
        return FULL
    for step in range(cost + 2):
        layers[layer + step] = first + (s.mdd[place + 1 + step] - (cost + 3)) // size
    for k in range(n):
        cells[first + k], alive[first + k] = s.mdd[nodes + size * k], True
    for step in range(cost):
        s.counts[tb.STAMP] += 1
        for node in range(layers[layer + step + 1], layers[layer + step + 2]):
            mark = s.reach[cells[node]]
            mark["since"], mark["node"] = s.counts[tb.STAMP], node
        for node in range(layers[layer + step], layers[layer + step + 1]):
            at, here, n_kids = nodes + size * (node - first), np.int64(cells[node]), 0
            for move in range(n_moves(s.moves, here)):
                if has_move(s.moves, s.mdd, at, move):
                    kids[node, n_kids] = s.reach[target(s.moves, here, move)]["node"]
                    n_kids += 1
            if n_kids < n_slots:
                kids[node, n_kids] = NOWHERE
    for goal in range(layers[layer + cost], first + n):
        kids[goal, 0] = goal
        if n_slots > 1:
            kids[goal, 1] = NOWHERE
    diagrams.counts[N_NODES], diagrams.counts[N_LAYERS] = first + n, layer + cost + 2
    return COPIED
