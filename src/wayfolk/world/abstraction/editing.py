"""What the abstractions share to update themselves for an edited map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.world.grid import Grid, same_array


def check_edited(old: Grid, new: Grid) -> None:
    """Raise BadInput unless the two maps differ in nothing but which cells are free."""
    if (
        (old.width, old.height, old.moves, old.diagonal) != (new.width, new.height, new.moves, new.diagonal)
        or not same_array(old._costs, new._costs)
        or not same_array(old._links, new._links)
    ):
        raise BadInput("an abstraction can be updated for a map of the same size, moves, costs and cliffs only")


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some rows begins when they are stored one after the other; the last number is where all end."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def carry(
    keeps: NDArray[np.bool_], old: NDArray[Any], old_at: NDArray[Any], new: NDArray[Any], new_at: NDArray[Any]
) -> None:
    """Copy the rows that `keeps` is true for from `old` to `new`; they begin at `old_at` and `new_at`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keeps, [False]])))
    for begin, end in edges.reshape(-1, 2):
        new[new_at[begin] : new_at[end]] = old[old_at[begin] : old_at[end]]
