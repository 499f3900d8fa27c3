"""The small worlds that tests draw with Hypothesis, and the slow, obvious answers of the contracts.

A failing test prints the map, and where agents start (a, b, c) and want to be (A, B, C).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import note
from hypothesis import strategies as st
from numpy.typing import NDArray

from wayfolk.contracts.reference import (
    TooManyStates,
    all_plans_solvable,
    dijkstra_costs,
    flood_components,
    is_free,
    is_legal_step,
    is_straight_step,
    joint_moves,
    joint_optimum,
    legal_moves,
    meets,
    picture,
    shortest_cost,
    step_cost,
    steps_from,
)
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

__all__ = [
    "N_WORLDS",
    "DrawnByHypothesis",
    "TooManyStates",
    "all_plans_solvable",
    "dijkstra_costs",
    "flood_components",
    "is_free",
    "is_legal_step",
    "is_straight_step",
    "joint_moves",
    "joint_optimum",
    "legal_moves",
    "meets",
    "picture",
    "shortest_cost",
    "small_grids",
    "small_problems",
    "step_cost",
    "steps_from",
    "wild_plans",
]

_NOWHERE = 2**31 - 1
N_WORLDS = int(os.environ.get("WAYFOLK_WORLDS", "300"))
"""How many random worlds a test of controllers plays; WAYFOLK_WORLDS=10000 asks for more."""


@st.composite
def small_grids(
    draw: st.DrawFn,
    moves: Moves | str | None = None,
    max_side: int = 6,
    terrain: bool = False,
    cliffs: bool = False,
    show: bool = True,
) -> Grid:
    """A map of up to `max_side` rows and columns with at least one free cell; simpler ones have fewer walls."""
    width, height = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    row = st.lists(st.sampled_from(".@"), min_size=width, max_size=width)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    free = np.array([[sign == "." for sign in row] for row in rows])
    if not free.any():
        free[0, 0] = True

    def layer(values: st.SearchStrategy[int]) -> NDArray[np.int64]:
        flat = draw(st.lists(values, min_size=width * height, max_size=width * height))
        return np.array(flat).reshape(height, width)

    costs = layer(st.integers(1, 5)) if terrain else None
    links = 3 - layer(st.integers(0, 3)) if cliffs else None
    rule = draw(st.sampled_from(Moves)) if moves is None else Moves.of(moves)
    grid = Grid(free, rule, costs=costs, links=links)
    if show:
        note(picture(grid))
        for what, values in (("costs", costs), ("links", links)):
            if values is not None:
                note(f"{what}\n{values}")
    return grid


@st.composite
def small_problems(
    draw: st.DrawFn, max_agents: int = 3, moves: Moves | str | None = None, max_side: int = 5
) -> Problem:
    """Up to `max_agents` in a small map, each able to reach its goal were it alone."""
    grid = draw(small_grids(moves=moves, max_side=max_side, show=False))
    cells = sorted(grid.cell((x, y)) for y, x in np.argwhere(grid.free).tolist())
    starts = draw(st.lists(st.sampled_from(cells), min_size=1, max_size=min(max_agents, len(cells)), unique=True))
    goals: list[int] = []
    for start in starts:
        goals.append(draw(st.sampled_from(sorted(set(steps_from(grid, start)) - set(goals)))))
    note(picture(grid, starts, goals))
    return Problem(grid, np.array(starts, np.int32), np.array(goals, np.int32)[:, None])


@st.composite
def wild_plans(draw: st.DrawFn) -> Plan:
    """Agents that mostly go to a neighbouring place of the map, wall or not, legally or not."""
    grid = draw(small_grids(max_side=4, cliffs=draw(st.booleans())))
    n_agents, n_steps = draw(st.integers(1, 6)), draw(st.integers(0, 4))
    diagonal = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    shifts = st.sampled_from([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), *diagonal * 2, (2, 0)])
    place = st.tuples(st.integers(0, grid.width - 1), st.integers(0, grid.height - 1))
    paths: list[list[int]] = []
    for _ in range(n_agents):
        x, y = draw(place)
        path = [grid.cell((x, y))]
        for dx, dy in draw(st.lists(shifts, min_size=n_steps, max_size=n_steps)):
            x, y = min(max(x + dx, 0), grid.width - 1), min(max(y + dy, 0), grid.height - 1)
            path.append(grid.cell((x, y)))
        if draw(st.integers(0, 9)) == 9:
            path[draw(st.integers(0, n_steps))] = _NOWHERE
        paths.append(path)
    note("\n".join(str([grid.place(cell) for cell in path]) for path in paths))
    return Plan(grid, np.array(paths, np.int32).T)


class DrawnByHypothesis:
    """The `Draw` of the contracts, by Hypothesis: failing worlds shrink."""

    def __init__(self, data: st.DataObject) -> None:
        self.data = data

    def grid(self, moves: Sequence[Moves], max_side: int) -> Grid:
        return self.data.draw(small_grids(moves=self.one_of(list(moves)), max_side=max_side))

    def problem(self, max_agents: int, max_side: int) -> Problem:
        return self.data.draw(small_problems(max_agents=max_agents, max_side=max_side))

    def number(self, least: int, most: int) -> int:
        return self.data.draw(st.integers(least, most))

    def one_of(self, items: Sequence[Any]) -> Any:
        return self.data.draw(st.sampled_from(items))

    def some_of(self, items: Sequence[Any], most: int) -> list[Any]:
        return self.data.draw(st.lists(st.sampled_from(items), max_size=most, unique=True))

    def note(self, text: str) -> None:
        note(text)
