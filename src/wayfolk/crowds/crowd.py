"""Crowd: bodies that find their ways, move by a model and push each other; it is advanced step by step.

    crowd = Crowd(grid, "social_force", cell=0.5, ways="astar")
    agents = crowd.add([(1.2, 3.4), (2.0, 3.0)], goals=[(9, 9), (9, 8)], radius=0.25, speed=1.3)
    crowd.advance(100)                 100 steps
    crowd.places[agents]               where they are now
    crowd.remove(agents)               they are gone; their numbers are not used again
    trajectory = Crowd(...).run(60)    a minute, recorded

Agents have the numbers 0, 1, 2 ... in the order in which they are added. Arrays such as `crowd.places` have a row for each
agent that ever was there; `crowd.is_active` says who is there now.

Invariants  the same seed and the same calls give the same trajectories, with any number of threads. No body's centre is
            ever inside a wall.
Cost        a step is O(agents + pairs within reach of each other); nothing is allocated in it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.crowds import Model, Moment
from wayfolk.crowds.arrival import Arrival
from wayfolk.crowds.new_agents import Goals, NewGoals, checked_goals, checked_new, numbers_of
from wayfolk.crowds.threads import Threads
from wayfolk.crowds.trajectory import Recorder, Trajectory
from wayfolk.crowds.ways import Ways, ways_of
from wayfolk.errors import BadInput, BadProblem, WayfolkError
from wayfolk.kernels.bodies.arrays import larger, new_bodies
from wayfolk.kernels.bodies.motion import accelerate, exchange, move, touch
from wayfolk.kernels.bodies.near import Near, new_near, sort
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.grid import Grid
from wayfolk.world.space import Space

ROOM = 64  # agents in the first arrays
STEP = 0.05
PASSES = 2  # of collisions in a step: a body with many contacts takes part in each with a part of its mass
SOFT = 0.5  # share of its radius by which walls keep a body away whose model has its own contact forces

Agents = NDArray[np.int32]


class Note(NamedTuple):
    """A line of a crowd's log: when, who, and what happened, in a sentence."""

    time: float
    agent: int
    text: str


