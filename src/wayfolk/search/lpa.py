"""LPA*: A* that keeps its tree, and mends it where edges have changed.

Koenig, Likhachev and Furcy, "Lifelong Planning A*", 2004.

Finds    a cheapest path, if there is one; and again after each change of the world.
Keeps    g, what a cell was last found to cost, and rhs, what its neighbours say; only cells where the two differ are in
         the queue, in the order of f = min(g, rhs) + h. When it ends none there has an f below the goal's cost.
Takes    the first time what A* takes; then time in proportion to the cells whose cost from the start has changed and
         matters to the path, times the logarithm of the queue.
Differs  costs are whole numbers of small units (see `kernels/units.py`), so that equal sums are equal. Ties of f: the paper
         takes the least min(g, rhs) first, which expands all cells as good as the goal; here that order is kept where it
         is needed, for values that must rise, and those that fall come deepest first. The search grows from the start:
         when the agent walks on (`move_to`), all is forgotten. D* Lite is the answer to that.
"""

from wayfolk.search._lifelong import Lifelong

PAPER = "Koenig, Likhachev and Furcy 2004"
OPTIMAL = True
COMPLETE = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> Lifelong:
    """A search from `start` to `goal` that can be told of changes."""
    return LifelongPlanning(world, start, goal, watch=watch)


class LifelongPlanning(Lifelong):
    """An LPA* search."""

    is_backward = False
