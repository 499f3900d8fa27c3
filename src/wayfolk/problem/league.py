"""Instances of the League of Robot Runners, and what its programs write about a run.

Robots with a heading move on a grid with four neighbours: they go ahead, turn by a quarter, or wait. A task is a list of
errands, which are cells to be visited in order. So many tasks are revealed at a time that a share of the team could each
have one; when a task is finished, the next one is revealed, and after the last line of the file the first one again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.world.grid import Grid

YEARS = (2023, 2024, 2026)
"""The years of the League whose rules differ."""
ACTIONS = "FRCW"
"""Ahead, a quarter clockwise, a quarter counter-clockwise, and wait: actions are numbers of these letters."""
AHEAD, CLOCKWISE, COUNTER_CLOCKWISE, WAIT = range(4)
HEADINGS = "ESWN"
"""Headings are numbers of these letters, clockwise from east."""
NO_TASK = 2**31 - 1
"""The task of a robot that has none."""


@dataclass(frozen=True)
class Delays:
    """How robots are held up by chance: the rules of the instance, which its planner is not told.

    With the chance `chance` in each tick, or with a Poisson number of robots of that mean share, a robot stands still for
    `shortest` to `longest` ticks: all equally likely (`uniform`), or by a normal distribution whose mean and deviation are
    shares of that range.
    """

    seed: int
    shortest: int
    longest: int
    chance: float
    event: str = "bernoulli"
    duration: str = "uniform"
    mean: float = 0.5
    deviation: float = 0.0


@dataclass(frozen=True, eq=False)
class League:
    """An instance: robots start at the cells `starts` and face east; `tasks[number]` are the cells of a task's errands.

    `n_revealed` tasks are open at a time. In 2023 each robot has a list of so many tasks instead, which are given out by
    `assignment`. A move or a turn takes `ticks` steps of the clock, and a robot is a square of the side `size`.
    """

    grid: Grid
    starts: NDArray[np.int32]
    tasks: Sequence[NDArray[np.int32]]
    n_revealed: int
    year: int
    ticks: int = 1
    size: float = 1.0
    delays: Delays | None = None
    assignment: str = "roundrobin"
    name: str = ""

    @property
    def n_robots(self) -> int:
        """How many robots there are."""
        return len(self.starts)

    def errands(self, number: int) -> NDArray[np.int32]:
        """The cells to be visited for the task `number`; after the last task of the file comes the first one again."""
        return self.tasks[number % len(self.tasks)]

    def __repr__(self) -> str:
        return f"League({self.name!r}, {self.year}, {self.grid!r}, {self.n_robots} robots, {len(self.tasks)} tasks)"


@dataclass(frozen=True, eq=False)
class LeagueRun:
    """What robots did: `actions[step, robot]` from `starts` with these `headings`.

    A row of `schedule` says that from a step on (`step`) the task of `robot` is `task`, or NO_TASK. `n_done` is how many
    tasks are said to be finished. `held[robot]` are the intervals in which a robot was delayed: from one step up to another
    one. `seconds` are those of each planning.
    """

    year: int
    starts: NDArray[np.int32]
    headings: NDArray[np.int8]
    actions: NDArray[np.uint8]
    schedule: NDArray[np.void]
    n_done: int
    ticks: int = 1
    held: Sequence[NDArray[np.int32]] = ()
    seconds: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def n_steps(self) -> int:
        """How many steps of the clock there are."""
        return len(self.actions)

    @property
    def n_robots(self) -> int:
        """How many robots there are."""
        return len(self.starts)


SCHEDULED = np.dtype([("step", np.int32), ("robot", np.int32), ("task", np.int32)])
"""A row of `LeagueRun.schedule`; rows are in the order of steps."""
