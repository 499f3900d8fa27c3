"""The cells whose moves have changed while searches are kept: a search compares itself with those it does not know yet.

A kept search (a distance field, or one of Reverse Resumable A*) is wrong after an edit of the map only if it has expanded
a cell whose moves have changed. Whether it has is cheap to see, and need not be seen before the search is used again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    n = int(edits.counts[0])
    rows = with_rows(edits.list, max(n + len(cells), len(edits.list)))
    rows["cell"][n : n + len(cells)] = cells
    rows["gained"][n : n + len(cells)] = (after[cells] & ~before[cells]) != 0
    edits.counts[0] = n + len(cells)
    return Edits(rows, edits.counts)
