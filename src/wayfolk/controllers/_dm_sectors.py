"""Direction maps with abstraction: a path over the regions of sectors, refined along the lanes.

Jansen, 2008, sections 3.5 and 5.4. An abstract path is a guide only: it is refined to any cell of the region aimed at, and
may leave the regions on the way there.

In a jam most searches find nothing, having gone through all of the map. Here they are given up after a share of cells;
each time in a row that an agent has found no way it waits twice as long, and then searches twice as far.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction.sectors import Sectors, sectors_of
from wayfolk.controllers import Controller, View
from wayfolk.controllers._dm_mind import (
    N_READ,
    DirectionMind,
    catch_up,
    prepared,
    put_back,
    step_aside,
    view_for,
    with_room,
)
from wayfolk.directions import DirectionMap
from wayfolk.graph import EUCLIDEAN, MANHATTAN, NOWHERE, backing, cost, there
from wayfolk.kernels import best_first, buckets, directions
from wayfolk.kernels.best_first import EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crew import N_ASKED, N_LOG, note
from wayfolk.kernels.directions import LanedGraph, LanedGrid, is_in_the_way
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.problem import Problem
from wayfolk.record import JOIN, MOVE, THOUGHT
from wayfolk.result import NO_LIMIT
from wayfolk.search._best_first import lists_for

RESTS = 16  # how long an agent on its goal rests before it looks around again
CUT = 0.6  # how much of a path that is refined in part is walked before planning on
AHEAD = 2  # regions ahead that a path refined in part leads to
TRIES = 2  # regions that are tried, one after another, where the first cannot be reached
LEAST_SHARE = 512  # cells a search may expand at least before it is given up
LONGEST_WAIT = 5  # as a power of two, in steps
END = 0  # a cell of the border, which nobody can enter, stands for all cells that are aimed at


class Sectored(Controller):
    """Everyone with a path over regions. `map` has the vectors of cells, `regions_map` those of regions."""

    lookahead = 512

    def __init__(
        self,
        problem: Problem,
        learned: DirectionMap,
        mind: DirectionMind,
        size: int,
        refinement: str,
        lanes: str,
        w_max: float,
    ) -> None:
        super().__init__(problem.n_agents)
        self.map, self.size = learned, size
        self.is_full, self.lanes, self.w_max = refinement == "full", lanes, float(w_max)
        self.cells_mind = mind._replace(quarter=0.0) if lanes == "sectors" else mind
        self.sectors = sectors_of(problem.grid, size)
        self.regions_map = self._new_map(self.sectors)
        self.mind = self._new_mind(problem.starts.copy())

    def _new_map(self, sectors: Sectors) -> DirectionMap:
        rules = self.map.lanes
        return DirectionMap(
            sectors.graph, rules.alpha, rule="average" if rules.averages else "perceptron", decay=rules.decay
        )

    def _new_mind(self, here: NDArray[np.int32]) -> "SectorMind":
        sectors, graph = self.sectors, self.sectors.graph
        grid = sectors.grid
        regions = np.full(grid.n_cells, NOWHERE, np.int32)
        regions[grid.free_cells] = sectors.regions(grid.free_cells)
        # an edge between regions is as long as several between cells
        dearer = 0.0 if self.lanes == "cells" else self.w_max * self.size
        per_unit, n_lists = lists_for(graph, 1.0, False)
        return SectorMind(
            self.cells_mind, self.regions_map.lanes, regions, sectors.centres, np.empty(sectors.n_regions, np.int32),
            here, best_first.new_memory(sectors.n_regions),
            buckets.new_buckets(n_lists + int(dearer * per_unit) + 1, 8 * len(graph.graph.target) + 16),
            np.zeros(len(here), np.int32), np.zeros(1, np.int64), 0.25 * dearer, per_unit, self.size, self.is_full,
        )  # fmt: skip

    def prepare(self, view: View) -> None:
        """Look at the map anew; a region begins with the vector of the one its centre was in."""
        self.cells_mind = prepared(self.mind.cells, view)
        sectors = sectors_of(view.grid, self.size)
        if sectors is not self.sectors:
            before, kept = self.mind, self._new_map(sectors)
            was = before.regions[sectors.centres]
            known = was != NOWHERE
            kept.lanes.cells[known] = before.lanes.cells[was[known]]
            kept.lanes.clock[:] = before.lanes.clock
            self.sectors, self.regions_map = sectors, kept
            self.mind = self._new_mind(before.here)._replace(counts=before.counts)
        new = view.here[len(self.mind.here) :]
        self.mind = self.mind._replace(
            cells=self.cells_mind, here=np.append(self.mind.here, new), fails=np.zeros(len(view.here), np.int32)
        )

    def decide(self, view: View) -> None:
        """Make room."""
        self.cells_mind = with_room(self.mind.cells)
        self.mind = self.mind._replace(cells=self.cells_mind)


class SectorMind(NamedTuple):
    """What it takes to plan on two levels. `regions` has the region of each cell.

    `here` is where everybody is as far as the regions have learned, `fails` how often in a row it found no way.
    """

    cells: DirectionMind
    lanes: directions.Lanes
    regions: NDArray[np.int32]
    centres: NDArray[np.int32]
    trail: NDArray[np.int32]
    here: NDArray[np.int32]
    memory: best_first.Memory
    queue: buckets.Buckets
    fails: NDArray[np.int32]
    counts: NDArray[np.int64]
    quarter: float
    per_unit: float
    size: int
    is_full: bool


class AimedGrid(NamedTuple):
    """A laned grid in which every cell of region `aim` leads to END, or only `goal` does if `aim` is NOWHERE.

    All of them lie in the rectangle from (`left`, `top`) to (`right`, `bottom`).
    """

    laned: LanedGrid
    regions: NDArray[np.int32]
    aim: int
    left: int
    top: int
    right: int
    bottom: int


def _slots(graph, cell):
    return 9


def _there(graph, cell, k):
    if k < 8:
        return there(graph.laned, cell, k)
    if (graph.aim == NOWHERE and cell == graph.laned.goal) or (
        graph.aim != NOWHERE and graph.regions[cell] == graph.aim
    ):
        return np.int32(END)
    return NOWHERE


def _cost(graph, cell, k):
    return cost(graph.laned, cell, k) if k < 8 else 0.0


def _guess(graph, cell, goal, kind):
    """How far it is to the rectangle."""
    if cell == END:
        return 0.0
    grid = graph.laned.grid
    y = cell // grid.stride
    x = cell - y * grid.stride
    dx = max(graph.left - x, x - graph.right, 0)
    dy = max(graph.top - y, y - graph.bottom, 0)
    if kind == MANHATTAN:
        return grid.cheapest * (dx + dy)
    return grid.cheapest * (max(dx, dy) + (grid.lengths[4] - 1.0) * min(dx, dy))


backing(AimedGrid, _slots, _there, _cost, _guess)


def _think(mind, crew, log, now):
    """Plan for those who ask, one after another; how many could be served before there was no more room."""
    n_asked = crew.counts[N_ASKED]
    if not catch_up(mind.cells, log, crew.counts[N_LOG], now):
        return 0
    _learn_regions(mind, log, crew.counts[N_LOG], now)
    for k in range(n_asked):
        number = crew.asked[k]
        agent = crew.agents[number]
        start, goal = agent["here"], agent["goal"]
        if start == goal:
            crew.route[number, :RESTS] = start
            agent["n_route"] = RESTS
            continue
        crowd = view_for(mind.cells, crew, number, start, goal)
        budget = max(8 * mind.size**2, LEAST_SHARE) << mind.fails[number]
        n_trail = _abstract_path(mind, mind.regions[start], mind.regions[goal])
        n_route, expanded = _refine(
            mind, crowd, crew.route[number], n_trail, agent["refused"] or mind.fails[number] > 0, budget
        )
        put_back(mind.cells, number, start)
        if n_route == NOWHERE:
            return k
        note(log, crew.counts, now, number, THOUGHT, mind.memory.counts[EXPANDED] + expanded)
        if n_route > 0 and is_in_the_way(crowd, crew.route[number, n_route - 1]):
            n_route -= 1  # do not run into whoever stands there
            if n_route == 0:
                n_route = step_aside(crowd, agent, crew.route[number])
        mind.fails[number] = min(mind.fails[number] + 1, LONGEST_WAIT) if n_route == 0 else 0
        if n_route == 0:
            n_route = 1 << max(mind.fails[number] - 1, 0)
            crew.route[number, :n_route] = start
        agent["n_route"] = n_route
    return n_asked


thinking(SectorMind, _think)


@inner
def _learn_regions(mind, log, last, now):
    """Regions learn from whoever goes from one to another."""
    if mind.quarter == 0.0:
        return
    for number in range(mind.counts[N_READ], last):
        row = log[number]
        if row["kind"] == MOVE or row["kind"] == JOIN:
            agent, cell = row["agent"], row["cell"]
            before, after = mind.regions[mind.here[agent]], mind.regions[cell]
            if row["kind"] == MOVE and before != after and before != NOWHERE and after != NOWHERE:
                directions.learn(mind.lanes, before, after, 1.0, row["time"])
            mind.here[agent] = cell
    mind.counts[N_READ] = last
    directions.fade(mind.lanes, now)


@inner
def _abstract_path(mind, start, goal):
    """Write the regions from `goal` back to `start` to the trail; how many they are, 0 if there is no way."""
    graph = LanedGraph(mind.lanes.graph, mind.lanes.cells, mind.quarter, 0.0)
    best_first.seed(graph, mind.memory, mind.queue, start, goal)
    code = best_first.advance(
        graph, mind.memory, mind.queue, start, goal, 1.0, EUCLIDEAN, mind.per_unit, False, False, NO_LIMIT,
        mind.trail[:0],
    )  # fmt: skip
    return best_first.trace(mind.memory, start, goal, mind.trail) if code == FOUND else 0


@inner
def _refine(mind, crowd, route, n_trail, was_refused, budget):
    """Write a path along the trail to `route`; its length, NOWHERE if the queue was full, and the cells expanded.

    In part: towards the second region ahead, of which the first 60 % are walked. In full: from region to region. Whoever
    was refused skips a region, and so does whoever cannot get to one.
    """
    expanded, n_route, n_failed = 0, 0, 0
    at = crowd.eye
    skip = 1 if was_refused else 0
    spot = n_trail - 1 - skip - (1 if mind.is_full else AHEAD)  # in the trail, whose place 0 is the goal's region
    while True:
        aim = mind.trail[spot] if spot > 0 else NOWHERE
        code, length, spent = _path_to(mind, crowd, at, aim, budget)
        expanded += spent
        if code == QUEUE_FULL:
            return NOWHERE, expanded
        if code == FOUND:
            path = mind.cells.path
            n = length
            if aim != NOWHERE and not mind.is_full:
                n = max(1, int(CUT * length))
            for step in range(min(n, length, route.size - n_route)):
                route[n_route] = path[length - step]
                n_route += 1
            if length > 0:
                at = path[1]
            if not mind.is_full or n_route == route.size:
                break
        else:
            n_failed += 1
            if n_failed == TRIES:
                break
        if spot <= 0:
            break
        spot -= 1
    return n_route, expanded


@inner
def _path_to(mind, crowd, start, aim, budget):
    """Search from `start` to any cell of region `aim`, or to the goal if that is NOWHERE.

    How it ended, how many steps there are to the cell reached (`path[1]`; the step after the first is
    `path[length - 1]`), and how many cells were expanded.
    """
    cells = mind.cells
    stride, size = crowd.grid.stride, mind.size
    left = right = crowd.goal % stride
    top = bottom = crowd.goal // stride
    if aim != NOWHERE:
        left = (mind.centres[aim] % stride - 1) // size * size + 1
        top = (mind.centres[aim] // stride - 1) // size * size + 1
        right, bottom = left + size - 1, top + size - 1
    graph = AimedGrid(crowd, mind.regions, aim, left, top, right, bottom)
    best_first.seed(graph, cells.memory, cells.queue, start, END)
    code = best_first.advance(
        graph, cells.memory, cells.queue, start, END, cells.weight, cells.kind, cells.per_unit, cells.falls, False,
        budget, cells.path[:0],
    )  # fmt: skip
    length = best_first.trace(cells.memory, start, END, cells.path) - 2 if code == FOUND else 0
    return code, length, cells.memory.counts[EXPANDED]
