"""Direction maps with abstraction: a path over the regions of sectors, refined along the lanes.

Jansen, 2008, sections 3.5 and 5.4. An abstract path is a guide only: it is refined to any cell of the region aimed at, and
the refined path may leave the regions on the way there.

In a jam most searches would expand the whole map and find nothing. Here a search ends after a limited number of
expansions. Each time in a row that an agent has found no path it waits twice as long, and then searches twice as far.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._alone import follow, rests_on_goal
from wayfolk.algorithms.controllers.direction_map.planning import (
    N_READ,
    DirectionArrays,
    catch_up,
    first_row,
    forget_rows,
    prepared,
    put_back,
    remembered,
    step_aside,
    view_for,
    with_room,
)
from wayfolk.algorithms.controllers.direction_map.refinement import refine
from wayfolk.algorithms.search._best_first import lists_for
from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels import direction_map as directions
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FOUND, JOIN, MOVE, NOWHERE
from wayfolk.kernels.crew import asked, report, wait
from wayfolk.kernels.graph import EUCLIDEAN
from wayfolk.kernels.laned_graphs import LanedGraph, is_in_the_way
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT
from wayfolk.world.abstraction.sectors import Sectors, sectors_of
from wayfolk.world.direction_map import RULES, DirectionMap

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

LEAST_SHARE = 512  # least limit of expansions of a search
LONGEST_WAIT = 5  # as a power of two, in steps


class Sectored(Controller):
    """Gives each agent a path over regions. `map` has the vectors of cells, `regions_map` those of regions."""

    lookahead = 512

    def __init__(
        self,
        problem: Problem,
        learned: DirectionMap,
        arrays: DirectionArrays,
        size: int,
        refinement: str,
        lanes: str,
        w_max: float,
    ) -> None:
        super().__init__(problem.n_agents)
        self.map, self.size = learned, size
        self.is_full, self.lanes, self.w_max = refinement == "full", lanes, float(w_max)
        self.cells_arrays = arrays._replace(quarter=0.0) if lanes == "sectors" else arrays
        self.sectors = sectors_of(problem.grid, size)
        self.regions_map = self._new_map(self.sectors)
        self.arrays = self._new_arrays(problem.starts.copy())

    def _new_map(self, sectors: Sectors) -> DirectionMap:
        rules = self.map.lanes
        return DirectionMap(
            sectors.graph, rules.alpha, rule=next(k for k, v in RULES.items() if v == rules.rule), decay=rules.decay
        )

    def _new_arrays(self, here: NDArray[np.int32]) -> "SectorArrays":
        sectors, graph = self.sectors, self.sectors.graph
        grid = sectors.grid
        regions = np.full(grid.n_cells, NOWHERE, np.int32)
        regions[grid.free_cells] = sectors.regions(grid.free_cells)
        # an edge between regions is as long as several between cells
        w_max = 0.0 if self.lanes == "cells" else self.w_max * self.size
        per_unit, n_lists = lists_for(graph, 1.0, False)
        return SectorArrays(
            cells=self.cells_arrays,
            lanes=self.regions_map.lanes,
            regions=regions,
            centres=sectors.centres,
            trail=np.empty(sectors.n_regions, np.int32),
            here=here,
            memory=best_first.new_memory(sectors.n_regions),
            queue=buckets.new_buckets(n_lists + int(w_max * per_unit) + 1, 8 * len(graph.graph.target) + 16),
            fails=np.zeros(len(here), np.int32),
            counts=np.zeros(1, np.int64),
            quarter=0.25 * w_max,
            per_unit=per_unit,
            size=self.size,
            is_full=self.is_full,
        )

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known; a region begins with the vector of the one its centre was in."""
        self.cells_arrays = prepared(self.arrays.cells, view)
        sectors = sectors_of(view.grid, self.size)
        if sectors is not self.sectors:
            before, kept = self.arrays, self._new_map(sectors)
            was = before.regions[sectors.centres]
            known = was != NOWHERE
            kept.lanes.cells[known] = before.lanes.cells[was[known]]
            kept.lanes.clock[:] = before.lanes.clock
            self.sectors, self.regions_map = sectors, kept
            self.arrays = self._new_arrays(before.here)._replace(counts=before.counts)
        new = view.here[len(self.arrays.here) :]
        self.arrays = self.arrays._replace(
            cells=self.cells_arrays,
            here=np.append(self.arrays.here, new),
            fails=with_rows(self.arrays.fails, len(view.here)),
        )

    def update(self, view: View, change: Change) -> None:
        """Make room for agents that have joined; repair the regions around cells that have changed."""
        self.prepare(view)
        self.arrays.fails[change.agents] = 0
        if change.cells.size:
            self.arrays.fails[:] = 0

    def remember(self, memory: "Memory") -> None:
        """The vectors of cells and of regions, these by the centres of regions, and how often agents found no path."""
        self.cells_arrays = remembered(memory, self.arrays.cells)
        arrays = self.arrays = self.arrays._replace(cells=self.cells_arrays)
        centres = memory.listed("regions.centres", arrays.centres, len(arrays.regions), memory.places)
        vectors = arrays.lanes.cells if not memory.is_read else np.zeros(len(centres), arrays.lanes.cells.dtype)
        memory.vectors("regions.vectors", vectors)
        memory.numbers("regions.clock", arrays.lanes.clock, (0.0, memory.view.time))
        memory.numbers("regions.here", arrays.here, memory.cells)
        memory.numbers("regions.counts", arrays.counts, (0, memory.n_rows))
        memory.numbers("fails", arrays.fails, (0, LONGEST_WAIT))
        if memory.is_read:
            region = arrays.regions[centres]
            arrays.lanes.cells[region[region != NOWHERE]] = vectors[region != NOWHERE]

    def make_room(self, view: View) -> None:
        """Enlarge the queue of the search, or the pool of agents' own copies of vectors."""
        self.cells_arrays = with_room(self.arrays.cells)
        self.arrays = self.arrays._replace(cells=self.cells_arrays)

    def first_row(self) -> int:
        """The first row of the log that cells or regions have not learned from."""
        row = first_row(self.arrays.cells)
        return row if self.arrays.quarter == 0.0 else min(row, int(self.arrays.counts[N_READ]))

    def forget_rows(self, n_rows: int) -> None:
        """Count rows from the first that is left."""
        forget_rows(self.arrays.cells, n_rows)
        if self.arrays.quarter > 0.0:
            self.arrays.counts[N_READ] -= n_rows


