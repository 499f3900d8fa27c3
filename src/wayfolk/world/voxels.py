"""Voxels: a map of cubes in space, for flying agents and buildings with several floors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.world.tiling import Pairs, Tiling, windows

NEIGHBOURS = (6, 26)


class Voxels(Tiling):
    """A map of cubes; never changes, but makes changed copies.

    `free[z, y, x]` says which voxels can be entered, and `costs[z, y, x]` (optional) multiplies distance as in a `Grid`.
    With 6 `neighbours` a move crosses a side; with 26 it may cross an edge or a corner too, if all voxels that it touches
    are free (no corner is cut). Places are `(x, y, z)`.
    """

    what = "voxels"

    def __init__(
        self, free: ArrayLike, neighbours: int = 26, *, costs: ArrayLike | None = None, name: str = ""
    ) -> None:
        if neighbours not in NEIGHBOURS:
            raise BadInput(f"a voxel has 6 or 26 neighbours, not {neighbours!r}")
        self.n_neighbours = neighbours
        super().__init__(free, costs, name)

    @classmethod
    def _dimensions(cls) -> int:
        return 3

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "neighbours": self.n_neighbours}

    def _neighbours(self) -> Iterable[Pairs]:
        for step in product((-1, 0, 1), repeat=3):
            n_axes = sum(map(abs, step))
            if n_axes and (n_axes == 1 or self.n_neighbours == 26):
                yield *self.pairs(step, self._is_clear(step)), math.sqrt(n_axes)

    def _is_clear(self, step: tuple[int, ...]) -> NDArray[np.bool_] | None:
        """From where `step` touches free voxels only, of those that are neither its begin nor its end."""
        touched = [part for part in product(*({0, k} for k in step)) if any(part) and part != step]
        if not touched:
            return None
        clear = np.ones_like(self.free)
        for part in touched:
            ours, theirs = windows(part, self.free.shape)
            clear[ours] &= self.free[theirs]
        return clear

    def _centres(self) -> NDArray[np.float64]:
        return np.indices(self.free.shape, dtype=np.float64).reshape(3, -1)[::-1].T
