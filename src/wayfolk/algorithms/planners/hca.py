"""HCA*: cooperative A* whose heuristic is the true distance to the goal on the map without agents.

Silver, "Cooperative pathfinding", 2005, "Hierarchical Cooperative A*".

Guarantees  as CA*, with far fewer expansions where walls make the straight-line distance a poor heuristic.
Invariants  the plan has no faults; every agent stays on its goal once it is there for good.
Cost        a space-time search for each agent, guided by Reverse Resumable A*, whose expansions are counted too. 16 bytes
            for each agent and cell (or node of another world) that is visited, in a store with a limit.
Deviations  as CA*: swaps and crossings, or all places that moves occupy, are checked, and an agent without a path moves to
            the front (`retries`).
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cooperative import Cooperative
from wayfolk.problem.problem import Problem

PAPER = "Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False
WORLDS = "any"


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, for the order \"random\"."] = 0,
    order: Annotated[Literal["given", "longest", "random"], "Who plans first: as given, longest way, random."] = "given",
    retries: Annotated[int, Range(0, 1_000_000), "How often planning may begin anew when an agent finds no path."] = 10,
) -> Cooperative:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return Cooperative(problem, exact=True, order=order, retries=retries, seed=seed)
