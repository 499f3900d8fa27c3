"""Worlds of many agents in a worker: under a controller, or on the plan of a planner. Both go step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.catalogue import Entry
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.kernels.codes import BLOCK, FREE, NOWHERE, REFUSED
from wayfolk.playground.asked import Edit, Scene, checked_options
from wayfolk.playground.frames import ARRIVED, FREED, NO_PAIRS, STAY, Step, begin_frame
from wayfolk.playground.ground import problem_of
from wayfolk.playground.limits import check_agents
from wayfolk.problem import events
from wayfolk.problem.layers import CellLayer
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import Status
from wayfolk.replay import Track, track_of_plan
from wayfolk.replay.layers import pack_layers
from wayfolk.simulation.referee import N_LOG
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import begin_plan, make_ready
from wayfolk.world.grid import Grid

KEPT_ROWS = 4_000_000  # of the log, for exports
MOST_PAST = 4_000_000  # positions that are kept of agents on a plan
LONGEST_PLANNING = 60.0

Cells = NDArray[np.int32]
Tell = Callable[[dict[str, Any]], None]


class Moving(ABC):
    """Agents that move step by step, and how to tell the page what each step changes."""

    def __init__(self, scene: Scene, grid: Grid, entry: Entry, tell: Tell) -> None:
        self.scene, self.entry, self.tell = scene, entry, tell
        self.options = checked_options(entry, dict(scene.options))
        make_ready(entry)
        self.begin(problem_of(scene, grid))
        self.cells, self.goals = self.now()

    @abstractmethod
    def begin(self, problem: Problem) -> None:
        """Start with `problem`."""

    @property
    @abstractmethod
    def grid(self) -> Grid:
        """The map as it is."""

    @property
    @abstractmethod
    def step(self) -> int:
        """The number of steps so far."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether nothing will happen any more unless somebody changes something."""

    @abstractmethod
    def now(self) -> tuple[Cells, Cells]:
        """The cells (NOWHERE for agents that are not there) and goals of all agents."""

    @abstractmethod
    def advance(self) -> Step | None:
        """Let one step pass, or work for a moment; None if there is no step yet."""

    @abstractmethod
    def edit(self, edit: Edit) -> None:
        """Change something; raises in one sentence if that is not possible."""

    @abstractmethod
    def problem_now(self) -> Problem:
        """The agents that are there now, with what they have left to do."""

    @abstractmethod
    def plan_so_far(self) -> Plan:
        """Where all agents have been, or NotSupported if that is no plan."""

    def history(self) -> Track:
        """What has happened, as a panel of a replay."""
        return track_of_plan(self.plan_so_far(), self.now()[1], self.entry.label)

    def layers(self) -> dict[str, object] | None:
        """What the page shows of the algorithm itself, packed for it."""
        return None

    def frame(self, panel: int) -> bytes:
        """Everything as it is now."""
        self.cells, self.goals = self.now()
        return begin_frame(panel, self.step, self.cells, self.goals, ~self.grid.free)

    def restart(self, options: dict[str, Any]) -> None:
        """Begin anew with other options and the agents where they are."""
        self.options = checked_options(self.entry, options)
        self.begin(self.problem_now())

    def changes(self, seconds: float, walls: Any, refused: Any, ours: NDArray[np.bool_]) -> Step:
        """The step from what the page knows to what is now."""
        cells, goals = self.now()
        n, known = len(cells), len(self.cells)
        before, wanted = (np.full(n, NOWHERE, np.int32) for _ in range(2))
        before[:known], wanted[:known] = self.cells, self.goals
        ops = np.full(n, STAY, np.uint8)
        apart = cells.astype(np.int64) - before
        is_there = (cells != NOWHERE) & (before != NOWHERE)
        for k, offset in enumerate(self.grid.offsets.tolist()):
            ops[is_there & (apart == offset)] = k
        jumped = np.flatnonzero((cells != before) & (ops == STAY))
        changed = np.flatnonzero(goals != wanted)
        ops += (ARRIVED * ((cells == goals) & (cells != NOWHERE)) + FREED * ~ours).astype(np.uint8)
        self.cells, self.goals = cells, goals
        return Step(
            self.step, seconds, ops, _pairs(jumped, cells[jumped]), _pairs(changed, goals[changed]), walls, refused
        )

    def drawn(self, count: int, *walls: int) -> tuple[Cells, Cells]:
        """Starts and goals for `count` more agents: starts where nobody is, goals where nobody else goes."""
        check_agents(len(self.cells) + count)
        here, wanted = self.now()
        grid, rng = self.grid, np.random.default_rng([self.scene.seed, self.step, len(here)])
        parts = grid.components[grid.free_cells]
        largest = np.bincount(parts[parts >= 0]).argmax()
        cells = np.setdiff1d(grid.free_cells[parts == largest], np.array(walls, np.int32))
        starts, goals = np.setdiff1d(cells, here), np.setdiff1d(cells, wanted)
        if min(len(starts), len(goals)) < count:
            raise BadProblem(f"there is no room for {count} more agents")
        return rng.choice(starts, count, replace=False), rng.choice(goals, count, replace=False)


