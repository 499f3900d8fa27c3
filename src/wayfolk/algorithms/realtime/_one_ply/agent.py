"""What RTA*, LRTA* and its successors that look at neighbours share: the agent around the kernel `look_and_move`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.algorithms.realtime._learner import Learner
from wayfolk.algorithms.realtime._one_ply import moves
from wayfolk.algorithms.realtime._state import ARRIVED, STUCK, Limits
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves


class OnePly(Learner):
    """A walk that looks around before each move. `new_rule` makes the rule anew for each trial, goal and map.

    `bound` is the most expansions for each move; `unbroken`, if it is less, the most between two looks at the budget.
    """

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, name: str, new_rule: Callable[[], Any], bound: int,
        unbroken: int | None = None, is_consistent: bool = True, watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, name=name, is_consistent=is_consistent, watch=watch)
        self.new_rule, self._bound, self._unbroken = new_rule, bound, bound if unbroken is None else unbroken
        self.rule = new_rule()

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self._bound

    @property
    def unbroken(self) -> int:
        """The most expansions between two looks at the budget."""
        return self._unbroken

    def _move(self, limits: Limits) -> Status:
        state = self.state[0]
        code = moves.look_and_move(
            self.world.graph, self.hints, self.rule, self.flood, self.state,
            self._trail(int(state["expanded"]), limits), self.kind, limits,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == STUCK:
            return self._no_way()
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def again(self) -> None:
        """Begin another trial from the start, with all that was learned."""
        super().again()
        self.rule = self.new_rule()

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        super()._renew(world, goal)
        self.rule = self.new_rule()


def n_ways(world: Grid | Graph) -> int:
    """The most neighbours a cell can have."""
    if isinstance(world, Graph):
        return int(np.diff(world.graph.first).max(initial=0))
    return 4 if world.moves is Moves.FOUR else 8


def tree_size(world: Grid | Graph, depth: int) -> int:
    """The most cells to expand when searching `depth` moves ahead, depth first."""
    return sum(n_ways(world) ** level for level in range(depth))
