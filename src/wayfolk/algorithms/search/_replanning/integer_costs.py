"""Costs as integers, for searches that must know for certain whether two sums are equal.

A search that is repaired compares sums made along different paths at different times: g with rhs, and the keys of cells
that lie on one shortest path. In floating point equal sums differ in the last digit, and a cell that should come first
comes last: the answer is then wrong by more than rounding. Integers add up the same in every order.

Invariants  an edge costs its cost times `scale` rounded up, and at least 1. So no cycle costs nothing, in which cells
            would keep each other's values low when their path to the root is gone.
            integer_heuristic(a) <= integer_cost(a, b) + integer_heuristic(b) exactly, for every edge from a to b, so that
            keys never fall along a path.
"""

import math

import numpy as np

from wayfolk.compile.jit import inner, specialise
from wayfolk.kernels.graph import MANHATTAN, ZERO, CsrGraph, GridGraph, cost, heuristic

INF = np.int64(1 << 62)
"""No path. Twice as much as any sum of a cost, a heuristic and the distance the agent has moved."""
FAR = np.int64(1 << 58)
"""More than any path costs, by the choice of `scale`."""
SHORTER = 1.0 - 1e-9


@inner
def integer_cost(graph, cell, k, scale):
    """The cost of edge `k` of `cell`, of which `scale` make a cost of 1."""
    return max(np.int64(1), np.int64(math.ceil(cost(graph, cell, k) * scale)))


def integer_heuristic(graph, cell, other, kind, scale):
    """A lower bound of the cost of a path between two cells."""
    return _HEURISTICS[type(graph)](graph, cell, other, kind, scale)


def _grid_heuristic(graph, cell, other, kind, scale):
    """Computed from the two costs of a straight and a diagonal step, so that it is exact on an open map."""
    if kind == ZERO:
        return np.int64(0)
    stride = np.uint32(graph.stride)  # 32 bits are divided in a third of the time of 64
    cell_y, other_y = np.int64(np.uint32(cell) // stride), np.int64(np.uint32(other) // stride)
    dx = abs((cell - cell_y * graph.stride) - (other - other_y * graph.stride))
    dy = abs(cell_y - other_y)
    straight = np.int64(math.ceil(graph.cheapest * scale))
    if kind == MANHATTAN:
        return straight * (dx + dy)
    diagonal = np.int64(math.ceil(graph.lengths[4] * graph.cheapest * scale))
    return straight * (max(dx, dy) - min(dx, dy)) + diagonal * min(dx, dy)


def _csr_heuristic(graph, cell, other, kind, scale):
    """Rounded down, and reduced by more than the rounding error of the heuristic."""
    return np.int64(min(heuristic(graph, cell, other, kind) * scale * SHORTER, float(FAR)))


_HEURISTICS = {GridGraph: _grid_heuristic, CsrGraph: _csr_heuristic}
specialise(integer_heuristic, _HEURISTICS)
