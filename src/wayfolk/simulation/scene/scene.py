"""Scene: a world, groups of agents, what they have to do, and what happens meanwhile, as a TOML file.

    scene = read_scene("changing-map")
    done = run_scene(scene)
    done.run, done.ending.completion_rate, done.notes

The format is in docs/scenes.md. The errand of an agent (one goal, a patrol, or tasks without an end) is written out
beforehand as the goals it visits in turn, as many as there can be until the scene ends. So groups with different errands
share one simulation. An agent that has made its last visit stays there, and still gives way to others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.problem.events import Event
from wayfolk.problem.problem import ENDLESS, Problem
from wayfolk.problem.record import STEPS
from wayfolk.world.body import POINT, Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph, states_of

MOST_VISITS = 1 << 26  # goals that may be written out for all agents together
NO_CELLS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Errand:
    """What an agent has to do: cells to visit in turn, `loops` times, or a `pool` of cells that tasks are drawn from.

    With `drops`, each place of the pool is followed by one of these. Agents with the same pool share one array.

    An agent that shares its `visits` with others returns `home` to its start afterwards, as only one can stay on a cell.
    In other worlds than maps of points, cells are nodes of the scene's `states`. All are such that stand for a goal; the
    `first` node of a body that turns has its heading as well.
    """

    start: int
    visits: tuple[int, ...] = ()
    loops: int = 1
    home: bool = False
    pool: NDArray[np.int32] = field(default_factory=lambda: NO_CELLS, repr=False)
    drops: NDArray[np.int32] = field(default_factory=lambda: NO_CELLS, repr=False)
    first: int | None = None

    @property
    def is_endless(self) -> bool:
        """Whether it is never done."""
        return self.pool.size > 0 or self.loops == ENDLESS

    def written_out(self, room: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], float]:
        """Return `room` goals in turn, the last of them repeated, and the number of visits after which the agent is done.

        Except for the last, no goal is the cell on which the agent gets it.
        """
        if self.drops.size:
            pools = (self.pool, self.drops)
            places = np.stack([pool[rng.integers(len(pool), size=2 * room)] for pool in pools], 1).ravel()
            places = places[places != np.append(self.start, places[:-1])]
            return places[:room], math.inf
        if self.pool.size:
            spots = np.cumsum(np.append(rng.integers(len(self.pool)), rng.integers(1, len(self.pool), room)))
            tasks = self.pool[spots % len(self.pool)]
            return tasks[1:] if tasks[0] == self.start else tasks[:-1], math.inf
        rounds = min(self.loops, room // len(self.visits) + 2)
        goals = [*self.visits * rounds, *([self.start] if self.home else [])]
        came_from = [self.start, *goals[:-1]]
        goals = [goal for goal, before in zip(goals, came_from, strict=True) if goal != before]
        n_visits = math.inf if self.is_endless else len(goals)
        stays = goals[-1] if goals else self.start
        return np.array((goals + [stays] * room)[:room], np.int32), n_visits


@dataclass(frozen=True, eq=False)
class Scene:
    """A checked scene. `groups` has the agents of each group; each event is for one agent or one edit of the world.

    `kinds` are the bodies, and `kind_of[agent]` is the number of each agent's, as in a `Problem`.
    """

    name: str
    world: Grid | Graph
    errands: tuple[Errand, ...]
    events: tuple[Event, ...] = ()
    controller: str = "whca"
    options: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, range] = field(default_factory=dict)
    vision: float | None = None
    model: str = STEPS
    until: float | None = None
    seconds: float | None = None
    seed: int = 0
    about: str = ""
    kinds: tuple[Body, ...] = (POINT,)
    kind_of: NDArray[np.int32] = field(default_factory=lambda: NO_CELLS, repr=False)

    def __repr__(self) -> str:
        n_agents, n_events = len(self.errands), len(self.events)
        return f"Scene({self.name!r}, {self.world!r}, {n_agents} agents, {n_events} events, {self.controller})"

    @property
    def states(self) -> Grid | StateGraph:
        """The nodes on which agents are: the map itself if these are points on a map of squares."""
        return states_of(self.world, self.kinds)

    @property
    def grid(self) -> Grid:
        """The map on which all agents are points; NotSupported in other scenes, which have `world` and `states`."""
        return Problem(self.world, NO_CELLS, NO_CELLS[:, None], kinds=self.kinds).grid

    @property
    def end(self) -> float:
        """The latest time at which it ends: `until`, or 1,000 and ten times the width and the height of the map.

        Worlds that are no maps of squares count as a square of as many cells.
        """
        if self.until is not None:
            return self.until
        if isinstance(self.world, Grid):
            return 1000.0 + 10 * int(self.world.width + self.world.height)
        side = math.isqrt(int(self.world.n_cells))
        return 1000.0 + 20 * side

    @property
    def is_endless(self) -> bool:
        """Whether some agent is never done, so that the scene runs until its end."""
        return any(errand.is_endless for errand in self.errands)

    @cached_property
    def written_out(self) -> tuple[Problem, NDArray[np.float64]]:
        """The problem, and the number of visits after which each agent is done."""
        one_goal = all(len(errand.visits) == 1 for errand in self.errands)
        room = 1 if one_goal else math.ceil(self.end) + 2  # an agent arrives at most once in a step
        if room * len(self.errands) > MOST_VISITS:
            raise TooLarge(f"{len(self.errands)} agents with errands until {self.end:g} do not fit: end it earlier")
        rng = np.random.default_rng([self.seed, len(self.errands)])
        starts = np.array([errand.start if errand.first is None else errand.first for errand in self.errands], np.int32)
        routes = np.empty((len(self.errands), room), np.int32)
        n_visits = np.zeros(len(self.errands))
        for agent, errand in enumerate(self.errands):
            routes[agent], needed = errand.written_out(room, rng)
            n_visits[agent] = 0 if one_goal else needed
        bodies: dict[str, Any] = {"kinds": self.kinds, "kind_of": self.kind_of}
        return Problem(self.world, starts, routes, seed=self.seed, name=self.name, **bodies), n_visits

    @property
    def first_goals(self) -> NDArray[np.int32]:
        """A first goal for each agent: that of its errand, or a random one of its pool."""
        rng = np.random.default_rng([self.seed, len(self.errands)])
        return np.array([errand.written_out(1, rng)[0][0] for errand in self.errands], np.int32)
