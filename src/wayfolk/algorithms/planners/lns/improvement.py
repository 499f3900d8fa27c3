"""Improvement: a plan that becomes better the longer it is advanced."""

from __future__ import annotations

from wayfolk.algorithms.planners._sipp import repair
from wayfolk.algorithms.planners._sipp.fleet import BOUND, BY_MAKESPAN, LEAST_LONGEST, LONGEST, SUM, new_fleet
from wayfolk.algorithms.planners._sipp.task import Repairing
from wayfolk.errors import BadProblem, TooLarge
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.kernels.distances import StepFields
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Result, Status

N_METHODS = 5


class Improvement(Repairing):
    """The improvement of `plan`, a plan of `problem` without faults. It has a plan from the beginning.

    Its status becomes SOLVED when all agents take shortest paths, which is optimal, and stays RUNNING otherwise. With
    `by_makespan` the makespan is to become less, and it ends when no agent arrives later than the last of them must.
    `fields` are the distances to the goals, if they were computed before.
    """

    has_plan = True

    def __init__(
        self,
        problem: Problem,
        plan: Plan,
        *,
        seed: int = 0,
        neighbourhood: int = 8,
        by_makespan: bool = False,
        fields: StepFields | None = None,
    ) -> None:
        super().__init__(problem)
        is_of_all = plan.n_agents == problem.n_agents and (plan.cells[0] == problem.starts).all()
        if not (is_of_all and plan.home(problem.goals)[-1].all()):
            raise BadProblem("only a plan that brings all agents of the problem to their goals can be improved")
        self.fleet = new_fleet(problem, neighbourhood, seed, counting=False, n_methods=N_METHODS, fields=fields)
        self.fleet.counts[BY_MAKESPAN] = by_makespan
        self.give(plan)
        self.given_cost = sum_of_costs(plan, problem.goals)

    @property
    def cost(self) -> int:
        """The sum of costs of the best plan so far."""
        return int(self.fleet.counts[SUM]) if self.given is None else self.given_cost

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` labels, fewer if `until` comes first; `unspent` are left then.

        Each path that is read from the plan counts as one.
        """
        self.unspent = budget
        if self.status.is_final:
            return self.status
        try:
            if self.given is not None:
                self.unspent = self.read(budget)
            if self.given is None and self.unspent > 0:
                code, self.unspent = self.work(self.unspent, NO_LIMIT)
                if code == repair.DONE:
                    self.status = Status.SOLVED
        except TooLarge as error:
            self.status, self.detail = Status.SOLVED, str(error)
        return self.status

    def result(self) -> Result:
        """The best plan so far."""
        result = Result(Status.SOLVED, self.algorithm, options=dict(self.options), counters=self.counters())
        result.plan, result.detail = self.plan() if self.given is None else self.given, self.detail
        counts = self.fleet.counts
        value, least = (LONGEST, LEAST_LONGEST) if counts[BY_MAKESPAN] else (SUM, BOUND)
        if self.given is None and counts[value] == counts[least]:
            result.bound = 1.0
        return result
