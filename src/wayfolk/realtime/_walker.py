"""Walker: an agent on its way, thinking a bounded amount for each move.

What all real-time searches have in common: `advance(moves)` thinks and moves so many times, `result()` says where it has
come to. The goal may move (`aim`) and the map may change (`change`) on the way.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._search import places_of
from wayfolk.task import Task

MOST_AT_ONCE = 4096  # moves in one call of a kernel
MOST_WATCHED = 64  # the same, when somebody watches


@dataclass
class WalkCounters(Counters):
    """What a walk came to. A move may be a wait; `first_move` is the number of the first one that is none."""

    moves: int = 0
    waits: int = 0
    first_move: int = 0
    expanded_most: int = 0
    """The most expansions for one move."""


class Walker(Task):
    """A walk under way."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal, self.here = world, start, goal, start
        self.walked = np.empty(MOST_AT_ONCE, np.int32)
        self.n_walked = 0
        self.watch = watch
        self.events = np.empty(0, np.int32)
        if start == goal:
            self.status = Status.SOLVED

    @property
    @abstractmethod
    def bound(self) -> int:
        """The most expansions for each move."""

    @abstractmethod
    def _walk(self, moves: int) -> Status:
        """Think and move up to `moves` times, writing to `walked` from `n_walked` on, where there is room.

        Not to move, and not to end, means that arrays have grown and it should go on.
        """

    @abstractmethod
    def _counters(self) -> WalkCounters:
        """What it came to so far."""

    @abstractmethod
    def _cost(self) -> float:
        """What the moves made so far cost."""

    @abstractmethod
    def _renew(self, world: Grid | Graph, goal: int) -> None:
        """Go on with another map or goal."""

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Think and move up to `budget` times."""
        while budget > 0 and not self.status.is_final:
            moves = min(budget, MOST_WATCHED if self.watch else MOST_AT_ONCE)
            if self.n_walked + moves > len(self.walked):
                self.walked = np.concatenate([self.walked, np.empty(max(moves, len(self.walked)), np.int32)])
            before = self.n_walked
            self.status = self._walk(moves)
            budget -= self.n_walked - before
        return self.status

    def _room(self, expanded: int, moves: int) -> NDArray[np.int32]:
        """Where to write what is expanded in so many moves more; no room at all if nobody watches."""
        need = expanded + moves * self.bound if self.watch else 0
        if need > len(self.events):
            self.events = np.concatenate([self.events, np.empty(max(need, len(self.events)), np.int32)])
        return self.events

    def _no_way(self) -> Status:
        """What it means that there is no way from where the agent is: on one-way edges it may have walked into a trap."""
        return Status.IMPOSSIBLE if self.n_walked == 0 or is_two_way(self.world) else Status.GAVE_UP

    def result(self) -> Result:
        """The walk so far; solved if it has come to the goal. `cost` is what it cost to walk it."""
        made = Result(self.status, "", counters=self._counters())
        made.path = places_of(self.world, np.concatenate([[self.start], self.walked[: self.n_walked]]))
        made.cost = self._cost() if self.status is Status.SOLVED else float("inf")
        if self.status is Status.GAVE_UP:
            made.detail = f"no way leads from {self.world.place(self.here)}, where it has walked to, to the goal"
        if self.watch:
            made.events = self.events[: made.expanded].copy()
        return made

    def aim(self, place: Any) -> None:
        """Go to `place` instead."""
        goal = self.world.cell(place)
        if not self.world.is_free(goal):
            raise BadProblem(f"the goal {place} is in a wall")
        self._renew(self.world, goal)
        self.goal = goal
        self.status = Status.SOLVED if self.here == goal else Status.RUNNING

    def change(self, world: Grid | Graph) -> None:
        """Go on in `world`, another state of the same map."""
        if type(world) is not type(self.world) or world.n_cells != self.world.n_cells:
            raise BadInput("a walker can go on in a changed map of the same size only")
        if isinstance(world, Grid) and isinstance(self.world, Grid):
            if (world.moves, world.diagonal, world.stride) != (
                self.world.moves,
                self.world.diagonal,
                self.world.stride,
            ):
                raise BadInput("a walker can go on in a changed map with the same moves only")
        for what, cell in (("agent", self.here), ("goal", self.goal)):
            if not world.is_free(cell):
                raise BadProblem(f"the {what} at {world.place(cell)} is in a wall of the changed map")
        self._renew(world, self.goal)
        self.world = world
        if self.status is not Status.SOLVED:
            self.status = Status.RUNNING


def is_two_way(world: Grid | Graph) -> bool:
    """Whether wherever there is a step there is one back; so on every grid."""
    if isinstance(world, Grid):
        return True
    if "_two_way" not in world.__dict__:
        ends = np.stack([np.repeat(np.arange(world.n_cells), np.diff(world.graph.first)), world.graph.target])
        there, back = (ends * [[world.n_cells], [1]]).sum(0), (ends * [[1], [world.n_cells]]).sum(0)
        world.__dict__["_two_way"] = bool(np.isin(back, there).all())
    return bool(world.__dict__["_two_way"])


def need_two_ways(world: Grid | Graph, name: str) -> None:
    """Complain about edges that lead one way only."""
    if not is_two_way(world):
        raise NotSupported(f"{name} steps back at times, and this graph has edges that lead one way only")


def need_prices(world: Grid | Graph, name: str) -> None:
    """Complain about edges that cost nothing: whoever learns from costs may walk around on them for ever."""
    if isinstance(world, Graph) and not (world.graph.weight > 0).all():
        raise NotSupported(f"{name} learns from what steps cost, and this graph has edges that cost nothing")
