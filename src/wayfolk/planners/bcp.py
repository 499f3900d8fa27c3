"""BCP: everyone plans alone; where two would collide, the place gets dearer for the lesser one, who plans again.

Geramifard, Chubak and Bulitko, "Biased cost pathfinding", 2006; Jansen, "Direction Maps", 2008, section 2.5.

Finds    a path for each agent, the cheapest one by its own costs. The agent of the highest priority walks a shortest way;
         nothing is promised for the others, nor that it ever ends.
Keeps    costs only rise, and only for agents that collide with one of higher priority. A plan is returned only if it has
         no faults.
Takes    passes, in each of which those who collided search anew; memory for a number at each place that has become dearer.
Differs  the bias belongs to the place and the step of a collision, and searches are in space and time: an agent may wait
         for another to pass, and waits or steps aside if one comes across its goal. At "place", as published, it belongs
         to the place for good; then agents only go around each other. Swaps and crossing diagonals are collisions too.
         After `passes` passes it gives up, where the paper goes on until its time is over.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from wayfolk.errors import BadInput, NotSupported
from wayfolk.kernels import biased, distance, reservations, space_time
from wayfolk.plan import from_paths
from wayfolk.planners._cooperative import _order
from wayfolk.problem import Problem
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.task import Task

PAPER = "Geramifard, Chubak and Bulitko 2006; Jansen 2008"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    order: Literal["given", "longest", "random"] = "given",
    bias: float = 1.0,
    at: Literal["moment", "place"] = "moment",
    passes: int = 1000,
) -> BiasedCost:
    """Plan for everyone, the first in `order` with the highest priority; `seed` matters only for the order "random".

    A collision makes its place dearer by `bias` steps, at that "moment" only or, at "place", for good.
    """
    if not 0.001 <= bias <= 1000.0:
        raise BadInput(f"bias must be from 0.001 to 1000 steps, not {bias}")
    if passes < 1:
        raise BadInput(f"passes must be 1 or more, not {passes}")
    if not problem.is_one_shot:
        raise NotSupported("a planner needs one goal for each agent; patrols and tasks are for controllers")
    return BiasedCost(problem, _order(problem, order, seed), bias, at == "place", passes)


class BiasedCost(Task):
    """Passes under way; `todo` are the agents that still have to plan in this one."""

    def __init__(self, problem: Problem, order: Any, bias: float, by_place: bool, passes: int) -> None:
        grid, n = problem.grid, problem.n_agents
        self.problem, self.by_place, self.passes = problem, by_place, passes
        self.bias = round(bias * (1 << 10))
        self.rank = np.empty(n, np.int32)
        self.rank[order] = np.arange(n)
        self.fields = distance.new_fields(grid, problem.goals)
        self.tables = [reservations.new_reservations(8) for _ in range(n)]
        self.last = [0] * n
        self.nodes = space_time.new_nodes(1 << 12)
        self.owners = np.zeros((2, grid.n_cells), biased.OWNER)
        self.found = np.zeros(16 * n, biased.FOUND_ROW)
        self.paths: list[Any] = [None] * n
        self.counters = Counters()
        self.n_passes = 0
        self.todo = list(range(n))
        self._start_agent()

    def _start_agent(self) -> None:
        agent = self.todo[-1]
        space_time.seed(self.nodes, self.problem.starts[agent], 0, self.last[agent])

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        while budget > 0 and not self.status.is_final:
            done, agent = int(self.nodes.counts[space_time.EXPANDED]), self.todo[-1]
            code = biased.advance(
                self.fields, self.tables[agent], self.nodes, agent, self.problem.goals[agent], self.by_place, budget
            )
            used = int(self.nodes.counts[space_time.EXPANDED]) - done
            self.counters.expanded += used
            budget -= used
            if code == space_time.FULL:
                self.nodes = space_time.grown(self.nodes)
            elif code == space_time.FOUND:
                self._keep_path(agent)
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
        """End a pass: the plan is done, or those who collide have more to pay and plan again."""
        self.n_passes += 1
        plan = from_paths(self.problem.grid, self.paths)
        self.owners["step"] = space_time.NEVER
        n = biased.collide(plan.cells, self.problem.grid.offsets, self.rank, self.owners, self.found)
        rows = self.found[:n]
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
        """Make `cell` dearer for `agent` at `step`."""
        table = self.tables[agent] = reservations.with_room(self.tables[agent], 1)
        known = reservations.holder(table, cell, step)
        paid = 0 if known == reservations.NOBODY else int(known)
        reservations.reserve(table, cell, step, min(paid + self.bias, 1 << 30))
        self.last[agent] = max(self.last[agent], step)

    def result(self) -> Result:
        """The plan, once nobody collides."""
        made = Result(self.status, "", counters=self.counters)
        if self.status is Status.SOLVED:
            made.plan = self.plan
        elif self.status is Status.GAVE_UP:
            made.detail = f"agents still collide after {self.n_passes} passes"
        return made
