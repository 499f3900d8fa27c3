"""Tiling: a world of equal cells in rows that are not squares in a plane: hexagons, triangles, voxels.

Each kind says where its cells lie and which free cells are neighbours. Every cell has a number, a blocked one too, so that
numbers stay what they are when cells are blocked or freed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem, TooLarge
from wayfolk.machine import available_bytes
from wayfolk.world.graph import Graph
from wayfolk.world.grid import checked_costs

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], float]
"""Cells, a neighbour of each, and how far these are from each other."""
BYTES_OF_A_CELL, BYTES_OF_A_MOVE = 120, 60  # while a world is made


class Coordinates(Sequence[tuple[int, ...]]):
    """The names of all cells, `(x, y)` or `(x, y, z)`, in the order of their numbers; computed when they are asked for."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def __len__(self) -> int:
        return prod(self.shape)

    def __getitem__(self, cell: Any) -> Any:
        if isinstance(cell, slice):
            return [self[k] for k in range(*cell.indices(len(self)))]
        return tuple(int(k) for k in np.unravel_index(range(len(self))[cell], self.shape))[::-1]

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (name[::-1] for name in np.ndindex(self.shape))


class Tiling(Graph, ABC):
    """What hexagons, triangles and voxels have in common: `free`, terrain costs, and cells called by their coordinates."""

    what = "cells"
    n_neighbours = 0  # at most

    def __init__(self, free: ArrayLike, costs: ArrayLike | None, name: str) -> None:
        cells = np.array(free, dtype=bool)
        if cells.ndim != self._dimensions() or 0 in cells.shape:
            raise BadInput(
                f"{self.what} need {self._dimensions()} sizes of 1 or more, this array has the shape {cells.shape}"
            )
        n_free = int(np.count_nonzero(cells))
        if cells.size * BYTES_OF_A_CELL + n_free * self.n_neighbours * BYTES_OF_A_MOVE > available_bytes():
            raise TooLarge(f"a world of {cells.size} {self.what} does not fit into the memory of this machine")
        self.free, self.name = cells, name
        self.costs = None if costs is None else checked_costs(costs, cells)
        parts = [pair for pair in self._neighbours() if len(pair[0])]
        source = np.concatenate([part[0] for part in parts]) if parts else np.zeros(0, np.int64)
        target = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0, np.int64)
        weight = np.repeat([part[2] for part in parts], [len(part[0]) for part in parts])
        if self.costs is not None:
            weight = weight * 0.5 * (self.costs.flat[source] + self.costs.flat[target])
        order = np.argsort(source, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=cells.size))])
        super().__init__(first, target[order], weight[order], self._centres())
        self.names = Coordinates(cells.shape)
        self.is_tiled = True
        self.free.flags.writeable = False

    @classmethod
    def _dimensions(cls) -> int:
        return 2

    @abstractmethod
    def _neighbours(self) -> Iterable[Pairs]:
        """All pairs of free cells between which an agent can move, in groups of the same length."""

    @abstractmethod
    def _centres(self) -> NDArray[np.float64]:
        """Where the centre of each cell lies."""

    def _settings(self) -> dict[str, Any]:
        """What a changed copy is made with, besides `free`."""
        return {"costs": self.costs, "name": self.name}

    def pairs(self, step: tuple[int, ...], begin: NDArray[np.bool_] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """The cells from which `step`, along the axes of `free`, leads to a free cell, and that cell.

        They are all free cells, or those of `begin`.
        """
        ours, theirs = windows(step, self.free.shape)
        is_open = (self.free if begin is None else self.free & begin)[ours] & self.free[theirs]
        numbers = np.arange(self.free.size).reshape(self.free.shape)
        return numbers[ours][is_open], numbers[theirs][is_open]

    @property
    def free_cells(self) -> NDArray[np.int32]:
        """All free cells, in order."""
        return np.flatnonzero(self.free).astype(np.int32)

    def is_free(self, cell: int) -> bool:
        """Whether an agent can stand on `cell`."""
        return bool(self.free.flat[cell])

    def cell(self, place: Hashable) -> int:
        """The number of the cell at `place`: `(x, y)`, or `(x, y, z)` for voxels."""
        sizes = self.free.shape[::-1]
        try:
            at = tuple(int(k) for k in place)  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            at = ()
        if len(at) != len(sizes):
            axes = "(x, y, z)" if len(sizes) == 3 else "(x, y)"
            raise BadProblem(f"a place among {self.what} is {axes}, not {place!r}")
        if not all(0 <= k < size for k, size in zip(at, sizes, strict=True)):
            raise BadProblem(f"{at} is outside the {' x '.join(map(str, sizes))} {self.what}")
        return int(np.ravel_multi_index(at[::-1], self.free.shape))

    def place(self, cell: int) -> tuple[int, ...]:
        """The coordinates of `cell`."""
        name: tuple[int, ...] = self.names[int(cell)]  # type: ignore[assignment]
        return name

    def with_blocked(self, cells: Iterable[int]) -> Self:
        """A copy in which `cells` are blocked."""
        return self._changed(cells, False)

    def with_freed(self, cells: Iterable[int]) -> Self:
        """A copy in which `cells` are free."""
        return self._changed(cells, True)

    def _changed(self, cells: Iterable[int], value: bool) -> Self:
        free, changed = self.free.copy(), np.asarray(list(cells), dtype=np.int64)
        outside = (changed < 0) | (changed >= free.size)
        if outside.any():
            raise BadInput(f"cell {changed[outside][0]} is outside a world of {free.size} {self.what}")
        free.flat[changed] = value
        return type(self)(free, **self._settings())

    def __repr__(self) -> str:
        named = f"{self.name!r}, " if self.name else ""
        sizes = " x ".join(map(str, self.free.shape[::-1]))
        return f"{type(self).__name__}({named}{sizes}, {np.count_nonzero(self.free)} free)"


def windows(step: tuple[int, ...], shape: tuple[int, ...]) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """The part of an array from which `step` stays inside, and the part to which it leads."""
    sizes = list(zip(step, shape, strict=True))
    ours = tuple(slice(max(-k, 0), max(size - max(k, 0), 0)) for k, size in sizes)
    theirs = tuple(slice(max(k, 0), max(size + min(k, 0), 0)) for k, size in sizes)
    return ours, theirs
