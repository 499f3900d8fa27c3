"""Dijkstra: expands nodes in order of their cost from the start.

Dijkstra, "A note on two problems in connexion with graphs", 1959.

Guarantees  a cheapest path, if there is one. `wayfolk.distances` returns the costs of all cells.
Invariants  every node that is closed when it ends and costs less than the goal has its least cost.
Cost        time and memory proportional to the nodes that cost less than the goal.
Deviations  it is A* with a heuristic of zero, as in Arun, and has the same open list.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.search._best_first import BestFirst, on_graph
from wayfolk.kernels.best_first import STAMP
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Dijkstra 1959; Arun; Renukamurthy 2016"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> BestFirst:
    """A search from `start` to `goal`."""
    return BestFirst(world, start, goal, on_graph(world, 0.0, "zero"), watch, bound=1.0)


class OneToAll(BestFirst):
    """A search without a goal, which ends when every cell is closed; `costs` then has the least cost to each."""

    def __init__(self, world: Grid | Graph, start: int) -> None:
        super().__init__(world, start, int(NOWHERE), on_graph(world, 0.0, "zero"), watch=False)

    def release(self) -> None:
        """Take the costs out of the arrays before they are left to the next search."""
        cells = self.memory.cells
        self.costs = np.where(cells["mark"] >= self.memory.counts[STAMP], cells["g"], np.inf)
        super().release()
