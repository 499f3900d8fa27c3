"""Theta*: A* whose paths leave the grid: a cell's parent is any cell it can be reached from in a straight line.

Daniel, Nash, Koenig and Felner, "Theta*: any-angle path planning on grids", JAIR 39, 2010; Arun 4.0.8.

Finds    a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
         the grid, seldom longer than the best there is, but not proved to be that.
Keeps    a closed cell's parent sees it, and its g is at most the cost of the best path along the grid to it.
Takes    as many expansions as A* or somewhat more, and a look along a line for each cell that is reached by a better
         way: time in proportion to lines times their length.
Differs  agents stand in the middle of cells, in the paper on their corners: see `kernels/line_of_sight.py` for what
         is in sight. A line is looked along only if it would improve the path, which changes no path.

Why it is never longer than along the grid: let the best way along the grid to a cell t that is about to be closed have
s as its first cell that is not closed. The cell before s was closed with a g that is right or better, so g(s) is too
(path 1 offers that step, path 2 is shorter). If t comes first although s lies on its way, f(t) <= f(s); and h falls no
faster than a path grows, so g(t) is at most what that way costs.
"""

from __future__ import annotations

import math

from wayfolk.graph import NOWHERE, there
from wayfolk.grid import DX, DY
from wayfolk.kernels import any_angle
from wayfolk.kernels.any_angle import CLOSED, EXPANDED, OPEN, READY, SIGHTS, STAMP
from wayfolk.kernels.best_first import FOUND
from wayfolk.kernels.jit import kernel
from wayfolk.kernels.line_of_sight import sees
from wayfolk.search._any_angle import AnyAngle

PAPER = "Daniel, Nash, Koenig and Felner 2010; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


def begin(world, start: int, goal: int, *, watch: bool = False) -> AnyAngle:
    """A search from `start` to `goal`."""
    return AnyAngle(world, start, goal, _search, watch=watch)


@kernel
def _search(graph, memory, start, goal, budget, events, is_new, path):
    """Expand up to `budget` cells; the outcome, and how many cells the path has."""
    cells, count, rows, stride = memory.cells, memory.counts, memory.rows, graph.stride
    legal = graph.legal
    if is_new:
        any_angle.seed(memory, start, any_angle.straight(stride, start, goal))
    goal_y = goal // stride
    goal_x = goal - goal_y * stride
    stop = count[EXPANDED] + budget
    while True:
        outcome, cell, _ = any_angle.take(cells, count, rows, goal, stop, events)
        if outcome == FOUND:
            return outcome, any_angle.trace(memory, start, goal, path)
        if outcome != READY:
            return outcome, 0
        here, parent = cells[cell]["g"], cells[cell]["parent"]
        before = cells[parent]["g"]
        y, parent_y = cell // stride, parent // stride
        x, parent_x = cell - y * stride, parent - parent_y * stride
        for k in range(8):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == count[STAMP] + CLOSED:
                continue
            known = cells[other]["g"] if cells[other]["mark"] >= count[STAMP] else math.inf
            wide, tall = x + DX[k] - parent_x, y + DY[k] - parent_y
            reached, source = before + math.sqrt(wide * wide + tall * tall), parent  # path 2
            if reached >= known:
                continue
            count[SIGHTS] += 1
            if not sees(legal, stride, parent, other):
                reached, source = here + math.sqrt(DX[k] * DX[k] + DY[k] * DY[k]), cell  # path 1
            if reached < known:
                wide, tall = x + DX[k] - goal_x, y + DY[k] - goal_y
                any_angle.enter(cells, count, rows, other, reached, source, math.sqrt(wide * wide + tall * tall), OPEN)
