"""Problem: a world, its agents, and the goals of each. All checks of the input are here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadProblem
from wayfolk.world.grid import Grid

ENDLESS = 1 << 30
"""The number of loops of agents that never finish."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Agents on a grid, where they start, and which goals they have.

    `starts[agent]` is a cell. `routes[agent, k]` are the goals an agent visits in turn, and it does so `loops` times:
    one goal and one loop is the classical problem, two goals (there and back) and 20 loops a patrol. With a `pool` of
    cells there is no end: an agent that reaches its goal gets a random one from the pool, by the random seed `seed`.
    With `drops` as well, a task has two places: one of the pool, where something is picked up, then one of `drops`, where
    it is delivered. The first task of an agent is in `routes`.
    """

    grid: Grid
    starts: NDArray[np.int32]
    routes: NDArray[np.int32]
    loops: int = 1
    pool: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    seed: int = 0
    name: str = ""
    drops: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))

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
        """The goals on which several agents should stay, each with its agents: only one of them can."""
        return _twins(self.goals) if self.is_one_shot else []

    def first(self, n_agents: int) -> Problem:
        """The same problem with only its first `n_agents`."""
        if not 1 <= n_agents <= self.n_agents:
            raise BadProblem(f"{n_agents} agents were asked for, there are 1 to {self.n_agents}")
        return replace(self, starts=self.starts[:n_agents], routes=self.routes[:n_agents])

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import problem_html

        return problem_html(self)

    def __repr__(self) -> str:
        if self.drops.size:
            task = "a stream of deliveries"
        elif self.pool.size:
            task = "a stream of tasks"
        elif self.is_one_shot:
            task = "one goal each"
        else:
            task = f"{self.routes.shape[1]} goals in turn, {self.loops} loops"
        return f"Problem({self.grid!r}, {self.n_agents} agents, {task})"


def one_shot(grid: Grid, starts: ArrayLike, goals: ArrayLike, *, name: str = "") -> Problem:
    """A problem in which agents at `starts` have one goal each; both are rows of `(x, y)`.

    Agents may share a goal, though only one of them can be there at the end: controllers accept this, planners do not.
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
    """A problem in which agents walk to a place and back, `loops` times.

    Starts are random cells of the first of `zones` (masks of the map), far ends of the second; without zones both are
    from the whole map. With `checkerboard`, x + y of every start and far end is even, so that agents that stand on
    theirs cannot enclose another one. No two agents share a start or a far end, and no far end is another's start.
    """
    from wayfolk.world.generate import draw_pairs

    starts, far = draw_pairs(grid, agents, seed=seed, zones=zones, checkerboard=checkerboard, disjoint=True)
    return patrol_between(grid, starts, far, loops, seed=seed, name=name)


def patrol_between(
    grid: Grid, starts: NDArray[np.int32], far: NDArray[np.int32], loops: int = 20, *, seed: int = 0, name: str = ""
) -> Problem:
    """A problem in which each agent walks from its cell of `starts` to its cell of `far` and back, `loops` times."""
    routes = np.stack([far, starts], 1).astype(np.int32)
    return _checked(grid, starts.astype(np.int32), routes, loops=_positive("loops", loops), seed=seed, name=name)


def tasks(
    grid: Grid,
    agents: int = 100,
    *,
    seed: int = 0,
    pool: ArrayLike | None = None,
    starts: ArrayLike | None = None,
    name: str = "",
) -> Problem:
    """A problem in which an agent that arrives gets a random new goal: from `pool` (rows of `(x, y)`), or anywhere.

    With `starts`, rows of `(x, y)`, there are as many agents as these; otherwise `agents` starts are drawn.
    """
    here, goals = _first_places(grid, agents, seed, starts)
    part = grid.components[here[0]]
    if pool is None:
        cells = grid.free_cells[grid.components[grid.free_cells] == part]
    else:
        cells = grid.cells(pool)
    if pool is not None or starts is not None:
        goals = np.random.default_rng(seed).choice(cells, len(here)).astype(np.int32)
    if pool is not None:
        if (grid.components[cells] != part).any():
            lost = cells[grid.components[cells] != part][0]
            raise BadProblem(f"the pool of tasks holds {grid.place(lost)}, which the agents cannot reach")
    return _checked(grid, here, goals[:, None], loops=ENDLESS, pool=cells, seed=seed, name=name)


