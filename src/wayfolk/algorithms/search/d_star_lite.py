"""D* Lite: LPA* from the goal, which repairs the path of an agent that moves and sees changes.

Koenig and Likhachev, "D* Lite", 2002 (the optimized version, figure 4).

Guarantees  a cheapest path from the agent's cell to the goal, if there is one; again after each change or move.
Invariants  as LPA*, with the search growing from the goal. Keys in the queue are never above their present value: the
            queue is not sorted when the agent moves; instead km is added to new keys, the heuristic between the places
            where the agent was and is.
Cost        the first time that of A* backwards; then time proportional to the cells whose cost to the goal has changed
            and matters to the path. Changes near the agent are near the end of the search, and cheap.
Deviations  as LPA* in its numbers and in the order of ties. km grows only when edges have changed, as in the paper, or
            when the agent has left its path.
"""

from typing import Annotated

from wayfolk.algorithms.search._replanning.lifelong import Lifelong
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Koenig and Likhachev 2002; Arun"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Lifelong:
    """A search from `start` to `goal` that can be repaired when the world changes or the agent moves."""
    return Lifelong(world, start, goal, watch=watch)
