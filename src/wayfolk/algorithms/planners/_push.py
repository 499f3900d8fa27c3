"""What Push and Swap and Push and Rotate share: agents walk to their goals in turn, and the log of moves becomes a plan."""

from __future__ import annotations

import time
from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._move_log import MoveLogTask
from wayfolk.algorithms.planners._pebbles import WORK
from wayfolk.algorithms.planners._push_kernels import DONE_WITH_TURNS, LEFT, LOG_FULL, N_SWAPS, PushTables, walk
from wayfolk.algorithms.planners._swaps import SwapTables
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.world.grid import Grid
from wayfolk.world.spots import fewest_steps
from wayfolk.world.state_graph import StateGraph

Order = Literal["direction", "outside", "given", "random"]
WORK_BETWEEN_LOOKS = 300_000  # cells that searches look at between two looks at the clock: about a millisecond


class PushPlanner(MoveLogTask):
    """Moves one agent after another to its goal. A budget counts steps; subclasses handle agents that are stuck."""

    def __init__(self, problem: Problem, swapping: SwapTables, walking: PushTables, *, seed: int, order: Order) -> None:
        super().__init__(problem)
        self.seed, self.order = seed, order
        self.swapping, self.walking = swapping, walking
        self.is_ordered = False

    @abstractmethod
    def handle_stuck(self) -> None:
        """All agents have had their turn, and those in `walking.stuck` have not arrived: go on or end."""

    def work(self, budget: int) -> int:
        """Work for at most `budget` units, and return for how many."""
        return self._walk(budget)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Take up to `budget` steps, fewer if `until` comes first; `unspent` are left then. The first orders the agents."""
        if budget > 0 and not self.is_ordered:
            self.walking.order[:] = self.choose_order()
            self.is_ordered, self.unspent = True, budget - 1
            return self.status
        while budget > 0 and not self.status.is_final:
            used = self.work(budget)
            self.counters.expanded += used
            budget -= used
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def choose_order(self) -> NDArray[np.int32]:
        """The agents in the order in which they walk."""
        states, goals, n = self.problem.states, self.problem.goals, self.problem.n_agents
        if self.order == "random":
            return np.random.default_rng(self.seed).permutation(n).astype(np.int32)
        if self.order == "given" or not _has_positions(states):
            return np.arange(n, dtype=np.int32)
        if self.order == "direction":
            return _by_direction(_positions(states, self.problem.starts), _positions(states, goals))
        middle = np.empty(n, np.int32)
        parts = states.components[goals]
        for part in np.unique(parts):
            cells = states.free_cells[states.components[states.free_cells] == part]
            places = _positions(states, cells)
            nearest = np.abs(places - places.mean(0)).sum(1).argmin()
            middle[parts == part] = cells[nearest]
        return np.argsort(-fewest_steps(states, middle, goals), kind="stable").astype(np.int32)

    def _walk(self, budget: int) -> int:
        """Let agents walk for a while; return how many steps they took."""
        code = walk(self.pebbles, self.swapping, self.walking, budget, WORK_BETWEEN_LOOKS)
        if code == LOG_FULL:
            self.lengthen_log()
        elif code == DONE_WITH_TURNS and self.walking.stuck.any():
            self.handle_stuck()
        elif code == DONE_WITH_TURNS:
            self.make_plan()
        return budget - int(self.walking.job[LEFT])

    def make_plan(self) -> None:
        """Make the plan of the log."""
        self.counters.generated = int(self.pebbles.counts[WORK])
        self.counters.collisions = int(self.walking.job[N_SWAPS])
        if self.read_log():
            self.status = Status.SOLVED


def _has_positions(states: Grid | StateGraph) -> bool:
    return isinstance(states, Grid) or states.positions is not None


def _positions(states: Grid | StateGraph, nodes: NDArray[np.int32]) -> NDArray[Any]:
    """Where nodes lie."""
    if isinstance(states, Grid):
        return states.places(nodes)
    assert states.positions is not None
    return states.positions[nodes]


def _by_direction(starts: NDArray[Any], goals: NDArray[Any]) -> NDArray[np.int32]:
    """Agents that go in the same quarter of all directions one after another, those with goals farthest ahead first.

    They pass every cell in the order in which they get there, so that they can walk at the same time.
    """
    ahead = np.where(goals >= starts, 1, -1)
    east, south = (ahead[:, :2] > 0).T.astype(np.int64)
    quarter = np.where(east, 3 - south, south)
    order: NDArray[np.int32] = np.lexsort((-(goals * ahead).sum(1), quarter)).astype(np.int32)
    return order