class Crowd:
    """Bodies in a grid or a `Space`, moved by a model of the family `crowds`.

    model    a name of `wayfolk list crowds`, `module:begin`, or a function like `begin`; `options` are its options
    ways     how agents find the way to their goals: "straight", "flow" (one field for each goal), "navmesh", the name of a
             search or a real-time search, or a `Ways`. Ignored by models that find it themselves
    step     seconds of a step; by default the longest for which the model is stable
    cell     metres of the side of a cell, if a grid is given
    bounce   1 for elastic collisions, 0 if bodies that collide stay together
    leave    whether agents are removed at their goals
    near     metres from its goal at which an agent is there; twice its radius by default, which is as near as all come
             when some press around one point. See `is_there`
    threads  how many; all cores by default. The outcome is the same
    """

    def __init__(
        self,
        world: Grid | Space | None = None,
        model: Any = "social_force",
        *,
        ways: str | Ways = "straight",
        step: float | None = None,
        cell: float = 1.0,
        bounce: float = 0.0,
        leave: bool = False,
        near: float | None = None,
        seed: int = 0,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        self.space = world if isinstance(world, Space) else Space(world, cell=cell)
        entry = catalogue.find(model, "crowds")
        self.step_seconds = float(entry.facts.get("STEP", STEP) if step is None else step)
        if not (np.isfinite(self.step_seconds) and self.step_seconds > 0):
            raise BadInput(f"a step must last some seconds, not {step}")
        if not 0.0 <= bounce <= 1.0:
            raise BadInput(f"bounce must be from 0 to 1, not {bounce}")
        self.entry, self.options, self.seed = entry, options, seed
        self.model: Model = entry.load()(self.space, **entry.checked({"seed": seed, **options}))
        self.ways = ways_of("straight" if entry.facts.get("FINDS_WAY") else ways, self.space)
        self.bounce, self.leave, self.arrival = float(bounce), leave, Arrival(self.space, near, leave)
        self._firm = 1.0 if entry.facts.get("CONTACTS", True) else SOFT
        self.bodies, self.near = new_bodies(ROOM), new_near(ROOM)
        self.areas = self.model.areas = self.arrival.areas
        self.areas.grow(ROOM)
        self.n_agents = 0
        self.tick = 0
        self.log: list[Note] = []
        self._threads = Threads(threads)
        self._largest, self._fastest = 0.0, 0.0

    def add(
        self,
        places: ArrayLike,
        goals: Goals | None = None,
        *,
        radius: ArrayLike = 0.25,
        speed: ArrayLike = 1.34,
        mass: ArrayLike = 80.0,
        top_speed: ArrayLike | None = None,
        top_force: ArrayLike = np.inf,
        velocity: ArrayLike = 0.0,
        group: ArrayLike = 0,
        overlap: bool = False,
    ) -> Agents:
        """Add agents at `places` (rows x, y in metres) and return their numbers.

        A goal is a point (x, y) or an `Area`: `goals` is one for all or one for each. Without `goals` they have nowhere
        to go. Each of the other values is one for all or one for each agent. `speed` is
        the one at which they like to move, and `top_speed` 1.3 times that by default. Places in walls or, unless `overlap`,
        in other bodies are refused.
        """
        new = checked_new(
            self, places, radius=radius, speed=speed, mass=mass, top_speed=top_speed, top_force=top_force,
            velocity=velocity, group=group, overlap=overlap,
        )  # fmt: skip
        n = len(new.places)
        if goals is None:
            goal = NewGoals(np.full_like(new.places, np.nan), np.full(n, NOWHERE, np.int32))
        else:
            goal = checked_goals(self.space, goals, n, self.areas)
        first, last = self.n_agents, self.n_agents + len(new.places)
        if last > len(self.bodies.radii):
            room = max(last, 2 * len(self.bodies.radii))
            self.bodies, self.near = larger(self.bodies, room), new_near(room)
            self.areas.grow(room)
        rows, bodies = slice(first, last), self.bodies
        new.write(bodies, rows)
        bodies.goals[rows], self.areas.of[rows] = goal
        self.n_agents = last
        self.arrival.head_for_areas(bodies, last)
        bodies.aims[rows] = bodies.goals[rows]
        new.look_ahead(bodies, rows)
        self._largest = max(self._largest, float(new.radii.max(initial=0.0)))
        self._fastest = max(self._fastest, float(new.top_speeds.max(initial=0.0)))
        agents = np.arange(first, last, dtype=np.int32)
        try:
            self._heard(agents)
        except WayfolkError:  # there is no way for one of them
            self.bodies.is_active[rows], self.n_agents = False, first
            raise
        return agents

    def remove(self, agents: ArrayLike) -> None:
        """Let agents disappear."""
        self.bodies.is_active[numbers_of(self, agents)] = False

    def set_goals(self, agents: ArrayLike, goals: Goals) -> None:
        """Give agents new goals: points or areas, one for all or one for each."""
        numbers = numbers_of(self, agents)
        new = checked_goals(self.space, goals, len(numbers), self.areas)
        old = self.bodies.goals[numbers], self.areas.of[numbers]
        self.bodies.goals[numbers], self.areas.of[numbers] = new
        self.arrival.head_for_areas(self.bodies, self.n_agents)
        try:
            self._heard(numbers)
        except WayfolkError:  # there is no way for one of them
            self.bodies.goals[numbers], self.areas.of[numbers] = old
            with suppress(WayfolkError):
                self._heard(numbers)
            raise

    def set_speeds(self, agents: ArrayLike, speeds: ArrayLike) -> None:
        """Let agents move at other speeds from now on; 0 lets them wait."""
        numbers = numbers_of(self, agents)
        values = np.broadcast_to(np.asarray(speeds, np.float64), len(numbers))
        if not (np.isfinite(values).all() and (values >= 0).all()):
            raise BadInput(f"a speed must be 0 or more metres a second, not {values[~(values >= 0)][:1]}")
        self.bodies.speeds[numbers] = values
        self.bodies.top_speeds[numbers] = np.maximum(self.bodies.top_speeds[numbers], values)
        self._fastest = max(self._fastest, float(values.max(initial=0.0)))

    def set_walls(self, grid: Grid) -> None:
        """Move on in another grid of the same size: cells have become walls or free.

        Agents whose goals cannot be reached any more wait; the log says so, unless the model finds the ways itself. A wall
        where somebody stands is refused.
        """
        old = self.space.grid
        if old is None or (grid.width, grid.height) != (old.width, old.height):
            raise BadInput("walls can be changed to those of another grid of the same size")
        space, agents = self.space.changed(grid), self.active
        caught = space.is_solid(self.places[agents])
        if caught.any():
            agent = int(agents[caught.argmax()])
            x, y = self.places[agent]
            raise BadProblem(f"agent {agent} stands at ({x:g}, {y:g}), where a wall would be", agent)
        self.space = space
        self.areas.changed(space)
        self.arrival.head_for_areas(self.bodies, self.n_agents)
        self.ways.changed(self, self.space)
        self.model.prepare(self.space, self.bodies, self.active)

    def step(self) -> None:
        """Move everybody for one step."""
        self.arrival.head_for_areas(self.bodies, self.n_agents)
        self.ways.aim(self)
        contact = 2.0 * self._largest + min(2.0 * self._fastest * self.step_seconds, 2.0 * self._largest)
        sort(self.bodies, self.n_agents, max(contact, 0.25 * self.model.reach, 1e-3), self.near)
        walls = self.space.walls(max(self.model.wall_reach, 2.0 * self._largest, 1e-3))
        bodies, near, seconds = self.bodies, self.near, self.step_seconds
        moment = Moment(bodies, near, walls, self.tick, seconds)
        self.model.update(moment)
        n = moment.n_present
        self._threads.run(partial(self.model.steer, moment), n)
        accelerate(bodies, near, seconds)
        if self._firm == 1.0:
            near = self._collided(contact, n)
        self._threads.run(partial(move, bodies, near, walls, contact, self._firm, self.bounce, seconds), n)
        self.tick += 1
        if self.leave:
            self.bodies.is_active[: self.n_agents] &= ~self.arrival.at_goal(self.bodies, self.n_agents)

    def _collided(self, contact: float, n: int) -> Near:
        """The bodies after all but the last pass of their collisions, with the contacts of the last one counted."""
        bounce, seconds, run = self.bounce, self.step_seconds, self._threads.run
        for _ in range(PASSES - 1):
            near = self.near
            if not sum(run(partial(touch, near, contact, seconds), n)):
                return near
            run(partial(exchange, near, contact, bounce, seconds), n)
            self.near = near._replace(after=near.spare, spare=near.after)
        near = self.near
        run(partial(touch, near, contact, seconds), n)
        return near

    def advance(self, steps: int) -> None:
        """Move everybody for so many steps."""
        for _ in range(steps):
            self.step()

    def run(
        self,
        seconds: float,
        *,
        every: float = 0.1,
        until: Callable[[Crowd], bool] | None = None,
        before_step: Callable[[Crowd], None] | None = None,
    ) -> Trajectory:
        """Advance for so many seconds, or until `until(crowd)` is true or nobody is left; return what was recorded.

        A frame is recorded about `every` seconds: after a whole number of steps. The run ends with a whole frame, so that
        the last one shows who has left. `before_step` may add and remove agents.
        """
        steps_per_frame = max(1, round(every / self.step_seconds))
        recorder = self.recorder(steps_per_frame)
        self.record(recorder)
        is_over = False
        for _ in range(int(np.ceil(seconds / (self.step_seconds * steps_per_frame) - 1e-9))):
            for _ in range(steps_per_frame):
                if before_step is not None:
                    before_step(self)
                self.step()
                is_over = is_over or bool((until and until(self)) or (before_step is None and not self.n_active))
            self.record(recorder)
            if is_over:
                break
        return recorder.trajectory(self.radii, walls=self._other_walls)

    def recorder(self, steps_per_frame: int = 1) -> Recorder:
        """A recorder of frames so many steps apart, without a frame yet; see `record`."""
        return Recorder(self.step_seconds * steps_per_frame, grid=self.space.grid, cell=self.space.cell)

    def record(self, recorder: Recorder) -> None:
        """Let `recorder` keep where everybody is now."""
        agents = self.active
        recorder.add(agents, self.places[agents], self.headings[agents])

    def note(self, agent: int, text: str) -> None:
        """Write a line to the log."""
        self.log.append(Note(self.time, agent, text))

    def is_clear(self, places: ArrayLike, radius: float) -> NDArray[np.bool_]:
        """Which places have room for a body of this radius, without touching a wall or another body."""
        points = np.asarray(places, np.float64).reshape(-1, 2)
        clear = self.space.clearance(points, max(2.0 * radius, 1e-3)) >= radius
        agents = self.active
        others, radii = self.places[agents], self.radii[agents]
        for k in np.flatnonzero(clear):
            apart = ((others - points[k]) ** 2).sum(1)
            clear[k] = not (apart < (radii + radius) ** 2).any()
        return clear

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.tick * self.step_seconds

    @property
    def places(self) -> NDArray[np.float64]:
        """Where each agent is; its last place if it has been removed."""
        return self.bodies.places[: self.n_agents]

    @property
    def velocities(self) -> NDArray[np.float64]:
        """How fast each agent moves, in metres a second."""
        return self.bodies.velocities[: self.n_agents]

    @property
    def goals(self) -> NDArray[np.float64]:
        """Where each agent wants to be; if that is an area, the point of it that the agent heads for now."""
        return self.bodies.goals[: self.n_agents]

    @property
    def headings(self) -> NDArray[np.float64]:
        """Where each agent looks, in radians from the x axis to the y axis."""
        return self.bodies.headings[: self.n_agents]

    @property
    def radii(self) -> NDArray[np.float64]:
        """The radius of each agent."""
        return self.bodies.radii[: self.n_agents]

    @property
    def speeds(self) -> NDArray[np.float64]:
        """The speed at which each agent likes to move; see `set_speeds`."""
        return self.bodies.speeds[: self.n_agents]

    @property
    def is_active(self) -> NDArray[np.bool_]:
        """Who is there."""
        return self.bodies.is_active[: self.n_agents]

    @property
    def active(self) -> Agents:
        """The numbers of those who are there."""
        return np.flatnonzero(self.is_active).astype(np.int32)

    @property
    def n_active(self) -> int:
        """How many are there."""
        return int(self.is_active.sum())

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """Which active agents are at their goals, or kept away by others who are; see `Arrival`."""
        return self.arrival.there(self.bodies, self.n_agents, self._largest)

    @property
    def momentum(self) -> NDArray[np.float64]:
        """The sum of mass times velocity."""
        agents = self.active
        total: NDArray[np.float64] = (self.bodies.masses[agents, None] * self.velocities[agents]).sum(0)
        return total

    @property
    def energy(self) -> float:
        """The kinetic energy in joules."""
        agents = self.active
        return float(0.5 * (self.bodies.masses[agents] * (self.velocities[agents] ** 2).sum(1)).sum())

    @property
    def _other_walls(self) -> NDArray[np.float64]:
        """The walls that are not of the grid."""
        n = sum(len(ring) for ring in self.space.polygons)
        return self.space.segments[len(self.space.segments) - n :]

    def _heard(self, agents: Agents) -> None:
        """Tell the ways and the model that agents have come or have new goals."""
        self.ways.plan(self, agents)
        self.model.prepare(self.space, self.bodies, agents)

    def __repr__(self) -> str:
        return f"Crowd({self.entry.name}, {self.n_active} agents, {self.time:g} s)"


def make_ready(model: Any) -> None:
    """Load or compile the kernels of `model` by a few steps of two agents."""
    crowd = Crowd(Grid(np.ones((4, 4))), model)
    crowd.add([(1.0, 1.0), (3.0, 3.0)], [(3.0, 3.0), (1.0, 1.0)])
    crowd.advance(2)
