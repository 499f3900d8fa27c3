"""Random starts and goals in the rooms of a map: the low contention areas of SDP, in which Renukamurthy draws them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.partition import ROOM, partition
from wayfolk.errors import BadProblem
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.world.grid import Grid


def problem_in_rooms(grid: Grid, agents: int, seed: int) -> Problem:
    """A problem whose starts and goals are drawn in the rooms of the largest connected part of `grid`.

    No two agents share a start, no two a goal, and no agent starts at its goal. With the same seed, more agents contain the
    fewer. The cells do not depend on the moves of the map: rooms are those for eight moves.
    """
    cells = _cells_in_rooms(grid)
    rng = np.random.default_rng(seed)
    starts, goals = rng.permutation(cells), rng.permutation(cells)
    kept = np.flatnonzero(starts != goals)
    if agents > kept.size:
        raise BadProblem(f"{agents} agents were asked for, the rooms of the map have space for {kept.size}")
    return one_shot(grid, grid.places(starts[kept[:agents]]), grid.places(goals[kept[:agents]]))


@lru_cache(8)
def _cells_in_rooms(grid: Grid) -> NDArray[np.int32]:
    """The cells of rooms in the largest connected part; those of the last few maps are kept."""
    is_room = partition(grid.with_moves("eight")).part[grid.free_cells] == ROOM
    parts = grid.components[grid.free_cells]
    cells: NDArray[np.int32] = grid.free_cells[is_room & (parts == np.bincount(parts).argmax())]
    return cells
