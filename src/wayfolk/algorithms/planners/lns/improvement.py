"""Improvement: a plan that becomes better the longer it is advanced."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._sipp import repair
from wayfolk.algorithms.planners._sipp.fleet import ADDED, BOUND, PHASE, SUM, TURN, arrival, new_fleet, put
from wayfolk.algorithms.planners._sipp.search import EXPANDED
from wayfolk.algorithms.planners._sipp.task import AGENTS_AT_ONCE, Repairing
from wayfolk.errors import BadProblem, TooLarge
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.kernels.distance import Fields, steps_between
from wayfolk.kernels.jit import inner, kernel
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Result, Status

N_METHODS = 5


class Improvement(Repairing):
    """The improvement of `plan`, a plan of `problem` without faults. It has a plan from the beginning.

    Its status becomes SOLVED when all agents take shortest paths, which is optimal, and stays RUNNING otherwise. `fields`
    are the distances to the goals, if they were computed before.
    """

    has_plan = True

    def __init__(
        self, problem: Problem, plan: Plan, *, seed: int = 0, neighbourhood: int = 8, fields: Fields | None = None
    ) -> None:
        super().__init__(problem)
        if plan.n_agents != problem.n_agents or (plan.cells[[0, -1]] != [problem.starts, problem.goals]).any():
            raise BadProblem("only a plan that brings all agents of the problem to their goals can be improved")
        self.given: Plan | None = plan
        self.fleet = new_fleet(problem, neighbourhood, seed, counting=False, n_methods=N_METHODS, fields=fields)
        self.fleet.counts[PHASE] = repair.WRITE
        self.cells: NDArray[np.int32] = np.ascontiguousarray(plan.cells.T)
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
                self.unspent = self._read(budget)
            if self.given is None and self.unspent > 0:
                code, self.unspent = self.work(self.unspent, NO_LIMIT)
                if code == repair.DONE:
                    self.status = Status.SOLVED
        except TooLarge as error:
            self.status, self.detail = Status.SOLVED, str(error)
        return self.status

    def _read(self, budget: int) -> int:
        """Read paths of the given plan; what is left of `budget`."""
        while budget > 0 and self.given is not None:
            before = self.expanded
            code = read_paths(self.fleet, self.cells, min(budget, AGENTS_AT_ONCE))
            budget -= self.expanded - before
            if code == repair.DONE:
                self.given, self.cells = None, np.zeros((0, 0), np.int32)
            elif code != repair.RUNNING:
                self.enlarge(code)
            if perf_counter() >= self.until:
                break
        return budget

    def result(self) -> Result:
        """The best plan so far."""
        result = Result(Status.SOLVED, self.algorithm, options=dict(self.options), counters=self.counters())
        result.plan, result.detail = self.plan() if self.given is None else self.given, self.detail
        counts = self.fleet.counts
        if self.given is None and counts[SUM] == counts[BOUND]:
            result.bound = 1.0
        return result


@kernel
def read_paths(fleet, cells, budget):
    """Put up to `budget` of the paths in `cells[agent, step]` on the map: DONE after the last, RUNNING, or what is full."""
    counts = fleet.counts
    for _ in range(budget):
        agent = counts[TURN]
        if agent == fleet.runners.size:
            counts[PHASE] = repair.CHOOSE
            return repair.DONE
        runner = fleet.runners[agent]
        if counts[PHASE] != repair.ADD:
            n = _write_stops(cells[agent], fleet.paths[agent])
            if n > fleet.paths.shape[1]:
                return repair.NEEDS_STOPS
            fleet.sizes[agent] = n
            runner["least"] = steps_between(fleet.fields, agent, runner["start"])
            runner["delay"] = arrival(fleet, agent) - runner["least"]
            counts[SUM] += arrival(fleet, agent)
            counts[BOUND] += runner["least"]
            counts[ADDED] = 0
            counts[PHASE] = repair.ADD
        if not put(fleet, agent, agent):
            return repair.NEEDS_VISITS
        counts[PHASE] = repair.WRITE
        counts[TURN] += 1
        fleet.tree.counts[EXPANDED] += 1
    return repair.RUNNING


@inner
def _write_stops(cells, path):
    """Write the stops of a path, without the wait at its end, to `path`; how many there are, also if there is no room."""
    n = 0
    for step in range(cells.size):
        if step == 0 or cells[step] != cells[step - 1]:
            if n < path.size:
                path[n]["cell"], path[n]["start"] = cells[step], step
            n += 1
    return n
