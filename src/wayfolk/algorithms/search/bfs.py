"""Breadth-first search: expands nodes in order of their number of moves from the start.

Moore, "The shortest path through a maze", 1959.

Guarantees  a path with the fewest moves, if there is one; where all moves cost the same it is a cheapest one.
Invariants  nodes leave the queue in order of their number of moves; a node enters it once.
Cost        O(cells) time and memory.
Deviations  none.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.search._search import places_of
from wayfolk.algorithms.search_view import CLOSED, OPEN, SearchView
from wayfolk.algorithms.task import Task
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots, there
from wayfolk.kernels.path_costs import edge_cost
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Moore 1959; Arun"
OPTIMAL = False
COMPLETE = True
FEWEST_MOVES = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> BreadthFirst:
    """A search from `start` to `goal`."""
    return BreadthFirst(world, start, goal, watch)


class BreadthFirst(Task):
    """A breadth-first search that can be advanced."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal, self.watch = world, start, goal, watch
        self.came_from = np.full(world.n_cells, NOWHERE, np.int32)
        self.queue = np.empty(world.n_cells, np.int32)
        self.came_from[start], self.queue[0] = start, start
        self.done, self.used = 0, 1

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if not self.status.is_final:
            self.done, self.used, is_found = _flood(
                self.world.graph, self.goal, self.came_from, self.queue, self.done, self.used, budget
            )
            if is_found:
                self.status = Status.SOLVED
            elif self.done == self.used:
                self.status = Status.IMPOSSIBLE
        return self.status

    def result(self) -> Result:
        """The path, once there is one."""
        result = Result(
            self.status, self.algorithm, options=dict(self.options), counters=Counters(self.done, self.used)
        )
        if self.status is Status.SOLVED:
            cells = np.empty(self.used, np.int32)
            n, result.cost = _trace(self.world.graph, self.start, self.goal, self.came_from, cells)
            result.path = places_of(self.world, cells[:n][::-1])
        if self.watch:
            result.events = self.queue[: self.done].copy()
        return result

    def search_view(self) -> SearchView:
        """Open and closed cells."""
        state = np.zeros(self.world.n_cells, np.uint8)
        state[self.queue[: self.used]] = OPEN
        state[self.queue[: self.done]] = CLOSED
        return SearchView(self.queue[: self.done], state, parent=self.came_from)


@kernel
def _flood(graph, goal, came_from, queue, done, used, budget):
    """Write the search tree to `came_from`; how much of the queue is done and used, and whether `goal` is next."""
    stop = done + budget
    while done < used:
        cell = queue[done]
        if cell == goal:
            return done, used, True
        if done >= stop:
            break
        done += 1
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other != NOWHERE and came_from[other] == NOWHERE:
                came_from[other] = cell
                queue[used] = other
                used += 1
    return done, used, False


@kernel
def _trace(graph, start, goal, came_from, cells):
    """Write the path backwards to `cells`; its length and cost."""
    cells[0] = goal
    n, total = 1, 0.0
    while cells[n - 1] != start:
        before = came_from[cells[n - 1]]
        total += edge_cost(graph, before, cells[n - 1])
        cells[n] = before
        n += 1
    return n, total
