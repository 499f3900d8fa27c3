"""Hints: what an agent has learned about the cost from cells to its goal, beyond the initial heuristic.

Three kinds behind `known` and `learn`, chosen at compile time: `DenseHints`, a number for each cell; `SparseHints`, one
table for many agents that holds only cells that an agent has learned about; and `GrowingHints`, the same with a table
that grows a little at a time.

`HintedGraph` is a world whose heuristic is the larger of the initial heuristic and what was learned: a backing of the graph
protocol, so that the one best-first kernel searches with it. So is `RaisedGraph`, where everything learned is above the
initial heuristic.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels import table as tables
from wayfolk.kernels.graph import backing, cost, heuristic, slots, there
from wayfolk.kernels.table import EMPTY, find

TOGETHER = 7  # neighbouring cells in one entry: it fills a line of the processor's cache
ENTRY = np.dtype([("key", np.int64), ("values", np.float64, TOGETHER)], align=True)
USED, MOVED = range(2)  # places in `counts`
AT_ONCE = 4  # spots of an old table for each new entry: all are moved long before the next table is full


class DenseHints(NamedTuple):
    """What one agent has learned; 0 where it has learned nothing."""

    values: NDArray[np.float64]


class SparseHints(NamedTuple):
    """What `owner` has learned, in a table that all agents share; `used[0]` entries of it are in use.

    An entry is for a few cells in a row: a search asks about neighbours, and each access to another place in a large
    table is slow.
    """

    table: NDArray[np.void]
    used: NDArray[np.int64]
    owner: int
    n_cells: int


class GrowingHints(NamedTuple):
    """What `owner` has learned, in a table that has taken the place of a smaller one, `old`.

    For each new entry a few of `old` are moved, so that no single move of an agent has to wait until all are. `counts` are
    the entries in use and the spots of `old` that have been moved: all of them if there is no `old`.
    """

    table: NDArray[np.void]
    old: NDArray[np.void]
    counts: NDArray[np.int64]
    owner: int
    n_cells: int


class HintedGraph(NamedTuple):
    """A world and what was learned beyond the initial heuristic."""

    world: Any
    hints: Any


class RaisedGraph(NamedTuple):
    """A world and what was learned, always more than the initial heuristic, which then need not be computed."""

    world: Any
    hints: Any


_KNOWN: dict[type, Callable[..., Any]] = {}
_LEARN: dict[type, Callable[..., Any]] = {}


def known(hints: Any, cell: Any) -> Any:
    """What was learned about `cell`, 0 if nothing."""
    return _KNOWN[type(hints)](hints, cell)


def learn(hints: Any, cell: Any, value: Any) -> Any:
    """Remember `value` for `cell`."""
    return _LEARN[type(hints)](hints, cell, value)


specialise(known, _KNOWN)
specialise(learn, _LEARN)


def new_table(size: int) -> NDArray[np.void]:
    """An empty table for `size` entries."""
    return tables.new_table(max(size, 8), ENTRY)


def _dense_known(hints, cell):
    return hints.values[cell]


def _dense_learn(hints, cell, value):
    hints.values[cell] = value


def _sparse_known(hints, cell):
    group = cell // TOGETHER
    entry = hints.table[find(hints.table, np.int64(hints.owner) * hints.n_cells + group + 1)]
    if entry["key"] == EMPTY:
        return 0.0
    return entry["values"][cell - group * TOGETHER]


def _sparse_learn(hints, cell, value):
    group = cell // TOGETHER
    key = np.int64(hints.owner) * hints.n_cells + group + 1
    entry = hints.table[find(hints.table, key)]
    if entry["key"] == EMPTY:
        hints.used[0] += 1
        entry["key"] = key
    entry["values"][cell - group * TOGETHER] = value


def _growing_known(hints, cell):
    group = cell // TOGETHER
    key = np.int64(hints.owner) * hints.n_cells + group + 1
    entry = hints.table[find(hints.table, key)]
    if entry["key"] == EMPTY:
        if hints.counts[MOVED] == hints.old.size:
            return 0.0
        entry = hints.old[find(hints.old, key)]
        if entry["key"] == EMPTY:
            return 0.0
    return entry["values"][cell - group * TOGETHER]


def _growing_learn(hints, cell, value):
    group = cell // TOGETHER
    key = np.int64(hints.owner) * hints.n_cells + group + 1
    spot = find(hints.table, key)
    if hints.table[spot]["key"] == EMPTY:
        spot = _enter(hints, key)
    hints.table[spot]["values"][cell - group * TOGETHER] = value


@inner
def _enter(hints, key):
    """The spot of the entry `key` from now on, with the values from the old table; a few others are moved as well."""
    table, old, counts = hints.table, hints.old, hints.counts
    for _ in range(min(AT_ONCE, old.size - counts[MOVED])):
        row = old[counts[MOVED]]
        counts[MOVED] += 1
        if row["key"] != EMPTY:
            spot = find(table, row["key"])
            if table[spot]["key"] == EMPTY:  # else it was entered before, and may hold more
                table[spot] = row
    spot = find(table, key)
    if table[spot]["key"] == EMPTY:
        if counts[MOVED] < old.size:
            before = find(old, key)
            if old[before]["key"] == key:
                table[spot] = old[before]
                return spot
        table[spot]["key"] = key
        counts[USED] += 1
    return spot


@kernel
def forget_less(world, hints, goal, kind):
    """Forget values that are not above the initial heuristic."""
    for cell in range(hints.values.size):
        if 0.0 < hints.values[cell] <= heuristic(world, cell, goal, kind):
            hints.values[cell] = 0.0


@kernel
def recall(hints, cell):
    """`known`, to be called from Python."""
    return known(hints, cell)


_KNOWN[DenseHints], _LEARN[DenseHints] = _dense_known, _dense_learn
_KNOWN[SparseHints], _LEARN[SparseHints] = _sparse_known, _sparse_learn
_KNOWN[GrowingHints], _LEARN[GrowingHints] = _growing_known, _growing_learn


def _slots(graph, cell):
    return slots(graph.world, cell)


def _there(graph, cell, k):
    return there(graph.world, cell, k)


def _cost(graph, cell, k):
    return cost(graph.world, cell, k)


def _heuristic(graph, cell, goal, kind):
    return max(heuristic(graph.world, cell, goal, kind), known(graph.hints, cell))


def _raised_heuristic(graph, cell, goal, kind):
    h = known(graph.hints, cell)
    return h if h > 0.0 else heuristic(graph.world, cell, goal, kind)


backing(HintedGraph, _slots, _there, _cost, _heuristic)
backing(RaisedGraph, _slots, _there, _cost, _raised_heuristic)
