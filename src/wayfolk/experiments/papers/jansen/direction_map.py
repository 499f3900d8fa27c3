"""Direction maps as Jansen's simulator had them: agents learn in which direction others move, and going against it costs.

Jansen, "Multi-agent pathfinding with direction maps", 2008, chapters 3 and 4; the simulator is HOG2.

An agent without moves left plans, and walks its path until a move is refused. If its goal is one of the eight cells around
it and occupied, it makes a random legal move instead of planning. With a `w_max` of 0 it is LRA*. With the time model
`turns` the printed tables come back.

Guarantees  a path for each agent on its own, with agents nearer than `radius` as walls. None for all agents together.
Invariants  the map that agents plan with has learned every move made so far.
Cost        one A* for each agent at the start, after each refused move and at each new goal. 32 bytes for each cell; with
            `local` 32 more for each agent and cell.
Deviations  none that is known. `direction_map` is the one for users; docs/direction-maps.md says how the two differ.
"""

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._alone import follow, rests_on_goal
from wayfolk.algorithms.controllers.direction_map.planning import check_ranges
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.compile.jit import inner
from wayfolk.errors import TooLarge
from wayfolk.experiments.papers.jansen.a_star import (
    EXPANDED,
    SearchSpace,
    Sight,
    find,
    new_space,
    octile,
    trace,
)
from wayfolk.experiments.papers.jansen.regions import Regions, no_regions, path_over_regions, refine, regions_of
from wayfolk.kernels import direction_map as directions
from wayfolk.kernels import random
from wayfolk.kernels.codes import BLOCK, EXHAUSTED, FOUND, FULL, JOIN, MOVE, NOBODY, NOWHERE, REFUSED
from wayfolk.kernels.crew import asked, give_route, report, wait
from wayfolk.kernels.direction_map import LANE
from wayfolk.kernels.graph import HEURISTICS
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.kernels.rows import with_rows
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem
from wayfolk.world.direction_map import DirectionMap

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

N_READ, IS_PAUSED = range(2)  # places in `counts`: rows of the log that have been read; whether planning has paused


FAMILY = "controllers"
PAPER = "Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"
MODELS = ("steps", "distance", "turns")


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, of steps beside an occupied goal."] = 0,
    w_max: Annotated[float, Range(0, 100_000), "Largest extra cost of a move against the vectors; 0 for LRA*."] = 10.0,
    alpha: Annotated[float, Range(0, 1, open="low"), "How far a vector moves towards a new direction."] = 0.5,
    radius: Annotated[float, Range(0), "Others nearer than this octile distance are walls to an agent."] = 5.0,
    weight: Annotated[float, Range(0, 1_000_000), "The weight of the heuristic; above 1, weighted A*."] = 1.0,
    alpha_s: Annotated[float, Range(0, 1), "Learning rate of the cells around the one entered."] = 0.0,
    rule: Annotated[
        Literal["simulator", "text", "average"],
        "What learns: the cell entered (simulator), or both cells of a move (text); average: vectors of length 1.",
    ] = "simulator",
    unvisited: Annotated[
        Literal["half", "free"], "Extra cost of a cell without a vector: half of w_max, or none."
    ] = "half",
    window: Annotated[
        float, Range(0, 1000), "Vectors count, and paths go, no farther than this octile distance; 0 for everywhere."
    ] = 0.0,
    local: Annotated[
        float, Range(0, 1000), "How far an agent copies vectors before each action, to plan with; 0 for one map."
    ] = 0.0,
    sector: Annotated[int, Range(0, 128), "Cells to a side of a region, for paths on two levels; 0 for one."] = 0,
    refinement: Annotated[Literal["full", "partial"], "How much of a path over regions is refined."] = "partial",
    saved: Annotated[str, "The file of a map to begin with."] = "",
) -> Controller:
    """Return a controller of the agents of `problem`; `DirectionMap` says how they learn."""
    check_ranges(window, local, sector)
    if saved:
        learned = DirectionMap.load(saved, problem.grid, alpha, alpha_s=alpha_s, rule=rule)
    else:
        learned = DirectionMap(problem.grid, alpha, alpha_s=alpha_s, rule=rule)
    return JansenAgents(
        problem, learned, w_max=w_max, radius=radius, weight=weight, half=unvisited == "half", window=window,
        local=local, sector=sector, is_full=refinement == "full", seed=seed,
    )  # fmt: skip


