"""Breadth-first search: the nearest cells first, in rings.

Moore, "The shortest path through a maze", 1959.

Finds    a path with the fewest moves, if there is one; where all moves cost the same it is a cheapest one.
Keeps    cells leave the queue in order of their number of moves; a cell enters it once.
Takes    O(cells) time and memory.
Differs  nothing.
"""

from __future__ import annotations

import numpy as np

from wayfolk.graph import NOWHERE, Graph, cost, slots, there
from wayfolk.grid import Grid
from wayfolk.kernels.jit import kernel
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._search import places_of
from wayfolk.task import Task

PAPER = "Moore 1959; Arun"
OPTIMAL = False
COMPLETE = True
FEWEST_MOVES = True


def begin(world, start: int, goal: int, *, watch: bool = False) -> BreadthFirst:
    """A search from `start` to `goal`."""
    return BreadthFirst(world, start, goal, watch)


class BreadthFirst(Task):
    """A breadth-first search under way."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, watch: bool) -> None:
        self.world, self.start, self.goal, self.watch = world, start, goal, watch
        self.came_from = np.full(world.n_cells, NOWHERE, np.int32)
        self.queue = np.empty(world.n_cells, np.int32)
        self.came_from[start], self.queue[0] = start, start
        self.done, self.used = 0, 1

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` cells."""
        if not self.status.is_final:
            self.done, self.used, found = _flood(
                self.world.graph, self.goal, self.came_from, self.queue, self.done, self.used, budget
            )
            if found:
                self.status = Status.SOLVED
            elif self.done == self.used:
                self.status = Status.IMPOSSIBLE
        return self.status

    def result(self) -> Result:
        """The path, once there is one."""
        made = Result(self.status, "", counters=Counters(self.done, self.used))
        if self.status is Status.SOLVED:
            cells = np.empty(self.used, np.int32)
            n, made.cost = _trace(self.world.graph, self.start, self.goal, self.came_from, cells)
            made.path = places_of(self.world, cells[:n][::-1])
        if self.watch:
            made.events = self.queue[: self.done].copy()
        return made


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
        cheapest = np.inf
        for k in range(slots(graph, before)):
            if there(graph, before, k) == cells[n - 1]:
                cheapest = min(cheapest, cost(graph, before, k))
        total += cheapest
        cells[n] = before
        n += 1
    return n, total
