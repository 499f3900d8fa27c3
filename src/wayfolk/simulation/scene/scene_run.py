"""The run of a scene: how it ended for each agent, in numbers and in sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.judge import metrics
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import BLOCK, JOIN
from wayfolk.problem.events import Event
from wayfolk.problem.record import KINDS, STEPS
from wayfolk.problem.result import Status
from wayfolk.simulation import nodes
from wayfolk.simulation.run import Run
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.scene.scene_simulation import SceneSimulation
from wayfolk.world.grid import Grid


@dataclass(frozen=True, eq=False)
class SceneRun:
    """What has happened in a scene, and how it ended for each agent."""

    scene: Scene
    run: Run
    simulation: SceneSimulation = field(repr=False)
    prepare_seconds: float

    @cached_property
    def ending(self) -> metrics.Ending:
        """Where every agent is at the end."""
        return metrics.ending(self.run.record)

    @property
    def is_done(self) -> bool:
        """Whether it ended as it should: all agents are done, or an endless scene reached its end."""
        is_over = self.scene.is_endless and self.run.status is Status.OUT_OF_BUDGET and not self.run.detail
        return self.run.status is Status.SOLVED or is_over

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
        ending, states, reasons = self.ending, self.simulation.states, []
        for agent in np.flatnonzero(ending.counts & ~ending.home).tolist():
            goal, here = int(ending.goal[agent]), int(ending.here[agent])
            others = [other for other in self.simulation.world_state.holders(goal) if other != agent]
            others = [other for other in others if ending.home[other] or not ending.counts[other]]
            if not states.is_free(goal):
                why = "the goal is in a wall" if isinstance(states, Grid) else "there is no room at the goal"
                reasons.append((agent, why))
            elif states.components[goal] != states.components[here]:
                reasons.append((agent, "there is no way to the goal"))
            elif self._settles[agent] and others:
                reasons.append((agent, f"agent {others[0]} stands on the goal"))
        return reasons

    @cached_property
    def notes(self) -> list[str]:
        """What a reader of the numbers should know, in sentences."""
        place, goal = self.scene.states.place, self.ending.goal
        notes = [self.run.detail] if self.run.detail else []
        notes += [
            f"agents {', '.join(map(str, agents))} have the same goal {place(cell)}"
            for cell, agents in self.shared_goals
        ]
        notes += [f"agent {agent} waits: {why}, {place(goal[agent])}" for agent, why in self.waiting]
        for event in self.simulation.events:
            if event.time > self.run.time:
                continue
            at = f" at {event.places[0]}" if event.places else ""
            stands = "".join(f": agent {who} stands there" for who in self._in_the_way(event)[:1])
            notes.append(f"{KINDS[event.kind]}{at} has been waiting since time {event.time:g}{stands}")
        return notes

    def _in_the_way(self, event: Event) -> list[int]:
        """The agents for which an event waits, as far as its first place says who they are."""
        states, place = self.simulation.states, event.places[:1]
        if event.kind == JOIN or (event.kind == BLOCK and isinstance(states, Grid)):
            kind = nodes.kind_number(states, event.body)
            return self.simulation.world_state.holders(nodes.node_of(states, place[0], kind))
        return []

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
        record, laps, place = self.run.record, self.run.laps, self.scene.states.place
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
            **metrics.clock_summary(laps),
            "faults": len(check_record(record)),
            "shared_goals": [{"goal": place(goal), "agents": agents} for goal, agents in self.shared_goals],
            "waiting": [{"agent": agent, "why": why} for agent, why in self.waiting],
            "notes": self.notes,
        }
