"""Distances from free cells to the goals of a fleet, searched as far as they are needed, or taken from another planner.

The fields are those of LaCAM (`lacam.ground`): free cells are numbered without gaps, and walls take no memory. So the
fields that LaCAM has filled can be used as they are; otherwise each is a breadth-first search that resumes when the distance
of a cell is needed that it has not reached.

Invariants  a distance below `far` is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.distance import UNREACHED
from wayfolk.kernels.jit import inner
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.problem.problem import Problem

DONE, USED = 0, 1  # places in `spans`: how much of the queue has been expanded, and filled


class FleetFields(NamedTuple):
    """`steps[agent, spot_of[cell]]` is the distance from `cell` to the agent's goal, `far` where no search has been."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    spot_of: NDArray[np.int32]
    steps: NDArray[Any]
    queue: NDArray[np.int32]
    spans: NDArray[np.int64]
    far: int


def new_fields(problem: Problem) -> FleetFields:
    """A field for each agent, not grown yet, in 16 bits if no path can be too long for that."""
    grid, n = problem.grid, problem.n_agents
    n_spots = len(grid.free_cells)
    kind = np.uint16 if n_spots < np.iinfo(np.uint16).max else np.int32
    spot_of = np.full(grid.n_cells, NOWHERE, np.int32)
    spot_of[grid.free_cells] = np.arange(n_spots)
    fields = FleetFields(
        legal=grid.legal,
        offsets=grid.offsets,
        spot_of=spot_of,
        steps=np.full((n, n_spots), np.iinfo(kind).max, kind),
        queue=lazy_zeros((n, n_spots), np.int32),
        spans=np.zeros((n, 2), np.int64),
        far=int(np.iinfo(kind).max),
    )
    fields.steps[np.arange(n), spot_of[problem.goals]] = 0
    fields.queue[:, 0], fields.spans[:, USED] = problem.goals, 1
    return fields


def filled_fields(problem: Problem, spot_of: NDArray[np.int32], steps: NDArray[Any]) -> FleetFields:
    """Fields of which all distances are known."""
    grid, n, far = problem.grid, problem.n_agents, int(np.iinfo(steps.dtype).max)
    nothing, spans = np.zeros((n, 0), np.int32), np.zeros((n, 2), np.int64)
    return FleetFields(grid.legal, grid.offsets, spot_of, steps, nothing, spans, far)


@inner
def steps_between(fields, agent, cell):
    """The distance from `cell` to the goal of `agent`, growing the field if need be; UNREACHED where there is no way."""
    known = fields.steps[agent, fields.spot_of[cell]]
    if known != fields.far:
        return np.int32(known)
    return _grow(fields, agent, fields.spot_of[cell])


@inner
def _grow(fields, agent, wanted):
    """Resume the search of a field until it stores the distance of spot `wanted`."""
    steps, queue, spot_of = fields.steps[agent], fields.queue[agent], fields.spot_of
    done, used = fields.spans[agent, DONE], fields.spans[agent, USED]
    while done < used and steps[wanted] == fields.far:
        cell = queue[done]
        done += 1
        ahead = steps[spot_of[cell]] + 1
        legal = fields.legal[cell]
        for k in range(8):
            if (legal >> k) & 1:
                other = cell + fields.offsets[k]
                if steps[spot_of[other]] == fields.far:
                    steps[spot_of[other]] = ahead
                    queue[used] = other
                    used += 1
    fields.spans[agent, DONE], fields.spans[agent, USED] = done, used
    if steps[wanted] == fields.far:
        return UNREACHED
    return np.int32(steps[wanted])
