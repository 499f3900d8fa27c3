"""What RTAA* and LSS-LRTA* share: the walker around the kernel `look_ahead`."""

from __future__ import annotations

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, Graph
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, heap, look_ahead
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, Ahead, LocalSpace, Rtaa
from wayfolk.realtime._learner import Learner
from wayfolk.result import Status
from wayfolk.search._best_first import best_guess, settings

ALL_THE_WAY = 1 << 30
RULES = {"rtaa": lambda budget: Rtaa(), "local_space": lambda budget: LocalSpace(np.zeros(16 * budget + 16, heap.ROW))}


def new_ahead(world: Grid | Graph, rule: str, budget: int, moves: int, avoid: bool = False) -> Ahead:
    """Arrays for plans of `budget` expansions, of which up to `moves` are walked (0: all)."""
    if budget < 1:
        raise BadInput(f"expansions must be 1 or more, not {budget}")
    if moves < 0:
        raise BadInput(f"moves must be 0 (all the way) or more, not {moves}")
    name = best_guess(world)
    per_unit, n_lists, _ = settings(world, 1.0, name)
    return Ahead(
        best_first.new_memory(world.n_cells), buckets.new_buckets(n_lists, 1024), RULES[rule](budget),
        np.empty(budget, np.int32), GUESSES[name], per_unit, budget, moves or ALL_THE_WAY, avoid,
    )  # fmt: skip


class LookAhead(Learner):
    """A walk with plans of a few expansions, and learning."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, name: str, rule: str, expansions: int, moves: int,
        avoid: bool, watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, name=name, keeps_rule=True, watch=watch)
        self.how = rule, expansions, moves, avoid
        self.ahead = new_ahead(world, *self.how)
        self.route = np.empty(expansions + 2, np.int32)

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.ahead.budget

    def _walk(self, moves: int) -> Status:
        state = self.state[0]
        expanded = int(state["expanded"])
        code = look_ahead.walk(
            self.world.graph, self.hints, self.ahead, self.flood, self.state, self.route, self.walked,
            1 if self.watch else moves,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if self.watch:
            new = int(state["expanded"]) - expanded
            self._room(expanded, 1)[expanded : expanded + new] = self.ahead.closed[:new]
        if code == NO_ROOM:
            self.ahead = self.ahead._replace(queue=buckets.grown(self.ahead.queue))
        if code == STUCK:
            return self._no_way()
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        super()._renew(world, goal)
        if world is not self.world:  # steps may be dearer
            self.ahead = new_ahead(world, *self.how)
