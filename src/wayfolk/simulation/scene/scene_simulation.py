"""The simulation of a scene: it ends when all controlled agents have done their errands."""

from __future__ import annotations

import math

import numpy as np

from wayfolk.kernels.codes import GOAL, JOIN
from wayfolk.problem.events import Event
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.simulation import nodes
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.state import Changes


class SceneSimulation(Simulation):
    """A simulation of a scene: it ends when all controlled agents have done their errands."""

    def __init__(self, scene: Scene) -> None:
        problem, self.n_visits = scene.written_out
        in_time = [event for event in scene.events if event.time < scene.end]
        super().__init__(
            problem, scene.controller, model=scene.model, events=in_time, vision=scene.vision, seed=scene.seed,
            clock=True, own=scene.options,
        )  # fmt: skip
        self.last_tick = math.ceil(scene.end / self.tick)

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Let up to `budget` ticks pass, but none after the last one; fewer if `until` comes first."""
        stop = min(self.world_state.ticks + budget, self.last_tick)
        while self.world_state.ticks < stop and not self.status.is_final:
            super().advance(1)
            if self.unspent:  # the time is over, in the middle of a step
                break
            if not self.events and self._is_at_rest():
                self.status = Status.SOLVED
        if self.world_state.ticks >= self.last_tick and not self.status.is_final:
            self.status = Status.OUT_OF_BUDGET
        self.unspent = max(0, stop - self.world_state.ticks)
        return self.status

    def _is_at_rest(self) -> bool:
        agents = self.crew.agents
        busy = (nodes.stands(self.states, agents["here"]) != agents["goal"]) | (
            self.world_state.court.states["leg"] < self.n_visits
        )
        return not (busy & agents["present"] & agents["ours"]).any()

    def apply(self, event: Event, changes: Changes) -> Event | None:
        """An agent that gets another goal continues its patrol from there; if no visit is left, it stays there.

        An agent that joins has one goal, and stays there.
        """
        waiting = super().apply(event, changes)
        if waiting is not None:
            return waiting
        if event.kind == JOIN:
            kind = nodes.kind_number(self.states, event.body)
            ends = (nodes.node_of(self.states, place, kind) for place in event.places)
            start, goal = (nodes.stand(self.states, node) for node in ends)
            self.world_state.court.visits[-1] = goal
            self.n_visits = np.append(self.n_visits, 0 if self.problem.is_one_shot or start == goal else 1)
        elif event.kind == GOAL and not self.problem.is_one_shot and event.agent < self.n_agents:
            agent, visits = self.crew.agents[event.agent], self.world_state.court.visits[event.agent]
            state = self.world_state.court.states[event.agent]
            if state["leg"] + 1 >= self.n_visits[event.agent]:
                visits[state["leg"] + 1 :] = agent["goal"]
            if nodes.stand(self.states, int(agent["here"])) == agent["goal"]:  # it has arrived
                state["leg"] += 1
                if visits[state["leg"]] != agent["goal"]:
                    agent["goal"] = visits[state["leg"]]
                    self.world_state.note(event.agent, GOAL, agent["goal"])
        return None
