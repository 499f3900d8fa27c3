"""HCA*: cooperative A* that knows the true distances of the empty streets.

Silver, "Cooperative pathfinding", 2005, "Hierarchical Cooperative A*".

Finds    what CA* finds, with far fewer expansions where walls make the straight line a poor guide.
Keeps    the plan has no faults; every agent stays on its goal once it is there for good.
Takes    a space-time search for each agent, guided by Reverse Resumable A*, whose expansions are counted too.
Differs  as CA* does here: swaps and crossings are checked, and an agent without a way moves to the front (`retries`).
"""

from typing import Literal

from wayfolk.planners._cooperative import Cooperative
from wayfolk.problem import Problem

PAPER = "Silver 2005; Jansen 2008"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *, seed: int = 0, order: Literal["given", "longest", "random"] = "given", retries: int = 10
) -> Cooperative:
    """Plan for everyone; `seed` matters only for the order "random"."""
    return Cooperative(problem, exact=True, order=order, retries=retries, seed=seed)
