"""LaCAM: a depth-first search over the configurations of all agents, whose successors PIBT generates one at a time.

Okumura, "LaCAM: search-based algorithm for quick multi-agent pathfinding", 2023; "Improving LaCAM for scalable eventually
optimal multi-agent pathfinding", 2023; "Engineering LaCAM*: towards real-time, large-scale, and near-optimal multi-agent
pathfinding", 2024.

Guarantees  a plan if there is one, and IMPOSSIBLE otherwise, given enough time and memory. Then the plan becomes better
            until the deadline. If the search ends before, the sum of loss (or the makespan) is the least there is, and
            the result's `bound` is 1. The sum of loss counts, for each step, the agents that do not stay on their goals.
Invariants  the cost of the best plan never rises. The cost of a node is that of the path along its parents. Plans have no
            faults.
Cost        a visit of a node takes O(agents), 0.1 ms for 1,000 agents. Distance fields, computed first, on all cores: 2
            bytes for each agent and free cell. 8 bytes for each agent and node; up to 512 MB of nodes after the first plan.
            An expansion is a visit of a node, a distance field, or a path that guides PIBT.
Deviations  - Where the search for the first plan comes no nearer to the goals, Push and Rotate plans the rest from the
              nearest configuration.
            - After the first plan, paths through little traffic guide PIBT (Chen et al., "Traffic flow optimisation for
              lifelong multi-agent path finding", 2024), and then scattered paths as in LaCAM3. A collision of two
              scattered paths costs three steps, and their margin is smaller.
            - Instead of using LaCAM3's refiners, the task searches the rest of the best plan after a random step again,
              depth-first: with the same guidance or with new paths from there, whichever has gained more lately.
            - With more than 3,000 agents there are no scattered paths, and all agents plan new paths every 40 steps of a
              dive.
            - Among equally near spots, PIBT prefers empty ones to those of agents on their way, and these to those of
              agents on their goals.
            - An agent steps around one that rests on its goal, even if that takes two more steps, unless there are more
              than 4 agents for 10 free cells.
            - Diagonals that cross are collisions.
            - In other worlds and for other bodies than points on a square grid, a move pushes all agents in its way, and
              large ones step aside. There is no guidance, only points swap and step around others, and Push and Rotate
              helps where it can plan.
"""

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners.lacam.task import Lacam
from wayfolk.problem.problem import Problem

PAPER = "Okumura 2023, 2024"
OPTIMAL = False
COMPLETE = True
ANYTIME = True
WORLDS = "any"


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed that decides between equally good cells."] = 0,
    margin: Annotated[int, Range(0, 100), "By how many steps a scattered path may exceed a shortest one."] = 4,
    tries: Annotated[
        int, Range(1, 100), "Configurations of which the best becomes the successor, after the first plan."
    ] = 1,
    objective: Annotated[Literal["sum_of_loss", "makespan"], "What is minimised."] = "sum_of_loss",
) -> Lacam:
    """A task that plans for all agents of `problem`, and then improves the plan."""
    return Lacam(problem, seed, objective == "makespan", margin, tries)
