"""Agents that walk on the plan of a planner, in a worker."""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem, NotSupported
from wayfolk.playground.frames import NO_PAIRS, Step
from wayfolk.playground.insight import Cells, plan_ahead
from wayfolk.playground.limits import check_agents
from wayfolk.playground.maps import inside
from wayfolk.playground.messages import Planned, Refused, Thinking
from wayfolk.playground.panel_scene import Edit
from wayfolk.playground.worlds.agents import AgentWorld
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan
from wayfolk.world.grid import Grid

MOST_PAST = 4_000_000  # positions that are kept of agents on a plan
LONGEST_PLANNING = 60.0


class PlanWorld(AgentWorld):
    """Agents that walk on the plan of a planner. Any change lets it plan anew, from where the agents are."""

    def begin(self, problem: Problem) -> None:
        """Begin to plan."""
        if not problem.is_one_shot:
            raise NotSupported(
                f"{self.entry.label} plans for agents with one goal each: choose a controller for patrols"
            )
        self.task = begin_plan(problem, self.entry, seed=self.scene.seed, **self.options)
        if not hasattr(self, "row"):
            self.row, self.said = 0, 0.0
            self.past: list[Cells] = [problem.starts.copy()]
            self.walls: list[tuple[int, int]] = []
        self.ground, self.here, self.wanted = problem.grid, problem.starts.copy(), problem.goals.copy()
        self.plan: NDArray[np.int32] | None = None
        self.failed = False
        self.at = 0
        self.spent = 0.0

    @property
    def grid(self) -> Grid:
        """The map as it is."""
        return self.ground

    @property
    def step(self) -> int:
        """The number of steps so far."""
        return self.row

    @property
    def is_over(self) -> bool:
        """Whether the plan has ended, or there is none."""
        return not self.walls and (self.failed or (self.plan is not None and self.at >= len(self.plan) - 1))

    def now(self) -> tuple[Cells, Cells]:
        """Where agents are and want to be."""
        return self.here.copy(), self.wanted.copy()

    def advance(self) -> Step | None:
        """Work on the plan for a moment, or walk one step of it."""
        seconds = 0.0
        if self.plan is None and not self.failed:
            seconds = self._think()
            if self.plan is None and not self.failed:
                return None
        if self.plan is not None and self.at < len(self.plan) - 1:
            self.at += 1
            self.here = self.plan[self.at].astype(np.int32)
        self._remember()
        self.row += 1
        walls, self.walls = self.walls, []
        changed = np.array(walls, np.int32).reshape(-1, 2)
        return self.changes(seconds, changed, NO_PAIRS, np.ones(len(self.here), bool))

    def _remember(self) -> None:
        if self.past and len(self.past[-1]) != len(self.here):
            self.past.clear()
        self.past.append(self.here.copy())
        del self.past[: -max(100, MOST_PAST // max(1, len(self.here)))]

    def plan_so_far(self) -> Plan:
        """Where the agents have been since the last of them joined, as far as it is kept."""
        return Plan(self.ground, np.stack(self.past or [self.here]))

    def ahead(self) -> Cells:
        """The next steps of the plan."""
        return plan_ahead(self.plan, self.at)

    def _think(self) -> float:
        """Advance the planner for a moment; seconds it has spent in all, once it is done."""
        began = perf_counter()
        self.task.until = began + 0.05
        status = self.task.advance(4096)
        self.spent += perf_counter() - began
        if status is Status.RUNNING and not self.task.has_plan and self.spent < LONGEST_PLANNING:
            if self.spent - self.said > 0.4 or self.spent < self.said:
                self.said = self.spent
                self.tell(Thinking, seconds=round(self.spent, 2))
            return 0.0
        result = self.task.result()
        self.said = 0.0
        if result.plan is None:
            self.failed = True
            why = result.detail or (
                f"{self.entry.label} found no plan within {LONGEST_PLANNING:g} seconds"
                if status is Status.RUNNING else f"{self.entry.label} found no plan: {result.status.value}"
            )  # fmt: skip
            self.tell(Refused, why=why)
        else:
            self.plan, self.at = result.plan.cells, 0
            self.tell(Planned, seconds=round(self.spent, 3), steps=result.plan.n_steps)
        return self.spent

    def change(self, edit: Edit) -> None:
        """Change the problem, and plan anew from where the agents are."""
        grid, here, wanted = self.ground, self.here.copy(), self.wanted.copy()
        walls: list[tuple[int, int]] = []
        if edit.do in ("block", "free"):
            cells = [grid.cell(place) for place in inside(grid, edit.cells)]
            if edit.do == "block":
                taken = set(here.tolist()) | set(wanted.tolist())
                cells = [cell for cell in cells if cell not in taken]
            grid = grid.with_blocked(cells) if edit.do == "block" else grid.with_freed(cells)
            walls = [(cell, int(edit.do == "block")) for cell in cells]
        elif edit.do in ("goal", "put"):
            self._known(edit.agent)
            cell = grid.cell(edit.place)
            others = here if edit.do == "put" else wanted
            if not grid.is_free(cell) or (np.delete(others, edit.agent) == cell).any():
                raise BadProblem(f"agent {edit.agent} cannot have {edit.place}: it is a wall, or another agent's")
            others[edit.agent] = cell
        elif edit.do in ("join", "add"):
            if edit.do == "add":
                starts, goals = self.drawn(edit.count)
            else:
                check_agents(len(here) + len(edit.journeys))
                places = np.array(edit.journeys, np.int64).reshape(-1, 4)
                starts, goals = grid.cells(places[:, :2]), grid.cells(places[:, 2:])
            here, wanted = np.append(here, starts).astype(np.int32), np.append(wanted, goals).astype(np.int32)
        elif edit.do == "leave":
            here, wanted = self._without(edit.agent)
        else:
            raise NotSupported("agents on a plan cannot be steered: choose a controller")
        self.begin(Problem(grid, here, wanted[:, None], seed=self.scene.seed))
        self.walls += walls

    def _without(self, agent: int) -> tuple[Cells, Cells]:
        """The agents without the last of them; others keep their numbers, and so cannot leave."""
        self._known(agent)
        if agent != len(self.here) - 1 or agent == 0:
            raise NotSupported("of agents on a plan only the last that has joined can leave")
        return self.here[:-1], self.wanted[:-1]

    def _known(self, agent: int) -> None:
        if agent >= len(self.here):
            raise BadProblem(f"there is no agent {agent}: they are 0 to {len(self.here) - 1}")

    def problem_now(self) -> Problem:
        """The agents where they are, with their goals."""
        return Problem(self.ground, self.here.copy(), self.wanted[:, None].copy(), seed=self.scene.seed)
