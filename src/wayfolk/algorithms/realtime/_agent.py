"""RealtimeAgent: one agent that moves now, with a bounded amount of planning before each move.

All real-time searches share this: `advance(moves)` plans and moves so many times, `result()` says how far the agent has
come. On the way the goal may move (`aim`) and the map may change (`change`).
"""

from __future__ import annotations

import time
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from wayfolk.algorithms.realtime._state import Limits, Trail
from wayfolk.algorithms.search._search import places_of
from wayfolk.algorithms.search_view import SearchView
from wayfolk.algorithms.task import Task
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

MOST_AT_ONCE = 4096  # moves in one call of a kernel
WORK_AT_ONCE = 1 << 16  # expansions in one call of a kernel: some milliseconds


@dataclass
class WalkCounters(Counters):
    """Counters of a walk. A move may be a wait; `first_move` is the number of the first one that is none."""

    moves: int = 0
    waits: int = 0
    first_move: int = 0
    expanded_most: int = 0
    """The most expansions for one move."""


class RealtimeAgent(Task):
    """A walk under way. A subclass calls its kernel in `_move`."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal, self.here = world, start, goal, start
        self.walked = np.empty(MOST_AT_ONCE, np.int32)
        self.n_walked = 0
        self.places = places_of(world, [start])  # where it has been: they grow with the walk, so that a result is cheap
        self.watch = watch
        self.events = np.empty(0, np.int32)
        if start == goal:
            self.status = Status.SOLVED

    @property
    @abstractmethod
    def bound(self) -> int:
        """The most expansions for each move."""

    @property
    def unbroken(self) -> int:
        """The most expansions that a kernel makes before it can stop: those for a move, unless it can stop within one."""
        return self.bound

    @abstractmethod
    def _move(self, limits: Limits) -> Status:
        """Call the kernel: plan and move within `limits`, and update `here`, `n_walked` and `walked`.

        It may return without a move: arrays have grown, or the plan for the next move is unfinished. The next call
        resumes it.
        """

    @abstractmethod
    def _counters(self) -> WalkCounters:
        """The counters so far."""

    @abstractmethod
    def _cost(self) -> float:
        """The cost of the moves made so far."""

    @abstractmethod
    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Go on with another map or goal."""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Plan and move up to `budget` times, fewer if `until` comes first; `unspent` moves are left then."""
        while budget > 0 and not self.status.is_final:
            moves = min(budget, MOST_AT_ONCE)
            if self.n_walked + moves > len(self.walked):
                self.walked = np.concatenate([self.walked, np.empty(max(moves, len(self.walked)), np.int32)])
            before = self.n_walked
            self.status = self._move(Limits(moves, WORK_AT_ONCE))
            budget -= self.n_walked - before
            self.places += places_of(self.world, self.walked[before : self.n_walked])
            if time.perf_counter() >= self.until:
                break
        self.unspent = budget
        return self.status

    def _trail(self, expanded: int, limits: Limits) -> Trail:
        """Where the kernel writes; room for what it may expand within `limits`, or none if they are not recorded."""
        need = expanded + min(limits.moves * self.bound, limits.work + self.unbroken) if self.watch else 0
        if need > len(self.events):
            self.events = np.concatenate([self.events, np.empty(max(need, len(self.events)), np.int32)])
        return Trail(self.walked, self.events)

    def _no_way(self) -> Status:
        """The status if no way leads on from the agent's cell: on one-way edges it may have walked into a trap."""
        return Status.IMPOSSIBLE if self.n_walked == 0 or is_two_way(self.world) else Status.GAVE_UP

    def result(self) -> Result:
        """The walk so far: `path` is where the agent has been. It is solved, and has a cost, once it is at the goal."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=self._counters())
        result.path = self.places.copy()
        result.cost = self._cost() if self.status is Status.SOLVED else float("inf")
        if self.status is Status.GAVE_UP:
            result.detail = f"no way leads from {self.world.place(self.here)}, where it has walked to, to the goal"
        if self.watch:
            result.events = self.events[: result.expanded].copy()
        return result

    def search_view(self) -> SearchView:
        """The expanded cells."""
        return SearchView(self.events[: self._counters().expanded])

    def aim(self, place: Any) -> None:
        """Make `place` the goal from now on."""
        goal = self.world.cell(place)
        if not self.world.is_free(goal):
            raise BadProblem(f"the goal {place} is in a wall")
        self._renew(self.world, goal)
        self.goal = goal
        self.status = Status.SOLVED if self.here == goal else Status.RUNNING

    def change(self, world: Grid | Graph) -> None:
        """Go on in `world`, a changed version of the same map."""
        if type(world) is not type(self.world) or world.n_cells != self.world.n_cells:
            raise BadInput("an agent can go on in a changed map of the same size only")
        if isinstance(world, Grid) and isinstance(self.world, Grid):
            if (world.moves, world.diagonal, world.stride) != (
                self.world.moves,
                self.world.diagonal,
                self.world.stride,
            ):
                raise BadInput("an agent can go on in a changed map with the same moves only")
        for what, cell in (("agent", self.here), ("goal", self.goal)):
            if not world.is_free(cell):
                raise BadProblem(f"the {what} at {world.place(cell)} is in a wall of the changed map")
        self._renew(world, self.goal)
        self.world = world
        if self.status is not Status.SOLVED:
            self.status = Status.RUNNING


def is_two_way(world: Grid | Graph) -> bool:
    """Whether every edge has one back; on a grid they all have."""
    if isinstance(world, Grid):
        return True
    return cached(world, "two way", _is_two_way)


def _is_two_way(graph: Graph) -> bool:
    ends = np.stack([np.repeat(np.arange(graph.n_cells), np.diff(graph.graph.first)), graph.graph.target])
    there, back = (ends * [[graph.n_cells], [1]]).sum(0), (ends * [[1], [graph.n_cells]]).sum(0)
    return bool(np.isin(back, there).all())


def need_two_ways(world: Grid | Graph, name: str) -> None:
    """Raise if the world has one-way edges."""
    if not is_two_way(world):
        raise NotSupported(f"{name} steps back at times, and this graph has edges that lead one way only")


def need_prices(world: Grid | Graph, name: str) -> None:
    """Raise if the world has edges that cost nothing: an agent that learns from costs may walk on them for ever."""
    if isinstance(world, Graph) and not (world.graph.weight > 0).all():
        raise NotSupported(f"{name} learns from what steps cost, and this graph has edges that cost nothing")
