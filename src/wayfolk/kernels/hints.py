"""Hints: what an agent has learned about the cost from cells to its goal, beyond the first guess.

Two kinds behind `known` and `learn`, chosen at compile time: `DenseHints`, a number for each cell, and `SparseHints`, one
table for many agents that holds only cells somebody has learned about.

`HintedGraph` is a world whose guess is the larger one of the first guess and what was learned: a backing of the graph
protocol, so that the one best-first kernel searches with it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import backing, cost, guess, slots, there
from wayfolk.kernels.jit import inner, kernel, specialise

TOGETHER = 7  # neighbouring cells in one entry: it fills a line of the processor's cache
ENTRY = np.dtype([("key", np.int64), ("values", np.float64, TOGETHER)], align=True)
EMPTY = np.int64(0)  # so that a new table need not be written to
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # spreads keys over the table


class DenseHints(NamedTuple):
    """What one agent has learned; 0 where it has learned nothing."""

    values: NDArray[np.float64]


class SparseHints(NamedTuple):
    """What `owner` has learned, in a table that all agents share; `used[0]` entries of it are in use.

    An entry is for a few cells in a row: a search asks about neighbours, and each visit to another place in a large
    table is slow.
    """

    table: NDArray[np.void]
    used: NDArray[np.int64]
    owner: int
    n_cells: int


class HintedGraph(NamedTuple):
    """A world and what is known beyond the first guess."""

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
    """An empty table of a power of two above `size` entries."""
    return np.zeros(1 << max(4, size.bit_length()), ENTRY)


def _dense_known(hints, cell):
    return hints.values[cell]


def _dense_learn(hints, cell, value):
    hints.values[cell] = value


@inner
def _find(table, key):
    """Where in the table the entry `key` is, or is to be."""
    mask = np.uint64(table.size - 1)
    spot = (np.uint64(key) * GOLDEN >> np.uint64(20)) & mask
    while table[spot]["key"] != key and table[spot]["key"] != EMPTY:
        spot = (spot + np.uint64(1)) & mask
    return spot


def _sparse_known(hints, cell):
    group = cell // TOGETHER
    entry = hints.table[_find(hints.table, np.int64(hints.owner) * hints.n_cells + group + 1)]
    if entry["key"] == EMPTY:
        return 0.0
    return entry["values"][cell - group * TOGETHER]


def _sparse_learn(hints, cell, value):
    group = cell // TOGETHER
    key = np.int64(hints.owner) * hints.n_cells + group + 1
    entry = hints.table[_find(hints.table, key)]
    if entry["key"] == EMPTY:
        hints.used[0] += 1
        entry["key"] = key
    entry["values"][cell - group * TOGETHER] = value


@kernel
def recall(hints, cell):
    """`known`, to be called from Python."""
    return known(hints, cell)


@kernel
def move(table, larger):
    """Enter all that is in `table` into a larger one that is empty."""
    for k in range(table.size):
        if table[k]["key"] != EMPTY:
            larger[_find(larger, table[k]["key"])] = table[k]


_KNOWN[DenseHints], _LEARN[DenseHints] = _dense_known, _dense_learn
_KNOWN[SparseHints], _LEARN[SparseHints] = _sparse_known, _sparse_learn


def _slots(graph, cell):
    return slots(graph.world, cell)


def _there(graph, cell, k):
    return there(graph.world, cell, k)


def _cost(graph, cell, k):
    return cost(graph.world, cell, k)


def _guess(graph, cell, goal, kind):
    return max(guess(graph.world, cell, goal, kind), known(graph.hints, cell))


backing(HintedGraph, _slots, _there, _cost, _guess)
