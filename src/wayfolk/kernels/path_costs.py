"""The cost of a path that is given by its cells."""

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.graph import cost, slots, there


@kernel
def path_cost(graph, path):
    """The sum of the edge costs along `path`, an array of cells."""
    total = 0.0
    for step in range(path.size - 1):
        total += edge_cost(graph, path[step], path[step + 1])
    return total


@inner
def edge_cost(graph, cell, other):
    """The cost of the edge from `cell` to `other`, the cheapest of parallel ones; infinite if there is none."""
    cheapest = np.inf
    for k in range(slots(graph, cell)):
        if there(graph, cell, k) == other:
            cheapest = min(cheapest, cost(graph, cell, k))
    return cheapest
