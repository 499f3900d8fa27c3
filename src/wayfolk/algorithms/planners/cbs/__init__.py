"""CBS: plans each agent alone, and resolves a conflict by forbidding it to one agent or to the other.

Sharon, Stern, Felner, Sturtevant, "Conflict-based search for optimal multi-agent pathfinding", 2015. Prioritised conflicts:
Boyarski et al., "ICBS", 2015; bypass: Boyarski et al., 2015; heuristics: Felner et al., 2018, and Li et al., "Improved
heuristics for multi-agent path finding with conflict-based search", 2019; rectangles: Li et al., 2019; corridors and
targets: Li et al., 2020; disjoint splitting: Li et al., 2019; mutex: Zhang et al., "Multi-agent path finding with mutex
propagation", 2020.

Guarantees  a plan with the least sum of costs, or the least makespan, if there is a plan; IMPOSSIBLE if there is none, as
            long as memory suffices.
Invariants  the cost of a node and its heuristic together are never above the cost of a plan below the node; the least of
            them over all open nodes never falls.
Cost        exponential in the number of conflicts. A unit of the budget is the first route of an agent, a node of the
            tree, or a turn of the joint search. A node stores its constraints and the routes that differ from its parent's,
            about 500 bytes.
Deviations  a conflict is a place that two agents hold at one time, and a child forbids it to one of them: in other worlds
            than grids, and for bodies, that excludes all nodes and moves that hold the place. On a grid moves along one
            edge and crossing diagonals are conflicts too: one agent or the other may not use its edge, or its diagonal
            either way, at that time. Rectangles, corridors and disjoint splitting are for points on a grid. Rectangles are
            for four moves, and their sides are limited to nodes of the agents' diagrams; the generalised rectangles of 2021
            are not used. Corridors are for all moves, without goals inside; the time of a way around is computed without
            constraints. The weight of a pair of agents is found by A* over their two diagrams, not by a smaller CBS;
            weights above 7 count as 8. Disjoint splitting is for conflicts in a cell of agents that are both on their way.
            Mutex reasoning is used where no conflict is cardinal, and bounds the lengths of the two routes instead of
            forbidding sets of nodes. With the makespan as objective there is no heuristic. Where it is not known whether
            there is a plan, the tree alone would never end; and few agents in a narrow place may need very many nodes. So
            if that is not known, which is so in other worlds than grids, or with up to 6 agents, a joint A* search gets a
            turn after each 32 nodes; the first of both to end answers.
"""

from __future__ import annotations

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cbs.search import ConflictSearch, Tricks
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Moves

PAPER = "Sharon et al. 2015"
OPTIMAL = True
COMPLETE = True
WORLDS = "any"
AGENTS = 20


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    prioritise: Annotated[bool, "Resolve cardinal conflicts first, which make every child costlier."] = True,
    bypass: Annotated[bool, "Take over the routes of a child that costs no more and has fewer conflicts."] = True,
    heuristic: Annotated[Literal["none", "cg", "dg", "wdg"], "Lower bound of what conflicts will cost."] = "wdg",
    rectangle: Annotated[bool, "Resolve conflicts in open rectangles by one split; for four moves."] = True,
    corridor: Annotated[bool, "Resolve conflicts in corridors by one split; on grids."] = True,
    target: Annotated[bool, "Resolve conflicts with parked agents by a bound on the length of their routes."] = True,
    mutex: Annotated[bool, "Let one of two agents take longer if they cannot both keep their costs."] = True,
    disjoint: Annotated[bool, "Split so that an agent either has a cell at a time, or avoids it; on grids."] = False,
    objective: Annotated[Literal["sum_of_costs", "makespan"], "What is least in the plan."] = "sum_of_costs",
) -> ConflictSearch:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    tricks = Tricks(
        prioritise=prioritise or heuristic == "cg",
        bypass=bypass,
        heuristic=heuristic if objective == "sum_of_costs" else "none",
        rectangle=rectangle and prioritise and problem.is_plain and problem.grid.moves is Moves.FOUR,
        corridor=corridor and problem.is_plain,
        target=target,
        disjoint=disjoint and problem.is_plain,
        mutex=mutex and objective == "sum_of_costs",
    )
    return ConflictSearch(problem, tricks, objective=objective)
