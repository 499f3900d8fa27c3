"""The agents of the Direction Map thesis, as its simulator had them; LRA* is the same without vectors.

Jansen, "Multi-agent pathfinding with direction maps", 2008, chapters 3 and 4; the simulator is HOG2.

An agent without moves left plans, and walks its path until a move is refused. If its goal is one of the eight cells around
it and occupied, it makes a random legal move instead of planning. See `search.py` for what is a wall to it, what a step
costs and how A* orders nodes, `regions.py` for sectors, and `wayfolk.kernels.direction_map` for how vectors are learned.

    window   vectors count only for steps with both ends within the octile distance `window` of the agent, and a path
             ends before its first cell farther away
    local    before each action an agent copies the shared vectors within the octile distance `local`, and plans with its
             copies; cells without a vector are copied as (0, 0)
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._alone import follow, rests_on_goal
from wayfolk.algorithms.controllers._thesis import regions as thesis_regions
from wayfolk.algorithms.controllers._thesis import search
from wayfolk.algorithms.controllers._thesis.regions import Regions, path_over_regions, refine
from wayfolk.algorithms.controllers._thesis.search import EXPANDED, FOUND, HEAP_FULL, Sight, Space, find, octile, trace
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.compile.jit import inner
from wayfolk.errors import TooLarge
from wayfolk.kernels import direction_map as directions
from wayfolk.kernels import random
from wayfolk.kernels.codes import BLOCK, JOIN, MOVE, NOBODY, NOWHERE, REFUSED
from wayfolk.kernels.crew import asked, give_route, report, wait
from wayfolk.kernels.direction_map import LANE
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.rows import with_rows
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem
from wayfolk.world.direction_map import DirectionMap

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

N_READ = 0  # place in `counts`: rows of the log that have been read


@dataclass(frozen=True)
class ThesisSetup:
    """What distinguishes one experiment from another; a `w_max` of 0 is LRA*."""

    w_max: float = 0.0
    radius: float = 5.0
    weight: float = 1.0
    half: bool = True
    window: float = 0.0
    local: float = 0.0
    sector: int = 0
    is_full: bool = False


class Thesis(Controller):
    """Gives each agent a path of its own. `map` is what all agents know, as of the last planning."""

    lookahead = 512

    def __init__(self, problem: Problem, learned: DirectionMap, setup: ThesisSetup, seed: int) -> None:
        super().__init__(problem.n_agents)
        grid, n = problem.grid, problem.n_agents
        self.map, self.setup, self.grid = learned, setup, grid
        n_copies = n if setup.local else 0
        _check_memory(n_copies * grid.n_cells * LANE.itemsize)
        self.arrays = ThesisArrays(
            lanes=learned.lanes,
            space=search.new_space(grid.n_cells, 4 * len(grid.free_cells) + 64),
            regions=thesis_regions.regions_of(grid, setup.sector) if setup.sector else thesis_regions.no_regions(),
            path=np.zeros(grid.n_cells + 1, np.int32),
            here=problem.starts.copy(),
            own=np.zeros((n_copies, grid.n_cells), LANE),
            luck=random.new_random(seed),
            counts=np.zeros(1, np.int64),
            radius=float(setup.radius),
            quarter=0.25 * setup.w_max,
            weight=float(setup.weight),
            kind=HEURISTICS[best_heuristic(grid)],
            window=float(setup.window),
            local=float(setup.local),
            half=setup.half,
            is_full=setup.is_full,
        )

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known, for all who are there."""
        arrays, n = self.arrays, len(view.here)
        if self.setup.sector and view.grid is not self.grid:
            arrays = arrays._replace(regions=thesis_regions.regions_of(view.grid, self.setup.sector))
        self.grid = view.grid
        if n > len(arrays.here):
            if self.setup.local:
                _check_memory((n - len(arrays.here)) * view.grid.n_cells * LANE.itemsize)
                arrays = arrays._replace(own=with_rows(arrays.own, n))
            arrays = arrays._replace(here=np.append(arrays.here, view.here[len(arrays.here) :]))
        self.arrays = arrays._replace(lanes=arrays.lanes._replace(graph=view.grid.graph))

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; plan on the changed map. Vectors of new walls are forgotten."""
        self.prepare(view)

    def remember(self, memory: "Memory") -> None:
        """The vectors, the copies that agents have of them, what of the log was read, and the random numbers."""
        arrays = self.arrays
        memory.vectors("vectors", arrays.lanes.cells)
        memory.numbers("clock", arrays.lanes.clock, (0.0, memory.view.time))
        memory.numbers("here", arrays.here, memory.cells)
        memory.numbers("counts", arrays.counts, memory.count)
        memory.records("own", arrays.own, x=(-1.0, 1.0), y=(-1.0, 1.0), known=(0.0, 1.0), seen=memory.any)
        memory.luck("luck", arrays.luck)

    def make_room(self, view: View) -> None:
        """Enlarge the open list of the search."""
        space = self.arrays.space
        self.arrays = self.arrays._replace(space=space._replace(heap=with_rows(space.heap, 2 * len(space.heap))))


def _check_memory(n_bytes: int) -> None:
    if n_bytes > available_bytes():
        raise TooLarge(f"own copies of the direction map need {n_bytes:,} bytes, more than there are")


class ThesisArrays(NamedTuple):
    """The arrays to learn a map and to plan with it; `own[agent]` are an agent's copies of vectors, if it has any."""

    lanes: directions.Lanes
    space: Space
    regions: Regions
    path: NDArray[np.int32]
    here: NDArray[np.int32]
    own: NDArray[np.void]
    luck: NDArray[np.uint64]
    counts: NDArray[np.int64]
    radius: float
    quarter: float
    weight: float
    kind: int
    window: float
    local: float
    half: bool
    is_full: bool


