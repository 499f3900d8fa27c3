"""Reading a plan: its paths are put on the map, so that they can be repaired or improved."""

import numpy as np

from wayfolk.algorithms.planners._sipp import repair
from wayfolk.algorithms.planners._sipp.collisions import count_pairs
from wayfolk.algorithms.planners._sipp.fleet import (
    ADDED,
    BOUND,
    LEAST_LONGEST,
    LONGEST,
    PHASE,
    SUM,
    TURN,
    arrival,
    last_arrival,
    put,
)
from wayfolk.algorithms.planners._sipp.search import EXPANDED
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import RUNNING
from wayfolk.kernels.distances import steps_between


@kernel
def read_paths(fleet, cells, budget):
    """Put up to `budget` of the paths in `cells[agent, step]` on the map: DONE after the last, RUNNING, or what is full."""
    counts = fleet.counts
    for _ in range(budget):
        agent = counts[TURN]
        if agent == fleet.runners.size:
            counts[PHASE], counts[LONGEST] = repair.CHOOSE, last_arrival(fleet)
            return repair.DONE
        runner = fleet.runners[agent]
        if counts[PHASE] != repair.ADD:
            n = _write_stops(cells[agent, : _steps_until_home(fleet, agent, cells[agent])], fleet.paths[agent])
            if n > fleet.paths.shape[1]:
                return repair.NEEDS_STOPS
            fleet.sizes[agent] = n
            runner["least"] = steps_between(fleet.fields, agent, runner["start"])
            runner["delay"] = arrival(fleet, agent) - runner["least"]
            counts[SUM] += arrival(fleet, agent)
            counts[BOUND] += runner["least"]
            counts[LEAST_LONGEST] = max(counts[LEAST_LONGEST], np.int64(runner["least"]))
            count_pairs(fleet, agent, agent, 1)
            counts[ADDED] = 0
            counts[PHASE] = repair.ADD
        if not put(fleet, agent, agent):
            return repair.NEEDS_VISITS
        counts[PHASE] = repair.WRITE
        counts[TURN] += 1
        fleet.tree.counts[EXPANDED] += 1
    return RUNNING


@inner
def _steps_until_home(fleet, agent, cells):
    """How many of `cells` there are until the agent is at its goal for good, in whatever heading."""
    n = cells.size
    while n > 1 and steps_between(fleet.fields, agent, cells[n - 2]) == 0:
        n -= 1
    return n


@inner
def _write_stops(cells, path):
    """Write the stops of a path to `path`; how many there are, also if there is no room."""
    n = 0
    for step in range(cells.size):
        if step == 0 or cells[step] != cells[step - 1]:
            if n < path.size:
                path[n]["cell"], path[n]["start"] = cells[step], step
            n += 1
    return n
