"""BCP: every agent plans alone; where two collide, the cell becomes costlier for the one of lower priority, which replans.

Geramifard, Chubak and Bulitko, "Biased cost pathfinding", 2006; Jansen, "Direction Maps", 2008, section 2.5.

Guarantees  each agent's path is cheapest by its own costs, and that of the agent with the highest priority is a shortest
            one. Nothing is guaranteed for the others, nor that a plan is found.
Invariants  costs only rise, and only for agents that collide with one of higher priority. A plan is returned only if it
            has no faults.
Cost        passes, in each of which the agents that collided search anew; memory for one number for each cell and step
            that has become costlier.
Deviations  the bias belongs to the cell and the step of a collision, and searches are in space and time: an agent may wait
            for another to pass, and waits or steps aside if one comes across its goal. With at = "place", as published,
            it belongs to the cell at all steps; then agents only go around each other. Swaps and crossing diagonals are
            collisions too. After `passes` passes it gives up, where the paper goes on until its time is over.
"""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cooperative import order_of
from wayfolk.algorithms.planners.bcp import biased
from wayfolk.algorithms.task import Task
from wayfolk.kernels import reservations, space_time
from wayfolk.kernels.codes import FOUND, FULL, NOBODY
from wayfolk.kernels.reservation_rules import NEVER
from wayfolk.problem.plan import from_paths
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.spots import new_fields

PAPER = "Geramifard, Chubak and Bulitko 2006; Jansen 2008"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, for the order \"random\"."] = 0,
    order: Annotated[Literal["given", "longest", "random"], "Priorities: as given, longest way first, random."] = "given",
    bias: Annotated[float, Range(0.001, 1000), "How many steps costlier a collision makes its cell."] = 1.0,
    at: Annotated[Literal["moment", "place"], "Whether the bias holds at that step only or at all steps."] = "moment",
    passes: Annotated[int, Range(1, 1_000_000), "After how many passes with collisions it gives up."] = 1000,
) -> BiasedCost:  # fmt: skip
    """A task that plans for all agents of `problem`; the first in `order` has the highest priority."""
    return BiasedCost(problem, order_of(problem, order, seed), bias, at == "place", passes)


class BiasedCost(Task):
    """Passes under way; `todo` are the agents that still have to plan in the present one."""

    def __init__(self, problem: Problem, order: NDArray[np.intp], bias: float, by_place: bool, passes: int) -> None:
        grid, n = problem.grid, problem.n_agents
        self.problem, self.by_place, self.passes = problem, by_place, passes
        self.bias = round(bias * (1 << 10))
        self.rank = np.empty(n, np.int32)
        self.rank[order] = np.arange(n)
        self.fields = new_fields(grid, problem.goals)
        self.tables = [reservations.new_reservations(8) for _ in range(n)]
        self.last = [0] * n
        self.nodes = space_time.new_nodes(1 << 12)
        self.owners = np.zeros((2, grid.n_cells), biased.OWNER)
        self.collisions = np.zeros(16 * n, biased.COLLISION)
        self.paths: list[Any] = [None] * n
        self.counters = Counters()
        self.n_passes = 0
        self.todo = list(range(n))
        self._start_agent()

    def _start_agent(self) -> None:
        agent = self.todo[-1]
        space_time.open_start(self.nodes, self.problem.starts[agent], 0, self.last[agent])

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes, fewer if `until` comes first; `unspent` are left then."""
        while budget > 0 and not self.status.is_final:
            done, agent = int(self.nodes.counts[space_time.EXPANDED]), self.todo[-1]
            code = biased.advance(
                self.fields, self.tables[agent], self.nodes, agent, self.problem.goals[agent], self.by_place, budget
            )
            used = int(self.nodes.counts[space_time.EXPANDED]) - done
            self.counters.expanded += used
            budget -= used
            if code == FULL:
                self.nodes = space_time.grown(self.nodes)
            elif code == FOUND:
                self._keep_path(agent)
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _keep_path(self, agent: int) -> None:
        n = space_time.trace(self.nodes, np.empty(0, np.int32), np.empty(0, np.int32))
        cells, steps = np.empty(n, np.int32), np.empty(n, np.int32)
        space_time.trace(self.nodes, cells, steps)
        self.paths[agent] = cells[:-1]  # the last node stands for staying
        self.counters.generated += int(self.nodes.counts[space_time.N_NODES])
        self.todo.pop()
        if not self.todo:
            self._look_for_collisions()
        if self.todo:
            self._start_agent()

    def _look_for_collisions(self) -> None:
        """End a pass: the plan is complete, or costs rise for the agents that collide, and they replan."""
        self.n_passes += 1
        plan = from_paths(self.problem.grid, self.paths)
        self.owners["step"] = NEVER
        n = biased.collide(plan.cells, self.problem.grid.offsets, self.rank, self.owners, self.collisions)
        rows = self.collisions[:n]
        self.counters.collisions += n
        if n == 0:
            self.plan, self.status = plan, Status.SOLVED
        elif self.n_passes >= self.passes:
            self.status = Status.GAVE_UP
        else:
            for agent, cell, step in rows.tolist():
                self._raise(agent, cell, 0 if self.by_place else step)
            self.todo = np.unique(rows["agent"])[::-1].tolist()
            self.counters.replans += len(self.todo)

    def _raise(self, agent: int, cell: int, step: int) -> None:
        """Make `cell` costlier for `agent` at `step`."""
        table = self.tables[agent] = reservations.with_room(self.tables[agent], 1)
        before = reservations.holder(table, cell, step)
        paid = 0 if before == NOBODY else int(before)
        reservations.reserve(table, cell, step, min(paid + self.bias, 1 << 30))
        self.last[agent] = max(self.last[agent], step)

    def result(self) -> Result:
        """The plan, once no agents collide."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters)
        if self.status is Status.SOLVED:
            result.plan = self.plan
        elif self.status is Status.GAVE_UP:
            result.detail = f"agents still collide after {self.n_passes} passes"
        else:
            result.detail = f"stopped after {self.n_passes} passes, before a plan without collisions"
        return result
