"""OD+ID: agents plan alone; groups of agents that collide avoid each other at no cost, or are merged and planned by OD.

Standley, "Finding optimal solutions to cooperative pathfinding problems", 2010, "Independence detection".

Guarantees  a plan of least sum of costs; IMPOSSIBLE if there is none, as long as memory suffices.
Invariants  every group's plan is one of least cost for the group alone; in the result no two groups collide.
Cost        exponential in the size of the largest group only. Memory as OD, for one group at a time.
Deviations  as OD. Of plans of the same cost, searches prefer one that collides less with the present paths of others; when
            two others are in one cell at one step, one of them is counted.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._groups.detection import Groups
from wayfolk.problem.problem import Problem

PAPER = "Standley 2010; Renukamurthy 2016"
OPTIMAL = True
COMPLETE = True
WORLDS = "any"
AGENTS = 20


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    detection: Annotated[
        Literal["simple", "enhanced"], "Merge groups that collide at once, or after they tried to avoid each other."
    ] = "enhanced",
) -> Groups:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return Groups(problem, detection, problem.n_agents)
