"""A large neighbourhood search beside the tree: it begins with the routes of the root, and brings their cost down.

The tree raises the lower bound, and the neighbourhood search lowers the cost of a plan. The search ends as soon as the two
are within the bound, whichever of both has done more for it.
"""

from __future__ import annotations

from wayfolk.algorithms.planners.lns.improvement import Improvement
from wayfolk.algorithms.planners.lns2 import Lns2
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status

FIRST, TURN, SHARE = 64, 16, 1 << 15
"""The neighbourhood search expands SHARE labels after the FIRST nodes of the tree, and then after each TURN nodes."""
NEIGHBOURHOOD = 8  # agents that are replanned at a time
PATIENCE = 1000  # repairs for each agent without fewer collisions before it gives up


class PlanRepair:
    """The repair of `routes`, which may collide, and the improvement of the plan that this gives."""

    def __init__(self, problem: Problem, routes: Plan, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.repair: Lns2 | None = Lns2(problem, seed, "shortest", NEIGHBOURHOOD, PATIENCE, plan=routes)
        self.improvement: Improvement | None = None
        self.spent, self.owed = TURN - FIRST, 0

    @property
    def is_due(self) -> bool:
        """Whether it is the turn of the neighbourhood search."""
        return self.owed > 0

    def count(self) -> None:
        """Note that the tree has expanded a node."""
        self.spent += 1
        if self.spent == TURN and (self.repair is not None or self.improvement is not None):
            self.spent, self.owed = 0, SHARE

    def advance(self, until: float) -> None:
        """Expand labels until the turn is over, or `until` comes."""
        part = self.improvement if self.repair is None else self.repair
        assert part is not None
        part.until = until
        status = part.advance(self.owed)
        self.owed = part.unspent
        if part is self.repair and status.is_final:
            self.owed = 0
            plan = self.repair.result().plan
            if plan is not None:
                fields = self.repair.fleet.fields
                self.improvement = Improvement(
                    self.problem, plan, seed=self.seed, neighbourhood=NEIGHBOURHOOD, fields=fields
                )
            self.repair = None
        elif status is Status.SOLVED:
            self.owed = 0

    def plan_within(self, most: float) -> Plan | None:
        """The plan, if there is one that costs at most `most`."""
        if self.improvement is None or self.improvement.cost > most:
            return None
        return self.improvement.result().plan
