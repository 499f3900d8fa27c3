"""Edits of a world while agents are in it: cells that are blocked and freed, lanes that are closed and opened.

A row of a log names a cell of the world, or an edge of the world in which the agents began. Nodes keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import BLOCK, CLOSE, FREE, OPEN
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

EDITS = (BLOCK, FREE, CLOSE, OPEN)


def edited(states: Grid | StateGraph, kind: int, where: Iterable[int]) -> Grid | StateGraph:
    """A copy after one edit of the cells or edges `where`."""
    if kind == BLOCK:
        return states.with_blocked(where)
    if kind == FREE:
        return states.with_freed(where)
    assert isinstance(states, StateGraph)
    return states.with_edges_closed(where) if kind == CLOSE else states.with_edges_opened(where)


def after_edits(states: Grid | StateGraph, kinds: NDArray[np.uint8], cells: NDArray[np.int32]) -> Grid | StateGraph:
    """A copy after the edits among these rows, which are in the order of time."""
    rows = np.flatnonzero(np.isin(kinds, EDITS))
    for kind, part in groupby(rows.tolist(), lambda row: int(kinds[row])):
        states = edited(states, kind, cells[list(part)].tolist())
    return states
