"""MAPF-LNS2: plans for all agents although they collide, then replans a few at a time until none do.

Li, Chen, Harabor, Stuckey and Koenig, "MAPF-LNS2: Fast repairing for multi-agent path finding via large neighborhood
search", 2022.

Guarantees  a plan without collisions, if it ends; it need not end, and the plan need not be good. It gives up after
            `patience` repairs for each agent without fewer collisions.
Invariants  the number of pairs of agents that collide never rises.
Cost        a search with SIPPS for each agent, and for each agent of each neighbourhood. Memory for all paths twice, and
            for distances to each goal as far as they are needed.
Deviations  a weight follows the gain by expansion, not by repair. The second kind of neighbourhood is an agent that
            collides, those whose goals lie on its path, and those that cross its goal. In the first plan, agents that
            are near to their goals plan first: others walk around them once they rest, so that few agents have to
            wait until nobody crosses their goals any more. On maps with room this saves most of the delays. The paper's
            agents are points: others have visits of all places of their nodes, moves and waits, and collide where
            two visits of a place overlap. A search counts these visits, so large bodies avoid each other most of all.
"""

from __future__ import annotations

from time import perf_counter
from typing import Annotated, Literal

import numpy as np

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._sipp import repair
from wayfolk.algorithms.planners._sipp.fleet import FIRST, N_MEMBERS, OLD_PAIRS, PAIRS, PHASE, TURN, new_fleet
from wayfolk.algorithms.planners._sipp.task import AGENTS_AT_ONCE, Repairing
from wayfolk.errors import TooLarge
from wayfolk.kernels.codes import RUNNING
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Result, Status

PAPER = "Li et al. 2022"
OPTIMAL = False
COMPLETE = False
WORLDS = "any"
N_METHODS = 3


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    order: Annotated[
        Literal["shortest", "random"], "Who plans first: agents that are nearest to their goals, or random ones."
    ] = "shortest",
    neighbourhood: Annotated[int, Range(2, 1000), "How many agents are replanned at a time."] = 8,
    patience: Annotated[
        int, Range(1, 1000000000), "Repairs for each agent without fewer collisions before it gives up."
    ] = 1000,
) -> Lns2:
    """A plan for the agents of `problem`."""
    return Lns2(problem, seed, order, neighbourhood, patience)


class Lns2(Repairing):
    """The repair of a plan under way: of `plan` if there is one, whose agents all come to their goals."""

    def __init__(
        self, problem: Problem, seed: int, order: str, neighbourhood: int, patience: int, *, plan: Plan | None = None
    ) -> None:
        super().__init__(problem)
        self.seed, self.order, self.has_begun = seed, order, False
        self.patience = patience * (problem.n_agents + 1)
        self.fleet = new_fleet(problem, neighbourhood, seed, counting=True, n_methods=N_METHODS)
        if plan is not None:
            self.give(plan)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` labels, fewer if `until` comes first; `unspent` are left then.

        An agent whose distance to its goal is measured counts as one.
        """
        self.unspent = budget
        try:
            if not self.status.is_final and not self.has_begun:
                self._begin()
            if not self.status.is_final and self.has_begun and self.unspent > 0:
                code, self.unspent = self.work(self.unspent, self.patience)
                self._end(code)
        except TooLarge as error:
            self.status, self.detail = Status.OUT_OF_BUDGET, str(error)
        return self.status

    def _begin(self) -> None:
        if self.given is None:
            self._measure()
            return
        self.unspent = self.read(self.unspent)
        self.has_begun = self.given is None

    def _measure(self) -> None:
        """Measure distances; after the last, put the agents in order."""
        code = RUNNING
        while code == RUNNING and self.unspent > 0:
            before = self.expanded
            code = repair.measure(self.fleet, min(self.unspent, AGENTS_AT_ONCE))
            self.unspent -= self.expanded - before
            if perf_counter() >= self.until:
                break
        if code == repair.CUT_OFF:
            agent = int(self.fleet.counts[TURN])
            self.status, self.detail = Status.IMPOSSIBLE, f"agent {agent} cannot reach its goal"
        elif code == repair.DONE:
            self.has_begun = True
            n, counts, members = self.problem.n_agents, self.fleet.counts, self.fleet.members
            members[:n] = np.random.default_rng(self.seed).permutation(n)
            if self.order == "shortest":
                members[:n] = members[np.argsort(self.fleet.runners["least"][members[:n]], kind="stable")]
            counts[FIRST], counts[N_MEMBERS], counts[PHASE], counts[OLD_PAIRS] = 1, n, repair.NEXT, n * n

    def _end(self, code: int) -> None:
        if code == repair.DONE:
            self.status = Status.SOLVED
        elif code == repair.STUCK:
            n = int(self.fleet.counts[PAIRS])
            self.status = Status.GAVE_UP
            self.detail = f"{n} pair{'s' * (n > 1)} of agents still collide, and further repairs do not help"

    def result(self) -> Result:
        """The plan, once no agents collide."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters())
        result.counters.collisions = int(self.fleet.counts[PAIRS])
        result.detail = self.detail
        if self.status is Status.SOLVED:
            result.plan = self.plan()
        return result
