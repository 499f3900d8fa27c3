"""Auto: a first plan by LaCAM, better ones by large neighbourhood search, and a proof by CBS where one is within reach.

The default planner of Wayfolk, published nowhere. Its parts are: Okumura, "Engineering LaCAM*", 2024; Li et al., "Anytime
multi-agent path finding via large neighborhood search", 2021; Sharon et al., "Conflict-based search for optimal multi-agent
pathfinding", 2015.

Guarantees  a plan, if there is one, and IMPOSSIBLE otherwise, given enough time and memory. The plan gets better until the
            deadline; its `bound` is 1.0 if it is proved to be optimal in the sum of costs.
Invariants  the sum of costs never rises, and is never above that of the best plan of any part.
Cost        that of its parts. Two of them work at the same time, in threads, and share the distances to all goals.
Deviations  detours and needless waits are taken out of plans of LaCAM for points, which keeps the order in which cells are
            visited. Parts that do not work in a world, or for a kind of body, are left out.
"""

from __future__ import annotations

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners.auto.portfolio import Portfolio
from wayfolk.problem.problem import Problem

PAPER = "Okumura 2024; Li et al. 2021; Sharon et al. 2015"
OPTIMAL = False
COMPLETE = True
WORLDS = "any"
ANYTIME = True


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of all parts."] = 0,
    few: Annotated[int, Range(0, 1000), "With so many agents or fewer, CBS tries to prove the optimum."] = 60,
) -> Portfolio:
    """A task that plans for all agents of `problem`, and then improves the plan."""
    return Portfolio(problem, seed, few)
