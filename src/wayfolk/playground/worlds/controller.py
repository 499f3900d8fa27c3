"""Agents under a controller, in a worker."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import BLOCK, FREE, NOWHERE, REFUSED
from wayfolk.playground.frames import Step
from wayfolk.playground.insight import Cells, moves_of, reserved, routes_ahead, tables_of
from wayfolk.playground.limits import check_agents
from wayfolk.playground.maps import inside
from wayfolk.playground.panel_scene import Edit
from wayfolk.playground.worlds.agents import AgentWorld, pairs
from wayfolk.problem import events
from wayfolk.problem.layers import CellLayer, Layer
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status
from wayfolk.replay import Track
from wayfolk.replay.layers import pack_layers
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.flow import Flow
from wayfolk.world.grid import Grid

KEPT_ROWS = 4_000_000  # of the log, for exports
MOST_MARKS = 4_000  # messages that the page has, the latest


class ControllerWorld(AgentWorld):
    """Agents under a controller."""

    def begin(self, problem: Problem) -> None:
        """Start a simulation."""
        steps_before = self.step if hasattr(self, "world") else 0
        kept = max(200, KEPT_ROWS // max(1, 4 * problem.n_agents))
        self.world = Simulation(
            problem, self.entry, seed=self.scene.seed, record=f"last {min(kept, 20_000)}", own=self.options
        )
        self.steps_before = steps_before
        self.sent: tuple[Any, ...] = ()

    @property
    def grid(self) -> Grid:
        """The map as it is."""
        return self.world.grid

    @property
    def step(self) -> int:
        """The number of steps so far."""
        return self.steps_before + round(self.world.time)

    @property
    def is_over(self) -> bool:
        """Whether all agents are at their goals, and no event is due."""
        return self.world.status is Status.SOLVED

    def now(self) -> tuple[Cells, Cells]:
        """Where agents are and want to be."""
        agents = self.world.crew.agents
        return np.where(agents["present"], agents["here"], NOWHERE).astype(np.int32), agents["goal"].astype(np.int32)

    def advance(self) -> Step | None:
        """Let one step pass."""
        before = self.world.time
        began = perf_counter()
        self.world.step()
        seconds = perf_counter() - began
        log, n = self.world.world_state.log.rows, self.world.world_state.log.n
        rows = log[int(np.searchsorted(log["time"][:n], before - 1e-6)) : n]
        edits = rows[np.isin(rows["kind"], (BLOCK, FREE))]
        refused = rows[rows["kind"] == REFUSED]
        return self.changes(
            seconds, pairs(edits["cell"], edits["kind"] == BLOCK), pairs(refused["agent"], refused["cell"]),
            self.world.crew.agents["ours"],
        )  # fmt: skip

    def change(self, edit: Edit) -> None:
        """Let something happen at the next step."""
        world, now = self.world, self.world.time
        if edit.do == "block":
            world.happen(events.block(now, inside(world.grid, edit.cells)))
        elif edit.do == "free":
            world.happen(events.free(now, inside(world.grid, edit.cells)))
        elif edit.do == "goal":
            world.happen(events.retask(now, edit.agent, edit.place))
        elif edit.do == "put":
            world.put(edit.agent, edit.place)
        elif edit.do == "leave":
            world.happen(events.leave(now, edit.agent))
        elif edit.do == "hold":
            world.hold(edit.agent)
        elif edit.do == "resume":
            world.resume(edit.agent)
        elif edit.do == "move":
            world.move(edit.agent, edit.place)
        elif edit.do == "join":
            check_agents(world.n_agents + len(edit.journeys))
            for x, y, far_x, far_y in edit.journeys:
                world.happen(events.join(now, (x, y), (far_x, far_y)))
        elif edit.do == "add":
            walls = [world.grid.cell(place) for event in world.events if event.kind == BLOCK for place in event.places]
            starts, goals = self.drawn(edit.count, *walls)
            for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
                world.happen(events.join(now, world.grid.place(start), world.grid.place(goal)))

    def ahead(self) -> Cells:
        """What is reserved in the tables of the controller; without any, the routes that it has handed out."""
        tables = tables_of(self.world.controller.arrays)
        return reserved(tables, round(self.world.time)) if tables else routes_ahead(self.world.crew)

    def overlay(self) -> dict[str, Any] | None:
        """The areas, messages and one-way maps of the controller, if they have changed since the last time."""
        controller = self.world.controller
        flow = getattr(controller, "flow", None)
        layers = controller.layers()
        if not layers and not isinstance(flow, Flow):
            return None
        state = (
            id(flow),
            *(layer.since if isinstance(layer, CellLayer) else len(layer.time) for layer in layers),
        )  # fmt: skip
        if state == self.sent:
            return None
        self.sent = state
        packed = pack_layers([self._latest(layer) for layer in layers], self.world.record(), 1.0) if layers else None
        return {"layers": packed, "moves": moves_of(flow.legal, self.grid) if isinstance(flow, Flow) else None}

    def _latest(self, layer: Layer) -> Layer:
        """A layer as the page counts time, without the oldest marks."""
        before = self.steps_before
        if isinstance(layer, CellLayer):
            return replace(layer, since=layer.since + before)
        last = slice(-MOST_MARKS, None)
        return replace(
            layer, time=layer.time[last] + before, agent=layer.agent[last], kind=layer.kind[last], cell=layer.cell[last],
            sender=layer.sender[last], receiver=layer.receiver[last],
        )  # fmt: skip

    def plan_so_far(self) -> Plan:
        """The plan that has come out, if all agents were there all the time."""
        plan = self.world.result().plan
        if plan is None:
            raise NotSupported(
                "agents have joined, left or been put elsewhere: that is no plan, but a replay can be saved"
            )
        return plan

    def history(self) -> Track:
        """The last part of the run."""
        return self.world.run().track(self.entry.label)

    def problem_now(self) -> Problem:
        """The agents that are there, with the goals that are left to them."""
        world, problem = self.world, self.world.problem
        there = np.flatnonzero(world.crew.agents["present"])
        agents, visits = world.crew.agents[there], world.world_state.court.visits[there]
        routes = agents["goal"][:, None].astype(np.int32)
        if visits.shape[1] > 1:
            turn = (np.arange(visits.shape[1]) + world.world_state.court.states["leg"][there, None]) % visits.shape[1]
            routes = np.take_along_axis(visits, turn, 1).astype(np.int32)
            routes[:, 0] = agents["goal"]
        return Problem(
            world.grid, agents["here"].astype(np.int32), routes, problem.loops, problem.pool, problem.seed,
            problem.name, problem.drops,
        )  # fmt: skip