class SectorArrays(NamedTuple):
    """The arrays to plan on two levels. `regions` has the region of each cell.

    `here` is the cell of each agent as far as the regions have learned, `fails` how often in a row it found no path.
    """

    cells: DirectionArrays
    lanes: directions.Lanes
    regions: NDArray[np.int32]
    centres: NDArray[np.int32]
    trail: NDArray[np.int32]
    here: NDArray[np.int32]
    memory: best_first.SearchMemory
    queue: buckets.Buckets
    fails: NDArray[np.int32]
    counts: NDArray[np.int64]
    quarter: float
    per_unit: float
    size: int
    is_full: bool


def _plan_routes(arrays, crew, log, now):
    """Plan for one asked agent after another; how many have a route before there is no more room."""
    numbers = asked(crew)
    if not catch_up(arrays.cells, log, now):
        return 0
    _learn_regions(arrays, log, now)
    for k in range(numbers.size):
        number = numbers[k]
        if rests_on_goal(crew, number):
            continue
        agent, route, fails = crew.agents[number], crew.route[number], arrays.fails[number]
        start, goal = agent["here"], agent["goal"]
        crowd = view_for(arrays.cells, crew, number, start, goal)
        budget = max(8 * arrays.size**2, LEAST_SHARE) << fails
        n_trail = _abstract_path(arrays, arrays.regions[start], arrays.regions[goal])
        n_route, expanded = 0, 0
        if n_trail > 0:  # without a path over regions there is none over cells
            n_route, expanded = refine(arrays, crowd, route, n_trail, agent["refused"] or fails > 0, budget)
        put_back(arrays.cells, number, start)
        if n_route == NOWHERE:
            return k
        report(crew, number, arrays.memory.counts[EXPANDED] + expanded)
        if n_route > 0 and is_in_the_way(crowd, route[n_route - 1]):
            n_route -= 1  # do not run into the agent that stands there
            if n_route == 0:
                n_route = step_aside(crowd, agent, route)
        arrays.fails[number] = min(fails + 1, LONGEST_WAIT) if n_route == 0 else 0
        if n_route == 0:
            wait(crew, number, 1 << max(arrays.fails[number] - 1, 0))
        else:
            follow(crew, number, route, n_route)
    return numbers.size


planned_by(SectorArrays, _plan_routes)


@inner
def _learn_regions(arrays, log, now):
    """Let regions learn from the moves from one region to another."""
    if arrays.quarter == 0.0:
        return
    for number in range(arrays.counts[N_READ], log.size):
        row = log[number]
        if row["kind"] == MOVE or row["kind"] == JOIN:
            agent, cell = row["agent"], row["cell"]
            before, after = arrays.regions[arrays.here[agent]], arrays.regions[cell]
            if row["kind"] == MOVE and before != after and before != NOWHERE and after != NOWHERE:
                directions.learn(arrays.lanes, before, after, 1.0, row["time"])
            arrays.here[agent] = cell
    arrays.counts[N_READ] = log.size
    directions.fade(arrays.lanes, now)


@inner
def _abstract_path(arrays, start, goal):
    """Write the regions from `goal` back to `start` to the trail; return how many they are, 0 if there is no path.

    A wall is in no region: there is no path to a goal that has become one.
    """
    if start == NOWHERE or goal == NOWHERE:
        arrays.memory.counts[EXPANDED] = 0
        return 0
    graph = LanedGraph(arrays.lanes.graph, arrays.lanes.cells, arrays.quarter, 0.0)
    best_first.open_start(arrays.memory, arrays.queue, start)
    code = best_first.advance(
        graph,
        arrays.memory,
        arrays.queue,
        best_first.Ordering(1.0, EUCLIDEAN, arrays.per_unit, False, False),
        start,
        goal,
        NO_LIMIT,
        arrays.trail[:0],
    )
    return best_first.trace(arrays.memory, start, goal, arrays.trail) if code == FOUND else 0
