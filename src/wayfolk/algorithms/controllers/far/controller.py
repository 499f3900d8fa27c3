"""What FAR and A*-Replan share: each agent has a path and reserves the next few cells of it.

`steps` holds the reservations, `plans` the searches, and `jams` what happens when agents wait for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers.far import memory as far_memory
from wayfolk.algorithms.controllers.far import paths as far_paths
from wayfolk.algorithms.controllers.far import steps as far
from wayfolk.algorithms.controllers.far.jams import AREA, LOOK, break_jams
from wayfolk.algorithms.controllers.far.plans import go_on
from wayfolk.algorithms.controllers.far.state import (
    FIXED,
    LAST,
    PATIENCE,
    REFIT,
    ROTATED,
    SEARCHER,
    SHUFFLED,
    SPOT,
    TOKENS,
    new_members,
)
from wayfolk.algorithms.search._best_first import best_heuristic, lists_for
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.graph import HEURISTICS, GridGraph
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import new_random
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.world.flow import Flow, flow_of
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

BREAK, LEAVE, REPLAN = "break", "leave", "replan"  # what happens when agents wait for each other
PATIENCES = {BREAK: PATIENCE, LEAVE: np.inf, REPLAN: 0.0}
ORDERS = {"fixed": FIXED, "rotated": ROTATED, "shuffled": SHUFFLED}


class Reserving(Controller):
    """Gives each agent a path on the one-way map of `parity`, or on all moves of the map without one."""

    lookahead = LOOK

    def __init__(
        self,
        problem: Problem,
        seed: int,
        parity: int | None,
        reservation: int,
        whole: bool,
        expansions: int,
        order: str,
        jams: str,
    ) -> None:
        super().__init__(problem.n_agents)
        self.grid, self.parity = problem.grid, parity
        self.flow: Flow | None = None
        grid, n = problem.grid, problem.n_agents
        per_unit, n_lists = lists_for(grid, 1.0, False)
        spots = np.zeros(grid.n_cells, SPOT)
        spots["owner"] = NOBODY
        job = np.zeros(8, np.int64)
        job[SEARCHER] = NOBODY
        self.arrays = FarArrays(
            graph=self._graph(grid, 0.0),
            ground=grid.legal,
            memory=best_first.new_memory(grid.n_cells),
            queue=buckets.new_buckets(n_lists, 1 << 14),
            stacks=far_paths.new_stacks(4 * n + 16),
            members=new_members(n, PATIENCES[jams]),
            held=np.zeros((n, self.lookahead), np.int32),
            spots=spots,
            gained=np.zeros(0, np.int32),
            walls=np.full(grid.n_cells, NOBODY, np.int32),
            trail=np.zeros(max(AREA, n), np.int32),
            moves=np.zeros(LOOK, np.uint8),
            order=np.zeros(n, np.int32),
            job=job,
            clock=np.array([0.0, expansions]),
            luck=new_random(seed),
            reservation=reservation,
            whole=whole,
            expansions=float(expansions),
            turns=ORDERS[order],
            kind=HEURISTICS[best_heuristic(grid)],
            per_unit=per_unit,
            patience=PATIENCES[jams],
            breaks=jams == BREAK,
        )

    def _graph(self, grid: Grid, time: float) -> GridGraph:
        """What plans are made of in `grid`, an edited copy of the map before unless `time` is 0."""
        if self.parity is None:
            return grid.graph
        self.flow = flow_of(grid, self.parity) if self.flow is None or time == 0.0 else self.flow.repaired(grid)
        return self.flow.graph

    def prepare(self, view: View) -> None:
        """Plan on the one-way map as it is known."""
        super().prepare(view)
        if view.grid is not self.grid:
            self.grid = view.grid
            self.arrays = self.arrays._replace(graph=self._graph(view.grid, view.time), ground=view.grid.legal)

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; if the map has changed, have every plan looked at."""
        before = self.arrays.graph.legal
        self.prepare(view)
        n, more = len(view.here), len(view.here) - len(self.arrays.members)
        if more:
            members = with_rows(self.arrays.members, n)
            members[-more:] = new_members(more, self.arrays.patience)
            self.arrays = self.arrays._replace(
                members=members,
                held=with_rows(self.arrays.held, n),
                order=with_rows(self.arrays.order, n),
                trail=with_rows(self.arrays.trail, max(AREA, n)),
            )
        if change.cells.size:
            gained = np.flatnonzero((self.arrays.graph.legal & ~before) != 0).astype(np.int32)
            if self.arrays.job[REFIT]:  # no step since the last change
                gained = np.concatenate([self.arrays.gained, gained])
            self.arrays = self.arrays._replace(gained=gained)
            self.arrays.job[REFIT] = True

    def remember(self, memory: Memory) -> None:
        """Plans, reservations, who waits for whom, and one-way moves; a search under way begins again."""
        arrays = self.arrays
        if self.flow is not None:
            self.flow = memory.flow("flow", self.flow)
            arrays = arrays._replace(graph=self.flow.graph)
        stacks = far_memory.remember_members(memory, arrays)
        memory.luck("luck", arrays.luck)
        memory.numbers("since", arrays.clock[LAST : LAST + 1], (0.0, memory.view.time))
        memory.numbers("tokens", arrays.clock[TOKENS : TOKENS + 1], memory.any)
        memory.numbers("refit", arrays.job[REFIT : REFIT + 1], (0, 1))
        gained = memory.listed("gained", arrays.gained, 16 * len(arrays.ground), memory.places)
        self.arrays = arrays._replace(stacks=stacks, gained=gained)

    def make_room(self, view: View) -> None:
        """Make room for the detours of every agent, and for the longest path."""
        wanted = 2 * len(view.here) + len(self.grid.free_cells) // far_paths.SIZE + 2
        stacks = far_paths.with_room(self.arrays.stacks, wanted)
        if stacks is self.arrays.stacks:
            self.arrays = self.arrays._replace(queue=buckets.grown(self.arrays.queue))
        else:
            self.arrays = self.arrays._replace(stacks=stacks)


