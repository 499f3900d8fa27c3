"""Scene: a world, groups of agents, what they have to do, and what happens meanwhile, as a TOML file.

    scene = read_scene("changing-map")
    played = play(scene)
    played.run, played.ending.completion_rate, played.notes

The format is in docs/scenes.md. The errand of an agent (one goal, a patrol, or tasks without an end) is written out
beforehand as the goals it visits in turn, as many as there can be until the scene ends. So groups with different errands
share one simulation. An agent that has made its last visit stays there, and still gives way to others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import refuse
from wayfolk.algorithms.task import Task, checked_limits, finish
from wayfolk.errors import TooLarge
from wayfolk.judge import metrics
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import BLOCK, GOAL, JOIN
from wayfolk.kernels.crew import TICK
from wayfolk.problem.events import Event
from wayfolk.problem.problem import ENDLESS, Problem
from wayfolk.problem.record import DISTANCE, KINDS, STEPS
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.simulation.run import Run
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import make_ready
from wayfolk.world.grid import Grid
from wayfolk.world.vision import Vision

SHORTEST = 1e-6  # seconds that are left where preparing took all of them
MOST_VISITS = 1 << 26  # goals that may be written out for all agents together
NO_CELLS = np.zeros(0, np.int32)


@dataclass(frozen=True, eq=False)
class Errand:
    """What an agent has to do: cells to visit in turn, `loops` times, or a `pool` of cells that tasks are drawn from.

    With `drops`, each place of the pool is followed by one of these. Agents with the same pool share one array.

    An agent that shares its `visits` with others returns `home` to its start afterwards, as only one can stay on a cell.
    """

    start: int
    visits: tuple[int, ...] = ()
    loops: int = 1
    home: bool = False
    pool: NDArray[np.int32] = field(default_factory=lambda: NO_CELLS, repr=False)
    drops: NDArray[np.int32] = field(default_factory=lambda: NO_CELLS, repr=False)

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
    """A checked scene. `groups` has the agents of each group; each event is for one agent or one place."""

    name: str
    grid: Grid
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

    def __repr__(self) -> str:
        n_agents, n_events = len(self.errands), len(self.events)
        return f"Scene({self.name!r}, {self.grid!r}, {n_agents} agents, {n_events} events, {self.controller})"

    @property
    def end(self) -> float:
        """The latest time at which it ends: `until`, or the limit that `solve` has."""
        return 1000.0 + 10 * (self.grid.width + self.grid.height) if self.until is None else self.until

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
        starts = np.array([errand.start for errand in self.errands], np.int32)
        routes = np.empty((len(self.errands), room), np.int32)
        n_visits = np.zeros(len(self.errands))
        for agent, errand in enumerate(self.errands):
            routes[agent], needed = errand.written_out(room, rng)
            n_visits[agent] = 0 if one_goal else needed
        return Problem(self.grid, starts, routes, seed=self.seed, name=self.name), n_visits

    @property
    def first_goals(self) -> NDArray[np.int32]:
        """A first goal for each agent: that of its errand, or a random one of its pool."""
        rng = np.random.default_rng([self.seed, len(self.errands)])
        return np.array([errand.written_out(1, rng)[0][0] for errand in self.errands], np.int32)


class Stage(Simulation):
    """A simulation of a scene: it ends when all controlled agents have done their errands."""

    def __init__(self, scene: Scene) -> None:
        problem, self.n_visits = scene.written_out
        in_time = [event for event in scene.events if event.time < scene.end]
        super().__init__(
            problem, scene.controller, model=scene.model, events=in_time, vision=scene.vision, seed=scene.seed,
            clock=True, own=scene.options,
        )  # fmt: skip
        self.last_tick = math.ceil(scene.end / self.tick)

    @property
    def seconds(self) -> float:
        """Seconds of planning and moving so far."""
        return self._seconds

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass, but none after the last one."""
        stop = min(int(self.crew.counts[TICK]) + budget, self.last_tick)
        while self.crew.counts[TICK] < stop and not self.status.is_final:
            super().advance(1)
            if not self._events and self._is_at_rest():
                self.status = Status.SOLVED
        if self.crew.counts[TICK] >= self.last_tick and not self.status.is_final:
            self.status = Status.OUT_OF_BUDGET
        return self.status

    def _is_at_rest(self) -> bool:
        agents = self.crew.agents
        busy = (agents["here"] != agents["goal"]) | (self.court.states["leg"] < self.n_visits)
        return not (busy & agents["present"] & agents["ours"]).any()

    def _apply(self, event: Event, agents: list[int], cells: list[int]) -> Event | None:
        """An agent that gets another goal continues its patrol from there; if no visit is left, it stays there."""
        waiting = super()._apply(event, agents, cells)
        if waiting is None and event.kind == GOAL and not self.problem.is_one_shot and event.agent < self.n_agents:
            agent, visits = self.crew.agents[event.agent], self.court.visits[event.agent]
            state = self.court.states[event.agent]
            if state["leg"] + 1 >= self.n_visits[event.agent]:
                visits[state["leg"] + 1 :] = agent["goal"]
            if agent["here"] == agent["goal"]:  # it has arrived
                state["leg"] += 1
                if visits[state["leg"]] != agent["goal"]:
                    agent["goal"] = visits[state["leg"]]
                    self._note(event.agent, GOAL, agent["goal"])
        return waiting

    def _join(self, start: int, goal: int) -> None:
        """An agent that joins has one goal, and stays there."""
        super()._join(start, goal)
        self.court.visits[-1] = goal
        self.n_visits = np.append(self.n_visits, 0 if self.problem.is_one_shot or start == goal else 1)


