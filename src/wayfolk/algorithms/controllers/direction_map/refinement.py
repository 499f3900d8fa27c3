"""How a path over regions becomes one over cells: searches to any cell of a region, one after another.

Jansen, 2008, section 3.5.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FOUND, FULL, NOWHERE
from wayfolk.kernels.graph import MANHATTAN, backing, cost, there
from wayfolk.kernels.laned_graphs import LanedGrid

CUT = 0.6  # share of a partly refined path that is walked before planning again
AHEAD = 2  # regions ahead that a path refined in part leads to
TRIES = 2  # regions that are tried, one after another, where the first cannot be reached
END = 0  # a cell of the border, which no agent can enter, stands for all cells that are aimed at


@inner
def refine(arrays, crowd, route, n_trail, was_refused, budget):
    """Write a path along the trail to `route`; return its length, NOWHERE if the queue was full, and the expansions.

    Partial refinement: a path to the second region ahead, of which the first 60 % are walked. Full refinement: from region
    to region. An agent that was refused skips a region, and so does one that cannot reach a region.
    """
    expanded, n_route, n_failed = 0, 0, 0
    at = crowd.eye
    skip = 1 if was_refused else 0
    spot = n_trail - 1 - skip - (1 if arrays.is_full else AHEAD)  # in the trail, whose place 0 is the goal's region
    while True:
        aim = arrays.trail[spot] if spot > 0 else NOWHERE
        code, length, spent = _path_to(arrays, crowd, at, aim, budget)
        expanded += spent
        if code == FULL:
            return NOWHERE, expanded
        if code == FOUND:
            path = arrays.cells.path
            n = length
            if aim != NOWHERE and not arrays.is_full:
                n = max(1, int(CUT * length))
            for step in range(min(n, length, route.size - n_route)):
                route[n_route] = path[length - step]
                n_route += 1
            if length > 0:
                at = path[1]
            if not arrays.is_full or n_route == route.size:
                break
        else:
            n_failed += 1
            if n_failed == TRIES:
                break
        if spot <= 0:
            break
        spot -= 1
    return n_route, expanded


@inner
def _path_to(arrays, crowd, start, aim, budget):
    """Search from `start` to any cell of region `aim`, or to the goal if that is NOWHERE.

    Returns how it ended, the number of steps to the cell reached (`path[1]`; the step after the first is
    `path[length - 1]`), and the number of expansions.
    """
    cells = arrays.cells
    stride, size = crowd.grid.stride, arrays.size
    left = right = crowd.goal % stride
    top = bottom = crowd.goal // stride
    if aim != NOWHERE:
        left = (arrays.centres[aim] % stride - 1) // size * size + 1
        top = (arrays.centres[aim] // stride - 1) // size * size + 1
        right, bottom = left + size - 1, top + size - 1
    graph = AimedGrid(crowd, arrays.regions, aim, left, top, right, bottom)
    best_first.open_start(cells.memory, cells.queue, start)
    code = best_first.advance(
        graph,
        cells.memory,
        cells.queue,
        best_first.Ordering(cells.weight, cells.kind, cells.per_unit, cells.falls, False),
        start,
        END,
        budget,
        cells.path[:0],
    )
    length = best_first.trace(cells.memory, start, END, cells.path) - 2 if code == FOUND else 0
    return code, length, cells.memory.counts[EXPANDED]


class AimedGrid(NamedTuple):
    """A laned grid in which every cell of region `aim` leads to END, or only `goal` does if `aim` is NOWHERE.

    All of them lie in the rectangle from (`left`, `top`) to (`right`, `bottom`).
    """

    laned: LanedGrid
    regions: NDArray[np.int32]
    aim: int
    left: int
    top: int
    right: int
    bottom: int


def _slots(graph, cell):
    return 9


def _there(graph, cell, k):
    if k < 8:
        return there(graph.laned, cell, k)
    if (graph.aim == NOWHERE and cell == graph.laned.goal) or (
        graph.aim != NOWHERE and graph.regions[cell] == graph.aim
    ):
        return np.int32(END)
    return NOWHERE


def _cost(graph, cell, k):
    return cost(graph.laned, cell, k) if k < 8 else 0.0


def _heuristic(graph, cell, goal, kind):
    """The distance to the rectangle."""
    if cell == END:
        return 0.0
    grid = graph.laned.grid
    y = cell // grid.stride
    x = cell - y * grid.stride
    dx = max(graph.left - x, x - graph.right, 0)
    dy = max(graph.top - y, y - graph.bottom, 0)
    if kind == MANHATTAN:
        return grid.cheapest * (dx + dy)
    return grid.cheapest * (max(dx, dy) + (grid.lengths[4] - 1.0) * min(dx, dy))


backing(AimedGrid, _slots, _there, _cost, _heuristic)
