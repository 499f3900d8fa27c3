"""What it costs to get from one place to all others."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.paths import free_cell
from wayfolk.algorithms.search.dijkstra import OneToAll
from wayfolk.algorithms.task import finish
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


def distances(world: Grid | Graph, start: Any) -> NDArray[np.float64]:
    """The cost of a shortest path from `start` to every cell or node, infinite where there is none.

    On a grid an array `costs[y, x]`; on a graph one number for each node, in the order of `names`.
    """
    search = OneToAll(world, free_cell(world, start, "start"))
    finish(search)
    if isinstance(world, Grid):
        return np.ascontiguousarray(search.costs.reshape(-1, world.stride)[1:-1, 1:-1])
    costs: NDArray[np.float64] = search.costs
    return costs
