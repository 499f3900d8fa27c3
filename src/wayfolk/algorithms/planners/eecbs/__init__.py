"""EECBS: conflict-based search for plans that cost at most w times the optimum, with a learned estimate of the cost.

Li, Ruml, Koenig, "EECBS: a bounded-suboptimal search for multi-agent path finding", 2021; ECBS: Barer, Sharon, Stern,
Felner, "Suboptimal variants of the conflict-based search algorithm", 2014.

Guarantees  a plan whose sum of costs is at most `w` times the least one, if there is a plan. `bound` of the result is the
            proven ratio.
Invariants  the lower bound of a node is not above the cost of any plan below it; the least lower bound of all open nodes
            never falls; each route costs at most `w` times its own lower bound.
Cost        exponential in the number of conflicts in the worst case; much less than CBS with a larger `w`. A unit of the
            budget is a route of an agent at the root, a node of the tree, or a turn of the search beside it.
Deviations  with `repair`, a large neighbourhood search takes turns with the tree. It begins with the routes of the root,
            repairs their collisions as MAPF-LNS2 does, and improves the plan. Its plan is the answer as soon as it costs at
            most `w` times the lower bound of the tree. Agents with conflicts at the root plan again around all others,
            while that leaves fewer conflicts. Focal has the nodes whose cost is within the bound, and takes turns with the
            other lists if its estimate is not. The estimate of a node is made when the node is generated, and does not
            change later; it also learns from bypasses. The distance to a plan is the number of colliding pairs of agents.
            The weights of the dependency graph are looked for up to 7. Rectangles are for four moves; corridors and targets
            are without the generalised forms. Conflicts are places that two agents hold, as in CBS; rectangles and
            corridors are for points on a grid. With up to 6 agents, or if it is not known whether there is a plan, a
            joint A* search runs beside, as in CBS.
"""

from __future__ import annotations

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cbs.search import Tricks
from wayfolk.algorithms.planners.eecbs.lists import BoundedSearch
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Moves

PAPER = "Li et al. 2021"
OPTIMAL = False
COMPLETE = True
WORLDS = "any"


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of the repairs."] = 0,
    w: Annotated[float, Range(1.0, 1000.0), "The plan costs at most this many times the optimum."] = 1.2,
    high_level: Annotated[Literal["eecbs", "ecbs"], "Order of nodes: with a learned estimate, or by conflicts."] = "eecbs",
    prioritise: Annotated[bool, "Resolve cardinal conflicts first, which make every child costlier."] = True,
    bypass: Annotated[bool, "Take over the routes of a child within the bound that has fewer conflicts."] = True,
    heuristic: Annotated[Literal["none", "cg", "dg", "wdg"], "Lower bound of what conflicts will cost."] = "wdg",
    rectangle: Annotated[bool, "Resolve conflicts in open rectangles by one split; for four moves."] = True,
    corridor: Annotated[bool, "Resolve conflicts in corridors by one split; on grids."] = True,
    target: Annotated[bool, "Resolve conflicts with parked agents by a bound on the length of their routes."] = True,
    repair: Annotated[bool, "Repair and improve the routes of the root beside the tree, by LNS."] = True,
) -> BoundedSearch:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    tricks = Tricks(
        prioritise=prioritise or heuristic == "cg",
        bypass=bypass,
        heuristic=heuristic,
        rectangle=rectangle and prioritise and problem.is_plain and problem.grid.moves is Moves.FOUR,
        corridor=corridor and problem.is_plain,
        target=target,
        disjoint=False,
    )
    return BoundedSearch(problem, tricks, w=w, learns=high_level == "eecbs", seed=seed, repairs=repair and w > 1.0)
