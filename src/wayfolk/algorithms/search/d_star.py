"""D*: Dijkstra's search from the goal, whose tree is repaired where the moving agent finds the world changed.

Stentz, "Optimal and efficient path planning for partially-known environments", 1994.

Guarantees  a cheapest path from the agent's cell to the goal, if there is one; again after each change or move.
Invariants  each cell points to the next one on its path. k is the least that h, the cost of its path, has been since the
            cell entered the queue: RAISE cells (k < h) pass on higher costs, LOWER cells (k = h) lower ones. It ends when
            no k in the queue is below h of the agent.
Cost        the first time that of Dijkstra; then time proportional to the cells whose cost has changed and is below the
            agent's.
Deviations  there is no heuristic, so changes anywhere nearer to the goal than the agent are followed up: see Focussed D*.
            An edge that is gone costs infinitely much; a cell that pointed along it becomes a RAISE cell at once. Costs
            are integers (see `_replanning/integer_costs.py`).
"""

from typing import Annotated

from wayfolk.algorithms.search._replanning.raising import Raising
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Stentz 1994; Arun"
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
    return Raising(world, start, goal, heuristic="zero", watch=watch)
