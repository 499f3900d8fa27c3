"""RWT (reconstruction): agents that would queue before a narrow passage are split over the other ways round.

Saeidianmanesh, "Group pathfinding using group division", 2015, as described in Renukamurthy, "Improving spatially
distributed multiagent pathfinding using Cooperative JPS", 2016, section 2.2.1 and figure 11.

Guarantees  for each agent, in the order in which they plan, the route with the earliest expected arrival: the time of its
            moves and of its queues in passages behind those who have planned before. Nothing is guaranteed for all agents.
Invariants  into one cell of a passage at most one agent is expected in a step. So a longer way is taken as soon as the
            queue takes longer, and of twenty agents before two equal passages ten go through each. In the `steps` time
            model no move is refused as long as every agent finds a way.
Cost        one A* over the map for each agent and goal, at most `expansions` nodes in a step: an agent without a route
            waits. A window of WHCA* every half window, in a band around the route. Memory for the cells of all routes.
            After an edit of the map, passages are found anew, in time proportional to the cells; agents whose routes are
            cut plan new ones at once, and if cells were freed all others do, with 64 nodes for each agent and step.
Deviations  only the idea is known. A passage is any cell with at most `narrow` cells between the walls in its row or
            column; an obstacle of at most `narrow` cells is not a wall. Agents are assigned one by one, first who is
            nearest to a passage. Agents that go the opposite way count like the others. A cell of a passage in which an
            agent rests on its goal counts as a wait of 16 steps. Agents move by windows of WHCA* along their routes, before
            passages not more than a cell beside them. Who is in a passage plans first, then who is expected in one earlier.
            One that does not get on looks farther each time, and plans another route after every fourth time.
"""

from typing import Annotated

from wayfolk.algorithms.controllers import Controller
from wayfolk.algorithms.controllers.rwt.controller import Splitting
from wayfolk.algorithms.options import Range
from wayfolk.problem.problem import Problem

PAPER = "Saeidianmanesh 2015 (reconstruction)"
OPTIMAL = False
COMPLETE = False
SEES = "all"


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed. Nothing here is random."] = 0,
    window: Annotated[int, Range(2, 1000), "Steps ahead that agents reserve; after half of them they plan again."] = 16,
    narrow: Annotated[
        int, Range(0, 254), "Passages are at most so many cells wide; with 0, nobody expects to wait."
    ] = 4,
    expansions: Annotated[
        int, Range(1, 4_000_000), "Nodes that the searches of all agents together for new routes expand in a step."
    ] = 262_144,
) -> Controller:
    """A controller that spreads the agents of `problem` over passages by their expected waiting times."""
    return Splitting(problem, window, narrow, expansions)
