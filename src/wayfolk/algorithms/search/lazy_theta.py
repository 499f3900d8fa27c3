"""Lazy Theta*: Theta* that assumes a line of sight, and checks it only when a cell is expanded.

Nash, Koenig and Tovey, "Lazy Theta*: any-angle path planning and path length analysis in 3D", AAAI 2010.

Guarantees  a path of straight lines that cross no wall, if there is a path at all: never longer than the best path along
            the grid, about as long as that of Theta*.
Invariants  a closed cell's parent sees it, and its g is at most the cost of the best path along the grid to it.
Cost        one line-of-sight check for each cell that leaves the open list, fewer than Theta* makes, and about as many
            expansions.
Deviations  agents stand in the middle of cells. In the paper a cell that its parent does not see takes its best closed
            neighbour as parent and is expanded at once, although its f has grown: a path can then be longer than along
            the grid. Here it goes back to the open list and is expanded in the order of its new f.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._any_angle.search import SIGHTS, seeing
from wayfolk.algorithms.search._any_angle.task import AnyAngle
from wayfolk.algorithms.search._line_of_sight import sees
from wayfolk.kernels.best_first import SearchMemory
from wayfolk.world.grid import Grid

PAPER = "Nash, Koenig and Tovey 2010"
OPTIMAL = False
COMPLETE = True
ANY_ANGLE = True
MOVES = ["eight", "eight_cutting"]
WORLDS = "grid"
TERRAIN = False


class LazySight(NamedTuple):
    """Lines are checked when a cell leaves the open list."""

    legal: NDArray[np.uint8]
    counts: NDArray[np.int64]
    stride: int


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> AnyAngle:
    """A search from `start` to `goal`."""
    return AnyAngle(world, start, goal, _new_sight, watch=watch)


def _new_sight(world: Grid, memory: SearchMemory, ranges: NDArray[np.void]) -> LazySight:
    return LazySight(world.legal, memory.counts, world.stride)


def _is_confirmed(sight, parent, cell):
    sight.counts[SIGHTS] += 1
    return sees(sight.legal, sight.stride, parent, cell)


def _is_in_sight(sight, parent, other, wide, tall):
    return True


def _pass_on(sight, parent, other, wide, tall):
    pass


seeing(LazySight, _is_confirmed, _is_in_sight, _pass_on)
