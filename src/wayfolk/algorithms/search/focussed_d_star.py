"""Focussed D*: D* with a heuristic, so that only changes that may matter to the agent are passed on.

Stentz, "The focussed D* algorithm for real-time replanning", 1995.

Guarantees  a cheapest path from the agent's cell to the goal, if there is one; again after each change or move.
Invariants  as D*, with the queue in the order of f = k + heuristic(from the agent), ties by k. When the agent has moved,
            the queue is not sorted again: new entries have a bias added, as much as heuristics may have fallen and one
            more, so that old keys are at most too low. They are corrected when they reach the top.
Cost        the first time that of A* backwards; then time proportional to the cells whose cost has changed and whose f
            is below the cost of the agent's path.
Deviations  as D*. The paper's epsilon is 1, the smallest integer cost.
"""

from typing import Annotated

from wayfolk.algorithms.search._replanning.raising import Raising
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Stentz 1995; Arun"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Raising:
    """A search from `start` to `goal` that can be repaired when the world changes or the agent moves."""
    return Raising(world, start, goal, watch=watch)
