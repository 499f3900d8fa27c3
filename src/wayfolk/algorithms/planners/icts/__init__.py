"""ICTS: vectors of the agents' costs, least sum first; each is tried on the diagrams of all paths with these costs.

Sharon, Stern, Goldenberg and Felner, "The increasing cost tree search for optimal multi-agent pathfinding", 2011, and
"Pruning techniques for the increasing cost tree search", 2011.

Guarantees  a plan of least sum of costs; IMPOSSIBLE if there is none, as long as memory suffices.
Invariants  the first vector of costs that has a plan has the least sum of all that have one; pruning excludes only vectors
            without a plan.
Cost        exponential in the agents of a group and in the difference between the optimum and the sum of distances: quick
            on open maps, slow where many agents must wait. Memory for the diagrams, one node for each cell
            and step of a path, and for the states of a search over all of them.
Deviations  vectors are counted through by sum, without a tree in memory, and parts of vectors that pruning excludes are
            not continued. In a diagram the agent is not on its goal one step before its cost, so that diagrams of
            different costs share no path. Enhanced pruning is computed once for two costs, and what it removes from one
            diagram because of several others is taken together; diagrams with more than four million pairs of nodes are
            left as they are. A joint search runs beside it, half of the time at most,
            until it is known that there is a plan: the tree alone would never end. An agent alone, and with
            detection = "enhanced" a group that avoids another one at the same cost, is planned by joint A* (see OD+ID).
"""

from __future__ import annotations

from typing import Annotated, Literal

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.planners._groups.detection import Detection, Groups, GroupSearch, GroupSearches
from wayfolk.algorithms.planners.icts.search import CostTree, Pruning
from wayfolk.problem.problem import Problem

PAPER = "Sharon, Stern, Goldenberg and Felner 2011; Renukamurthy 2016"
OPTIMAL = True
COMPLETE = True
WORLDS = "any"
AGENTS = 20


def begin(
    problem: Problem, *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    pruning: Annotated[
        Literal["none", "simple", "enhanced", "repeated"],
        "Pruning by pairs of agents: excludes vectors; removes nodes of diagrams too; does so until nothing changes.",
    ] = "enhanced",
    together: Annotated[int, Range(2, 6), "m of m-agent pruning: vectors are excluded by up to so many agents."] = 2,
    detection: Annotated[
        Literal["none", "simple", "enhanced"],
        "Plan for all agents together; merge groups that collide; or merge those that cannot avoid each other at no cost.",
    ] = "enhanced",
) -> IncreasingCosts:  # fmt: skip
    """A task that plans for all agents of `problem`."""
    return IncreasingCosts(problem, pruning, together, detection)


class IncreasingCosts(Groups):
    """Groups whose plans are found by increasing cost trees."""

    def __init__(self, problem: Problem, pruning: Pruning, together: int, detection: Detection) -> None:
        super().__init__(problem, detection, problem.n_agents)
        self.pruning, self.together = pruning, together

    def steps(self) -> GroupSearches:
        """Plan for all agents, or detect independent groups."""
        if self.detection == "none":
            return (yield from self.plan_together(tuple(range(self.problem.n_agents)), 0))
        return (yield from self.detect())

    def new_search(self, agents: list[int], weight: int) -> GroupSearch:
        """The tree of a group; A* for an agent alone."""
        if len(agents) == 1:
            return super().new_search(agents, weight)
        return CostTree(self.ground, agents, self.pruning, self.together)
