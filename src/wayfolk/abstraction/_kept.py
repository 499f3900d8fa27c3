"""Abstractions are kept with the map they were built for, and passed on to edited copies of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid, _same


class Abstraction(Protocol):
    """What can be kept: it knows its map, and how to make itself for an edited one."""

    grid: Grid

    def edited(self, grid: Grid) -> Any:
        """The same for `grid`, which differs from the map in some cells."""


A = TypeVar("A", bound=Abstraction)


class Shelf(dict[Hashable, Any]):
    """What has been built for a map. An edited copy of the map holds the same shelf until it needs one of its own.

    It is left behind when a map is sent to another process: building is cheaper than sending.
    """

    def __reduce__(self) -> tuple[type[Shelf], tuple[()]]:
        return Shelf, ()


def kept(grid: Grid | Graph, key: Hashable, build: Callable[[Grid], A]) -> A:
    """The abstraction called `key`: the one kept, the one kept for the map this was edited from, updated, or a new one."""
    if not isinstance(grid, Grid):
        raise NotSupported("abstractions are made of grids, not of graphs")
    shelf: Shelf = grid.__dict__.get("_abstractions", Shelf())
    found: A | None = shelf.get(key)
    if found is None:
        found = build(grid)
    elif found.grid.legal is not grid.legal:  # of the map this one was edited from
        found = found.edited(grid)
    else:
        return found
    # a new shelf, as this one may be that of another map too; of that map only what has not been needed here yet
    grid.__dict__["_abstractions"] = Shelf({**shelf, key: found})
    return found


def check_edited(old: Grid, new: Grid) -> None:
    """Complain unless the two maps differ in nothing but which cells are free."""
    if (
        (old.width, old.height, old.moves, old.diagonal) != (new.width, new.height, new.moves, new.diagonal)
        or not _same(old._costs, new._costs)
        or not _same(old._links, new._links)
    ):
        raise BadInput("an abstraction can be updated for a map of the same size, moves, costs and cliffs only")


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of some rows of things begins when they are put in one; the last is where the next would."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def carry(
    keeps: NDArray[np.bool_], old: NDArray[Any], old_at: NDArray[Any], new: NDArray[Any], new_at: NDArray[Any]
) -> None:
    """Copy the things of those rows that `keeps` is true for, from `old` to `new`; they begin at `old_at` and `new_at`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], keeps, [False]])))
    for begin, end in edges.reshape(-1, 2):
        new[new_at[begin] : new_at[end]] = old[old_at[begin] : old_at[end]]