class FarArrays(NamedTuple):
    """Plans and reservations of all agents.

    `ground` has the legal moves, `graph` those that plans are made of, and `gained` the cells from which an edit has added
    some of these. `patience` is how long an agent waits before it looks for a way around others, and `breaks` says whether
    others make way for those who wait.
    """

    graph: GridGraph
    ground: NDArray[np.uint8]
    memory: best_first.SearchMemory
    queue: buckets.Buckets
    stacks: far_paths.MoveStacks
    members: NDArray[np.void]
    held: NDArray[np.int32]
    spots: NDArray[np.void]
    gained: NDArray[np.int32]
    walls: NDArray[np.int32]
    trail: NDArray[np.int32]
    moves: NDArray[np.uint8]
    order: NDArray[np.int32]
    job: NDArray[np.int64]
    clock: NDArray[np.float64]
    luck: NDArray[np.uint64]
    reservation: int
    whole: bool
    expansions: float
    turns: int
    kind: int
    per_unit: float
    patience: float
    breaks: bool


def _plan_routes(arrays, crew, log, now):
    """Serve those who ask and see to it that they do not wait in circles; 0 if there was no room for that."""
    if arrays.stacks.counts[far_paths.N_FREE] < 2 * arrays.members.size:
        return 0
    far.settle(arrays, crew, now)
    if not go_on(arrays, crew):
        return 0
    n_asked = far.line_up(arrays, crew)
    for k in range(n_asked):
        if not far.serve(arrays, crew, now, arrays.order[k]):
            return 0
    if arrays.breaks:
        break_jams(arrays, crew, now, n_asked)
    return n_asked


planned_by(FarArrays, _plan_routes)
