"""LRA*: everybody takes the shortest path, and another one when somebody is in the way.

Zelinsky, "A mobile robot exploration algorithm", 1992; Silver, "Cooperative pathfinding", 2005, "Local Repair A*";
Jansen, "Direction Maps", 2008, section 2.5.

Finds    a path for each agent on its own, with agents nearer than `radius` as walls. Nothing is promised for all of them:
         agents can block each other for ever.
Keeps    an agent looks at nobody farther away than `radius` when it plans.
Takes    one A* for each agent at the start, after each refused move and at each new goal.
Differs  an occupied goal is planned for like a free one, and the agent then waits beside it. Without a path it waits for
         the time of one step. No noise is added to the guess (Silver's agitation), as in Jansen's thesis.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, GridGraph
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crew import N_ASKED, note
from wayfolk.kernels.crowded import CrowdedGrid, is_seen
from wayfolk.kernels.mind import thinking
from wayfolk.problem import Problem
from wayfolk.record import THOUGHT
from wayfolk.result import NO_LIMIT
from wayfolk.search._best_first import best_guess, can_fall, lists_for

PAPER = "Zelinsky 1992; Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "radius"

RESTS = 16  # how long an agent on its goal rests before it looks around again


def begin(problem: Problem, *, seed: int = 0, radius: float = 5.0, weight: float = 1.0) -> Controller:
    """Agents that see others within `radius`; `weight` above 1 plans with weighted A*. Nothing is random."""
    if not radius >= 0:
        raise BadInput(f"radius must be 0 or more, not {radius}")
    if not 0.0 <= weight < 1e6:
        raise BadInput(f"weight must be from 0 to a million, not {weight}")
    return LocalRepair(problem, radius, weight)


class LocalRepair(Controller):
    """Everyone with a path of their own."""

    lookahead = 512

    def __init__(self, problem: Problem, radius: float, weight: float) -> None:
        super().__init__(problem.n_agents)
        grid = problem.grid
        falls = can_fall(grid, weight, best_guess(grid))
        per_unit, n_lists = lists_for(grid, weight, falls)
        n_free = len(grid.free_cells)
        self.mind = PathMind(
            grid.graph, best_first.new_memory(grid.n_cells), buckets.new_buckets(n_lists, 2 * n_free + 16),
            np.empty(grid.n_cells, np.int32), float(radius * radius), float(weight), GUESSES[best_guess(grid)],
            per_unit, falls,
        )  # fmt: skip

    def prepare(self, view: View) -> None:
        """Look at the map anew."""
        self.mind = self.mind._replace(graph=view.grid.graph)

    def decide(self, view: View) -> None:
        """Make room."""
        self.mind = self.mind._replace(queue=buckets.grown(self.mind.queue))


class PathMind(NamedTuple):
    """What it takes to plan."""

    graph: GridGraph
    memory: best_first.Memory
    queue: buckets.Buckets
    path: NDArray[np.int32]
    reach: float
    weight: float
    kind: int
    per_unit: float
    falls: bool


def _think(mind, crew, log, now):
    """Plan for those who ask, one after another; how many could be served before the queue was full."""
    memory, queue, path = mind.memory, mind.queue, mind.path
    room = crew.route.shape[1]
    n_asked = crew.counts[N_ASKED]
    for k in range(n_asked):
        number = crew.asked[k]
        agent = crew.agents[number]
        start, goal = agent["here"], agent["goal"]
        if start == goal:
            crew.route[number, :RESTS] = start
            agent["n_route"] = RESTS
            continue
        crowd = CrowdedGrid(mind.graph, crew.occupant, start, mind.reach, goal)
        best_first.seed(crowd, memory, queue, start, goal)
        code = best_first.advance(
            crowd,
            memory,
            queue,
            start,
            goal,
            mind.weight,
            mind.kind,
            mind.per_unit,
            mind.falls,
            False,
            NO_LIMIT,
            path[:0],
        )
        if code == QUEUE_FULL:
            return k
        note(log, crew.counts, now, number, THOUGHT, memory.counts[EXPANDED])
        n_route = 0
        if code == FOUND:
            length = best_first.trace(memory, start, goal, path) - 1
            # do not run into whoever stands on the goal
            n_route = min(length - 1 if is_seen(crowd, goal) else length, room)
            for step in range(n_route):
                crew.route[number, step] = path[length - 1 - step]
        if n_route == 0:
            crew.route[number, 0] = start
            n_route = 1
        agent["n_route"] = n_route
    return n_asked


thinking(PathMind, _think)
