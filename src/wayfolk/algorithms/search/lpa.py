"""LPA*: A* that keeps its search tree, and repairs it where edges have changed.

Koenig, Likhachev and Furcy, "Lifelong Planning A*", 2004.

Guarantees  a cheapest path, if there is one; and again after each change of the world.
Invariants  g is the cost of a cell when it was last expanded, rhs what follows from its neighbours now; only cells where
            the two differ are in the queue, in the order of f = min(g, rhs) + h. When it ends no cell there has an f
            below the goal's cost.
Cost        the first time that of A*; then time proportional to the cells whose cost from the start has changed and
            matters to the path, times the logarithm of the queue.
Deviations  costs are integers (see `_replanning/integer_costs.py`), so that equal sums are equal. Ties of f: the paper
            takes the least min(g, rhs) first, which expands all cells as good as the goal; here that order is kept where
            it is needed, for values that must rise, and those that fall come deepest first. The search grows from the
            start: when the agent moves on (`move_to`), it begins again. D* Lite avoids that.
"""

from typing import Annotated

from wayfolk.algorithms.search._replanning.lifelong import Lifelong
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Koenig, Likhachev and Furcy 2004"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Lifelong:
    """A search from `start` to `goal` that can be repaired when the world changes."""
    return LifelongPlanning(world, start, goal, watch=watch)


class LifelongPlanning(Lifelong):
    """An LPA* search."""

    is_backward = False
