"""What is computed about a search for those who watch it: heuristics of many cells, and which scans saw something new."""

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


@kernel
def keep_fresh(runs, first, last, seen, stride):
    """Move those of the runs from `first` to before `last` that saw a new cell to the front; where they end.

    A run is a row (expansion, first cell, last cell) along a row, a column or a diagonal; its cells are marked in `seen`.
    """
    kept = first
    for k in range(first, last):
        cell, end = np.int64(runs[k, 1]), np.int64(runs[k, 2])
        down, along = end // stride - cell // stride, end % stride - cell % stride
        step = np.sign(down) * stride + np.sign(along)
        is_fresh = False
        for _ in range(max(abs(down), abs(along)) + 1):
            is_fresh = is_fresh or seen[cell] == 0
            seen[cell] = 1
            cell += step
        if is_fresh:
            for part in range(3):
                runs[kept, part] = runs[k, part]
            kept += 1
    return kept
