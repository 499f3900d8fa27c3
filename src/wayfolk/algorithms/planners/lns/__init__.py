"""MAPF-LNS: improves a plan by replanning a few agents at a time, until the deadline.

Li, Chen, Harabor, Stuckey and Koenig, "Anytime multi-agent path finding via large neighborhood search", 2021.

Guarantees  a plan without collisions whose sum of costs, or makespan, is never larger than that of the plan before. It is
            optimal if it is not larger than if each agent were alone, and then the search ends.
Invariants  the sum of costs, or the makespan, never rises.
Cost        the first plan by another planner; then a search with SIPP for each agent of each neighbourhood. Memory for all
            paths twice, and 2 bytes for each agent and node, or 6 where distances are not known from the first plan.
Deviations  new plans of equal cost are kept. Searches are cut off where the sum of costs would rise. There are two more
            kinds of neighbourhoods: agents in proportion to their delays, and a delayed agent with those that cross its
            goal last. As few agents as one are replanned, and searches are more or less greedy, so that they find late
            paths too, and end after a number of expansions. For the makespan, an agent that arrives last and those in its
            way are replanned, and all of them have to arrive earlier than it did; the sum of costs may rise. All these
            choices follow the gain by expansion, not by repair.
"""

from __future__ import annotations

from typing import Annotated, Literal

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._sipp.task import Repairing
from wayfolk.algorithms.planners.lns.improvement import Improvement
from wayfolk.algorithms.task import Task, begin_task
from wayfolk.errors import BadInput
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Result, Status

PAPER = "Li et al. 2021"
OPTIMAL = False
COMPLETE = False
WORLDS = "any"
ANYTIME = True


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    first: Annotated[str, "The planner that finds the first plan."] = "lns2",
    neighbourhood: Annotated[int, Range(2, 1000), "How many agents are replanned at a time, at most."] = 8,
    objective: Annotated[Literal["sum_of_costs", "makespan"], "What is minimised."] = "sum_of_costs",
) -> Lns:
    """A plan for the agents of `problem`, and better ones."""
    entry = catalogue.find(first, "planners")
    if entry.name == "lns":
        raise BadInput("the first plan of lns comes from another planner, not from lns itself")
    return Lns(problem, begin_task(entry, (problem,), {}, seed), seed, neighbourhood, objective == "makespan")


class Lns(Task):
    """A plan by the task `first`, and its improvement."""

    def __init__(self, problem: Problem, first: Task, seed: int, neighbourhood: int, by_makespan: bool) -> None:
        self.problem, self.first, self.seed, self.neighbourhood = problem, first, seed, neighbourhood
        self.by_makespan = by_makespan
        self.improvement: Improvement | None = None

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes, fewer if `until` comes first or with the first plan; `unspent` are left then."""
        if self.improvement is not None:
            self.improvement.until = self.until
            self.status = self.improvement.advance(budget)
            self.unspent = self.improvement.unspent
            return self.status
        self.first.until = self.until
        status = self.first.advance(budget)
        self.unspent = self.first.unspent
        if status is Status.SOLVED or self.first.has_plan:
            plan = self.first.result().plan
            assert plan is not None
            self.has_plan = True
            self.improvement = Improvement(
                self.problem,
                plan,
                seed=self.seed,
                neighbourhood=self.neighbourhood,
                by_makespan=self.by_makespan,
                fields=self.first.fleet.fields if isinstance(self.first, Repairing) else None,
            )
        elif status.is_final:
            self.status = status
        return self.status

    def result(self) -> Result:
        """The best plan so far."""
        result = (self.improvement or self.first).result()
        result.algorithm, result.options = self.algorithm, dict(self.options)
        if self.improvement is not None:
            result.counters.expanded += self.first.result().counters.expanded
        return result
