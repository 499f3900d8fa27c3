"""Dijkstra: the cheapest cells first, in all directions.

Dijkstra, "A note on two problems in connexion with graphs", 1959.

Finds    a cheapest path, if there is one. `wayfolk.distances` goes on to the costs of all cells.
Keeps    whatever is closed when it ends and costs less than the goal has its least cost.
Takes    time and memory in proportion to the cells that are cheaper to reach than the goal.
Differs  it is A* with a guess of zero, as Arun's thesis has it, and shares its open list.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.graph import NOWHERE
from wayfolk.kernels.best_first import STAMP
from wayfolk.search._best_first import BestFirst

PAPER = "Dijkstra 1959; Arun; Renukamurthy 2016"
OPTIMAL = True
COMPLETE = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> BestFirst:
    """A search from `start` to `goal`."""
    search = BestFirst(world, start, goal, weight=0.0, guess="zero", oldest_first=False, watch=watch)
    search.bound = 1.0
    return search


class OneToAll(BestFirst):
    """A search for nowhere, which ends when all is closed; `costs` then has the least cost to each cell."""

    def __init__(self, world: Any, start: int) -> None:
        super().__init__(world, start, int(NOWHERE), weight=0.0, guess="zero", oldest_first=False, watch=False)

    def release(self) -> None:
        """Take the costs out of the arrays before they are left to the next search."""
        cells = self.memory.cells
        self.costs = np.where(cells["mark"] >= self.memory.counts[STAMP], cells["g"], np.inf)
        super().release()
