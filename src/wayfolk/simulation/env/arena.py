"""Arena: agents that are moved by actions, as arrays. The environments for learning are made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import (
    EAST,
    NOBODY,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
)
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.simulation.env.stepping import BLOCK, PRIORITY, SOFT, observe, step_all, walls_with_margin
from wayfolk.world.grid import Moves

Conflicts = Literal["priority", "block", "soft"]
AtGoal = Literal["finish", "stay", "restart"]
Reward = Literal["goal", "step"]
RULES: dict[str, int] = {"priority": PRIORITY, "block": BLOCK, "soft": SOFT}
ACTIONS = ("wait", "up", "down", "left", "right", "up left", "up right", "down left", "down right")
WAYS = np.array([0, NORTH, SOUTH, WEST, EAST, NORTH_WEST, NORTH_EAST, SOUTH_WEST, SOUTH_EAST], np.int64)


class Turn(NamedTuple):
    """What a step returns, each with a row for each agent; `windows` are what they see, `[agent, 3, row, column]`.

    The three maps of a window are walls, agents (oneself in the middle) and the goal, which is moved to the edge if it is
    farther away. `terminated` are agents that are done, `truncated` says that time is over for those who are not.
    """

    windows: NDArray[np.float32]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]


class Arena:
    """Agents of a problem, moved by an array of actions.

    problem     a problem, or a function that makes one of a seed
    vision      how many cells an agent sees in each direction
    conflicts   "priority": agents move one after another, by number, into empty cells. "block": all at once, into cells
                that nobody else wants or stands in. "soft": all at once, and agents may follow each other
    at_goal     "finish": the agent leaves the world. "stay": all are done when all are on their goals. "restart": the
                agent gets a new goal, from the pool of the problem or anywhere
    reward      "goal": 1 on arrival (with "stay", 1 for all when all are there). "step": -1 for each step before that
    max_steps   after so many steps time is over
    record      keep where agents have been, for `plan`
    """

    def __init__(
        self,
        problem: Problem | Callable[[int], Problem],
        *,
        vision: int = 5,
        conflicts: Conflicts = "priority",
        at_goal: AtGoal = "finish",
        reward: Reward = "goal",
        max_steps: int = 256,
        record: bool = False,
    ) -> None:
        for name, value, choices in (
            ("conflicts", conflicts, Conflicts),
            ("at_goal", at_goal, AtGoal),
            ("reward", reward, Reward),
        ):
            if value not in get_args(choices):
                raise BadInput(f"{name} must be {', '.join(get_args(choices))}, not {value!r}")
        if not 1 <= vision <= 64:
            raise BadInput(f"vision must be from 1 to 64 cells, not {vision}")
        if max_steps < 1:
            raise BadInput(f"max_steps must be 1 or more, not {max_steps}")
        self._make = problem if callable(problem) else None
        self.vision, self.rule, self.at_goal, self.reward = vision, RULES[conflicts], at_goal, reward
        self.max_steps, self.is_recorded = max_steps, record
        self._take(problem(0) if callable(problem) else problem)
        self.reset()

    def _take(self, problem: Problem) -> None:
        """Arrays for a problem."""
        self.problem, grid = problem, problem.grid
        self.n_agents = problem.n_agents
        self.n_actions = 5 if grid.moves is Moves.FOUR else 9
        self._walls = walls_with_margin(grid.free, self.vision)
        self._standing = np.zeros_like(self._walls)
        self._occupant = np.full(grid.n_cells, NOBODY, np.int32)
        self._claims = np.zeros(grid.n_cells, np.int32)
        self._before, self._wanted = np.zeros((2, self.n_agents), np.int32)

    def reset(self, seed: int | None = None) -> NDArray[np.float32]:
        """Begin again, and return what all agents see. `seed` draws a new problem, if there is a function for it."""
        self.random = np.random.default_rng(seed if seed is not None else self.problem.seed)
        if self._make is not None and seed is not None:
            self._take(self._make(seed))
        self.cells = self.problem.starts.astype(np.int32).copy()
        self.goals = self.problem.goals.astype(np.int32).copy()
        self.active = np.ones(self.n_agents, bool)
        self.steps = 0
        self.arrivals = np.zeros(self.n_agents, np.int64)
        self.history = [self.cells.copy()]
        return self.windows()

    def step(self, actions: ArrayLike) -> Turn:
        """Move all agents, by an action for each: 0 waits, then up, down, left, right, and with eight moves diagonals."""
        wanted = np.ascontiguousarray(actions, np.int64)
        if wanted.shape != (self.n_agents,):
            raise BadInput(f"there are {self.n_agents} agents, and the actions have the shape {wanted.shape}")
        if wanted.size and not (wanted.min() >= 0 and wanted.max() < self.n_actions):
            raise BadInput(f"actions are from 0 to {self.n_actions - 1}, not {wanted[wanted.argmax()]}")
        grid = self.problem.grid
        step_all(
            grid.legal,
            offsets=grid.offsets,
            stride=grid.stride,
            rule=self.rule,
            ways=WAYS,
            actions=wanted,
            active=self.active,
            cells=self.cells,
            before=self._before,
            wanted=self._wanted,
            occupant=self._occupant,
            claims=self._claims,
        )
        self.steps += 1
        if self.is_recorded:
            self.history.append(self.cells.copy())
        rewards, terminated = self._judge()
        over = self.steps >= self.max_steps
        truncated = ~terminated if over else np.zeros(self.n_agents, bool)
        return Turn(self.windows(), rewards, terminated, truncated)

    def _judge(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The rewards of this step, and who is done."""
        arrived = self.active & (self.cells == self.goals)
        self.arrivals += arrived
        if self.at_goal == "finish":
            rewards = arrived.astype(np.float32)
            self.active &= ~arrived
            terminated = ~self.active
        elif self.at_goal == "stay":
            all_there = bool(arrived.all())
            rewards = np.full(self.n_agents, float(all_there), np.float32)
            terminated = np.full(self.n_agents, all_there)
        else:
            rewards = arrived.astype(np.float32)
            terminated = np.zeros(self.n_agents, bool)
            for agent in np.flatnonzero(arrived).tolist():
                self.goals[agent] = self._new_goal(int(self.cells[agent]))
        if self.reward == "step":
            rewards = np.where(arrived | (~self.active & (rewards == 0)), 0.0, -1.0).astype(np.float32)
        return rewards, terminated

    def _new_goal(self, here: int) -> int:
        """A random cell of the pool, or of the map, that can be reached; not the present one."""
        grid = self.problem.grid
        pool = self.problem.pool if self.problem.pool.size else grid.free_cells
        for _ in range(100):
            cell = int(pool[self.random.integers(len(pool))])
            if cell != here and grid.components[cell] == grid.components[here]:
                return cell
        return here

    def windows(self, who: ArrayLike | None = None) -> NDArray[np.float32]:
        """What agents see, all of them or those of `who`."""
        agents = np.arange(self.n_agents) if who is None else np.asarray(who, np.int64)
        side = 2 * self.vision + 1
        windows = np.empty((len(agents), 3, side, side), np.float32)
        observe(
            self._walls.reshape(-1),
            self._standing.reshape(-1),
            radius=self.vision,
            stride=self.problem.grid.stride,
            who=agents,
            active=self.active,
            cells=self.cells,
            goals=self.goals,
            windows=windows.reshape(-1),
        )
        return windows

    def plan(self) -> Plan:
        """Where all agents have been since `reset`, if that is recorded; agents that have finished stay on their goals."""
        if not self.is_recorded:
            raise BadInput("nothing is recorded: make the environment with record=True")
        return Plan(self.problem.grid, np.array(self.history, np.int32))

    def picture(self) -> NDArray[np.uint8]:
        """The world now, as pixels `[y, x, 3]`: eight for each cell."""
        from wayfolk.replay import colours

        grid = self.problem.grid
        floor = np.empty((grid.n_cells, 3), np.uint8)
        floor[:] = colours.WALL
        floor[grid._free] = colours.FLOOR
        cells = floor.reshape(-1, grid.stride, 3)[1:-1, 1:-1]
        image = np.repeat(np.repeat(cells, 8, 0), 8, 1)
        for agent in np.flatnonzero(self.active).tolist():
            hue = colours.AGENTS[agent % len(colours.AGENTS)]
            for cell, inset in ((int(self.goals[agent]), 3), (int(self.cells[agent]), 1)):
                x, y = grid.place(cell)
                image[8 * y + inset : 8 * y + 8 - inset, 8 * x + inset : 8 * x + 8 - inset] = hue
        return image

    def text(self) -> str:
        """The world now, as text: agents are letters, goals dots among them."""
        grid = self.problem.grid
        rows = [[" ." if is_free else "##" for is_free in row] for row in grid.free.tolist()]
        for agent in np.flatnonzero(self.active).tolist():
            x, y = grid.place(int(self.cells[agent]))
            rows[y][x] = f"{agent % 100:2}"
        return "\n".join("".join(row) for row in rows)


def as_arena(problem: Any, **options: Any) -> Arena:
    """An arena of `problem`, which may be one already."""
    return problem if isinstance(problem, Arena) else Arena(problem, **options)
