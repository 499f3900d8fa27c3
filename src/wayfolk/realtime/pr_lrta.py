"""PR LRTA*: LRTA* among groups of cells, and A* inside the few groups to cross next.

Bulitko, Sturtevant, Lu and Yau, "Graph abstraction in real-time heuristic search", JAIR 2007 (PR LRTS); Vermette,
"Salient Search", section 2.3.1.

Finds    a way to the goal if there is one.
Keeps    among the groups, what is learned never overestimates and stays consistent. For each move at most `expansions`
         groups are expanded, and once each cell of the `groups` to cross and the agent's own: the bound is
         expansions + (groups + 1) times the cells of the largest group of the map.
Takes    the abstraction, built at the first walk on a map (see `wayfolk.abstraction.cliques`); then 20 bytes for each
         cell. Whether there is a way at all is known from the connected parts of the map.
Differs  groups are looked at by A* with a budget and learned about as RTAA* does, not to a fixed depth; the corridor is
         searched at once on the lowest level, not on the levels between. After a change the map is abstracted anew.
"""

from __future__ import annotations

import numpy as np

from wayfolk.abstraction.cliques import cliques_of
from wayfolk.errors import BadInput
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, heap, refine
from wayfolk.kernels.hints import DenseHints
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, WALKER
from wayfolk.kernels.refine import Corridor, Overview
from wayfolk.realtime._learner import Learner
from wayfolk.realtime._look_ahead import new_ahead
from wayfolk.result import Status

PAPER = "Bulitko, Sturtevant, Lu and Yau 2007"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"


def begin(
    world, start: int, goal: int, *, level: int = 3, expansions: int = 16, groups: int = 2, watch: bool = False
) -> Refining:
    """A walk from `start` to `goal`: up to `expansions` groups of `level` for each plan, `groups` of which are crossed."""
    if level < 1:
        raise BadInput(f"level must be 1 or more, not {level}")
    if groups < 1:
        raise BadInput(f"groups must be 1 or more, not {groups}")
    return Refining(world, start, goal, level=level, expansions=expansions, groups=groups, watch=watch)


class Refining(Learner):
    """A walk along a rough plan."""

    def __init__(
        self, world: Grid, start: int, goal: int, *, level: int, expansions: int, groups: int, watch: bool
    ) -> None:
        super().__init__(world, start, goal, name="pr_lrta", keeps_rule=False, watch=watch)
        self.how = level, expansions, groups
        self._prepare(world)

    def _prepare(self, world: Grid) -> None:
        level, expansions, groups = self.how
        cliques = cliques_of(world)
        level = min(level, len(cliques.graphs))
        self.part = world.components
        node = world.free_cells
        for parents in cliques.parents[:level]:
            node = parents[node]
        self.largest = int(np.bincount(node).max())
        nodes = np.zeros(world.n_cells, np.int32)
        nodes[world.free_cells] = node
        graph = cliques.graphs[level - 1]
        # nodes may lie at the same place, and whoever learns from costs needs steps that cost something
        graph = graph._replace(weight=np.maximum(graph.weight, graph.cheapest))
        rough = Graph(graph.first, graph.target, graph.weight, np.stack([graph.x, graph.y], 1))
        rough.graph = graph
        ahead = new_ahead(rough, "rtaa", expansions, groups)._replace(kind=self.kind)
        self.over = Overview(graph, cliques.cells[level - 1], nodes, DenseHints(np.zeros(rough.n_cells)), ahead)
        room = (groups + 1) * self.largest
        self.corridor = Corridor(
            best_first.new_memory(world.n_cells), np.zeros(8 * room + 16, heap.ROW), np.zeros(rough.n_cells, np.int32),
            np.zeros(expansions + 3, np.int32), np.zeros(room + 1, np.int32), self.kind,
        )  # fmt: skip
        self.above = np.zeros(1, WALKER)

    @property
    def bound(self) -> int:
        """The most expansions for each move: groups and cells."""
        _, expansions, groups = self.how
        return expansions + (groups + 1) * self.largest

    def _walk(self, moves: int) -> Status:
        if self.part[self.here] != self.part[self.goal]:
            return Status.IMPOSSIBLE
        state = self.state[0]
        code = refine.walk(
            self.world.graph, self.over, self.corridor, self.state, self.above, self.walked,
            self._room(int(state["expanded"]), moves), moves,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == NO_ROOM:
            ahead = self.over.ahead
            self.over = self.over._replace(ahead=ahead._replace(queue=buckets.grown(ahead.queue)))
        if code == STUCK:
            return Status.IMPOSSIBLE
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """What was learned is about the way to the goal there was."""
        super()._renew(world, goal)
        if world is not self.world:
            assert isinstance(world, Grid)
            self._prepare(world)
        elif goal != self.goal:
            self.over.hints.values[:] = 0.0
