"""Moves as letters, as PlanViz and the MAPF Tracker write them: `u` is a step to the next row, `d` to the one before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadPlan
from wayfolk.files.raw import check_room, shown
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import Grid

STEPS = {"r": (1, 0), "l": (-1, 0), "u": (0, 1), "d": (0, -1), "w": (0, 0)}


def letters_of(plan: Plan) -> list[str]:
    """A text for each agent with a letter for each step; diagonal moves have none."""
    places = plan.grid.places(plan.cells)
    moves = np.diff(places, axis=0)
    codes = np.full(moves.shape[:2], "?")
    for letter, step in STEPS.items():
        codes[(moves == step).all(-1)] = letter
    odd = np.argwhere(codes == "?")
    if len(odd):
        step, agent = odd[0].tolist()
        here, there = (tuple(places[at, agent].tolist()) for at in (step, step + 1))
        raise BadPlan(f"agent {agent} goes from {here} to {there} at step {step}: this format has no letter for that")
    return ["".join(row) for row in codes.T.tolist()]


def path_of(text: str, start: tuple[int, int], agent: int) -> list[tuple[int, int]]:
    """The places of an agent that begins at `start` and makes the moves of `text`."""
    x, y = start
    places = [(x, y)]
    for step, letter in enumerate(text):
        if letter.lower() not in STEPS:
            raise BadPlan(f"agent {agent}, step {step}: {shown(letter)} is none of the moves u, d, l, r and w")
        dx, dy = STEPS[letter.lower()]
        x, y = x + dx, y + dy
        places.append((x, y))
    return places


def plan_of(grid: Grid, paths: list[list[tuple[int, int]]]) -> Plan:
    """A plan of paths of places; an agent whose path is shorter stays at its end. No place is outside the map."""
    n_steps = max((len(path) for path in paths), default=0)
    if not n_steps:
        raise BadPlan("there are no agents in the file")
    check_room(n_steps * len(paths), sum(map(len, paths)))
    cells: NDArray[np.int32] = np.empty((n_steps, len(paths)), np.int32)
    for agent, path in enumerate(paths):
        for step, (x, y) in enumerate(path):
            if not (0 <= x < grid.width and 0 <= y < grid.height):
                raise BadPlan(f"agent {agent}, step {step}: {(x, y)} is outside the {grid.width} x {grid.height} map")
            cells[step, agent] = grid.cell((x, y))
        cells[len(path) :, agent] = cells[len(path) - 1, agent]
    return Plan(grid, cells)
