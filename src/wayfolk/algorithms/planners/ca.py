"""CA*: agents plan one after another in space and time, each around the reservations of those before it.

Silver, "Cooperative pathfinding", 2005, "Cooperative A*".

Guarantees  each agent in turn gets the quickest path around those already reserved. For one agent that is optimal; for
            several neither the plan is, nor is one always found: it depends on the order.
Invariants  the plan has no faults; every agent stays on its goal once it is there for good.
Cost        a space-time search for each agent, guided by the distance on an empty map; in other worlds than square grids
            by the straight distance, divided by what the longest moves cover.
Deviations  swaps and crossing diagonals are checked, not only occupied cells; in other worlds, and for other bodies than
            points, all places that moves and waits occupy. An agent that finds no path is put in front of all others and
            planning begins anew, up to `retries` times; 0 is the algorithm as published.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._cooperative import Cooperative
from wayfolk.problem.problem import Problem

PAPER = "Silver 2005; Jansen 2008; Renukamurthy 2016"
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
    return Cooperative(problem, exact=False, order=order, retries=retries, seed=seed)
