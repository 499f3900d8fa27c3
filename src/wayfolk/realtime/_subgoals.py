"""What D LRTA* and kNN LRTA* share: a walk to subgoals from a database, with what is learned about each of them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wayfolk.graph import Graph, guess
from wayfolk.grid import Grid
from wayfolk.kernels import buckets, hints
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, Ahead
from wayfolk.realtime._learner import Learner, _is_no_easier
from wayfolk.realtime._look_ahead import new_ahead
from wayfolk.result import Status


def roomy_ahead(world: Grid, expansions: int) -> Ahead:
    """Arrays for plans of RTAA*, with a queue that will never be full."""
    ahead = new_ahead(world, "rtaa", expansions, 0)
    return ahead._replace(queue=buckets.new_buckets(len(ahead.queue.lists), 8 * expansions + 16))


class ToSubgoals(Learner):
    """A walk by subgoals. What is learned lies in a table by subgoal and cell."""

    world: Grid

    def __init__(self, world: Grid, start: int, goal: int, *, name: str, expansions: int, watch: bool) -> None:
        super().__init__(world, start, goal, name=name, keeps_rule=False, watch=watch)
        self.ahead = roomy_ahead(world, expansions)
        self.route = np.empty(expansions + 2, np.int32)
        self.table, self.used = hints.new_table(1024), np.zeros(1, np.int64)
        self.part = world.components

    @abstractmethod
    def _advance(self, moves: int) -> int:
        """Call the kernel."""

    @abstractmethod
    def _restart(self) -> None:
        """Forget where the walk was going."""

    def _walk(self, moves: int) -> Status:
        if self.part[self.here] != self.part[self.goal]:
            return Status.IMPOSSIBLE
        code = self._advance(moves)
        self.n_walked, self.here = int(self.state[0]["moves"]), int(self.state[0]["here"])
        if code == NO_ROOM:
            table = hints.new_table(2 * len(self.table))
            hints.move(self.table, table)
            self.table = table
        if code == STUCK:
            return Status.IMPOSSIBLE
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def h(self, cell: int) -> float:
        """The cost from `cell` to the goal, as far as is known."""
        found = hints.recall(hints.SparseHints(self.table, self.used, self.goal, self.world.n_cells), cell)
        return max(float(guess(self.world.graph, cell, self.goal, self.kind)), float(found))

    def again(self) -> None:
        """Another trial from the start, with all that was learned."""
        super().again()
        self._restart()

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """On a changed map, what was learned holds if no way has become easier; the database does not hold."""
        assert isinstance(world, Grid)
        self.state[0]["goal"], self.state[0]["n_route"] = goal, 0
        if not _is_no_easier(world, self.world):
            self.table, self.used = hints.new_table(1024), np.zeros(1, np.int64)
        if world is not self.world:  # steps may be dearer
            self.ahead = roomy_ahead(world, self.ahead.budget)
            self.part = world.components
            self._forget()
        self.goal = goal
        self._restart()

    @abstractmethod
    def _forget(self) -> None:
        """Go on without the database."""
