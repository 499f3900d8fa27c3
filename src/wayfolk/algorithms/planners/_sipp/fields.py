"""Distances from free cells to the goals of a fleet, searched as far as they are needed, or taken from another planner.

The fields are those of LaCAM (`lacam.ground`): free cells are numbered without gaps, and walls take no memory. So the
fields that LaCAM has filled can be used as they are. Otherwise each is a breadth-first search that resumes when the
distance of a cell is needed that it has not reached.

Invariants  a distance below `far` is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.distance import UNREACHED
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.problem.problem import Problem

CELL = np.dtype([("legal", np.uint8), ("spot", np.int32)], align=True)
DONE, USED, FIRST = range(3)
"""Places in a queue: how many of its cells have been expanded, how many there are, and the first of them."""


class FleetFields(NamedTuple):
    """`steps[agent, spot]` is the distance from a free cell to the agent's goal, `far` where no search has been.

    `cells` says which moves are legal, and gives the spots. There are few arrays, since kernels copy the tuple when they
    call each other: with two more, a large neighbourhood search takes 40 % longer.
    """

    cells: NDArray[np.void]
    offsets: NDArray[np.int32]
    steps: NDArray[Any]
    queue: NDArray[np.int32]
    far: int


def new_fields(problem: Problem) -> FleetFields:
    """A field for each agent, not grown yet, in 16 bits if no path can be too long for that."""
    n, n_spots = problem.n_agents, len(problem.grid.free_cells)
    kind = np.uint16 if n_spots < np.iinfo(np.uint16).max else np.int32
    fields = filled_fields(problem, np.full((n, n_spots), np.iinfo(kind).max, kind))
    fields = fields._replace(queue=lazy_zeros((n, FIRST + n_spots), np.int32))
    fields.steps[np.arange(n), fields.cells["spot"][problem.goals]] = 0
    fields.queue[:, USED], fields.queue[:, FIRST] = 1, problem.goals
    return fields


def filled_fields(problem: Problem, steps: NDArray[Any]) -> FleetFields:
    """Fields of which all distances are known: `steps` of LaCAM's fields."""
    grid = problem.grid
    cells = np.zeros(grid.n_cells, CELL)
    cells["legal"], cells["spot"] = grid.legal, NOWHERE
    cells["spot"][grid.free_cells] = np.arange(len(grid.free_cells))
    queue = np.zeros((problem.n_agents, FIRST), np.int32)
    return FleetFields(cells, grid.offsets, steps, queue, int(np.iinfo(steps.dtype).max))


@inner
def steps_between(fields, agent, cell):
    """The distance from `cell` to the goal of `agent`, growing the field if need be; UNREACHED where there is no way."""
    known = fields.steps[agent, fields.cells[cell]["spot"]]
    if known != fields.far:
        return np.int32(known)
    return _grow(fields, agent, fields.cells[cell]["spot"])


@inner
def _grow(fields, agent, wanted):
    """Resume the search of a field until it stores the distance of spot `wanted`."""
    steps, queue, cells = fields.steps[agent], fields.queue[agent], fields.cells
    while queue[DONE] < queue[USED] and steps[wanted] == fields.far:
        cell = queue[FIRST + queue[DONE]]
        queue[DONE] += 1
        ahead = steps[cells[cell]["spot"]] + 1
        for k in range(8):
            if (cells[cell]["legal"] >> k) & 1:
                other = cell + fields.offsets[k]
                if steps[cells[other]["spot"]] == fields.far:
                    steps[cells[other]["spot"]] = ahead
                    queue[FIRST + queue[USED]] = other
                    queue[USED] += 1
    if steps[wanted] == fields.far:
        return UNREACHED
    return np.int32(steps[wanted])
