"""The cells whose moves have changed while searches are kept: a search compares itself with those it does not know yet.

A kept search (a distance field, or one of Reverse Resumable A*) is wrong after an edit of the map only if it has expanded
a cell whose moves have changed. Whether it has is cheap to see, and need not be seen before the search is used again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.graph import CsrGraph
from wayfolk.kernels.rows import with_rows

EDIT = np.dtype([("cell", np.int32), ("gained", np.bool_)], align=True)


class Edits(NamedTuple):
    """`list[: counts[0]]` are the cells whose moves have changed, in order of time, and whether they gained a move."""

    list: NDArray[np.void]
    counts: NDArray[np.int64]


def no_edits() -> Edits:
    """Nothing has changed yet."""
    return Edits(np.zeros(16, EDIT), np.zeros(1, np.int64))


def with_changes(edits: Edits, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Edits:
    """The edits and, after them, the cells in which the legal moves `before` differ from those `after`."""
    cells = np.flatnonzero(before != after)
    return _with_edits(edits, cells, (after[cells] & ~before[cells]) != 0)


def with_changed_edges(edits: Edits, before: CsrGraph, after: CsrGraph) -> Edits:
    """The edits and, after them, the nodes to which other edges lead than before: searches go back from goals."""
    old, new = (_numbers(graph) for graph in (before, after))
    gained, lost = np.setdiff1d(new, old, True), np.setdiff1d(old, new, True)
    n = len(after.first) - 1
    nodes = np.unique(np.concatenate([gained, lost]) % n)
    return _with_edits(edits, nodes, np.isin(nodes, gained % n))


def _numbers(graph: CsrGraph) -> NDArray[np.int64]:
    """A number for each edge, by the nodes between which it leads."""
    n = len(graph.first) - 1
    sources: NDArray[np.int64] = np.repeat(np.arange(n), np.diff(graph.first))
    return np.unique(sources * n + graph.target)


def _with_edits(edits: Edits, cells: NDArray[np.intp], gained: NDArray[np.bool_]) -> Edits:
    n = int(edits.counts[0])
    rows = with_rows(edits.list, max(n + len(cells), len(edits.list)))
    rows["cell"][n : n + len(cells)] = cells
    rows["gained"][n : n + len(cells)] = gained
    edits.counts[0] = n + len(cells)
    return Edits(rows, edits.counts)
