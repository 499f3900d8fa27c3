"""D*: Dijkstra from the goal whose tree is mended where the walking agent finds the world changed.

Stentz, "Optimal and efficient path planning for partially-known environments", 1994.

Finds    a cheapest path from where the agent is to the goal, if there is one; again after each change or move.
Keeps    each cell points to the next on its way. k is the least that h, the cost of its way, has been since the cell came
         into the queue: RAISE cells (k < h) pass bad news on, LOWER cells (k = h) good news. It ends when no k in the
         queue is below h of the agent.
Takes    the first time what Dijkstra takes; then time in proportion to the cells whose cost has changed and is below
         the agent's.
Differs  there is no guess, so changes anywhere nearer to the goal than the agent are followed up: see Focussed D*. An edge
         that is gone costs infinitely much; a cell that pointed along it becomes a RAISE cell at once. Costs are
         whole numbers of small units (see `kernels/units.py`).
"""

from wayfolk.search._raising import Raising

PAPER = "Stentz 1994; Arun"
OPTIMAL = True
COMPLETE = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> Raising:
    """A search from `start` to `goal` that can be told of changes and moves."""
    return Raising(world, start, goal, guess="zero", watch=watch)
