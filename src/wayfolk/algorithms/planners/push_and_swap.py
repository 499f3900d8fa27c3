"""Push and Swap: agents walk to their goals in turn; who is in the way is pushed aside, or changes places at a junction.

Luna and Bekris, "Push and Swap: fast cooperative path-finding with completeness guarantees", 2011.

Guarantees  legal plans. It does not find all plans, whatever its title says: with two empty cells or more it can fail where
            the order of the agents matters, or where a junction can be emptied only by moving the two agents back. It then
            says GAVE_UP.
Invariants  one agent moves at a time, into an empty cell. Between two agents' walks all agents that are done are on their
            goals. After a swap only two agents have changed places.
Cost        O(agents x path x cells) in the worst case; usually a few searches near the agent for each step.
Deviations  an agent on the goal of a walk is brought back through the trail by swaps, where the paper plans for it at once.
            With clear="corrected", junctions are emptied as in Push and Rotate. The plan is made parallel (`_parallel`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._blocks import no_blocks
from wayfolk.algorithms.planners._push import Order, PushPlanner
from wayfolk.algorithms.planners._push_kernels import new_walking
from wayfolk.algorithms.planners._swaps import new_swapping
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status

PAPER = "Luna & Bekris 2011"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, for the order \"random\"."] = 0,
    order: Annotated[
        Literal["direction", "outside", "given", "random"],
        "Who walks first: agents with the same direction together, goals far from the middle of the map, as given, random.",
    ] = "given",
    clear: Annotated[
        Literal["published", "corrected"], "How junctions are emptied: as published, or as Push and Rotate corrects it."
    ] = "published",
) -> PushAndSwap:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return PushAndSwap(problem, seed=seed, order=order, stages=2 if clear == "published" else 4)


class PushAndSwap(PushPlanner):
    """Push and Swap as a task: it ends with the first agent that cannot reach its goal."""

    def __init__(self, problem: Problem, *, seed: int, order: Order, stages: int) -> None:
        grid = problem.grid
        swapping = new_swapping(grid, no_blocks(grid), stages=stages, rings=False)
        walking = new_walking(problem.goals, grid.n_cells, done_cost=0, detours=False)
        super().__init__(problem, swapping, walking, seed=seed, order=order)

    def handle_stuck(self) -> None:
        """Give up."""
        agents = np.flatnonzero(self.walking.stuck).tolist()
        self.status = Status.GAVE_UP
        self.detail = f"agent {agents[0]} can neither push those in its way nor change places with them"
