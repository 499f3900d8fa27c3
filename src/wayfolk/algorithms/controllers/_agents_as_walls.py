"""A world in which the places that others hold near an agent are walls to it: on a grid, and for nodes of any other world.

Backings of the graph protocol (see `wayfolk.kernels.graph`), so that the one best-first kernel plans around other agents.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import CsrGraph, GridGraph, backing, cost, heuristic, slots, there
from wayfolk.kernels.occupancy import Occupancy


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


class AgentWallNodes(NamedTuple):
    """`graph` as the agent at node `eye` sees it: nodes within sqrt(`reach`) of which others hold a place are walls.

    Its own `goal` is none, and all nodes of that cell are one: a body that turns has arrived in every heading. In a world
    without positions, all nodes are within reach.
    """

    graph: CsrGraph
    occupancy: Occupancy
    stand: NDArray[np.int32]
    occupant: NDArray[np.int32]
    agent: int
    eye: int
    reach: float
    goal: int


@inner
def is_held(graph, node):
    """Whether another agent holds a place of `node` within sight."""
    table, ways = graph.occupancy, graph.graph
    dx, dy = ways.x[node] - ways.x[graph.eye], ways.y[node] - ways.y[graph.eye]
    dz = ways.z[node] - ways.z[graph.eye]
    if dx * dx + dy * dy + dz * dz > graph.reach:
        return False
    for k in range(table.node_first[node], table.node_first[node + 1]):
        other = graph.occupant[table.node_places[k]]
        if other != NOBODY and other != graph.agent:
            return True
    return False


def _node_slots(graph, cell):
    return slots(graph.graph, cell)


def _node_there(graph, cell, k):
    other = there(graph.graph, cell, k)
    if graph.stand[other] == graph.goal:
        return np.int32(graph.goal)
    return NOWHERE if is_held(graph, other) else other


def _node_cost(graph, cell, k):
    return cost(graph.graph, cell, k)


def _node_heuristic(graph, cell, goal, kind):
    return heuristic(graph.graph, cell, goal, kind)


backing(AgentWallNodes, _node_slots, _node_there, _node_cost, _node_heuristic)
