"""Graphs in which it costs to go against the vectors of a direction map.

`LanedGrid` and `LanedGraph` are backings of the graph protocol (see `wayfolk.kernels.graph`), so that the one best-first
kernel plans with a direction map.

Invariants  no edge is cheaper than its length, since no vector is longer than its `known`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.direction_map import UX, UY, heading
from wayfolk.kernels.graph import CsrGraph, GridGraph, backing, cost, heuristic, slots, there


class LanedGrid(NamedTuple):
    """`grid` as the agent at `eye` sees it: others within sqrt(`reach`) are walls, except on its own `goal`.

    Going against the vectors at both ends of an edge costs four times `quarter`. `floor` is 0 where an unvisited cell
    costs nothing, 1 where it costs as much as a lane across. If it `predicts`, others only count if they are beside the
    agent or stand on a vector that points its way.
    """

    grid: GridGraph
    occupant: NDArray[np.int32]
    cells: NDArray[np.void]
    eye: int
    goal: int
    reach: float
    quarter: float
    floor: float
    predicts: bool


class LanedGraph(NamedTuple):
    """Any graph whose nodes have places, with a vector for each node."""

    graph: CsrGraph
    cells: NDArray[np.void]
    quarter: float
    floor: float


def _grid_slots(graph, cell):
    return 8


def _grid_there(graph, cell, k):
    other = there(graph.grid, cell, k)
    if other == NOWHERE or (graph.occupant[other] != NOBODY and other != graph.goal and is_in_the_way(graph, other)):
        return NOWHERE
    return other


def _grid_cost(graph, cell, k):
    here, ahead = graph.cells[cell], graph.cells[cell + graph.grid.offsets[k]]
    known = max(here["known"], graph.floor) + max(ahead["known"], graph.floor)
    along = (here["x"] + ahead["x"]) * UX[k] + (here["y"] + ahead["y"]) * UY[k]
    return cost(graph.grid, cell, k) + graph.quarter * (known - along)


def _grid_heuristic(graph, cell, goal, kind):
    return heuristic(graph.grid, cell, goal, kind)


def _graph_slots(graph, cell):
    return slots(graph.graph, cell)


def _graph_there(graph, cell, k):
    return there(graph.graph, cell, k)


def _graph_cost(graph, cell, k):
    here, ahead = graph.cells[cell], graph.cells[there(graph.graph, cell, k)]
    known = max(here["known"], graph.floor) + max(ahead["known"], graph.floor)
    x, y = heading(graph.graph, cell, k)
    along = (here["x"] + ahead["x"]) * x + (here["y"] + ahead["y"]) * y
    return cost(graph.graph, cell, k) + graph.quarter * (known - along)


def _graph_heuristic(graph, cell, goal, kind):
    return heuristic(graph.graph, cell, goal, kind)


backing(LanedGrid, _grid_slots, _grid_there, _grid_cost, _grid_heuristic)
backing(LanedGraph, _graph_slots, _graph_there, _graph_cost, _graph_heuristic)


@inner
def is_in_the_way(crowd, cell):
    """Whether an agent stands on `cell` that counts as a wall."""
    if crowd.occupant[cell] == NOBODY or cell == crowd.eye:
        return False
    stride = crowd.grid.stride
    dy = crowd.eye // stride - cell // stride
    dx = crowd.eye % stride - cell % stride
    if dx * dx + dy * dy > crowd.reach:
        return False
    if not crowd.predicts or (abs(dx) <= 1 and abs(dy) <= 1):
        return True
    lane = crowd.cells[cell]
    return lane["known"] == 0.0 or lane["x"] * dx + lane["y"] * dy > 0.0
