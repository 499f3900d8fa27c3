"""Scenario files whose agents walk from their start to their goal and back: those of the Direction Map thesis."""

from __future__ import annotations

import numpy as np

from wayfolk.files.raw import File
from wayfolk.files.scenarios import read_scen
from wayfolk.problem.problem import Problem, patrol_between
from wayfolk.problem.thesis import Sides
from wayfolk.world.grid import Grid


def read_patrols(file: File, grid: Grid, loops: int = 20, *, sides: Sides = "both") -> Problem:
    """The rows of a scenario for a map of this size, one agent each, as patrols of `loops` loops.

    The name of the map in the rows is not looked at. With `sides` "left", agents that start in the right half of the map
    exchange their two places.
    """
    nameless = Grid(grid.free, grid.moves)
    rows = read_scen(file, nameless)
    starts, far = rows.starts, rows.goals
    if sides == "left":
        is_right = grid.places(starts)[:, 0] >= grid.width // 2
        starts, far = np.where(is_right, far, starts), np.where(is_right, starts, far)
    return patrol_between(grid, starts, far, loops, name=rows.name)
