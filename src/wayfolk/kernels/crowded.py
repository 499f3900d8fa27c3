"""A grid with people in it: cells that others occupy near an agent are walls to it.

A backing of the graph protocol (see `wayfolk.graph`), so that the one best-first kernel plans around a crowd.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, GridGraph, backing, cost, guess, there
from wayfolk.kernels.jit import kernel

NOBODY = np.int32(2**31 - 1)


class CrowdedGrid(NamedTuple):
    """`grid` as the agent at `eye` sees it: others within sqrt(`reach`) are walls, except on its own `goal`."""

    grid: GridGraph
    occupant: NDArray[np.int32]
    eye: int
    reach: float
    goal: int


@kernel
def is_seen(crowd, cell):
    """Whether somebody stands on `cell` within sight."""
    if crowd.occupant[cell] == NOBODY or cell == crowd.eye:
        return False
    stride = crowd.grid.stride
    dy = cell // stride - crowd.eye // stride
    dx = cell % stride - crowd.eye % stride
    return dx * dx + dy * dy <= crowd.reach


@kernel
def _slots(crowd, cell):
    return 8


@kernel
def _there(crowd, cell, k):
    other = there(crowd.grid, cell, k)
    if other == NOWHERE or (other != crowd.goal and is_seen(crowd, other)):
        return NOWHERE
    return other


@kernel
def _cost(crowd, cell, k):
    return cost(crowd.grid, cell, k)


@kernel
def _guess(crowd, cell, goal, kind):
    return guess(crowd.grid, cell, goal, kind)


backing(CrowdedGrid, _slots, _there, _cost, _guess)
