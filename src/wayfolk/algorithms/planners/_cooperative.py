"""What CA*, HCA* and Cooperative JPS share: agents plan in turn, each around the reservations of those before it."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.task import Task
from wayfolk.kernels import reservations, rra, space_time
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.kernels.deadline import in_parts
from wayfolk.kernels.reservation_rules import NEVER, most_places, new_rules, new_state_rules
from wayfolk.problem.plan import from_paths
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.spots import fewest_steps

MOST = 1 << 13  # expansions between two looks at the clock
Order = Literal["given", "longest", "random"]


class PrioritisedPlanning(Task):
    """Prioritised planning under way. How one agent searches is left to subclasses.

    At slot 0 all agents are at their starts; a move made at slot t puts the agent into row t of the plan. No reservation
    is later than `last`.
    """

    def __init__(self, problem: Problem, *, order: Order, retries: int, seed: int) -> None:
        self.problem, self.retries = problem, retries
        self.order = order_of(problem, order, seed)
        self.goals = np.zeros(1, np.int32)
        self.counters = Counters()
        self.detail = ""
        self._restart()

    @abstractmethod
    def open_search(self, start: int, goal: int) -> None:
        """Begin the search of `self.agent`."""

    @abstractmethod
    def search(self, budget: int) -> tuple[int, int]:
        """Expand up to `budget` nodes: RUNNING, FOUND or EXHAUSTED of `space_time`, and how many were expanded."""

    @abstractmethod
    def read_path(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The cells and slots of the path that was found, and count what the search has done."""

    def _restart(self) -> None:
        states, n = self.problem.states, self.problem.n_agents
        self.rules: Any = new_rules(states) if isinstance(states, Grid) else new_state_rules(states)
        self.most_places = most_places(self.rules)
        self.table = reservations.new_reservations(64 * n * self.most_places)
        for agent, cell in enumerate(self.problem.starts):
            space_time.hold(self.rules, self.table, np.array([cell, cell]), np.arange(2, dtype=np.int32), 2, agent)
        self.paths: list[Any] = [None] * n
        self.turn = 0
        self.last = 0
        self._start_agent()

    def _start_agent(self) -> None:
        agent = self.order[self.turn]
        self.agent, self.goals[0] = agent, self.problem.goals[agent]
        self.open_search(self.problem.starts[agent], self.goals[0])

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes, fewer if `until` comes first; `unspent` are left then."""
        while budget > 0 and not self.status.is_final:
            code, used = self.search(min(budget, MOST))
            self.counters.expanded += used
            budget -= used
            if code == FOUND:
                self._keep_path()
            elif code == EXHAUSTED:
                self._fail()
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _keep_path(self) -> None:
        cells, slots = self.read_path()
        n = len(cells)
        self.table = reservations.with_room(self.table, n * self.most_places)
        space_time.hold(self.rules, self.table, cells, slots, n, self.agent)
        space_time.settle(self.rules, cells, slots, n)
        self.paths[self.agent] = cells
        self.last = max(self.last, int(slots[-1]))
        self.turn += 1
        if self.turn == len(self.order):
            self.status = Status.SOLVED
        else:
            self._start_agent()

    def _fail(self) -> None:
        """Begin anew with the agent that found no path in front of all others, or give up."""
        self.detail = f"agent {self.agent} finds no way around those before it"
        if self.counters.restarts:
            self.detail += f", after {self.counters.restarts} restarts in another order"
        if self.turn == 0 or self.counters.restarts >= self.retries:
            self.status = Status.GAVE_UP
        else:
            self.counters.restarts += 1
            self.order = np.concatenate([[self.agent], self.order[self.order != self.agent]])
            self._restart()

    def result(self) -> Result:
        """The plan, once every agent has a path."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self.counters)
        if self.status is Status.SOLVED:
            result.plan = from_paths(self.problem.states, self.paths)
        elif self.status is Status.GAVE_UP:
            result.detail = self.detail
        else:
            result.detail = f"stopped when {self.turn} of {self.problem.n_agents} agents had a path"
        return result


class Cooperative(PrioritisedPlanning):
    """Agents search in space and time; `exact`: guided by true distances."""

    def __init__(self, problem: Problem, *, exact: bool, order: Order, retries: int, seed: int) -> None:
        self.exact = exact
        self.nodes = space_time.new_nodes(1 << 12)
        states, n = problem.states, problem.n_agents if exact else 1
        self.rra: rra.AnyRra
        if isinstance(states, Grid):
            self.rra = rra.new_rra(states, n, 1, 2 if states.moves is Moves.FOUR else 1)
        else:
            self.rra = rra.new_state_rra(states, n)
        super().__init__(problem, order=order, retries=retries, seed=seed)

    def open_search(self, start: int, goal: int) -> None:
        """Begin in space and time, and backwards from the goal."""
        if self.exact:
            rra.aim(self.rra, self.agent, goal, start)
        space_time.open_start(self.nodes, start, 1, self.last)
        self.before = rra.expansions(self.rra, self.agent) if self.exact else 0
        self.query = space_time.Query(self.agent, self.goals, 1, int(NEVER), self.exact, True)

    def search(self, budget: int) -> tuple[int, int]:
        """Expand up to `budget` nodes of the tree."""
        done = int(self.nodes.counts[space_time.EXPANDED])
        code = space_time.advance(self.rules, self.table, self.nodes, self.rra, self.query, budget)
        used = int(self.nodes.counts[space_time.EXPANDED]) - done
        if code == FULL:
            self.nodes = space_time.grown(self.nodes)
            code = RUNNING
        return code, used

    def read_path(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The path at the top of the open list."""
        n = space_time.trace(self.nodes, np.empty(0, np.int32), np.empty(0, np.int32))
        cells, slots = np.empty(n, np.int32), np.empty(n, np.int32)
        space_time.trace(self.nodes, cells, slots)
        if self.exact:
            self.counters.expanded += int(rra.expansions(self.rra, self.agent) - self.before)
        self.counters.generated += int(self.nodes.counts[space_time.N_NODES])
        return cells, slots


def order_of(problem: Problem, order: Order, seed: int) -> NDArray[np.intp]:
    """The agents in the order in which they plan; `seed` is for "random"."""
    agents = np.arange(problem.n_agents)
    if order == "random":
        return np.random.default_rng(seed).permutation(agents)
    if order == "longest":
        states, starts, goals = problem.states, problem.starts, problem.goals
        parts = in_parts(agents, len(states.free_cells))
        steps = [fewest_steps(states, starts[part], goals[part]) for part in parts]
        return np.argsort(-np.concatenate([np.zeros(0, np.int32), *steps]), kind="stable")
    return agents