def deliveries(
    grid: Grid,
    agents: int = 100,
    *,
    pickups: ArrayLike | None = None,
    dropoffs: ArrayLike | None = None,
    seed: int = 0,
    starts: ArrayLike | None = None,
    name: str = "",
) -> Problem:
    """A problem in which each task has two places: an agent walks to a pickup, then to a dropoff, then gets the next task.

    The places are drawn at random from `pickups` and `dropoffs` (rows of `(x, y)`), or from the whole map; so are `starts`.
    """
    here, _ = _first_places(grid, agents, seed, starts)
    part = grid.components[here[0]]
    pools = []
    for what, places in (("pickups", pickups), ("dropoffs", dropoffs)):
        cells = grid.free_cells[grid.components[grid.free_cells] == part] if places is None else grid.cells(places)
        if not cells.size:
            raise BadProblem(f"deliveries need one place or more among the {what}")
        if (grid.components[cells] != part).any():
            lost = cells[grid.components[cells] != part][0]
            raise BadProblem(f"the {what} hold {grid.place(lost)}, which the agents cannot reach")
        pools.append(np.unique(cells))
    pool, drops = delivery_pools(*pools)
    if not len(pool) or not len(drops):
        raise BadProblem("deliveries need a pickup and a dropoff that are not the same place")
    rng = np.random.default_rng(seed)
    first = _drawn(rng, pool, here)
    routes = np.stack([first, _drawn(rng, drops, first)], 1)
    return _checked(grid, here, routes, loops=ENDLESS, pool=pool, drops=drops, seed=seed, name=name)


def _first_places(
    grid: Grid, agents: int, seed: int, starts: ArrayLike | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The cells of the given `starts`, or random starts and goals, all in the largest part of the map."""
    from wayfolk.world.generate import draw_pairs

    if starts is None:
        return draw_pairs(grid, agents, seed=seed)
    here = grid.cells(starts)
    if not len(here):
        raise BadProblem("a problem needs at least one agent")
    return here, here


def delivery_pools(
    pickups: NDArray[np.int32], dropoffs: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both, without the only place of one of them in the other: no agent gets a goal where it stands."""
    if len(dropoffs) == 1:
        pickups = pickups[pickups != dropoffs[0]]
    if len(pickups) == 1:
        dropoffs = dropoffs[dropoffs != pickups[0]]
    return pickups, dropoffs


def _drawn(rng: np.random.Generator, pool: NDArray[np.int32], but: NDArray[np.int32]) -> NDArray[np.int32]:
    """A random cell of `pool` for each agent, other than its cell in `but` if there is a choice."""
    spots = rng.integers(len(pool), size=len(but))
    spots = np.where(pool[spots] == but, spots + 1, spots) % len(pool)
    return pool[spots].astype(np.int32)


def _checked(grid: Grid, starts: NDArray[np.int32], routes: NDArray[np.int32], **rest: Any) -> Problem:
    """The problem, if it has no contradictions; else BadProblem names the first one."""
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
    """The cells that appear more than once, each with its agents."""
    order = np.argsort(cells, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(cells[order])) + 1)
    return [(int(cells[part[0]]), part.tolist()) for part in parts if len(part) > 1]


def _positive(what: str, value: int) -> int:
    if value < 1:
        raise BadProblem(f"{what} must be 1 or more, not {value}")
    return int(value)


def agents_of(rows: Sequence[Any], count: int | None, where: str) -> int:
    """The number of agents: that of `rows`, or `count`, which must not be larger."""
    if count is None:
        return len(rows)
    if not 1 <= count <= len(rows):
        raise BadProblem(f"{count} agents were asked for, {where} has 1 to {len(rows)}")
    return count