@dataclass(frozen=True, eq=False)
class Played:
    """A scene that was played: the run, and how it ended for each agent."""

    scene: Scene
    run: Run
    stage: Stage
    prepare_seconds: float

    @cached_property
    def ending(self) -> metrics.Ending:
        """Where every agent is at the end."""
        return metrics.ending(self.run.record)

    @property
    def is_done(self) -> bool:
        """Whether it ended as it should: all agents are done, or an endless scene reached its end."""
        return self.run.status is Status.SOLVED or (self.scene.is_endless and self.run.status is Status.OUT_OF_BUDGET)

    @property
    def completion_seconds(self) -> float:
        """The mean second of planning at which agents last reached their goals; the limit for those not there."""
        laps = self.run.laps.copy()
        laps["seconds"][:1] += self.prepare_seconds
        limit = self.run.seconds + self.prepare_seconds if self.scene.seconds is None else self.scene.seconds
        return self.ending.completion_seconds(laps, limit)

    @cached_property
    def shared_goals(self) -> list[tuple[int, list[int]]]:
        """The goals that several agents have at the end, each with its agents; patrols and tasks do not count."""
        wanted: dict[int, list[int]] = {}
        for agent in np.flatnonzero(self.ending.counts & self._settles).tolist():
            wanted.setdefault(int(self.ending.goal[agent]), []).append(agent)
        return [(goal, agents) for goal, agents in wanted.items() if len(agents) > 1]

    @cached_property
    def waiting(self) -> list[tuple[int, str]]:
        """Agents that cannot reach their goals, and why."""
        ending, grid, reasons = self.ending, self.stage.grid, []
        for agent in np.flatnonzero(ending.counts & ~ending.home).tolist():
            goal, here = int(ending.goal[agent]), int(ending.here[agent])
            other = int(self.stage.crew.occupant[goal])
            if not grid.is_free(goal):
                reasons.append((agent, "the goal is in a wall"))
            elif grid.components[goal] != grid.components[here]:
                reasons.append((agent, "there is no way to the goal"))
            elif (
                self._settles[agent] and other < self.run.n_agents and (ending.home[other] or not ending.counts[other])
            ):
                reasons.append((agent, f"agent {other} stands on the goal"))
        return reasons

    @cached_property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know, in sentences."""
        place, goal = self.scene.grid.place, self.ending.goal
        notes = [
            f"agents {', '.join(map(str, agents))} have the same goal {place(cell)}"
            for cell, agents in self.shared_goals
        ]
        notes += [f"agent {agent} waits: {why}, {place(goal[agent])}" for agent, why in self.waiting]
        for _, _, event in sorted(self.stage._events, key=lambda waiting: waiting[:2]):
            if event.time > self.run.time:
                continue
            at = f" at {event.places[0]}" if event.places else ""
            who = int(self.stage.crew.occupant[self.scene.grid.cell(event.places[0])]) if event.places else NO_LIMIT
            stands = f": agent {who} stands there" if event.kind in (BLOCK, JOIN) and who < self.run.n_agents else ""
            notes.append(f"{KINDS[event.kind]}{at} has been waiting since time {event.time:g}{stands}")
        return notes

    @cached_property
    def _settles(self) -> NDArray[np.bool_]:
        """Which agents have one goal, where they stay."""
        settles = [len(errand.visits) == 1 for errand in self.scene.errands]
        return np.array(settles + [True] * (self.run.n_agents - len(settles)))

    @property
    def outcome(self) -> str:
        """How it ended: `ended` for a scene without an end whose time is over, else the status of the run."""
        is_over = self.scene.is_endless and self.run.status is Status.OUT_OF_BUDGET
        return "ended" if is_over else self.run.status.value

    @cached_property
    def service(self) -> metrics.Service:
        """How tasks were served: deliveries, if all agents have these, count as one task with two places."""
        return metrics.service(self.run.record, 2 if all(errand.drops.size for errand in self.scene.errands) else 1)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the measures of the slides on BMAA*, those of tasks, the judge's verdict, and the notes.

        Agents with endless errands never complete: if there are no others, the measures of completion are None.
        """
        record, laps, place = self.run.record, self.run.laps, self.scene.grid.place
        planning = metrics.planning_time(laps)
        step_p99, step_max = (np.percentile(laps["seconds"], (99, 100)) * 1e3).tolist() if laps.size else (0.0, 0.0)
        endless = all(errand.is_endless for errand in self.scene.errands)
        service = self.service.summary()
        return {
            "scene": self.scene.name,
            "algorithm": self.run.algorithm,
            "status": self.outcome,
            "agents": self.run.n_agents,
            "steps": round(record.end) if record.model == STEPS else record.end,
            "completion_rate": None if endless else self.ending.completion_rate,
            "completion_time": None if endless else self.ending.completion_time,
            "completion_seconds": None if endless else self.completion_seconds,
            "tasks": self.service.tasks,
            "throughput": self.service.throughput,
            "waiting_share": service["waiting"],
            **{name: service[name] for name in ("service_p50", "service_p90", "service_p99")},
            "travel_distance": self.ending.travel_distance,
            "arrivals": int(metrics.arrivals_by_agent(record)[self.ending.counts].sum()),
            "refused_moves": metrics.collisions(record),
            "seconds": self.run.seconds,
            "prepare_seconds": self.prepare_seconds,
            **{f"planning_{name}_us": value * 1e6 for name, value in planning.items()},
            "step_p99_ms": step_p99,
            "step_max_ms": step_max,
            "faults": len(check_record(record)),
            "shared_goals": [{"goal": place(goal), "agents": agents} for goal, agents in self.shared_goals],
            "waiting": [{"agent": agent, "why": why} for agent, why in self.waiting],
            "notes": self.notes,
        }


def play(scene: Scene, *, tell: Callable[[Task], None] | None = None) -> Played:
    """Play a scene until all agents are done, its end has come, or its seconds of planning are used up.

    The seconds count from the controller's preparation on; compiling does not count.
    """
    checked_limits(seconds=scene.seconds, until=scene.until)
    refuse(catalogue.find(scene.controller, "controllers"), scene.grid)
    make_ready(scene.controller)
    problem, _ = scene.written_out
    if scene.vision is not None:
        Vision(scene.grid, scene.vision).look(problem.starts[:1])  # compiles
    began = time.perf_counter()
    stage = Stage(scene)
    prepared = time.perf_counter() - began
    left = None if scene.seconds is None else max(scene.seconds - prepared, SHORTEST)
    portion = 1 if scene.model != DISTANCE else math.ceil(1 / stage.tick)
    result = finish(stage, seconds=left, what="ticks", tell=tell, portion=portion, largest=portion)
    run = stage.run()
    run.status = result.status
    return Played(scene, run, stage, prepared)
