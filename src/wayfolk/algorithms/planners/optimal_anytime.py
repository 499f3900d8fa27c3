"""OA: a first plan by MGS with groups of one agent, then better ones with larger groups, until the plan is optimal.

Standley and Korf, "Complete algorithms for cooperative pathfinding problems", 2011, "Optimal anytime".

Guarantees  a plan if there is one, and at the end one of least sum of costs; IMPOSSIBLE if there is none, as long as memory
            suffices. `bound` is the proven ratio to the optimum at any time.
Invariants  the sum of costs never rises, the lower bound never falls.
Cost        that of MGS for every size up to that of the largest group of OD+ID.
Deviations  every size begins again with single agents, but optimal plans of groups are kept and used again. Memory that is
            full ends it with the best plan so far.
"""

from __future__ import annotations

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._groups.detection import Groups, GroupSearches, ratio
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Result, Status

PAPER = "Standley and Korf 2011; Renukamurthy 2016"
OPTIMAL = False
COMPLETE = True
WORLDS = "any"
ANYTIME = True
AGENTS = 40


def begin(
    problem: Problem, *, seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0
) -> OptimalAnytime:
    """A task that plans for all agents of `problem`."""
    return OptimalAnytime(problem, "enhanced", 1)


class OptimalAnytime(Groups):
    """The best plan so far, and the largest lower bound that is proven."""

    best: Plan | None = None
    best_cost: int
    proven: int = 0

    def steps(self) -> GroupSearches:
        """Detect groups with a growing cap."""
        for cap in range(1, self.problem.n_agents + 1):
            self.cap = cap
            status = yield from self.detect()
            self.proven = max(self.proven, self.least)
            if status is not Status.SOLVED:
                return status if self.best is None else Status.SOLVED
            if self.best is None or self.cost < self.best_cost:
                self.best, self.best_cost, self.has_plan = self.plan(), self.cost, True
            if self.best_cost == self.proven:
                break
        return Status.SOLVED

    def result(self) -> Result:
        """The best plan so far."""
        result = super().result()
        if self.best is not None:
            result.status, result.plan = Status.SOLVED, self.best
            result.bound = ratio(self.best_cost, self.proven)
        return result
