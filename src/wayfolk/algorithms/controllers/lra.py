"""LRA*: each agent follows its shortest path, and plans another one when an agent is in the way.

Zelinsky, "A mobile robot exploration algorithm", 1992; Silver, "Cooperative pathfinding", 2005, "Local Repair A*";
Jansen, "Direction Maps", 2008, section 2.5.

Guarantees  a path for each agent on its own, with agents nearer than `radius` as walls. Nothing is guaranteed for all of
            them: agents can block each other for ever.
Invariants  an agent that plans looks at no agent farther away than `radius`. Nothing is remembered: what an agent plans
            depends on the map, the agents near it and its goal alone.
Cost        one A* for each agent at the start, after each refused move and at each new goal; after an event one for each
            agent that it is about, or whose route leads through a new wall.
Deviations  an occupied goal is planned for like a free one, and the agent then waits beside it. Without a path it waits for
            the time of one step. No noise is added to the heuristic (Silver's agitation), as in Jansen 2008. The agents
            of Jansen's simulator are `jansen_direction_map` with a `w_max` of 0.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._agents_as_walls import AgentWallGrid, is_seen
from wayfolk.algorithms.controllers._alone import find_route, follow, rests_on_goal
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import best_heuristic, can_fall, lists_for
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FULL
from wayfolk.kernels.crew import asked, report
from wayfolk.kernels.graph import HEURISTICS, GridGraph
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.problem.problem import Problem

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Zelinsky 1992; Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"
MODELS = ("steps", "distance", "turns")


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    radius: Annotated[float, Range(0, None), "How far an agent sees others, which are walls to it."] = 5.0,
    weight: Annotated[float, Range(0, 1000000.0, "high"), "Weight of the heuristic; above 1 it is weighted A*."] = 1.0,
) -> Controller:
    """A controller that plans an A* path for each agent of `problem` by itself."""
    return LocalRepair(problem, radius, weight)


class LocalRepair(Controller):
    """Each agent with a path of its own."""

    lookahead = 512

    def __init__(self, problem: Problem, radius: float, weight: float) -> None:
        super().__init__(problem.n_agents)
        grid = problem.grid
        falls = can_fall(grid, weight, best_heuristic(grid))
        per_unit, n_lists = lists_for(grid, weight, falls)
        n_free = len(grid.free_cells)
        self.arrays = PathArrays(
            graph=grid.graph,
            memory=best_first.new_memory(grid.n_cells),
            queue=buckets.new_buckets(n_lists, 2 * n_free + 16),
            path=np.empty(grid.n_cells, np.int32),
            is_paused=np.zeros(1, np.bool_),
            reach=float(radius * radius),
            weight=float(weight),
            kind=HEURISTICS[best_heuristic(grid)],
            per_unit=per_unit,
            falls=falls,
        )

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known."""
        self.arrays = self.arrays._replace(graph=view.grid.graph)

    def update(self, view: View, change: Change) -> None:
        """Plan on the changed map; nothing else is kept."""
        if change.cells.size:
            self.prepare(view)

    def remember(self, memory: "Memory") -> None:
        """Nothing is remembered: all plans are routes."""

    def make_room(self, view: View) -> None:
        """Enlarge the queue of the search, unless planning has only paused."""
        if not self.arrays.is_paused[0]:
            self.arrays = self.arrays._replace(queue=buckets.grown(self.arrays.queue))


class PathArrays(NamedTuple):
    """The map, and what a search needs (see `find_route`)."""

    graph: GridGraph
    memory: best_first.SearchMemory
    queue: buckets.Buckets
    path: NDArray[np.int32]
    is_paused: NDArray[np.bool_]
    reach: float
    weight: float
    kind: int
    per_unit: float
    falls: bool


def _plan_routes(arrays, crew, log, now):
    """Plan for one asked agent after another; how many have a route before it pauses or the queue is full."""
    numbers = asked(crew)
    spent = 0
    arrays.is_paused[0] = False
    for k in range(numbers.size):
        number = numbers[k]
        if rests_on_goal(crew, number):
            continue
        if spent >= SLICE:
            arrays.is_paused[0] = True
            return k
        start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
        crowd = AgentWallGrid(arrays.graph, crew.occupant, start, arrays.reach, goal)
        code, n = find_route(arrays, crowd, start, goal)
        if code == FULL:
            return k
        report(crew, number, arrays.memory.counts[EXPANDED])
        spent += arrays.memory.counts[EXPANDED]
        if n > 0 and is_seen(crowd, goal):
            n -= 1  # do not run into the agent that stands on the goal
        follow(crew, number, arrays.path, n)
    return numbers.size


planned_by(PathArrays, _plan_routes)
