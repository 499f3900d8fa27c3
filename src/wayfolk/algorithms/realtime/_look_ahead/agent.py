"""What RTAA* and LSS-LRTA* share: the agent around the kernel `plan_and_move`."""

from __future__ import annotations

import numpy as np

from wayfolk.algorithms.realtime._hints import forget_less
from wayfolk.algorithms.realtime._learner import Learner
from wayfolk.algorithms.realtime._look_ahead import plans
from wayfolk.algorithms.realtime._look_ahead.plans import Ahead, LocalSpace, Rtaa
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, STUCK, Limits
from wayfolk.algorithms.search._best_first import best_heuristic, borrow, edge_range, settings
from wayfolk.errors import NotSupported
from wayfolk.kernels import buckets
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.problem.result import Status
from wayfolk.world.cache import pool
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

ALL_THE_WAY = 1 << 30
MOST_KEPT = 4  # sets of arrays that are kept for the next walks
MOST_HEADS = 1 << 25  # lists of LSS-LRTA*, 4 bytes each
RULES = {"rtaa": lambda world, budget: Rtaa(), "local_space": lambda world, budget: new_local_space(world, budget)}


def new_local_space(world: Grid | Graph, budget: int) -> LocalSpace:
    """Arrays to learn about `budget` cells at a time: h of neighbours differs by the costliest edge at most."""
    cheapest, costliest = edge_range(world)
    n_heads = int((budget + 1) * costliest / cheapest) + 2
    if n_heads > MOST_HEADS:
        raise NotSupported(
            f"the costliest step of this map is {costliest / cheapest:g} times its cheapest: at most "
            f"{int(MOST_HEADS * cheapest / costliest):,} cells can be learned about at once, not {budget:,}"
        )
    return LocalSpace(np.zeros(9 * budget, plans.WAITING), np.full(n_heads, NOWHERE), 1.0 / cheapest)


def new_ahead(world: Grid | Graph, rule: str, expansions: int, moves: int, avoid: bool = False) -> Ahead:
    """Arrays for plans of `expansions`, of which up to `moves` are carried out (0: all).

    A plan expands no more cells than the world has.
    """
    name = best_heuristic(world)
    per_unit, n_lists, _ = settings(world, 1.0, name)
    memory, queue, _ = borrow(world, n_lists)
    budget = min(expansions, world.n_cells)
    return Ahead(
        memory=memory,
        queue=queue,
        rule=RULES[rule](world, budget),
        closed=np.empty(budget, np.int32),
        kind=HEURISTICS[name],
        per_unit=per_unit,
        budget=budget,
        steps=moves or ALL_THE_WAY,
        avoid=avoid,
    )


class LookAhead(Learner):
    """A walk with plans of a few expansions, and learning."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, name: str, rule: str, expansions: int, moves: int,
        avoid: bool, watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, name=name, is_consistent=True, watch=watch)
        self.how = rule, expansions, moves, avoid
        self.ahead, self.is_lent = new_ahead(world, *self.how), False
        self.route = np.empty(self.ahead.budget + 2, np.int32)

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self.ahead.budget

    def _move(self, limits: Limits) -> Status:
        if self.is_lent:  # another walk may have the arrays
            self.ahead, self.is_lent = new_ahead(self.world, *self.how), False
        status = self._plan_and_move(limits)
        if status.is_final:
            self._lend()
        return status

    def _lend(self) -> None:
        """Leave the arrays to the next search in this world: from plan to plan nothing is kept in them."""
        lent = pool(self.world, "memories")
        if len(lent) < MOST_KEPT:
            lent.append((self.ahead.memory, self.ahead.queue, np.empty(1024, np.int32)))
        self.is_lent = True

    def _plan_and_move(self, limits: Limits) -> Status:
        state = self.state[0]
        expanded = int(state["expanded"])
        code = plans.plan_and_move(
            self.world.graph, self.hints, self.ahead, self.flood, self.state, self.route, self.walked,
            limits._replace(moves=1) if self.watch else limits,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if self.watch:
            new = int(state["expanded"]) - expanded
            self._trail(expanded, Limits(1, new)).events[expanded : expanded + new] = self.ahead.closed[:new]
        if code == NO_ROOM:
            self.ahead = self.ahead._replace(queue=buckets.grown(self.ahead.queue))
        if code == STUCK:
            return self._no_way()
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        super()._renew(world, goal)
        forget_less(world.graph, self.hints, goal, self.kind)
        if world is not self.world:  # steps may be costlier
            self.ahead, self.is_lent = new_ahead(world, *self.how), False
