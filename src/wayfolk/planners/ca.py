"""CA*: agents plan one after another in space and time, around those before them.

Silver, "Cooperative pathfinding", 2005, "Cooperative A*".

Finds    for each agent in turn the quickest way around the ways already reserved. For one agent that is optimal; for
         several neither the plan nor finding one is guaranteed: the order decides.
Keeps    the plan has no faults; every agent stays on its goal once it is there for good.
Takes    a space-time search for each agent, guided by the distance on an empty map.
Differs  swaps and crossing diagonals are checked beside occupied cells. An agent that finds no way is put in front of
         all others and planning begins anew, up to `retries` times; 0 is the algorithm as published.
"""

from typing import Literal

from wayfolk.planners._cooperative import Cooperative
from wayfolk.problem import Problem

PAPER = "Silver 2005; Jansen 2008; Renukamurthy 2016"
OPTIMAL = False
COMPLETE = False


def begin(
    problem: Problem, *, seed: int = 0, order: Literal["given", "longest", "random"] = "given", retries: int = 10
) -> Cooperative:
    """Plan for everyone; `seed` matters only for the order "random"."""
    return Cooperative(problem, exact=False, order=order, retries=retries, seed=seed)
