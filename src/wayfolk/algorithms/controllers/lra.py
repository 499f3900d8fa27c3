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
            the time of one step. In a world without positions an agent sees all others. No noise is added to the heuristic
            (Silver's agitation), as in Jansen 2008. The agents of Jansen's simulator are `jansen_direction_map` with a
            `w_max` of 0.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._agents_as_walls import AgentWallGrid, AgentWallNodes, is_held, is_seen
from wayfolk.algorithms.controllers._alone import find_route, follow, rests_on_goal
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import best_heuristic, can_fall, lists_for
from wayfolk.compile.jit import specialise, spliced
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FULL
from wayfolk.kernels.crew import Crew, StateCrew, asked, report
from wayfolk.kernels.graph import HEURISTICS, CsrGraph, GridGraph
from wayfolk.kernels.planning import SLICE, planned_by
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory
    from wayfolk.world.state_graph import StateGraph

PAPER = "Zelinsky 1992; Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"
MODELS = ("steps", "distance", "turns")
WORLDS = "any"


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
        self.radius, self.weight = radius, weight
        self.arrays = self._arrays(problem.states)

    def _arrays(self, states: "Grid | StateGraph") -> "PathArrays":
        """The arrays for searches on `states`."""
        falls = can_fall(states, self.weight, best_heuristic(states))
        per_unit, n_lists = lists_for(states, self.weight, falls)
        return PathArrays(
            graph=states.graph,
            memory=best_first.new_memory(states.n_cells),
            queue=buckets.new_buckets(n_lists, 2 * len(states.free_cells) + 16),
            path=np.empty(states.n_cells, np.int32),
            is_paused=np.zeros(1, np.bool_),
            reach=float(self.radius * self.radius),
            weight=float(self.weight),
            kind=HEURISTICS[best_heuristic(states)],
            per_unit=per_unit,
            falls=falls,
        )

    def prepare(self, view: View) -> None:
        """Plan on the map as it is known."""
        if isinstance(view.states, Grid):
            self.arrays = self.arrays._replace(graph=view.states.graph)
        else:  # moves with other costs may have come
            self.arrays = self._arrays(view.states)

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

    graph: GridGraph | CsrGraph
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
        code, n = find_path(crew, arrays, number)
        if code == FULL:
            return k
        report(crew, number, arrays.memory.counts[EXPANDED])
        spent += arrays.memory.counts[EXPANDED]
        follow(crew, number, arrays.path, n)
    return numbers.size


planned_by(PathArrays, _plan_routes)

_FIND_PATH: dict[type, Callable[..., Any]] = {}


def find_path(crew: Any, arrays: Any, number: Any) -> Any:
    """The outcome of the search for agent `number`, and how many cells were written to `arrays.path`.

    The path ends before the goal if another agent stands there within sight: it does not run into that one.
    """
    return _FIND_PATH[type(crew)](crew, arrays, number)


specialise(find_path, _FIND_PATH, spliced)


def _find_cells(crew, arrays, number):  # type: ignore[no-untyped-def]
    start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
    crowd = AgentWallGrid(arrays.graph, crew.occupant, start, arrays.reach, goal)
    code, n = find_route(arrays, crowd, start, goal)
    return code, n - 1 if n > 0 and is_seen(crowd, goal) else n


def _find_nodes(crew, arrays, number):  # type: ignore[no-untyped-def]
    start, goal = crew.agents[number]["here"], crew.agents[number]["goal"]
    crowd = AgentWallNodes(arrays.graph, crew.occupancy, crew.stand, crew.occupant, number, start, arrays.reach, goal)
    code, n = find_route(arrays, crowd, start, goal)
    if n == 0:
        return code, n
    if is_held(crowd, goal):
        return code, n - 1
    before = arrays.path[n - 2] if n > 1 else start  # the search took all nodes of the goal's cell for one
    for edge in range(crew.occupancy.first[before], crew.occupancy.first[before + 1]):
        if crew.stand[crew.occupancy.target[edge]] == goal:
            arrays.path[n - 1] = crew.occupancy.target[edge]
    return code, n


_FIND_PATH[Crew], _FIND_PATH[StateCrew] = _find_cells, _find_nodes
