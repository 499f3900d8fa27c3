"""PR LRTA*: LRTA* plans among groups of cells, and A* finds the path through the next few groups.

Bulitko, Sturtevant, Lu and Yau, "Graph abstraction in real-time heuristic search", JAIR 2007 (PR LRTS); Vermette,
"Salient Search", section 2.3.1.

Guarantees  the agent reaches the goal if it can be reached.
Invariants  among the groups, learned heuristics never overestimate and stay consistent. For each move at most
            `expansions` groups are expanded, and once each cell of the `groups` to cross and of the agent's own: the
            bound is expansions + (groups + 1) times the cells of the largest group of the map.
Cost        preparation, at the first walk on a map: the abstraction (see `wayfolk.world.abstraction.cliques`), which
            counts towards a deadline. Then 20 bytes for each cell. Whether there is a way at all is known from the
            connected parts of the map.
Deviations  groups are expanded by A* with a budget that learns as RTAA* does, not to a fixed depth; the corridor is
            searched at once on the lowest level, not on the levels between. After a change the map is abstracted anew.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._hints import DenseHints
from wayfolk.algorithms.realtime._learner import Learner
from wayfolk.algorithms.realtime._look_ahead.agent import new_ahead
from wayfolk.algorithms.realtime._state import AGENT, ARRIVED, NO_ROOM, STUCK, Limits
from wayfolk.algorithms.realtime.pr_lrta import refinement
from wayfolk.algorithms.realtime.pr_lrta.refinement import Corridor, Overview
from wayfolk.kernels import best_first, buckets, heap
from wayfolk.problem.result import Status
from wayfolk.world.abstraction.cliques import cliques_of
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Bulitko, Sturtevant, Lu and Yau 2007"
OPTIMAL = False
COMPLETE = True
LEARNS = True
ADAPTS = True
WORLDS = "grid"


def begin(
    world: Grid, start: int, goal: int, *,
    level: Annotated[int, Range(1, 32), "The level of the abstraction whose groups are planned with; the top at most."] = 3,
    expansions: Annotated[int, Range(1, 100_000), "The most groups that a plan expands."] = 16,
    groups: Annotated[int, Range(1, 1_000), "How many groups of a plan are crossed before the next plan."] = 2,
    watch: Annotated[bool, "Whether to record the expanded cells."] = False,
) -> Refining:  # fmt: skip
    """An agent that moves from `start` to `goal` by plans among groups of cells."""
    return Refining(world, start, goal, level=level, expansions=expansions, groups=groups, watch=watch)


class Refining(Learner):
    """A walk along a rough plan."""

    def __init__(
        self, world: Grid, start: int, goal: int, *, level: int, expansions: int, groups: int, watch: bool
    ) -> None:
        super().__init__(world, start, goal, name="pr_lrta", is_consistent=False, watch=watch)
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
        # nodes may lie at the same place, and learning from costs needs edges that cost something
        graph = graph._replace(weight=np.maximum(graph.weight, graph.cheapest))
        rough = Graph(graph.first, graph.target, graph.weight, np.stack([graph.x, graph.y], 1))
        rough.graph = graph
        ahead = new_ahead(rough, "rtaa", expansions, groups)._replace(kind=self.kind)
        self.over = Overview(graph, cliques.cells[level - 1], nodes, DenseHints(np.zeros(rough.n_cells)), ahead)
        room = min((groups + 1) * self.largest, world.n_cells)
        self.corridor = Corridor(
            best_first.new_memory(world.n_cells), np.zeros(8 * room + 16, heap.ROW), np.zeros(rough.n_cells, np.int32),
            np.zeros(ahead.budget + 3, np.int32), np.zeros(room + 1, np.int32), self.kind,
        )  # fmt: skip
        self.above = np.zeros(1, AGENT)

    @property
    def bound(self) -> int:
        """The most expansions for each move: groups and cells."""
        _, expansions, groups = self.how
        return expansions + (groups + 1) * self.largest

    def _move(self, limits: Limits) -> Status:
        if self.part[self.here] != self.part[self.goal]:
            return Status.IMPOSSIBLE
        state = self.state[0]
        code = refinement.move_by_groups(
            self.world.graph, self.over, self.corridor, self.state, self.above,
            self._trail(int(state["expanded"]), limits), limits,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == NO_ROOM:
            ahead = self.over.ahead
            self.over = self.over._replace(ahead=ahead._replace(queue=buckets.grown(ahead.queue)))
        if code == STUCK:
            return Status.IMPOSSIBLE
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Forget what was learned about other goals, and abstract a changed map anew."""
        super()._renew(world, goal)
        if world is not self.world:
            assert isinstance(world, Grid)
            self._prepare(world)
        elif goal != self.goal:
            self.over.hints.values[:] = 0.0
