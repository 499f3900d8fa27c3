"""D* Lite: LPA* turned round, so that it can follow an agent that walks, sees and plans again.

Koenig and Likhachev, "D* Lite", 2002 (the optimized version, figure 4).

Finds    a cheapest path from where the agent is to the goal, if there is one; again after each change or move.
Keeps    as LPA*, with the search growing from the goal. Keys in the queue are never above their present value: instead of
         sorting the queue when the agent moves, new keys get km, the hope from where the agent was to where it is.
Takes    the first time what A* takes backwards; then time in proportion to the cells whose cost to the goal has changed
         and matters to the path. Changes near the agent are near the end of the search, and cheap.
Differs  as LPA* in its numbers and in the order of ties. km grows only when edges have changed, as in the paper, or when
         the agent is somewhere off its path.
"""

from wayfolk.search._lifelong import Lifelong

PAPER = "Koenig and Likhachev 2002; Arun"
OPTIMAL = True
COMPLETE = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> Lifelong:
    """A search from `start` to `goal` that can be told of changes and moves."""
    return Lifelong(world, start, goal, watch=watch)
