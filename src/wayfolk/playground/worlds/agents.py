"""Worlds of many agents in a worker: under a controller, or on the plan of a planner. Both go step by step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.catalogue import Entry
from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.playground.algorithms import checked_options
from wayfolk.playground.frames import ARRIVED, FREED, STAY, Step, begin_frame
from wayfolk.playground.insight import KEPT_STEPS, Cells, waits
from wayfolk.playground.limits import check_agents
from wayfolk.playground.maps import problem_of, with_terrain
from wayfolk.playground.panel_scene import Edit, PanelScene
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import KINDS
from wayfolk.replay import Track, track_of_plan
from wayfolk.replay.pack import packed_terrain
from wayfolk.simulation.solving import make_ready
from wayfolk.world.grid import Grid

Tell = Callable[..., None]  # `Worker.tell`


class AgentWorld(ABC):
    """Agents that move step by step, and how to tell the page what each step changes."""

    def __init__(self, scene: PanelScene, grid: Grid, entry: Entry, tell: Tell) -> None:
        self.scene, self.entry, self.tell = scene, entry, tell
        self.options = checked_options(entry, dict(scene.options))
        self.last: deque[tuple[Cells, Cells]] = deque(maxlen=KEPT_STEPS)
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
    def change(self, edit: Edit) -> None:
        """Change something; raises in one sentence if that is not possible."""

    @abstractmethod
    def problem_now(self) -> Problem:
        """The agents that are there now, with what they have left to do."""

    @abstractmethod
    def plan_so_far(self) -> Plan:
        """Where all agents have been, or NotSupported if that is no plan."""

    @abstractmethod
    def ahead(self) -> Cells:
        """What agents have reserved, or where they mean to be: rows of agent, cell, and steps from now."""

    def waits(self) -> dict[str, Any]:
        """Who waits for whom, for JSON."""
        return waits(self.grid, list(self.last))

    def history(self) -> Track:
        """What has happened, as a panel of a replay."""
        return track_of_plan(self.plan_so_far(), self.now()[1], self.entry.label)

    def overlay(self) -> dict[str, Any] | None:
        """What the page shows of the algorithm itself and does not have yet, for JSON."""
        return None

    def head(self) -> dict[str, Any]:
        """What the page has to know before the first frame."""
        grid = self.grid
        return {
            "width": grid.width, "height": grid.height, "step": self.step, "agents": len(self.cells),
            "diagonal": grid.diagonal, "diagonals": grid.moves.value != "four", "terrain": packed_terrain(grid),
            "kinds": list(KINDS), "directions": [list(step) for step in zip(DX, DY, strict=True)],
        }  # fmt: skip

    def frame(self, panel: int) -> bytes:
        """Everything as it is now."""
        self.cells, self.goals = self.now()
        self.last.clear()
        return begin_frame(panel, self.step, self.cells, self.goals, ~self.grid.free)

    def edit(self, edit: Edit) -> bool:
        """Change something; whether agents have new numbers, so that the page must begin anew with them."""
        if edit.do == "options":
            before = self.options
            self.options = checked_options(self.entry, dict(edit.options))
            self._again(self.problem_now(), before)
        elif edit.do == "terrain":
            problem = self.problem_now()
            grid = with_terrain(problem.grid, edit.cells, edit.cost)
            self._again(_on(problem, grid), self.options)
        else:
            self.change(edit)
            return False
        return True

    def _again(self, problem: Problem, options: dict[str, Any]) -> None:
        """Begin anew with the agents where they are; with the `options` of before if that is not possible."""
        try:
            self.begin(problem)
        except Exception:
            self.options = options
            raise

    def changes(self, seconds: float, walls: Any, refused: Any, ours: NDArray[np.bool_]) -> Step:
        """The step from what the page knows to what is now."""
        cells, goals = self.now()
        n = len(cells)
        known = min(n, len(self.cells))
        before, wanted = (np.full(n, NOWHERE, np.int32) for _ in range(2))
        before[:known], wanted[:known] = self.cells[:known], self.goals[:known]
        ops = self.ways(before, cells)
        jumped = np.flatnonzero((cells != before) & (ops == STAY))
        changed = np.flatnonzero(goals != wanted)
        arrived = self.at_goals(cells, goals) & (cells != NOWHERE)
        ops += (ARRIVED * arrived + FREED * ~ours).astype(np.uint8)
        self.cells, self.goals = cells, goals
        self.last.append((cells, goals))
        return Step(
            self.step, seconds, ops, pairs(jumped, cells[jumped]), pairs(changed, goals[changed]), walls, refused
        )

    def ways(self, before: Cells, cells: Cells) -> NDArray[np.uint8]:
        """The number of the direction in which each agent has moved, STAY for those who have not."""
        ops = np.full(len(cells), STAY, np.uint8)
        apart = cells.astype(np.int64) - before
        is_there = (cells != NOWHERE) & (before != NOWHERE)
        for k, offset in enumerate(self.grid.offsets.tolist()):
            ops[is_there & (apart == offset)] = k
        return ops

    def at_goals(self, cells: Cells, goals: Cells) -> NDArray[np.bool_]:
        """Whether each agent is at its goal."""
        return np.asarray(cells == goals)

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


def _on(problem: Problem, grid: Grid) -> Problem:
    """`problem` on another map of the same size."""
    return Problem(
        grid, problem.starts, problem.routes, problem.loops, problem.pool, problem.seed, problem.name, problem.drops
    )


def pairs(first: Any, second: Any) -> Cells:
    """Two columns as rows."""
    return np.stack([np.asarray(first).astype(np.int32), np.asarray(second).astype(np.int32)], 1)
