"""LRA*: everybody takes the shortest path, and another one when somebody is in the way.

Zelinsky, "A mobile robot exploration algorithm", 1992; Silver, "Cooperative pathfinding", 2005, "Local Repair A*";
document 000, section 2.5.

Finds    a path for each agent on its own, with agents nearer than `radius` as walls. Nothing is promised for all of them:
         agents can block each other for ever.
Keeps    an agent looks at nobody farther away than `radius` when it plans.
Takes    one A* for each agent at the start, after each refused move and at each new goal.
Differs  an occupied goal is planned for like a free one, and the agent then waits beside it. Without a path it waits for
         the time of one step. No noise is added to the guess (Silver's agitation), as in document 000.
"""

import numpy as np

from wayfolk.controllers import Controller, View
from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crowded import CrowdedGrid, is_seen
from wayfolk.kernels.jit import kernel
from wayfolk.problem import Problem
from wayfolk.search._best_first import best_guess, ring

PAPER = "Zelinsky 1992; Silver 2005; document 000"
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
        self.reach, self.weight, self.guess = radius * radius, weight, GUESSES[best_guess(grid)]
        self.per_unit, n_lists = ring(grid, weight)
        self.memory = best_first.new_memory(grid.n_cells)
        self.queue = buckets.new_buckets(n_lists, 2 * len(grid.free_cells) + 16)
        self.path = np.empty(len(grid.free_cells), np.int32)

    def decide(self, view: View) -> None:
        """Plan for those who ask, one after another."""
        first = 0
        while first < len(view.asked):
            first = _plan(
                view.grid.graph, view.occupant, view.here, view.goals, view.asked, first, self.reach, self.weight,
                self.guess, self.per_unit, self.memory, self.queue, self.path, view.route, view.n_route,
                self.expanded, self.replans,
            )  # fmt: skip
            if first < len(view.asked):
                self.queue = buckets.grown(self.queue)


@kernel
def _plan(
    graph, occupant, here, goals, asked, first, reach, weight, kind, per_unit, memory, queue, path, route, n_route,
    expanded, replans,
):  # fmt: skip
    """Write a route for each of `asked` from number `first` on; the number at which the queue was full, or the end."""
    nobody_watches = np.empty(0, np.int32)
    room = route.shape[1]
    for k in range(first, asked.size):
        agent = asked[k]
        start, goal = here[agent], goals[agent]
        if start == goal:
            n_route[agent] = min(RESTS, room)
            route[agent, : n_route[agent]] = start
            continue
        crowd = CrowdedGrid(graph, occupant, start, reach, goal)
        best_first.seed(crowd, memory, queue, start, goal)
        code = best_first.advance(
            crowd, memory, queue, start, goal, weight, kind, per_unit, False, np.int64(1) << 60, nobody_watches
        )
        if code == QUEUE_FULL:
            return k
        expanded[agent] += memory.count[EXPANDED]
        replans[agent] += 1
        length = 0
        if code == FOUND:
            length = best_first.trace(memory, start, goal, path) - 1
            last = 1 if is_seen(crowd, goal) else 0  # do not run into whoever stands on the goal
            n_route[agent] = min(length - last, room)
            for step in range(n_route[agent]):
                route[agent, step] = path[length - 1 - step]
        if code != FOUND or n_route[agent] == 0:
            route[agent, 0] = start
            n_route[agent] = 1
    return asked.size
