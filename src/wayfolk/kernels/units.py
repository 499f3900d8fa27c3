"""Costs in whole units, for searches that must know for certain whether two sums are equal.

A search that is repaired compares sums made along different ways at different times: g with rhs, and the keys of cells
that lie on one shortest path. In floating point equal sums differ in the last digit, and a cell that should come first
comes last: the answer is then wrong by more than rounding. Whole numbers add up the same in every order.

Keeps    an edge costs its cost times `scale` rounded up, and at least 1: there are no free circles, in which cells would
         vouch for one another when their way to the root is gone.
         hope(a) <= price(a, b) + hope(b) exactly, for every edge from a to b, so that keys never fall along a path.
"""

import math

import numpy as np

from wayfolk.graph import MANHATTAN, ZERO, CsrGraph, GridGraph, cost, guess
from wayfolk.kernels.jit import inner, specialise

INF = np.int64(1 << 62)
"""No way. Twice as much as any sum of a cost, a hope and the distance the agent has gone."""
FAR = np.int64(1 << 58)
"""More than any path costs, by the choice of `scale`."""
SHORTER = 1.0 - 1e-9


@inner
def price(graph, cell, k, scale):
    """What edge `k` of `cell` costs in units."""
    return max(np.int64(1), np.int64(math.ceil(cost(graph, cell, k) * scale)))


def hope(graph, cell, other, kind, scale):
    """At most what a path between two cells costs in units."""
    return _HOPES[type(graph)](graph, cell, other, kind, scale)


def _grid_hope(graph, cell, other, kind, scale):
    """Made of the same two prices as the steps of an open map, so that it is exact there."""
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


def _csr_hope(graph, cell, other, kind, scale):
    """Rounded down, and shortened by more than the guess's own rounding."""
    return np.int64(min(guess(graph, cell, other, kind) * scale * SHORTER, float(FAR)))


_HOPES = {GridGraph: _grid_hope, CsrGraph: _csr_hope}
specialise(hope, _HOPES)
