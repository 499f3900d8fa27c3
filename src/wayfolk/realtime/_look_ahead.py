"""What RTAA* and LSS-LRTA* share: the walker around the kernel `look_ahead`."""

from __future__ import annotations

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, NOWHERE, Graph
from wayfolk.grid import Grid
from wayfolk.kernels import buckets, look_ahead
from wayfolk.kernels.hints import forget_less
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, Ahead, LocalSpace, Rtaa
from wayfolk.realtime._learner import Learner
from wayfolk.result import Status
from wayfolk.search._best_first import _borrow, best_guess, edge_range, settings

ALL_THE_WAY = 1 << 30
MOST_KEPT = 4  # sets of arrays that are kept for the next walks
RULES = {"rtaa": lambda world, budget: Rtaa(), "local_space": lambda world, budget: new_local_space(world, budget)}


def new_local_space(world: Grid | Graph, budget: int) -> LocalSpace:
    """Arrays to learn about `budget` cells at a time: h differs by no more than the dearest step from one to the next."""
    cheapest, dearest = edge_range(world)
    heads = np.full(int((budget + 1) * dearest / cheapest) + 2, NOWHERE)
    return LocalSpace(np.zeros(9 * budget, look_ahead.WAITING), heads, 1.0 / cheapest)


def new_ahead(world: Grid | Graph, rule: str, budget: int, moves: int, avoid: bool = False) -> Ahead:
    """Arrays for plans of `budget` expansions, of which up to `moves` are walked (0: all)."""
    if budget < 1:
        raise BadInput(f"expansions must be 1 or more, not {budget}")
    if moves < 0:
        raise BadInput(f"moves must be 0 (all the way) or more, not {moves}")
    name = best_guess(world)
    per_unit, n_lists, _ = settings(world, 1.0, name)
    memory, queue, _ = _borrow(world, n_lists)
    return Ahead(
        memory, queue, RULES[rule](world, budget),
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
        self.ahead, self.is_lent = new_ahead(world, *self.how), False
        self.route = np.empty(expansions + 2, np.int32)

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.ahead.budget

    def _walk(self, moves: int) -> Status:
        if self.is_lent:  # another walk may have the arrays
            self.ahead, self.is_lent = new_ahead(self.world, *self.how), False
        status = self._think(moves)
        if status.is_final:
            self._lend()
        return status

    def _lend(self) -> None:
        """Leave the arrays to the next search in this world: from plan to plan nothing is kept in them."""
        pool = self.world.__dict__.setdefault("_memories", [])
        if len(pool) < MOST_KEPT:
            pool.append((self.ahead.memory, self.ahead.queue, np.empty(1024, np.int32)))
        self.is_lent = True

    def _think(self, moves: int) -> Status:
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
        forget_less(world.graph, self.hints, goal, self.kind)
        if world is not self.world:  # steps may be dearer
            self.ahead, self.is_lent = new_ahead(world, *self.how), False
