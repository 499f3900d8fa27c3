"""Who patrols where: drawn by the rule of chapter 4, or read from a scenario of the simulator."""

from __future__ import annotations

from typing import Literal

import numpy as np

from wayfolk.files.raw import File
from wayfolk.problem.papers import PaperMap
from wayfolk.problem.problem import Problem, patrol_between
from wayfolk.world.generate import draw_pairs
from wayfolk.world.grid import Grid

Sides = Literal["both", "left"]


def patrols(
    place: PaperMap, agents: int, *, loops: int = 20, seed: int = 0, sides: Sides = "both", file: File | None = None
) -> Problem:
    """`agents` walk from one cell to another and back, `loops` times; with `file` the rows of a scenario, one agent each.

    On maps with zones the first half of the agents begins on the left and the second half on the right; with `sides`
    "left" all of them begin on the left. x + y of every place is odd.
    """
    if file is not None:
        return _read(file, place, loops, sides)
    y, x = np.indices(place.grid.free.shape)
    is_odd = (x + y) % 2 == 1
    left, right = place.zones or (place.grid.free, place.grid.free)
    starts, far = draw_pairs(place.grid, agents, seed=seed, zones=(left & is_odd, right & is_odd), disjoint=True)
    if place.zones is not None and sides == "both":
        is_right = np.arange(agents) >= (agents + 1) // 2
        starts, far = np.where(is_right, far, starts), np.where(is_right, starts, far)
    return patrol_between(place.grid, starts, far, loops, seed=seed, name=place.name)


def _read(file: File, place: PaperMap, loops: int, sides: Sides) -> Problem:
    """The rows of a scenario as patrols; the name of the map in the rows is not looked at."""
    from wayfolk.files.scenarios import read_scen

    grid = place.grid
    rows = read_scen(file, Grid(grid.free, grid.moves))
    starts, far = rows.starts, rows.goals
    if sides == "left":
        is_right = grid.places(starts)[:, 0] >= grid.width // 2
        starts, far = np.where(is_right, far, starts), np.where(is_right, starts, far)
    return patrol_between(grid, starts, far, loops, name=rows.name)
