"""Focussed D*: D* with a guess, so that only news that may matter to the agent are passed on.

Stentz, "The focussed D* algorithm for real-time replanning", 1995.

Finds    a cheapest path from where the agent is to the goal, if there is one; again after each change or move.
Keeps    as D*, with the queue in the order of f = k + hope(from the agent), ties by k. When the agent has moved, the queue
         is not sorted again: new entries carry a bias, what hopes may have shrunk by and a little more, so that
         old keys are too low at most, and are set right when they come up.
Takes    the first time what A* takes backwards; then time in proportion to the cells whose cost has changed and whose f is
         below the cost of the agent's path.
Differs  as D*. The little more (epsilon in the paper) is one unit.
"""

from wayfolk.search._raising import Raising

PAPER = "Stentz 1995; Arun"
OPTIMAL = True
COMPLETE = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> Raising:
    """A search from `start` to `goal` that can be told of changes and moves."""
    return Raising(world, start, goal, watch=watch)
