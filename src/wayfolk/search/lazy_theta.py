"""Lazy Theta*: Theta* that believes it can see, and looks only when it has to go on from there.

Nash, Koenig and Tovey, "Lazy Theta*: any-angle path planning and path length analysis in 3D", AAAI 2010.

Finds    a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
         the grid, about as long as that of Theta*.
Keeps    a closed cell's parent sees it, and its g is at most the cost of the best path along the grid to it.
Takes    one look along a line for each cell that comes up, fewer than Theta* takes, and about as many expansions.
Differs  agents stand in the middle of cells. In the paper a cell that turns out to be out of its parent's sight takes
         its best closed neighbour as parent and is expanded at once, although its f has grown: a path can then be
         longer than along the grid. Here it goes back to the open list and waits for its turn.
"""

from __future__ import annotations

import math

from wayfolk.graph import NOWHERE, there
from wayfolk.grid import DX, DY
from wayfolk.kernels import any_angle, heap
from wayfolk.kernels.any_angle import CHECKED, CLOSED, EXPANDED, N_OPEN, OPEN, READY, SIGHTS, STAMP
from wayfolk.kernels.best_first import FOUND
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.line_of_sight import sees
from wayfolk.search._any_angle import AnyAngle

PAPER = "Nash, Koenig and Tovey 2010"
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
        outcome, cell, state = any_angle.take(cells, count, rows, goal, stop, events)
        if state == OPEN and outcome in (READY, FOUND):
            count[SIGHTS] += 1
            if not sees(legal, stride, cells[cell]["parent"], cell):
                reached, parent = _beside(graph, cells, cell, count[STAMP] + CLOSED)
                if outcome == READY:
                    count[EXPANDED] -= 1
                else:
                    count[N_OPEN] = heap.pop(rows, count[N_OPEN])
                far = any_angle.straight(stride, cell, goal)
                any_angle.enter(cells, count, rows, cell, reached, parent, far, CHECKED)
                continue
        if outcome == FOUND:
            return outcome, any_angle.trace(memory, start, goal, path)
        if outcome != READY:
            return outcome, 0
        parent = cells[cell]["parent"]
        before = cells[parent]["g"]
        y, parent_y = cell // stride, parent // stride
        x, parent_x = cell - y * stride, parent - parent_y * stride
        for k in range(8):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == count[STAMP] + CLOSED:
                continue
            wide, tall = x + DX[k] - parent_x, y + DY[k] - parent_y
            reached = before + math.sqrt(wide * wide + tall * tall)
            if cells[other]["mark"] < count[STAMP] or reached < cells[other]["g"]:
                wide, tall = x + DX[k] - goal_x, y + DY[k] - goal_y
                any_angle.enter(cells, count, rows, other, reached, parent, math.sqrt(wide * wide + tall * tall), OPEN)


@inner
def _beside(graph, cells, cell, closed):
    """The least g of `cell` over one of its neighbours with the mark `closed`, and which that is."""
    parent, reached = cell, math.inf
    for k in range(8):
        other = there(graph, cell, k)
        if other != NOWHERE and cells[other]["mark"] == closed:
            over = cells[other]["g"] + math.sqrt(DX[k] * DX[k] + DY[k] * DY[k])
            if over < reached:
                reached, parent = over, other
    return reached, parent
