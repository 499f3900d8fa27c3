"""A grid in which the cells that others occupy near an agent are walls to it.

A backing of the graph protocol (see `wayfolk.kernels.graph`), so that the one best-first kernel plans around other agents.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import GridGraph, backing, cost, heuristic, there


class AgentWallGrid(NamedTuple):
    """`grid` as the agent at `eye` sees it: others within sqrt(`reach`) are walls, except on its own `goal`."""

    grid: GridGraph
    occupant: NDArray[np.int32]
    eye: int
    reach: float
    goal: int


@inner
def is_seen(graph, cell):
    """Whether an agent stands on `cell` within sight."""
    if graph.occupant[cell] == NOBODY or cell == graph.eye:
        return False
    stride = graph.grid.stride
    dy = cell // stride - graph.eye // stride
    dx = cell % stride - graph.eye % stride
    return dx * dx + dy * dy <= graph.reach


def _slots(graph, cell):
    return 8


def _there(graph, cell, k):
    other = there(graph.grid, cell, k)
    if other == NOWHERE or (other != graph.goal and is_seen(graph, other)):
        return NOWHERE
    return other


def _cost(graph, cell, k):
    return cost(graph.grid, cell, k)


def _heuristic(graph, cell, goal, kind):
    return heuristic(graph.grid, cell, goal, kind)


backing(AgentWallGrid, _slots, _there, _cost, _heuristic)
