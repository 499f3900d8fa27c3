"""Groups: one order for many agents, whose goals are spread around a place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem
from wayfolk.kernels.distances import UNREACHED
from wayfolk.world.grid import Grid
from wayfolk.world.spots import steps_to
from wayfolk.world.state_graph import StateGraph


def goals_around(states: Grid | StateGraph, place: Any, here: NDArray[np.int32]) -> NDArray[np.int32]:
    """A goal for each agent at `here`: the nodes fewest steps from `place`, each for the nearest agent that has none.

    Bodies get goals at which no two of them share a place.
    """
    if isinstance(states, Grid):
        return _cells_around(states, states.cell(place), here)
    kinds = np.array([states.kind_of(node) for node in here.tolist()])
    rows = [_stands_around(states, place, kind, here[kinds == kind]) for kind in np.unique(kinds).tolist()]
    steps, stands = (np.concatenate(side) for side in zip(*rows, strict=True))
    goals, free = np.zeros(len(here), np.int32), np.ones(len(here), bool)
    table = states.occupancy
    taken = np.zeros(table.n_places, np.bool_)
    for stand in stands[np.argsort(steps, kind="stable")].tolist():
        places = table.node_places[table.node_first[stand] : table.node_first[stand + 1]]
        agents = np.flatnonzero(free & (kinds == states.kind_of(stand)))
        if not agents.size or taken[places].any():
            continue
        far = np.arange(len(agents)) if states.positions is None else _far(states, here[agents], stand)
        agent = int(agents[far.argmin()])
        goals[agent], free[agent] = stand, False
        taken[places] = True
    if free.any():
        raise BadProblem(f"{len(here)} agents do not fit around {place}: there is room for {len(here) - free.sum()}")
    return goals


def _stands_around(
    states: StateGraph, place: Any, kind: int, here: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where bodies of a kind can stand from which they get to `place`, and how many steps that takes."""
    centre = int(states.stand_of[states.node(place, kind)])
    if not states.is_free(centre):
        raise BadProblem(f"agents cannot be sent to {place}: there is no room for {states.kinds[kind]}")
    steps = steps_to(states, centre)
    lost = here[steps[here] == UNREACHED]
    if lost.size:
        raise BadProblem(f"the agent at {states.place(int(lost[0]))} cannot get to {place}: there is no way")
    stands = np.unique(states.stand_of[states.stands(kind)])
    stands = stands[steps[stands] != UNREACHED]
    return steps[stands], stands


def _far(states: StateGraph, nodes: NDArray[np.int32], goal: int) -> NDArray[np.float64]:
    """How far nodes are from a goal in a straight line."""
    assert states.positions is not None
    far: NDArray[np.float64] = np.linalg.norm(states.positions[nodes] - states.positions[goal], axis=1)
    return far


def _cells_around(grid: Grid, centre: int, here: NDArray[np.int32]) -> NDArray[np.int32]:
    """The goals of points on a grid."""
    place = grid.place(centre)
    if not grid.is_free(centre):
        raise BadProblem(f"agents cannot be sent to {place}: there is a wall")
    lost = np.flatnonzero(grid.components[here] != grid.components[centre])
    if lost.size:
        raise BadProblem(f"the agent at {grid.place(here[lost[0]])} cannot get to {place}: there is no way")
    cells = _nearest_cells(grid, centre, len(here))
    if len(cells) < len(here):
        raise BadProblem(f"{len(here)} agents do not fit around {place}: {len(cells)} cells can be reached from there")
    goals = np.empty(len(here), np.int32)
    spots, free = grid.places(here), np.ones(len(here), bool)
    for cell in cells.tolist():
        apart = np.abs(spots - grid.place(cell))
        far = apart.max(1) + (grid.diagonal - 1.0) * apart.min(1)
        agent = int(np.where(free, far, np.inf).argmin())
        goals[agent], free[agent] = cell, False
    return goals


def _nearest_cells(grid: Grid, centre: int, n: int) -> NDArray[np.int32]:
    """The `n` cells that are fewest steps from `centre`, or all that can be reached from there; nearest first."""
    found = np.array([centre], np.int32)
    edge, seen = found, np.zeros(grid.n_cells, bool)
    seen[centre] = True
    while len(found) < n and edge.size:
        beside = [edge[grid.legal[edge] >> k & 1 == 1] + grid.offsets[k] for k in range(8)]
        edge = np.unique(np.concatenate(beside))
        edge = edge[~seen[edge]].astype(np.int32)
        seen[edge] = True
        found = np.append(found, edge)
    return found[:n]
