"""Problem: a world, agents, and what each of them is asked to do. Every input check happens here, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem
from wayfolk.grid import Grid

ENDLESS = 1 << 30
"""The number of loops of agents that never finish."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Agents in a grid.

    `starts[agent]` is a cell. `routes[agent, k]` are the goals an agent visits in turn, and it does so `loops` times:
    one goal and one loop is the classical problem, two goals (there and back) and 20 loops a patrol. With a `pool` of
    cells there is no end: whoever reaches its goal gets another one from the pool, drawn by `seed`.
    """

    grid: Grid
    starts: NDArray[np.int32]
    routes: NDArray[np.int32]
    loops: int = 1
    pool: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    seed: int = 0
    name: str = ""

    @property
    def n_agents(self) -> int:
        """How many agents there are at the beginning."""
        return len(self.starts)

    @property
    def goals(self) -> NDArray[np.int32]:
        """Each agent's first goal."""
        return self.routes[:, 0]

    @property
    def is_one_shot(self) -> bool:
        """Whether each agent has one goal and is done there."""
        return self.routes.shape[1] == 1 and self.loops == 1 and not self.pool.size

    @property
    def shared_goals(self) -> list[tuple[int, list[int]]]:
        """The goals that several agents are to stay on, and whose they are: only one of them can."""
        return _twins(self.goals) if self.is_one_shot else []

    def first(self, n_agents: int) -> Problem:
        """The same problem with only its first `n_agents`."""
        if not 1 <= n_agents <= self.n_agents:
            raise BadProblem(f"{n_agents} agents were asked for, there are 1 to {self.n_agents}")
        return Problem(
            self.grid, self.starts[:n_agents], self.routes[:n_agents], self.loops, self.pool, self.seed, self.name
        )

    def __repr__(self) -> str:
        if self.pool.size:
            task = "a stream of tasks"
        elif self.is_one_shot:
            task = "one goal each"
        else:
            task = f"{self.routes.shape[1]} goals in turn, {self.loops} loops"
        return f"Problem({self.grid!r}, {self.n_agents} agents, {task})"


def one_shot(grid: Grid, starts: ArrayLike, goals: ArrayLike, *, name: str = "") -> Problem:
    """Agents at `starts` with one goal each; both are rows of `(x, y)`.

    Two may have the same goal, where only one of them will be in the end: no planner takes that, controllers do.
    """
    return _checked(grid, grid.cells(starts), grid.cells(goals)[:, None], name=name)


def patrol(
    grid: Grid,
    agents: int = 100,
    loops: int = 20,
    *,
    seed: int = 0,
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
    checkerboard: bool = True,
    name: str = "",
) -> Problem:
    """Agents that walk to a place and back, `loops` times.

    Starts are drawn from the first of `zones` (masks of the map), far ends from the second; without zones both come
    from the whole map. On a `checkerboard` x + y of every start and far end is even, so that agents standing on
    theirs cannot wall in another one. No two agents share a start, no two a far end, and none is another's start.
    """
    from wayfolk.generate import draw_pairs

    starts, far = draw_pairs(grid, agents, seed=seed, zones=zones, checkerboard=checkerboard, disjoint=True)
    return _checked(grid, starts, np.stack([far, starts], 1), loops=_positive("loops", loops), seed=seed, name=name)


def tasks(grid: Grid, agents: int = 100, *, seed: int = 0, pool: ArrayLike | None = None, name: str = "") -> Problem:
    """Agents that get a new goal from `pool` (rows of `(x, y)`, or anywhere they can reach) as soon as they arrive."""
    from wayfolk.generate import draw_pairs

    starts, goals = draw_pairs(grid, agents, seed=seed)  # all in the largest part of the map
    part = grid.components[starts[0]]
    if pool is None:
        cells = grid.free_cells[grid.components[grid.free_cells] == part]
    else:
        cells = grid.cells(pool)
        goals = np.random.default_rng(seed).choice(cells, agents).astype(np.int32)
        if (grid.components[cells] != part).any():
            lost = cells[grid.components[cells] != part][0]
            raise BadProblem(f"the pool of tasks holds {grid.place(lost)}, which the agents cannot reach")
    return _checked(grid, starts, goals[:, None], loops=ENDLESS, pool=cells, seed=seed, name=name)


def _checked(grid: Grid, starts: NDArray[np.int32], routes: NDArray[np.int32], **rest: Any) -> Problem:
    """A problem without contradictions, or a sentence that names the first one."""
    if not len(starts):
        raise BadProblem("a problem needs at least one agent")
    if len(starts) != len(routes):
        raise BadProblem(f"there are {len(starts)} starts and {len(routes)} goals")
    for what, cells in (("starts", starts), ("has a goal", routes.T.ravel())):
        blocked = ~grid._free[cells]
        if blocked.any():
            spot = int(blocked.argmax())
            agent = spot % len(starts)
            raise BadProblem(f"agent {agent} {what} in a wall at {grid.place(cells[spot])}", agent)
    twins = _twins(starts)
    if twins:
        (cell, (one, other, *_)), *_ = twins
        raise BadProblem(f"agents {one} and {other} share the start {grid.place(cell)}", other)
    apart = grid.components[routes] != grid.components[starts][:, None]
    if apart.any():
        agent, k = np.argwhere(apart)[0]
        raise BadProblem(
            f"agent {agent} cannot get from {grid.place(starts[agent])} to its goal {grid.place(routes[agent, k])}: "
            "they are in different parts of the map",
            int(agent),
        )
    starts.flags.writeable = routes.flags.writeable = False
    return Problem(grid, starts, routes, **rest)


def _twins(cells: NDArray[np.int32]) -> list[tuple[int, list[int]]]:
    """The cells that come up more than once, and whose they are."""
    order = np.argsort(cells, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(cells[order])) + 1)
    return [(int(cells[part[0]]), part.tolist()) for part in parts if len(part) > 1]


def _positive(what: str, value: int) -> int:
    if value < 1:
        raise BadProblem(f"{what} must be 1 or more, not {value}")
    return int(value)


def agents_of(rows: Sequence[Any], count: int | None, where: str) -> int:
    """How many of `rows` to take: all, or `count`, which must not exceed them."""
    if count is None:
        return len(rows)
    if not 1 <= count <= len(rows):
        raise BadProblem(f"{count} agents were asked for, {where} has 1 to {len(rows)}")
    return count
