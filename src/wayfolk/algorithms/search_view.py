"""SearchView: the state of a search for a replay, read between two calls of `advance`.

`Task.search_view()` returns it. Of a search that only records its expanded cells it holds these; of one that refers to its
arrays, open cells, costs, parents and heuristics too. It is computed only when it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNSEEN, OPEN, CLOSED, OPEN_BACK, CLOSED_BACK = range(5)
"""The states of cells. The last two are for the search from the goal, of a bidirectional one."""

Estimate = Callable[[NDArray[np.int32]], NDArray[np.float64]]


class SearchView(NamedTuple):
    """The state of a search. Arrays by cell have `n_cells` places; None stands for what it does not have.

    expanded  all expanded cells so far, in order; empty without the option `watch`
    state     UNSEEN, OPEN, CLOSED ... of each cell
    g         the cost at which each cell was reached
    parent    the cell from which each was reached, NOWHERE if that is not known
    h         a function that returns the heuristics of cells
    learned   the learned heuristic of each cell, 0 where nothing was learned
    runs      rows (expansion, first cell, last cell): the straight runs that were scanned
    leaps     whether the way from a parent is diagonal first, then straight
    """

    expanded: NDArray[np.int32]
    state: NDArray[np.uint8] | None = None
    g: NDArray[np.float64] | None = None
    parent: NDArray[np.int32] | None = None
    h: Estimate | None = None
    learned: NDArray[np.float64] | None = None
    runs: NDArray[np.int32] | None = None
    leaps: bool = False


def states_by_stamp(marks: NDArray[Any], stamp: int) -> NDArray[np.uint8]:
    """States from marks: `stamp` is an open cell, more a closed one, less one of an older search."""
    states: NDArray[np.uint8] = (marks >= stamp).astype(np.uint8) + (marks > stamp)
    return states
