"""Scene: a world, groups of agents, what they have to do, and what happens meanwhile, as a TOML file.

    scene = read_scene("examples/changing-map.toml")
    played = play(scene)
    played.run, played.ending.completion_rate, played.notes

The format is in docs/scenes.md. What an agent has to do, be it one goal, a patrol or tasks without an end, is written
out beforehand as the goals it visits in turn, as many as there can be until the scene ends: so groups with different
errands share one simulation. Whoever has done its last visit stays, and still gives way to others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk import catalogue, metrics
from wayfolk.errors import BadInput, TooLarge
from wayfolk.events import Event
from wayfolk.grid import Grid
from wayfolk.kernels.crew import TICK
from wayfolk.problem import ENDLESS, Problem
from wayfolk.record import BLOCK, DISTANCE, GOAL, JOIN, KINDS, STEPS
from wayfolk.result import NO_LIMIT, Status
from wayfolk.run import make_ready, refuse
from wayfolk.runs import Run
from wayfolk.simulation import Simulation
from wayfolk.task import Task, checked_limits
from wayfolk.vision import Vision

MOST_VISITS = 1 << 26  # numbers of goals that are written out


@dataclass(frozen=True)
class Errand:
    """What an agent has to do: cells to visit in turn, `loops` times, or a `pool` of cells that tasks are drawn from.

    Whoever has `visits` in common with others comes `home` to its start afterwards: one cell is not for all of them.
    """

    start: int
    visits: tuple[int, ...] = ()
    loops: int = 1
    home: bool = False
    pool: tuple[int, ...] = ()

    @property
    def is_endless(self) -> bool:
        """Whether it is never done."""
        return bool(self.pool) or self.loops == ENDLESS

    def written_out(self, room: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], float]:
        """The goals in turn, the last of them again and again, and after how many it is done.

        No goal is where the agent is when it gets it, but the one it stays at.
        """
        if self.pool:
            spots = np.cumsum(np.append(rng.integers(len(self.pool)), rng.integers(1, len(self.pool), room)))
            tasks = np.array(self.pool, np.int32)[spots % len(self.pool)]
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
    """A checked scene. `groups` says which agents are whose; events are for one agent or one place each."""

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

    @property
    def end(self) -> float:
        """When it is over at the latest: `until`, or as late as `solve` would let it go on."""
        return 1000.0 + 10 * (self.grid.width + self.grid.height) if self.until is None else self.until

    @property
    def is_endless(self) -> bool:
        """Whether somebody is never done, so that it goes on until the end."""
        return any(errand.is_endless for errand in self.errands)

    @cached_property
    def written_out(self) -> tuple[Problem, NDArray[np.float64]]:
        """The problem, and after how many visits each agent is done."""
        one_goal = all(len(errand.visits) == 1 for errand in self.errands)
        room = 1 if one_goal else math.ceil(self.end) + 2  # nobody arrives more often than once in a step
        if room * len(self.errands) > MOST_VISITS:
            raise TooLarge(f"{len(self.errands)} agents with errands until {self.end:g} do not fit: end it earlier")
        rng = np.random.default_rng([self.seed, len(self.errands)])
        made = [errand.written_out(room, rng) for errand in self.errands]
        starts = np.array([errand.start for errand in self.errands], np.int32)
        routes = np.stack([goals for goals, _ in made])
        problem = Problem(self.grid, starts, routes, seed=self.seed, name=self.name)
        return problem, np.array([0 if one_goal else n_visits for _, n_visits in made], np.float64)


def read_scene(file: str | Path, *, seed: int | None = None) -> Scene:
    """The scene in `file`, drawn by another `seed` if one is given, or one error that lists everything wrong with it."""
    from wayfolk._scene_reader import read

    return read(file, seed)


class Stage(Simulation):
    """A simulation of a scene: it is over when all who are ours have done what they had to do."""

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
        """How long it has been thinking and moving."""
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
        busy = (agents["here"] != agents["goal"]) | (agents["leg"] < self.n_visits)
        return not (busy & agents["present"] & agents["ours"]).any()

    def _apply(self, event: Event) -> bool:
        """Whoever gets another goal goes on with its patrol from there; if there is none left, it stays there."""
        happened = super()._apply(event)
        if happened and event.kind == GOAL and not self.problem.is_one_shot and event.agent < self.n_agents:
            agent, visits = self.crew.agents[event.agent], self.crew.visits[event.agent]
            if agent["leg"] + 1 >= self.n_visits[event.agent]:
                visits[agent["leg"] + 1 :] = agent["goal"]
            if agent["here"] == agent["goal"]:  # it has arrived
                agent["leg"] += 1
                if visits[agent["leg"]] != agent["goal"]:
                    agent["goal"] = visits[agent["leg"]]
                    self._note(event.agent, GOAL, agent["goal"])
        return happened

    def _join(self, start: int, goal: int) -> None:
        """Who joins has one goal, and stays there."""
        super()._join(start, goal)
        self.crew.visits[-1] = goal
        self.n_visits = np.append(self.n_visits, 0 if self.problem.is_one_shot or start == goal else 1)


@dataclass(frozen=True, eq=False)
class Played:
    """A scene that was played: the run, and how it ended for whom."""

    scene: Scene
    run: Run
    stage: Stage
    prepare_seconds: float

    @cached_property
    def ending(self) -> metrics.Ending:
        """Where everyone is in the end."""
        return metrics.ending(self.run.record)

    @property
    def is_done(self) -> bool:
        """Whether it ended as it should: everybody is done, or there was no end to wait for."""
        return self.run.status is Status.SOLVED or (self.scene.is_endless and self.run.status is Status.OUT_OF_BUDGET)

    @property
    def completion_seconds(self) -> float:
        """The mean second of planning at which they last reached their goals; the limit for who is not there."""
        laps = self.run.laps.copy()
        laps["seconds"][:1] += self.prepare_seconds
        limit = self.run.seconds + self.prepare_seconds if self.scene.seconds is None else self.scene.seconds
        return self.ending.completion_seconds(laps, limit)

    @cached_property
    def shared_goals(self) -> list[tuple[int, list[int]]]:
        """The goals that several agents have in the end, and whose they are; patrols and tasks do not count."""
        wanted: dict[int, list[int]] = {}
        for agent in np.flatnonzero(self.ending.counts & self._settles).tolist():
            wanted.setdefault(int(self.ending.goal[agent]), []).append(agent)
        return [(goal, agents) for goal, agents in wanted.items() if len(agents) > 1]

    @cached_property
    def waiting(self) -> list[tuple[int, str]]:
        """Agents that cannot be on their goals, and why."""
        ending, grid, found = self.ending, self.stage.grid, []
        for agent in np.flatnonzero(ending.counts & ~ending.home).tolist():
            goal, here = int(ending.goal[agent]), int(ending.here[agent])
            other = int(self.stage.crew.occupant[goal])
            if not grid.is_free(goal):
                found.append((agent, "the goal is in a wall"))
            elif grid.components[goal] != grid.components[here]:
                found.append((agent, "there is no way to the goal"))
            elif (
                self._settles[agent] and other < self.run.n_agents and (ending.home[other] or not ending.counts[other])
            ):
                found.append((agent, f"agent {other} stands on the goal"))
        return found

    @cached_property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know, in sentences."""
        place, goal = self.scene.grid.place, self.ending.goal
        told = [
            f"agents {', '.join(map(str, agents))} have the same goal {place(cell)}"
            for cell, agents in self.shared_goals
        ]
        told += [f"agent {agent} waits: {why}, {place(goal[agent])}" for agent, why in self.waiting]
        for _, _, event in sorted(self.stage._events, key=lambda waiting: waiting[:2]):
            if event.time > self.run.time:
                continue
            at = f" at {event.places[0]}" if event.places else ""
            who = int(self.stage.crew.occupant[self.scene.grid.cell(event.places[0])]) if event.places else NO_LIMIT
            stands = f": agent {who} stands there" if event.kind in (BLOCK, JOIN) and who < self.run.n_agents else ""
            told.append(f"{KINDS[event.kind]}{at} has been waiting since time {event.time:g}{stands}")
        return told

    @cached_property
    def _settles(self) -> NDArray[np.bool_]:
        """Who has one goal, where it stays."""
        settles = [len(errand.visits) == 1 for errand in self.scene.errands]
        return np.array(settles + [True] * (self.run.n_agents - len(settles)))

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the measures of the slides on BMAA*, the judge's verdict, and the notes."""
        from wayfolk.check_log import check_record

        record, laps, place = self.run.record, self.run.laps, self.scene.grid.place
        planning = metrics.planning_time(laps)
        step_p99, step_max = (np.percentile(laps["seconds"], (99, 100)) * 1e3).tolist() if laps.size else (0.0, 0.0)
        return {
            "scene": self.scene.name,
            "algorithm": self.run.algorithm,
            "status": self.run.status.value,
            "agents": self.run.n_agents,
            "steps": round(record.end) if record.model == STEPS else record.end,
            "completion_rate": self.ending.completion_rate,
            "completion_time": self.ending.completion_time,
            "completion_seconds": self.completion_seconds,
            "travel_distance": self.ending.travel_distance,
            "arrivals": int(metrics.arrivals_by_agent(record)[self.ending.counts].sum()),
            "collisions": metrics.collisions(record),
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
    """Let a scene happen until everybody is done, its end has come, or its seconds of planning are used up.

    The seconds count from the controller's preparation on; compiling does not count.
    """
    checked_limits(scene.seconds, None)
    if not scene.end > 0:
        raise BadInput(f"until must be more than 0, not {scene.until}")
    refuse(catalogue.find(scene.controller, "controllers"), scene.grid)
    make_ready(scene.controller)
    problem, _ = scene.written_out
    if scene.vision is not None:
        Vision(scene.grid, scene.vision).look(problem.starts[:1])  # compiles
    began = time.perf_counter()
    stage = Stage(scene)
    prepared = time.perf_counter() - began
    portion = 1 if scene.model != DISTANCE else math.ceil(1 / stage.tick)
    stopped = None
    while not stage.advance(portion).is_final:
        if tell is not None:
            tell(stage)
        if scene.seconds is not None and stage.seconds + prepared >= scene.seconds:
            stopped = Status.OUT_OF_TIME
            break
    run = stage.run()
    run.status = stopped or run.status
    return Played(scene, run, stage, prepared)
