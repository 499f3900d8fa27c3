"""What D LRTA* and kNN LRTA* share: an agent that moves to subgoals from a database, and learns for each of them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wayfolk.algorithms.realtime import _hints as hints
from wayfolk.algorithms.realtime._hints import SparseHints
from wayfolk.algorithms.realtime._learner import Learner, _is_no_easier
from wayfolk.algorithms.realtime._look_ahead.agent import new_ahead
from wayfolk.algorithms.realtime._look_ahead.plans import Ahead
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, Limits
from wayfolk.kernels import buckets
from wayfolk.kernels.graph import heuristic
from wayfolk.kernels.table import copy_all
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def roomy_ahead(world: Grid, expansions: int) -> Ahead:
    """Arrays for plans of RTAA*, with a queue that is never full."""
    ahead = new_ahead(world, "rtaa", expansions, 0)
    return ahead._replace(queue=buckets.new_buckets(len(ahead.queue.lists), 8 * ahead.budget + 16))


class ToSubgoals(Learner):
    """A walk by subgoals. What is learned is kept in a table by subgoal and cell."""

    world: Grid

    def __init__(self, world: Grid, start: int, goal: int, *, name: str, expansions: int, watch: bool) -> None:
        super().__init__(world, start, goal, name=name, is_consistent=False, watch=watch)
        self.ahead = roomy_ahead(world, expansions)
        self.route = np.empty(self.ahead.budget + 2, np.int32)
        self.table, self.used = hints.new_table(1024), np.zeros(1, np.int64)
        self.part = world.components

    @abstractmethod
    def _run(self, limits: Limits) -> int:
        """Call the kernel, and return its outcome."""

    @abstractmethod
    def _restart(self) -> None:
        """Forget the present subgoal."""

    @property
    def learned(self) -> SparseHints:
        """What was learned, for the goal; kernels use its table for the subgoals too."""
        return SparseHints(self.table, self.used, self.goal, self.world.n_cells)

    def _move(self, limits: Limits) -> Status:
        if self.part[self.here] != self.part[self.goal]:
            return Status.IMPOSSIBLE
        code = self._run(limits)
        self.n_walked, self.here = int(self.state[0]["moves"]), int(self.state[0]["here"])
        if code == NO_ROOM:
            table = hints.new_table(2 * len(self.table))
            copy_all(self.table, table)
            self.table = table
        if code == STUCK:
            return Status.IMPOSSIBLE
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def h(self, cell: int) -> float:
        """The heuristic of `cell`: a lower bound of its cost to the goal, with what was learned."""
        initial = float(heuristic(self.world.graph, cell, self.goal, self.kind))
        return max(initial, float(hints.recall(self.learned, cell)))

    def again(self) -> None:
        """Begin another trial from the start, with all that was learned."""
        super().again()
        self._restart()

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """On a changed map, what was learned holds if no edge is new or cheaper; the database does not hold."""
        assert isinstance(world, Grid)
        self.state[0]["goal"], self.state[0]["n_route"] = goal, 0
        if not _is_no_easier(world, self.world):
            self.table, self.used = hints.new_table(1024), np.zeros(1, np.int64)
        if world is not self.world:  # steps may be costlier
            self.ahead = roomy_ahead(world, self.ahead.budget)
            self.part = world.components
            self._forget()
        self.goal = goal
        self._restart()

    @abstractmethod
    def _forget(self) -> None:
        """Go on without the database, which is about another map."""
