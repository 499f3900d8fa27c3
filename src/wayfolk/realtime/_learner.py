"""Learner: a walker that remembers, for cells, that the goal is farther away than it seemed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfolk.graph import GUESSES, Graph, guess
from wayfolk.grid import Grid
from wayfolk.kernels.flood import new_flood
from wayfolk.kernels.hints import DenseHints
from wayfolk.kernels.look_ahead import WALKER
from wayfolk.realtime._walker import WalkCounters, Walker, need_prices
from wayfolk.result import Status
from wayfolk.search._best_first import best_guess


@dataclass
class LearnCounters(WalkCounters):
    """Also how often it planned, and by how much the guesses were raised in all."""

    plans: int = 0
    learned: float = 0.0


class Learner(Walker):
    """A walk with learning, by a kernel that keeps its state in a record of the type WALKER.

    `keeps_rule` says that what is learned obeys the triangle rule: then most of it holds for another goal or map too.
    """

    def __init__(self, world: Grid | Graph, start: int, goal: int, *, name: str, keeps_rule: bool, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        need_prices(world, name)
        self.keeps_rule = keeps_rule
        self.kind = GUESSES[best_guess(world)]
        self.hints = DenseHints(np.zeros(world.n_cells))
        self.flood = new_flood(world.n_cells)
        self.state = np.zeros(1, WALKER)
        self.state[0]["here"], self.state[0]["goal"] = start, goal

    def _counters(self) -> LearnCounters:
        state = self.state[0]
        moves = int(state["moves"])
        return LearnCounters(
            expanded=int(state["expanded"]), generated=int(state["generated"]), moves=moves, first_move=min(moves, 1),
            expanded_most=int(state["most"]), plans=int(state["plans"]), learned=float(state["raised"]),
        )  # fmt: skip

    def _cost(self) -> float:
        return float(self.state[0]["travel"])

    def h(self, cell: int) -> float:
        """The cost from `cell` to the goal, as far as is known."""
        first = float(guess(self.world.graph, cell, self.goal, self.kind))
        return max(first, float(self.hints.values[cell]))

    def again(self) -> None:
        """Another trial from the start, with all that was learned."""
        self.status = Status.SOLVED if self.start == self.goal else Status.RUNNING
        self.state[0] = np.zeros((), WALKER)
        self.state[0]["here"], self.state[0]["goal"] = self.start, self.goal
        self.here, self.n_walked = self.start, 0

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """What was learned is kept as far as it still holds."""
        if not self.keeps_rule or not _is_no_easier(world, self.world):
            self.hints.values[:] = 0.0
        elif goal != self.goal:  # what the new goal seemed to be away from the old one is all that a cell can lose
            self.hints.values[np.isinf(self.hints.values)] = 0.0
            np.maximum(self.hints.values - self.h(goal), 0.0, out=self.hints.values)
        self.state[0]["goal"], self.state[0]["n_route"] = goal, 0
        self.flood = new_flood(world.n_cells)


def _is_no_easier(world: Grid | Graph, before: Grid | Graph) -> bool:
    """Whether all that was too far to go before still is: no step is new or cheaper."""
    if world is before:
        return True
    if not (isinstance(world, Grid) and isinstance(before, Grid)) or (world.legal & ~before.legal).any():
        return False
    one, other = (np.ones(1) if grid.costs is None else grid.costs for grid in (world, before))
    return bool((one >= other).all())
