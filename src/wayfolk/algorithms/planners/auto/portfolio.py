"""Several planners at work on one problem, two at a time.

First LaCAM searches for a plan. From the first plan on, one thread improves the best plan by large neighbourhood search,
while the other lets CBS look for a proof, if there are few agents, or LaCAM search on. When LaCAM finds a much better plan
than the neighbourhood search has, that search begins anew with it. A part that does not work in the world of the agents, or
for their bodies, by its facts, is left out.

Parts learn of each other between rounds. The first plan depends on the seed alone; how fast it gets better depends on the
machine, as a round ends after a fixed time if there is a deadline.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import cast

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.planners._parallel import TooLong, parallelised
from wayfolk.algorithms.planners._solvable import is_solvable
from wayfolk.algorithms.planners.lacam.task import NO_COST, Lacam
from wayfolk.algorithms.planners.lns.improvement import Improvement
from wayfolk.algorithms.suitability import works_for
from wayfolk.algorithms.task import Task, begin_task
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.body import POINT
from wayfolk.world.spots import filled_fields

ROUND_SECONDS = 0.1  # between two looks of the parts at each other
BETTER = 0.995  # LaCAM's plan replaces that of the neighbourhood search if its cost is below this part of it


class Portfolio(Task):
    """The planners of `auto` under way. `best` is the best plan of all but the neighbourhood search, and costs `cost`."""

    def __init__(self, problem: Problem, seed: int, few: int) -> None:
        self.problem, self.seed, self.few = problem, seed, few
        self.lacam = cast(Lacam, self._begin("lacam"))
        self.known = NO_COST  # the cost of the plan of LaCAM that was compared last, by LaCAM's own measure
        self.proof: Task | None = None
        self.improvement: Improvement | None = None
        self.best: Plan | None = None
        self.is_new = False  # whether the neighbourhood search is to begin anew, from the best plan
        self.cost = NO_COST
        self.bound: float | None = None
        self.detail = ""
        self.is_tested = False
        self.threads = ThreadPoolExecutor(2)
        self.spent = Counters()

    def _begin(self, name: str) -> Task:
        return begin_task(catalogue.find(name, "planners"), (self.problem,), {}, self.seed)

    def _works(self, name: str) -> bool:
        return works_for(catalogue.find(name, "planners"), self.problem)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let each part at work make up to `budget` expansions a round, until all have made so many or `until` comes.

        `unspent` is what the slowest has left. A first plan ends it too.
        """
        had_plan = self.has_plan
        if not self.is_tested:
            self.is_tested = True
            if is_solvable(self.problem) is False:
                self.status, self.detail = Status.IMPOSSIBLE, "no plan brings all agents to their goals"
        while budget > 0 and not self.status.is_final and self.has_plan == had_plan:
            budget -= self._round(budget)
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _round(self, budget: int) -> int:
        """One round of the parts at work, of up to `budget` expansions each; how many the slowest of them made."""
        parts = self._parts()
        if not parts:
            self.status = Status.SOLVED
            return 1
        for part in parts:
            part.until = self.until if math.isinf(self.until) else min(self.until, time.perf_counter() + ROUND_SECONDS)
        if len(parts) == 1:
            parts[0].advance(budget)
        else:
            list(self.threads.map(lambda part: part.advance(budget), parts))
        used = [budget - part.unspent for part in parts]
        self.spent.expanded += sum(used)
        self._compare()
        return max(min(used), 1)

    def _parts(self) -> list[Task]:
        """The one or two parts that work now, the most important first."""
        if not self.has_plan:
            return [self.lacam]
        if self.proof is None and self.problem.n_agents <= self.few and self._works("cbs"):
            self.proof = self._begin("cbs")
        if self.is_new and self.best is not None and self._works("lns"):
            fields = filled_fields(self.problem.states, self.lacam.fields.steps)
            self.improvement = Improvement(self.problem, self.best, seed=self.seed, fields=fields)
            self.is_new = False
        parts = (self.improvement, self.proof, self.lacam)
        return [part for part in parts if part is not None and not part.status.is_final][:2]

    def _compare(self) -> None:
        """Keep the best plan of all parts, and end if nothing can be better or nobody has a plan."""
        if not self.lacam.has_plan and self.lacam.status.is_final:
            self.status, self.detail = self.lacam.status, self.lacam.result().detail
            return
        if self.lacam.has_plan and self.lacam.cost < self.known:
            self.known = self.lacam.cost
            self._offer(self.lacam)
        if self.proof is not None and self.proof.status is Status.SOLVED:
            self._offer(self.proof)
            self.status, self.bound = Status.SOLVED, 1.0
        elif self.improvement is not None and self.improvement.status is Status.SOLVED:
            self.status, self.bound = Status.SOLVED, self.improvement.result().bound

    def _offer(self, part: Task) -> None:
        """Keep the plan of `part`, if it is the best; that of points without detours and waits that nobody needs.

        The neighbourhood search begins anew from a much better one.
        """
        plan = part.result().plan
        assert plan is not None
        if self.problem.kinds == (POINT,):
            with suppress(TooLong):
                plan = parallelised(plan)
        cost, least = sum_of_costs(plan, self.problem.goals), self._cost()
        if cost >= least:
            return
        self.best, self.cost, self.has_plan = plan, cost, True
        self.is_new = self.is_new or self.improvement is None or cost < BETTER * least

    def _cost(self) -> int:
        """The sum of costs of the best plan so far."""
        return self.cost if self.improvement is None else min(self.cost, self.improvement.cost)

    def result(self) -> Result:
        """The best plan so far."""
        status = Status.SOLVED if self.has_plan else self.status
        result = Result(status, self.algorithm, options=dict(self.options), counters=self.spent, detail=self.detail)
        result.plan, result.bound = self.best, self.bound
        if self.improvement is not None and self.improvement.cost < self.cost:
            result.plan = self.improvement.result().plan
        return result
