"""Heuristics of many cells, for those who watch a search."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.kernels.graph import heuristic


def estimate_to(graph: Any, goal: int, kind: int) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
    """The heuristic of the given kind to `goal`, as a function of cells."""

    def estimate(cells: NDArray[np.int32]) -> NDArray[np.float64]:
        values = np.empty(len(cells))
        _estimate(graph, np.asarray(cells, np.int32), goal, kind, values)
        return values

    return estimate


@kernel
def _estimate(graph, cells, goal, kind, values):
    """Write the heuristics of `cells` to `values`."""
    for k in range(cells.size):
        values[k] = heuristic(graph, cells[k], goal, kind)