class JansenAgents(Controller):
    """Gives each agent a path of its own. `map` is what all agents know, as of the last planning."""

    lookahead = 512

    def __init__(
        self, problem: Problem, learned: DirectionMap, *, w_max: float, radius: float, weight: float, half: bool,
        window: float, local: float, sector: int, is_full: bool, seed: int,
    ) -> None:  # fmt: skip
        super().__init__(problem.n_agents)
        grid, n = problem.grid, problem.n_agents
        self.map, self.sector, self.grid = learned, sector, grid
        n_copies = n if local else 0
        _check_memory(n_copies * grid.n_cells * LANE.itemsize)
        self.arrays = JansenArrays(
            lanes=learned.lanes,
            space=new_space(grid.n_cells, 4 * len(grid.free_cells) + 64),
            regions=regions_of(grid, sector) if sector else no_regions(),
            path=np.zeros(grid.n_cells + 1, np.int32),
            here=problem.starts.copy(),
            own=np.zeros((n_copies, grid.n_cells), LANE),
            luck=random.new_random(seed),
            counts=np.zeros(2, np.int64),
            radius=float(radius),
            quarter=0.25 * w_max,
            weight=float(weight),
            kind=HEURISTICS[best_heuristic(grid)],
            window=float(window),
            local=float(local),
            half=half,
            is_full=is_full,
        )

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known, for all who are there."""
        arrays, n = self.arrays, len(view.here)
        if self.sector and view.grid is not self.grid:
            arrays = arrays._replace(regions=regions_of(view.grid, self.sector))
        self.grid = view.grid
        if n > len(arrays.here):
            if len(arrays.own):
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
        memory.numbers("counts", arrays.counts[:IS_PAUSED], memory.count)
        memory.records("own", arrays.own, x=(-1.0, 1.0), y=(-1.0, 1.0), known=(0.0, 1.0), seen=memory.any)
        memory.luck("luck", arrays.luck)

    def make_room(self, view: View) -> None:
        """Enlarge the open list of the search, unless planning has only paused."""
        if not self.arrays.counts[IS_PAUSED]:
            space = self.arrays.space
            self.arrays = self.arrays._replace(space=space._replace(heap=with_rows(space.heap, 2 * len(space.heap))))

    def first_row(self) -> int | None:
        """The first row that the map has not learned from; without directions it learns nothing."""
        return int(self.arrays.counts[N_READ]) if self.arrays.quarter > 0.0 else None

    def forget_rows(self, n_rows: int) -> None:
        """Count rows from the first that is left."""
        self.arrays.counts[N_READ] = max(0, self.arrays.counts[N_READ] - n_rows)


def _check_memory(n_bytes: int) -> None:
    if n_bytes > available_bytes():
        raise TooLarge(f"own copies of the direction map need {n_bytes:,} bytes, more than there are")


class JansenArrays(NamedTuple):
    """The arrays to learn a map and to plan with it; `own[agent]` are an agent's copies of vectors, if it has any."""

    lanes: directions.Lanes
    space: SearchSpace
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
    """Plan for one asked agent after another; how many have a route before it pauses or there is no more room."""
    numbers, spent = asked(crew), 0
    arrays.counts[IS_PAUSED] = 0
    if arrays.quarter > 0.0:
        _catch_up(arrays, log)
    for k in range(numbers.size):
        number = numbers[k]
        if rests_on_goal(crew, number):
            continue
        if spent >= SLICE:
            arrays.counts[IS_PAUSED] = 1
            return k
        start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
        if arrays.local > 0.0:
            _look_around(arrays, number, start)
        if crew.occupant[goal] != NOBODY and octile(arrays.lanes.graph, start, goal) < 2.0:
            _step_at_random(arrays, crew, number, start)
            continue
        code, n, expanded = _find_path(arrays, crew, number, start, goal)
        if code == FULL:
            return k
        report(crew, number, expanded)
        spent += expanded
        if arrays.window > 0.0:
            n = _cut(arrays, n, start)
        follow(crew, number, arrays.path, n)
    return numbers.size


planned_by(JansenArrays, _plan_routes)


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
        return EXHAUSTED, 0, 0
    n_trail, over_regions = path_over_regions(regions, sight.graph.stride, regions.of[start], regions.of[goal])
    if n_trail == 0:
        return EXHAUSTED, 0, over_regions
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