def _plan_routes(arrays, crew, log, now):
    """Plan for one asked agent after another; how many have a route before there is no more room."""
    numbers = asked(crew)
    if arrays.quarter > 0.0:
        _catch_up(arrays, log)
    for k in range(numbers.size):
        number = numbers[k]
        if rests_on_goal(crew, number):
            continue
        start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
        if arrays.local > 0.0:
            _look_around(arrays, number, start)
        if crew.occupant[goal] != NOBODY and octile(arrays.lanes.graph, start, goal) < 2.0:
            _step_at_random(arrays, crew, number, start)
            continue
        code, n, expanded = _find_path(arrays, crew, number, start, goal)
        if code == HEAP_FULL:
            return k
        report(crew, number, expanded)
        if arrays.window > 0.0:
            n = _cut(arrays, n, start)
        follow(crew, number, arrays.path, n)
    return numbers.size


planned_by(ThesisArrays, _plan_routes)


@inner
def _find_path(arrays, crew, number, start, goal):
    """Write the path of an agent to `arrays.path`; the outcome, its length, and the number of expansions."""
    sight = Sight(
        graph=arrays.lanes.graph,
        occupant=crew.occupant,
        cells=arrays.own[number] if arrays.local > 0.0 else arrays.lanes.cells,
        eye=start,
        goal=goal,
        radius=arrays.radius,
        quarter=arrays.quarter,
        half=arrays.half,
        window=arrays.window,
    )
    regions, space = arrays.regions, arrays.space
    if regions.first.size == 0:
        code, _ = find(
            space,
            sight,
            start=start,
            goal=goal,
            weight=arrays.weight,
            kind=arrays.kind,
            regions=regions.of,
            aim=NOWHERE,
            centre=goal,
        )
        n = trace(space, start, goal, arrays.path, 0) if code == FOUND else 0
        return code, n, space.counts[EXPANDED]
    if regions.of[start] == NOWHERE or regions.of[goal] == NOWHERE:
        return search.NO_PATH, 0, 0
    n_trail, over_regions = path_over_regions(regions, sight.graph.stride, regions.of[start], regions.of[goal])
    if n_trail == 0:
        return search.NO_PATH, 0, over_regions
    code, n, expanded = refine(arrays, sight, start, goal, n_trail)
    return code, n, expanded + over_regions


@inner
def _step_at_random(arrays, crew, number, start):
    """Let an agent make a random legal move, which may be refused; it waits if there is none."""
    bits = arrays.lanes.graph.legal[start]
    n_moves = 0
    for k in range(8):
        n_moves += (bits >> k) & 1
    if n_moves == 0:
        wait(crew, number, 1)
        return
    chosen = random.below(arrays.luck, n_moves)
    for k in range(8):
        if (bits >> k) & 1:
            if chosen == 0:
                arrays.path[0] = start + arrays.lanes.graph.offsets[k]
                break
            chosen -= 1
    give_route(crew, number, arrays.path, 1)


@inner
def _catch_up(arrays, log):
    """Learn from the rows of the log since the last planning; each agent looks around before it acts."""
    for row_number in range(arrays.counts[N_READ], log.size):
        row = log[row_number]
        agent, cell, kind = row["agent"], row["cell"], row["kind"]
        if arrays.local > 0.0 and kind in (MOVE, REFUSED):
            _look_around(arrays, agent, arrays.here[agent])
        if kind == MOVE:
            directions.learn(arrays.lanes, arrays.here[agent], cell, 1.0, row["time"])
            arrays.here[agent] = cell
        elif kind == JOIN:
            arrays.here[agent] = cell
        elif kind == BLOCK:
            directions.forget(arrays.lanes.cells, cell)
    arrays.counts[N_READ] = log.size


@inner
def _look_around(arrays, agent, cell):
    """Copy the vectors near an agent's cell."""
    graph, shared, own = arrays.lanes.graph, arrays.lanes.cells, arrays.own[agent]
    far = int(arrays.local)
    row, column = cell // graph.stride, cell % graph.stride
    for y in range(max(row - far, 1), min(row + far + 1, graph.legal.size // graph.stride)):
        for x in range(max(column - far, 1), min(column + far + 1, graph.stride)):
            other = y * graph.stride + x
            if octile(graph, cell, other) <= arrays.local:
                own[other]["x"], own[other]["y"] = shared[other]["x"], shared[other]["y"]
                own[other]["known"] = 1.0 if arrays.half else shared[other]["known"]


@inner
def _cut(arrays, n, start):
    """How much of a path lies within the window."""
    for step in range(n):
        if octile(arrays.lanes.graph, start, arrays.path[step]) > arrays.window:
            return step
    return n
