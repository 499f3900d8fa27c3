"""MGS: independence detection with a maximum group size; larger groups are not made if one can plan around the others.

Standley and Korf, "Complete algorithms for cooperative pathfinding problems", 2011, "Maximum group size".

Guarantees  a plan if there is one; IMPOSSIBLE if there is none, as long as memory suffices. The plan is optimal if no two
            groups that collide are too large to merge; `bound` says what is proven.
Invariants  as OD+ID, and: a group that plans around all others collides with none of them.
Cost        that of OD+ID for groups of up to `size` agents. If two groups can neither merge nor plan around the others,
            they are merged after all, and planned with weights of h of 1, 2 and 4 in turn; the last of these searches is
            quick, but without a bound on memory.
Deviations  the paper's own rules for groups that are too large were not at hand. Here the first, then the second of two
            groups plans around all others at any cost. Two groups do so once. Searches that may be too long give up
            after 50,000 expansions.
"""

from typing import Annotated

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._groups.detection import Groups
from wayfolk.problem.problem import Problem

PAPER = "Standley and Korf 2011; Renukamurthy 2016"
OPTIMAL = False
COMPLETE = True
WORLDS = "any"
AGENTS = 40


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    size: Annotated[int, Range(1, 1000), "The most agents in a group that is planned optimally."] = 2,
) -> Groups:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return Groups(problem, "enhanced", size)
