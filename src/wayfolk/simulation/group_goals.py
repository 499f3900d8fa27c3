"""Groups: one order for many agents, whose goals are spread around a place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadProblem
from wayfolk.world.grid import Grid


def goals_around(grid: Grid, centre: int, here: NDArray[np.int32]) -> NDArray[np.int32]:
    """A goal for each agent at `here`: the cells fewest steps from `centre`, each for the nearest agent that has none."""
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
