"""What RTA*, LRTA* and its descendants that look one step ahead share: the walker around the kernel `one_ply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.graph import Graph
from wayfolk.grid import Grid, Moves
from wayfolk.kernels import one_ply
from wayfolk.kernels.best_first import new_memory
from wayfolk.kernels.look_ahead import ARRIVED, STUCK
from wayfolk.kernels.one_ply import Minimin, Nearby, Prioritised, Queued
from wayfolk.realtime._learner import Learner
from wayfolk.realtime._look_ahead import new_local_space
from wayfolk.result import Status


class OnePly(Learner):
    """A walk that looks around before each step. `new_rule` makes the rule anew for each trial, goal and map."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, name: str, new_rule: Callable[[], Any], bound: int,
        keeps_rule: bool = True, watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, name=name, keeps_rule=keeps_rule, watch=watch)
        self.new_rule, self._bound = new_rule, bound
        self.rule = new_rule()

    @property
    def bound(self) -> int:
        """The most expansions for each move."""
        return self._bound

    def _walk(self, moves: int) -> Status:
        state = self.state[0]
        code = one_ply.walk(
            self.world.graph, self.hints, self.rule, self.flood, self.state, self.walked,
            self._room(int(state["expanded"]), moves), self.kind, moves,
        )  # fmt: skip
        self.n_walked, self.here = int(state["moves"]), int(state["here"])
        if code == STUCK:
            return self._no_way()
        return Status.SOLVED if code == ARRIVED else Status.RUNNING

    def again(self) -> None:
        """Another trial from the start, with all that was learned."""
        super().again()
        self.rule = self.new_rule()

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        super()._renew(world, goal)
        self.rule = self.new_rule()


def minimin(depth: int, second: bool) -> Callable[[], Minimin]:
    """How to make the rule of RTA* (`second`: the second best is remembered) or LRTA*."""
    return lambda: Minimin(at_least_one("depth", depth), second, np.zeros(depth, one_ply.FRAME))


def queued(world: Grid | Graph, k: int) -> Callable[[], Queued]:
    """How to make the rule of LRTA*(k)."""
    n = world.n_cells
    return lambda: Queued(at_least_one("k", k), np.empty(k, np.int32), np.zeros(n, np.uint8), np.empty(n, np.int32))


def nearby(world: Grid, k: int) -> Callable[[], Nearby]:
    """How to make the rule of LRTA*_LS(k)."""
    at_least_one("k", k)
    return lambda: Nearby(
        k, np.empty(1 + n_ways(world) * k, np.int32), np.empty(k, np.int32), new_memory(world.n_cells),
        new_local_space(world, k),
    )  # fmt: skip


def prioritised(world: Grid | Graph, beta: int, room: int) -> Callable[[], Prioritised]:
    """How to make the rule of P-LRTA*."""
    at_least_one("room", room)
    if beta < 0:
        raise BadInput(f"beta must be 0 or more, not {beta}")
    return lambda: Prioritised(
        beta, np.zeros(room, one_ply.CHANGE), np.zeros(world.n_cells, np.int32), np.zeros(1, np.int64)
    )


def n_ways(world: Grid | Graph) -> int:
    """The most neighbours a cell can have."""
    if isinstance(world, Graph):
        return int(np.diff(world.graph.first).max(initial=0))
    return 4 if world.moves is Moves.FOUR else 8


def tree_size(world: Grid | Graph, depth: int) -> int:
    """The most cells to expand when looking `depth` steps ahead, depth first."""
    return sum(n_ways(world) ** level for level in range(at_least_one("depth", depth)))


def at_least_one(name: str, value: int) -> int:
    """Complain about an option of the name `name` below 1."""
    if value < 1:
        raise BadInput(f"{name} must be 1 or more, not {value}")
    return value
