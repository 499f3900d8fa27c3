"""The graph on which pebbles move: cells of a grid, or nodes of any world for points.

`slots` and `there` of `kernels.graph` read both. Moves of two agents may meet in the middle, as crossing diagonals do. Then
they are not made at the same time; only a ring of agents that rotates moves at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import backing
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph


class PebbleGrid(NamedTuple):
    """The legal moves of cells, a bit for each of eight directions."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]


class PebbleGraph(NamedTuple):
    """The edges of nodes in CSR form. Moves along edges with the same `middle` meet there; it is NOWHERE where none do.

    `marks[middle]` is the stamp of the last ring that was looked at and leads through the middle.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    middle: NDArray[np.int32]
    marks: NDArray[np.int64]


def pebble_graph(states: Grid | StateGraph) -> PebbleGrid | PebbleGraph:
    """The moves of points on these nodes."""
    if isinstance(states, Grid):
        return PebbleGrid(states.legal, states.offsets)
    table = states.occupancy
    return PebbleGraph(table.first, table.target, middles(states), np.zeros(table.n_places, np.int64))


def middles(states: StateGraph) -> NDArray[np.int32]:
    """The place in the middle of each edge that others share, NOWHERE if none do. Points have one at most."""
    table = states.occupancy
    middle = np.full(len(table.target), NOWHERE, np.int32)
    edges = np.flatnonzero(np.diff(table.move_first[: len(table.target) + 1]))
    middle[edges] = table.move_places[table.move_first[edges]]
    return middle


def degrees(states: Grid | StateGraph) -> NDArray[np.int64]:
    """How many neighbours each node has."""
    counts: NDArray[np.int64]
    if isinstance(states, Grid):
        counts = np.unpackbits(states.legal[:, None], axis=1).sum(1, dtype=np.int64)
    else:
        counts = np.diff(states.graph.first).astype(np.int64)
    return counts


_CROSSES: dict[type, Callable[..., Any]] = {}


def crosses_itself(graph: Any, ring: Any, length: Any, stamp: Any) -> Any:
    """Whether two of the moves of a ring of agents that rotates meet in the middle."""
    return _CROSSES[type(graph)](graph, ring, length, stamp)


specialise(crosses_itself, _CROSSES)


def _grid_slots(graph, cell):  # type: ignore[no-untyped-def]
    return 8


def _grid_there(graph, cell, k):  # type: ignore[no-untyped-def]
    if (graph.legal[cell] >> k) & 1:
        return np.int64(cell + graph.offsets[k])
    return np.int64(NOWHERE)


def _grid_crosses(graph, ring, length, stamp):  # type: ignore[no-untyped-def]
    return False


def _graph_slots(graph, node):  # type: ignore[no-untyped-def]
    return graph.first[node + 1] - graph.first[node]


def _graph_there(graph, node, k):  # type: ignore[no-untyped-def]
    return np.int64(graph.target[graph.first[node] + k])


def _graph_crosses(graph, ring, length, stamp):  # type: ignore[no-untyped-def]
    for k in range(length):
        middle = graph.middle[edge_between(graph, ring[k], ring[k + 1 if k + 1 < length else 0])]
        if middle != NOWHERE:
            if graph.marks[middle] == stamp:
                return True
            graph.marks[middle] = stamp
    return False


@inner
def edge_between(graph, here, there):  # type: ignore[no-untyped-def]
    """The edge from a node to a neighbour; `graph` has the edges of all nodes as `first` and `target`."""
    edge = np.int64(graph.first[here])
    while graph.target[edge] != there:
        edge += 1
    return edge


def _cost(graph, node, k):  # type: ignore[no-untyped-def]
    return 1.0


def _heuristic(graph, node, goal, kind):  # type: ignore[no-untyped-def]
    return 0.0


backing(PebbleGrid, _grid_slots, _grid_there, _cost, _heuristic)
backing(PebbleGraph, _graph_slots, _graph_there, _cost, _heuristic)
_CROSSES.update({PebbleGrid: _grid_crosses, PebbleGraph: _graph_crosses})