class Controlled(Moving):
    """Agents under a controller."""

    def begin(self, problem: Problem) -> None:
        """Start a simulation."""
        self.steps_before = self.step if hasattr(self, "world") else 0
        kept = max(200, KEPT_ROWS // max(1, 4 * problem.n_agents))
        self.world = Simulation(
            problem, self.entry, seed=self.scene.seed, record=f"last {min(kept, 20_000)}", own=self.options
        )

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
        log, n = self.world.log, int(self.world.court.counts[N_LOG])
        rows = log[int(np.searchsorted(log["time"][:n], before - 1e-6)) : n]
        edits = rows[np.isin(rows["kind"], (BLOCK, FREE))]
        refused = rows[rows["kind"] == REFUSED]
        return self.changes(
            seconds, _pairs(edits["cell"], edits["kind"] == BLOCK), _pairs(refused["agent"], refused["cell"]),
            self.world.crew.agents["ours"],
        )  # fmt: skip

    def edit(self, edit: Edit) -> None:
        """Let something happen at the next step."""
        world, now = self.world, self.world.time
        if edit.do == "block":
            world.happen(events.block(now, _inside(world.grid, edit.cells)))
        elif edit.do == "free":
            world.happen(events.free(now, _inside(world.grid, edit.cells)))
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
            walls = [
                world.grid.cell(place) for _, _, event in world._events if event.kind == BLOCK for place in event.places
            ]
            starts, goals = self.drawn(edit.count, *walls)
            for start, goal in zip(starts.tolist(), goals.tolist(), strict=True):
                world.happen(events.join(now, world.grid.place(start), world.grid.place(goal)))
        elif edit.do == "options":
            self.restart(dict(edit.options))

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

    def layers(self) -> dict[str, object] | None:
        """The areas of the controller."""
        areas = [layer for layer in self.world.controller.layers() if isinstance(layer, CellLayer)]
        return pack_layers(areas, self.world.record(), 1.0) if areas else None

    def problem_now(self) -> Problem:
        """The agents that are there, with the goals that are left to them."""
        world, problem = self.world, self.world.problem
        there = np.flatnonzero(world.crew.agents["present"])
        agents, visits = world.crew.agents[there], world.court.visits[there]
        routes = agents["goal"][:, None].astype(np.int32)
        if visits.shape[1] > 1:
            turn = (np.arange(visits.shape[1]) + world.court.states["leg"][there, None]) % visits.shape[1]
            routes = np.take_along_axis(visits, turn, 1).astype(np.int32)
            routes[:, 0] = agents["goal"]
        return Problem(
            world.grid, agents["here"].astype(np.int32), routes, problem.loops, problem.pool, problem.seed,
            problem.name, problem.drops,
        )  # fmt: skip


class Planned(Moving):
    """Agents that walk on the plan of a planner. Any change lets it plan anew, from where the agents are."""

    def begin(self, problem: Problem) -> None:
        """Begin to plan."""
        if not problem.is_one_shot:
            raise NotSupported(
                f"{self.entry.label} plans for agents with one goal each: choose a controller for patrols"
            )
        if not hasattr(self, "row"):
            self.row, self.said = 0, 0.0
            self.past: list[Cells] = [problem.starts.copy()]
        self.problem = problem
        self.here, self.wanted = problem.starts.copy(), problem.goals.copy()
        self.walls: list[tuple[int, int]] = getattr(self, "walls", [])
        self.ground = problem.grid
        self._plan()

    def _plan(self) -> None:
        self.plan: NDArray[np.int32] | None = None
        self.failed = False
        self.at = 0
        self.spent = 0.0
        self.problem = Problem(self.ground, self.here.copy(), self.wanted[:, None].copy(), seed=self.scene.seed)
        self.task = begin_plan(self.problem, self.entry, seed=self.scene.seed, **self.options)

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
        pairs = np.array(walls, np.int32).reshape(-1, 2)
        return self.changes(seconds, pairs, NO_PAIRS, np.ones(len(self.here), bool))

    def _remember(self) -> None:
        if self.past and len(self.past[-1]) != len(self.here):
            self.past.clear()
        self.past.append(self.here.copy())
        del self.past[: -max(100, MOST_PAST // max(1, len(self.here)))]

    def plan_so_far(self) -> Plan:
        """Where the agents have been since the last of them joined, as far as it is kept."""
        return Plan(self.ground, np.stack(self.past or [self.here]))

    def _think(self) -> float:
        """Advance the planner for a moment; seconds it has spent in all, once it is done."""
        began = perf_counter()
        self.task.until = began + 0.05
        status = self.task.advance(4096)
        self.spent += perf_counter() - began
        if status is Status.RUNNING and not self.task.has_plan and self.spent < LONGEST_PLANNING:
            if self.spent - self.said > 0.4 or self.spent < self.said:
                self.said = self.spent
                self.tell({"type": "thinking", "seconds": round(self.spent, 2)})
            return 0.0
        result = self.task.result()
        self.said = 0.0
        if result.plan is None:
            self.failed = True
            why = result.detail or (
                f"{self.entry.label} found no plan within {LONGEST_PLANNING:g} seconds"
                if status is Status.RUNNING else f"{self.entry.label} found no plan: {result.status.value}"
            )  # fmt: skip
            self.tell({"type": "refused", "why": why})
        else:
            self.plan, self.at = result.plan.cells, 0
            self.tell({"type": "planned", "seconds": round(self.spent, 3), "steps": result.plan.n_steps})
        return self.spent

    def edit(self, edit: Edit) -> None:
        """Change the problem, and plan anew from where the agents are."""
        before = self.ground, self.here.copy(), self.wanted.copy()
        try:
            self._change(edit)
            self._plan()
        except Exception:
            self.ground, self.here, self.wanted = before
            self._plan()
            raise

    def _change(self, edit: Edit) -> None:
        grid = self.ground
        if edit.do in ("block", "free"):
            cells = [grid.cell(place) for place in _inside(grid, edit.cells)]
            if edit.do == "block":
                taken = set(self.here.tolist()) | set(self.wanted.tolist())
                cells = [cell for cell in cells if cell not in taken]
            self.ground = grid.with_blocked(cells) if edit.do == "block" else grid.with_freed(cells)
            self.walls += [(cell, int(edit.do == "block")) for cell in cells]
        elif edit.do in ("goal", "put"):
            self._known(edit.agent)
            cell = grid.cell(edit.place)
            others = self.here if edit.do == "put" else self.wanted
            if not grid.is_free(cell) or (np.delete(others, edit.agent) == cell).any():
                raise BadProblem(f"agent {edit.agent} cannot have {edit.place}: it is a wall, or another agent's")
            others[edit.agent] = cell
        elif edit.do in ("join", "add"):
            if edit.do == "add":
                starts, goals = self.drawn(edit.count)
            else:
                check_agents(len(self.here) + len(edit.journeys))
                places = np.array(edit.journeys, np.int64).reshape(-1, 4)
                starts, goals = grid.cells(places[:, :2]), grid.cells(places[:, 2:])
            self.here = np.append(self.here, starts).astype(np.int32)
            self.wanted = np.append(self.wanted, goals).astype(np.int32)
        elif edit.do == "leave":
            raise NotSupported("agents on a plan cannot leave: start with fewer agents")
        elif edit.do == "options":
            self.options = checked_options(self.entry, dict(edit.options))
        else:
            raise NotSupported("agents on a plan cannot be steered: choose a controller")

    def _known(self, agent: int) -> None:
        if agent >= len(self.here):
            raise BadProblem(f"there is no agent {agent}: they are 0 to {len(self.here) - 1}")

    def problem_now(self) -> Problem:
        """The agents where they are, with their goals."""
        return self.problem


def _inside(grid: Grid, places: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    return [(x, y) for x, y in places if x < grid.width and y < grid.height]


def _pairs(first: Any, second: Any) -> NDArray[np.int32]:
    return np.stack([np.asarray(first).astype(np.int32), np.asarray(second).astype(np.int32)], 1)
