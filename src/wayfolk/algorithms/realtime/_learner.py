"""Learner: a real-time agent that raises the heuristic of cells where the goal is farther away than it seemed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfolk.algorithms.realtime._agent import RealtimeAgent, WalkCounters, need_prices
from wayfolk.algorithms.realtime._flood import new_flood
from wayfolk.algorithms.realtime._hints import DenseHints
from wayfolk.algorithms.realtime._state import AGENT
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search_view import SearchView
from wayfolk.kernels.graph import HEURISTICS, heuristic
from wayfolk.kernels.watching import estimate_to
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


@dataclass
class LearnCounters(WalkCounters):
    """Also the number of plans, and by how much heuristics were raised in all."""

    plans: int = 0
    learned: float = 0.0


class Learner(RealtimeAgent):
    """A walk with learning, by a kernel that keeps its state in a record of the type AGENT.

    `is_consistent` says that learned heuristics are consistent: then most of them hold for another goal or map too.
    """

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, name: str, is_consistent: bool, watch: bool
    ) -> None:
        super().__init__(world, start, goal, watch)
        need_prices(world, name)
        self.is_consistent = is_consistent
        self.kind = HEURISTICS[best_heuristic(world)]
        self.hints = DenseHints(np.zeros(world.n_cells))
        self.flood = new_flood(world.n_cells)
        self.state = np.zeros(1, AGENT)
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
        """The heuristic of `cell`: a lower bound of its cost to the goal, with what was learned."""
        first = float(heuristic(self.world.graph, cell, self.goal, self.kind))
        return max(first, float(self.hints.values[cell]))

    def search_view(self) -> SearchView:
        """Also what was learned."""
        h = estimate_to(self.world.graph, self.goal, self.kind)
        return super().search_view()._replace(learned=self.hints.values, h=h)

    def again(self) -> None:
        """Begin another trial from the start, with all that was learned."""
        self.status = Status.SOLVED if self.start == self.goal else Status.RUNNING
        self.state[0] = np.zeros((), AGENT)
        self.state[0]["here"], self.state[0]["goal"] = self.start, self.goal
        self.here, self.n_walked = self.start, 0
        del self.places[1:]

    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Keep what was learned as far as it still holds."""
        if not self.is_consistent or not _is_no_easier(world, self.world):
            self.hints.values[:] = 0.0
        elif goal != self.goal:  # h of the new goal, for the old one, is the most that h of a cell can fall by
            self.hints.values[np.isinf(self.hints.values)] = 0.0
            np.maximum(self.hints.values - self.h(goal), 0.0, out=self.hints.values)
        self.state[0]["goal"], self.state[0]["n_route"], self.state[0]["is_planning"] = goal, 0, 0
        self.flood = new_flood(world.n_cells)


def _is_no_easier(world: Grid | Graph, before: Grid | Graph) -> bool:
    """Whether lower bounds for `before` hold for `world`: no edge is new or cheaper."""
    if world is before:
        return True
    if not (isinstance(world, Grid) and isinstance(before, Grid)) or (world.legal & ~before.legal).any():
        return False
    one, other = (np.ones(1) if grid.costs is None else grid.costs for grid in (world, before))
    return bool((one >= other).all())
