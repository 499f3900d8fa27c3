"""TriangleGrid: a map of triangles that point up and down in turn."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.world.tiling import Pairs, Tiling


class TriangleGrid(Tiling):
    """A map of triangles; never changes, but makes changed copies. A move crosses one of three sides and is 1 long.

    `free[y, x]` says which triangles can be entered, and `costs[y, x]` (optional) multiplies distance as in a `Grid`.
    The triangle `(x, y)` points up where x + y is even: its neighbours are `(x - 1, y)`, `(x + 1, y)` and `(x, y + 1)`.
    Where x + y is odd it points down, and the third neighbour is `(x, y - 1)`.
    """

    what = "triangles"
    n_neighbours = 3

    def __init__(self, free: ArrayLike, *, costs: ArrayLike | None = None, name: str = "") -> None:
        super().__init__(free, costs, name)

    def _points_up(self) -> NDArray[np.bool_]:
        return np.asarray(np.indices(self.free.shape).sum(0) % 2 == 0)

    def _neighbours(self) -> Iterable[Pairs]:
        up = self._points_up()
        for step, begin in (((0, 1), None), ((0, -1), None), ((1, 0), up), ((-1, 0), ~up)):
            yield *self.pairs(step, begin), 1.0

    def _centres(self) -> NDArray[np.float64]:
        y, x = np.indices(self.free.shape, dtype=np.float64).reshape(2, -1)
        # rows are 1.5 high, sides sqrt(3) long; a centre is at a third of the height above its side
        return np.stack([math.sqrt(3.0) / 2.0 * x, 1.5 * y + np.where(self._points_up().ravel(), 1.0, 0.5)], axis=1)
