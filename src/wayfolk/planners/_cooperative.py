"""What CA* and HCA* share: agents plan one after another around the reservations of those before them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from wayfolk.errors import NotSupported
from wayfolk.grid import Moves
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.distance import fewest_steps
from wayfolk.plan import from_paths
from wayfolk.problem import Problem
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.task import Task

Order = Literal["given", "longest", "random"]


class Cooperative(Task):
    """Prioritised planning under way.

    Slot 0 is where everyone stands at first; a move made at slot t puts the agent into row t of the plan.
    """

    def __init__(self, problem: Problem, *, exact: bool, order: Order, retries: int, seed: int) -> None:
        if not problem.is_one_shot:
            raise NotSupported("a planner needs one goal for each agent; patrols and tasks are for controllers")
        grid, n = problem.grid, problem.n_agents
        self.problem, self.exact, self.retries = problem, exact, retries
        self.nodes = space_time.new_nodes(1 << 12)
        diagonal = 2 if grid.moves is Moves.FOUR else 1
        self.rra = rra.new_rra(grid, n if exact else 1, 1, diagonal)
        self.order = _order(problem, order, seed)
        self.counters = Counters()
        self.detail = ""
        self._restart()

    def _restart(self) -> None:
        grid, n = self.problem.grid, self.problem.n_agents
        self.table = reservations.new_reservations(64 * n)
        self.rules = space_time.Rules(
            grid.legal,
            grid.offsets,
            np.ones(9, np.int32),
            np.full(grid.n_cells, space_time.NEVER, np.int32),
            np.zeros(grid.n_cells, np.int32),
        )
        for agent, cell in enumerate(self.problem.starts):
            reservations.reserve(self.table, cell, 0, agent)
        self.paths: list[Any] = [None] * n
        self.turn = 0
        self.last = 0
        self._start_agent()

    def _start_agent(self) -> None:
        agent = self.order[self.turn]
        self.agent, self.goal = agent, self.problem.goals[agent]
        start = self.problem.starts[agent]
        if self.exact:
            rra.aim(self.rra, agent, self.goal, start)
        space_time.seed(self.nodes, start, 1, self.last)
        self.before = rra.expansions(self.rra, agent) if self.exact else 0

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        while budget > 0 and not self.status.is_final:
            done = int(self.nodes.counts[space_time.EXPANDED])
            code = space_time.advance(
                self.rules,
                self.table,
                self.nodes,
                self.rra,
                self.exact,
                self.agent,
                self.goal,
                space_time.NEVER,
                budget,
            )
            used = int(self.nodes.counts[space_time.EXPANDED]) - done
            self.counters.expanded += used
            budget -= used
            if code == space_time.FULL:
                self.nodes = space_time.grown(self.nodes)
            elif code == space_time.FOUND:
                self._keep_path()
            elif code == space_time.EXHAUSTED:
                self._fail()
        return self.status

    def _keep_path(self) -> None:
        n = space_time.trace(self.nodes, np.empty(0, np.int32), np.empty(0, np.int32))
        cells, slots = np.empty(n, np.int32), np.empty(n, np.int32)
        space_time.trace(self.nodes, cells, slots)
        self.table = reservations.with_room(self.table, n)
        space_time.hold(self.table, cells, slots, n, self.agent)
        self.rules.held[cells[1:]] = np.maximum(self.rules.held[cells[1:]], slots[1:])
        self.rules.parked[self.goal] = slots[-1] - 1
        self.paths[self.agent] = cells
        self.last = max(self.last, int(slots[-1]))
        if self.exact:
            self.counters.expanded += int(rra.expansions(self.rra, self.agent) - self.before)
        self.counters.generated += int(self.nodes.counts[space_time.N_NODES])
        self.turn += 1
        if self.turn == len(self.order):
            self.status = Status.SOLVED
        else:
            self._start_agent()

    def _fail(self) -> None:
        """Begin again with the agent that found no way in front of all others, or give up."""
        self.detail = f"agent {self.agent} finds no way around those before it"
        if self.turn == 0 or self.counters.restarts >= self.retries:
            self.status = Status.GAVE_UP
        else:
            self.counters.restarts += 1
            self.order = np.concatenate([[self.agent], self.order[self.order != self.agent]])
            self._restart()

    def result(self) -> Result:
        """The plan, once everyone has a path."""
        made = Result(self.status, "", counters=self.counters)
        if self.status is Status.SOLVED:
            made.plan = from_paths(self.problem.grid, self.paths)
        else:
            made.detail = self.detail
        return made


def _order(problem: Problem, order: Order, seed: int) -> Any:
    agents = np.arange(problem.n_agents)
    if order == "random":
        return np.random.default_rng(seed).permutation(agents)
    if order == "longest":
        return np.argsort(-fewest_steps(problem.grid, problem.starts, problem.goals), kind="stable")
    return agents
