"""OD: A* over the places of all agents together, in which the agents of a step move one after another.

Standley, "Finding optimal solutions to cooperative pathfinding problems", 2010, "Operator decomposition".

Guarantees  a plan of least cost; IMPOSSIBLE if there is none, as long as memory suffices to visit all states.
Invariants  a standard node, which says where all agents are, is expanded once. f never falls from a node to its successor.
Cost        exponential in the number of agents. On a grid, a node has at most 10 successors, where A* without decomposition
            has up to 9 for each agent, multiplied. About 60 bytes a node, and 4 for each agent in every second or third
            of them.
Deviations  an agent on its goal declares that it stays for good, and costs nothing from then on. The paper leaves open how
            waits on the goal are charged to an agent that leaves it again. An expansion is that of one standard or
            intermediate node. The makespan and the sum of loss can be minimised too.
"""

from __future__ import annotations

import time
from typing import Annotated, Literal

import numpy as np

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._groups.search import NO_MEMORY, JointSearch, SharedFields
from wayfolk.algorithms.task import Task
from wayfolk.kernels.codes import EXHAUSTED, FOUND
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status

PAPER = "Standley 2010; Renukamurthy 2016"
OPTIMAL = True
COMPLETE = True
WORLDS = "any"
AGENTS = 6


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    objective: Annotated[Literal["sum_of_costs", "makespan", "sum_of_loss"], "What is minimised."] = "sum_of_costs",
) -> OperatorDecomposition:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return OperatorDecomposition(problem, objective)


class OperatorDecomposition(Task):
    """Distances of `known` agents are computed; then the search is under way."""

    def __init__(self, problem: Problem, objective: str) -> None:
        self.problem, self.objective = problem, objective
        self.ground = SharedFields(problem)
        self.known = 0
        self.search: JointSearch | None = None
        self.detail = ""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes, fewer if `until` comes first; `unspent` are left then. A distance counts as one."""
        while budget > 0 and not self.status.is_final:
            budget -= self._measure() if self.search is None else self._search(self.search, min(budget, 1 << 14))
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _measure(self) -> int:
        """Compute the distance of one agent, or begin to search."""
        if self.known < self.problem.n_agents:
            if self.ground.distance(self.known) is None:
                place = self.problem.states.place(int(self.problem.goals[self.known]))
                self.status, self.detail = Status.IMPOSSIBLE, f"agent {self.known} cannot reach its goal {place}"
            self.known += 1
            return 1
        agents = list(range(self.problem.n_agents))
        self.search = JointSearch(self.ground, agents, measure=self.objective)
        return 0

    def _search(self, search: JointSearch, budget: int) -> int:
        """Expand up to `budget` nodes; the number of expanded nodes."""
        done = search.expanded
        code = search.advance(budget)
        if code == FOUND:
            self.status = Status.SOLVED
        elif code == EXHAUSTED:
            self.status, self.detail = Status.IMPOSSIBLE, "all that the agents can do was tried"
        elif code == NO_MEMORY:
            self.status, self.detail = Status.OUT_OF_BUDGET, f"memory is full after {search.expanded:,} expansions"
        return search.expanded - done

    def result(self) -> Result:
        """The plan, once there is one."""
        result = Result(self.status, self.algorithm, options=dict(self.options), detail=self.detail)
        if self.search is not None:
            result.counters = Counters(expanded=self.search.expanded, generated=self.search.generated)
        if self.status is Status.SOLVED and self.search is not None:
            result.plan = Plan(self.problem.states, np.ascontiguousarray(self.search.cells()))
            result.bound = 1.0
        return result
