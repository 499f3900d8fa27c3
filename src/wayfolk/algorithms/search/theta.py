"""Theta*: A* whose paths leave the grid: a cell's parent is any cell from which a straight line leads to it.

Daniel, Nash, Koenig and Felner, "Theta*: any-angle path planning on grids", JAIR 39, 2010; Arun 4.0.8.

Guarantees  a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
            the grid, seldom longer than the shortest there is, but not proved to be the shortest.
Invariants  a closed cell's parent sees it, and its g is at most the cost of the best path along the grid to it.
Cost        as many expansions as A* or somewhat more, and a line-of-sight check for each cell whose path is improved:
            time proportional to the number of checks times the length of the lines.
Deviations  agents stand in the middle of cells, in the paper on their corners: `search/_line_of_sight.py` defines what
            is in sight. A line is checked only if it would improve the path, which changes no path. With `order="fifo"`
            paths may be longer than along the grid.

Why it is never longer than along the grid: let the best path along the grid to a cell t that is about to be closed have
s as its first cell that is not closed. The cell before s was closed with a g that is right or better, so g(s) is too
(path 1 offers that step, path 2 is shorter). If t comes first although s lies on its path, f(t) <= f(s); and h falls no
faster than a path grows, so g(t) is at most the cost of that path.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._any_angle.search import SIGHTS, seeing
from wayfolk.algorithms.search._any_angle.task import AnyAngle
from wayfolk.algorithms.search._line_of_sight import sees
from wayfolk.kernels.best_first import SearchMemory
from wayfolk.world.grid import Grid

PAPER = "Daniel, Nash, Koenig and Felner 2010; Arun"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


class LineSight(NamedTuple):
    """Lines are checked when a cell is reached."""

    legal: NDArray[np.uint8]
    counts: NDArray[np.int64]
    stride: int


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    order: Annotated[
        Literal["best", "fifo"], "Which open cell is expanded: that with the least f, or the oldest (a plain queue)."
    ] = "best",
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> AnyAngle:
    """A search from `start` to `goal`.

    With `order="fifo"` it is the Theta* that Arun's table of features describes, a breadth-first search with straight
    lines: the heuristic is not used, and a path may be longer than along the grid.
    """
    return AnyAngle(world, start, goal, _new_sight, watch=watch, is_fifo=order == "fifo")


def _new_sight(world: Grid, memory: SearchMemory, ranges: NDArray[np.void]) -> LineSight:
    return LineSight(world.legal, memory.counts, world.stride)


def _is_confirmed(sight, parent, cell):
    return True


def _is_in_sight(sight, parent, other, wide, tall):
    sight.counts[SIGHTS] += 1
    return sees(sight.legal, sight.stride, parent, other)


def _pass_on(sight, parent, other, wide, tall):
    pass


seeing(LineSight, _is_confirmed, _is_in_sight, _pass_on)
