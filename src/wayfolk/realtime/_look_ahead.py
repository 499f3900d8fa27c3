"""What RTAA* and LSS-LRTA* share: the walker around the kernel `look_ahead`, and many of them at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, Graph, guess
from wayfolk.grid import Grid
from wayfolk.kernels import best_first, buckets, heap, look_ahead
from wayfolk.kernels.flood import new_flood
from wayfolk.kernels.hints import DenseHints
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, Ahead, LocalSpace, Rtaa
from wayfolk.realtime._walker import WalkCounters, Walker
from wayfolk.result import Status
from wayfolk.search._best_first import best_guess, settings

ALL_THE_WAY = 1 << 30
RULES = {"rtaa": lambda budget: Rtaa(), "local_space": lambda budget: LocalSpace(np.zeros(16 * budget + 16, heap.ROW))}


@dataclass
class LearnCounters(WalkCounters):
    """Also how often it planned, and by how much the guesses were raised in all."""

    plans: int = 0
    learned: float = 0.0


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


class LookAhead(Walker):
    """A walk with plans of a few expansions, and learning."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, rule: str, expansions: int, moves: int, avoid: bool,
        watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, watch)
        self.ahead = new_ahead(world, rule, expansions, moves, avoid)
        self.hints = DenseHints(np.zeros(world.n_cells))
        self.flood = new_flood(world.n_cells)
        self.route = np.empty(expansions + 2, np.int32)
        self.state = np.zeros(1, look_ahead.WALKER)
        self.state[0]["here"], self.state[0]["goal"] = start, goal

    def _walk(self, moves: int) -> Status:
        state = self.state[0]
        before, plans, expanded = int(state["moves"]), int(state["plans"]), int(state["expanded"])
        code = look_ahead.walk(
            self.world.graph, self.hints, self.ahead, self.flood, self.state, self.route,
            self.walked[self.n_walked - before :], 1 if self.watch else moves,
        )  # fmt: skip
        self.n_walked += int(state["moves"]) - before
        self.here = int(state["here"])
        if self.watch and state["plans"] > plans:
            self.events.append(self.ahead.closed[: int(state["expanded"]) - expanded].copy())
        if code == NO_ROOM:
            self.ahead = self.ahead._replace(queue=buckets.grown(self.ahead.queue))
        return {ARRIVED: Status.SOLVED, STUCK: Status.IMPOSSIBLE}.get(code, Status.RUNNING)

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
        first = float(guess(self.world.graph, cell, self.goal, self.ahead.kind))
        return max(first, float(self.hints.values[cell]))

    def again(self) -> None:
        """Another trial from the start, with all that was learned."""
        self.status = Status.SOLVED if self.start == self.goal else Status.RUNNING
        self.state[0] = np.zeros((), look_ahead.WALKER)
        self.state[0]["here"], self.state[0]["goal"] = self.start, self.goal
        self.here, self.n_walked, self.events = self.start, 0, []

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """What was learned is kept as far as it still holds; where walls have gone, nothing is."""
        if goal != self.goal:  # no cell is nearer to the new goal than by what the new goal was away from the old one
            np.maximum(self.hints.values - self.h(goal), 0.0, out=self.hints.values)
        if isinstance(world, Grid) and isinstance(self.world, Grid) and (world.legal & ~self.world.legal).any():
            self.hints.values[:] = 0.0
        self.state[0]["goal"], self.state[0]["n_route"] = goal, 0
        self.flood = new_flood(world.n_cells)
