"""The graph protocol: what search kernels read, whatever the world is.

Two backings behind one tiny protocol, chosen at compile time by the type of the tuple: `GridGraph` (a byte of legal
moves for each cell) and `CsrGraph` (anything else). A search kernel is written once against

    slots(graph, cell)             how many edge numbers a cell has, used or not
    there(graph, cell, k)          where edge number k leads, NOWHERE if it is not used
    cost(graph, cell, k)           what it costs
    heuristic(graph, cell, goal, kind) a lower bound of the cost from cell to goal

and works on both. A new backing is a NamedTuple with four functions registered by `backing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import specialise
from wayfolk.kernels.codes import NOWHERE

NO_TERRAIN = np.zeros(0)
NO_TERRAIN.flags.writeable = False  # as terrain is: else kernels would be compiled for either

ZERO, OCTILE, MANHATTAN, EUCLIDEAN = range(4)
HEURISTICS = {"zero": ZERO, "octile": OCTILE, "manhattan": MANHATTAN, "euclidean": EUCLIDEAN}


class GridGraph(NamedTuple):
    """A grid as kernels see it. `terrain` is empty where every cell costs the same."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lengths: NDArray[np.float64]
    terrain: NDArray[np.float64]
    stride: int
    cheapest: float


class CsrGraph(NamedTuple):
    """Any graph: the edges of cell c are numbers first[c] to first[c + 1] of `target` and `weight`.

    `x`, `y` and `z` place the cells in space, with `z` 0 in a plane; `cheapest` is the least cost of a unit of straight
    distance there, 0 where cells have no places.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    z: NDArray[np.float64]
    cheapest: float


_SLOTS: dict[type, Callable[..., Any]] = {}
_THERE: dict[type, Callable[..., Any]] = {}
_COST: dict[type, Callable[..., Any]] = {}
_HEURISTIC: dict[type, Callable[..., Any]] = {}


def backing(
    kind: type,
    slots: Callable[..., Any],
    there: Callable[..., Any],
    cost: Callable[..., Any],
    heuristic: Callable[..., Any],
) -> None:
    """Register the four functions, plain Python to be compiled, by which searches read tuples of the type `kind`."""
    _SLOTS[kind], _THERE[kind], _COST[kind], _HEURISTIC[kind] = slots, there, cost, heuristic


def slots(graph: Any, cell: Any) -> Any:
    """How many edge numbers a cell has."""
    return _SLOTS[type(graph)](graph, cell)


def there(graph: Any, cell: Any, k: Any) -> Any:
    """Where edge `k` of `cell` leads, or NOWHERE."""
    return _THERE[type(graph)](graph, cell, k)


def cost(graph: Any, cell: Any, k: Any) -> Any:
    """What edge `k` of `cell` costs."""
    return _COST[type(graph)](graph, cell, k)


def heuristic(graph: Any, cell: Any, goal: Any, kind: Any) -> Any:
    """A lower bound of the cost from `cell` to `goal`."""
    return _HEURISTIC[type(graph)](graph, cell, goal, kind)


specialise(slots, _SLOTS)
specialise(there, _THERE)
specialise(cost, _COST)
specialise(heuristic, _HEURISTIC)


def _grid_slots(graph, cell):  # type: ignore[no-untyped-def]
    return 8


def _grid_there(graph, cell, k):  # type: ignore[no-untyped-def]
    if (graph.legal[cell] >> k) & 1:
        return cell + graph.offsets[k]
    return NOWHERE


def _grid_cost(graph, cell, k):  # type: ignore[no-untyped-def]
    if graph.terrain.size == 0:
        return graph.lengths[k]
    return graph.lengths[k] * 0.5 * (graph.terrain[cell] + graph.terrain[cell + graph.offsets[k]])


def _grid_heuristic(graph, cell, goal, kind):  # type: ignore[no-untyped-def]
    if kind == ZERO:
        return 0.0
    cell_y, goal_y = cell // graph.stride, goal // graph.stride
    dx = abs((cell - cell_y * graph.stride) - (goal - goal_y * graph.stride))
    dy = abs(cell_y - goal_y)
    if kind == OCTILE:
        return graph.cheapest * (max(dx, dy) + (graph.lengths[4] - 1.0) * min(dx, dy))
    if kind == MANHATTAN:
        return graph.cheapest * (dx + dy)
    return graph.cheapest * math.sqrt(dx * dx + dy * dy)


def _csr_slots(graph, cell):  # type: ignore[no-untyped-def]
    return graph.first[cell + 1] - graph.first[cell]


def _csr_there(graph, cell, k):  # type: ignore[no-untyped-def]
    return graph.target[graph.first[cell] + k]


def _csr_cost(graph, cell, k):  # type: ignore[no-untyped-def]
    return graph.weight[graph.first[cell] + k]


def _csr_heuristic(graph, cell, goal, kind):  # type: ignore[no-untyped-def]
    if kind == ZERO or graph.cheapest == 0.0:
        return 0.0
    dx = abs(graph.x[cell] - graph.x[goal])
    dy = abs(graph.y[cell] - graph.y[goal])
    dz = abs(graph.z[cell] - graph.z[goal])
    if kind == OCTILE:
        most, least = max(dx, dy, dz), min(dx, dy, dz)
        middle = dx + dy + dz - most - least
        more = (math.sqrt(2.0) - 1.0) * middle + (math.sqrt(3.0) - math.sqrt(2.0)) * least
        return graph.cheapest * (most + more)
    if kind == MANHATTAN:
        return graph.cheapest * (dx + dy + dz)
    return graph.cheapest * math.sqrt(dx * dx + dy * dy + dz * dz)


backing(GridGraph, _grid_slots, _grid_there, _grid_cost, _grid_heuristic)
backing(CsrGraph, _csr_slots, _csr_there, _csr_cost, _csr_heuristic)
