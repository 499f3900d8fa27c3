"""What FAR and A*-Replan share: everybody has a path and reserves the next few cells of it.

`kernels.far` holds the reservations, `kernels.far_plans` the searches, and `kernels.far_jams` what happens when agents wait
for each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, GridGraph
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, far, far_paths
from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.far_jams import AREA, LOOK, break_jams
from wayfolk.kernels.far_plans import go_on
from wayfolk.kernels.far_state import (
    ALL_NEW,
    FIXED,
    FREED,
    REFIT,
    ROTATED,
    SEARCHER,
    SHUFFLED,
    SPOT,
    new_members,
)
from wayfolk.kernels.mind import thinking
from wayfolk.kernels.random import new_random
from wayfolk.problem import Problem
from wayfolk.search._best_first import best_guess, lists_for

ORDERS = {"fixed": FIXED, "rotated": ROTATED, "shuffled": SHUFFLED}


class Reserving(Controller):
    """Everyone on a path in the graph that `streets` makes of the map."""

    lookahead = LOOK

    def __init__(
        self,
        problem: Problem,
        seed: int,
        streets: Callable[[Grid], GridGraph],
        reservation: int,
        whole: bool,
        expansions: int,
        order: str,
    ) -> None:
        if not 1 <= reservation <= LOOK:
            raise BadInput(f"reservation must be from 1 to {LOOK} cells, not {reservation}")
        if expansions < 1:
            raise BadInput(f"expansions must be 1 or more, not {expansions}")
        super().__init__(problem.n_agents)
        self.grid, self.streets = problem.grid, streets
        grid, n = problem.grid, problem.n_agents
        per_unit, n_lists = lists_for(grid, 1.0, False)
        spots = np.zeros(grid.n_cells, SPOT)
        spots["owner"] = NOBODY
        job = np.zeros(8, np.int64)
        job[SEARCHER] = NOBODY
        self.mind = FarMind(
            streets(grid), grid.legal, best_first.new_memory(grid.n_cells), buckets.new_buckets(n_lists, 1 << 14),
            far_paths.new_stacks(4 * n + 16), new_members(n), np.zeros((n, self.lookahead), np.int32), spots,
            np.full(grid.n_cells, NOBODY, np.int32), np.zeros(max(AREA, n), np.int32), np.zeros(LOOK, np.uint8),
            np.zeros(n, np.int32), job, np.array([0.0, expansions]), new_random(seed), reservation, whole,
            float(expansions), ORDERS[order], GUESSES[best_guess(grid)], per_unit,
        )  # fmt: skip

    def prepare(self, view: View) -> None:
        """Look at the map anew, and make room for those who have joined."""
        super().prepare(view)
        mind, more = self.mind, len(view.here) - len(self.mind.members)
        if view.grid is not self.grid:
            self.grid = view.grid
            mind = mind._replace(graph=self.streets(view.grid), ground=view.grid.legal)
        if more:
            mind = mind._replace(
                members=np.concatenate([mind.members, new_members(more)]),
                held=np.concatenate([mind.held, np.zeros((more, self.lookahead), np.int32)]),
                order=np.zeros(len(view.here), np.int32),
                trail=np.zeros(max(AREA, len(view.here)), np.int32),
            )
        freed = any(view.grid.is_free(int(cell)) for cell in view.changed)
        mind.job[REFIT] = FREED if freed else ALL_NEW
        self.mind = mind

    def decide(self, view: View) -> None:
        """Make room: for every agent's detours, and for the longest path."""
        wanted = 2 * len(view.here) + len(self.grid.free_cells) // far_paths.SIZE + 2
        stacks = far_paths.with_room(self.mind.stacks, wanted)
        if stacks is self.mind.stacks:
            self.mind = self.mind._replace(queue=buckets.grown(self.mind.queue))
        else:
            self.mind = self.mind._replace(stacks=stacks)


class FarMind(NamedTuple):
    """Plans and reservations of all agents. `ground` has the legal moves, `graph` those that plans are made of."""

    graph: GridGraph
    ground: NDArray[np.uint8]
    memory: best_first.Memory
    queue: buckets.Buckets
    stacks: far_paths.MoveStacks
    members: NDArray[np.void]
    held: NDArray[np.int32]
    spots: NDArray[np.void]
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


def _think(mind, crew, log, now):
    """Serve those who ask and see to it that they do not wait in circles; 0 if there was no room for that."""
    if mind.stacks.counts[far_paths.N_FREE] < 2 * mind.members.size:
        return 0
    far.settle(mind, crew, now)
    if not go_on(mind, crew):
        return 0
    n_asked = far.line_up(mind, crew)
    for k in range(n_asked):
        if not far.serve(mind, crew, log, now, mind.order[k]):
            return 0
    break_jams(mind, crew, now, n_asked)
    return n_asked


thinking(FarMind, _think)
