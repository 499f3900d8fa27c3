"""HexGrid: a map of hexagons, with a corner up (pointy) or a side up (flat)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.world.tiling import Pairs, Tiling

LAYOUTS = ("pointy", "flat")
SHIFTS = ("even", "odd")
STEPS = {
    0: ((-1, -1), (-1, 0), (0, 1), (1, 0), (1, -1), (0, -1)),
    1: ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (0, -1)),
}
"""The six moves in a pointy map as (rows, columns), from a hexagon in a row that is not shifted and in one that is."""


class HexGrid(Tiling):
    """A map of hexagons; never changes, but makes changed copies. A move leads to one of six neighbours and is 1 long.

    `free[y, x]` says which hexagons can be entered, and `costs[y, x]` (optional) multiplies distance as in a `Grid`.
    Places are offset coordinates `(x, y)`: in the layout "pointy" the odd rows are shifted right by half a hexagon
    (known as odd-r), in "flat" the odd columns are shifted down (odd-q). With `shifted="even"` these are the even ones
    (even-r, even-q).
    """

    what = "hexagons"
    n_neighbours = 6

    def __init__(
        self,
        free: ArrayLike,
        layout: str = "pointy",
        *,
        shifted: str = "odd",
        costs: ArrayLike | None = None,
        name: str = "",
    ) -> None:
        if layout not in LAYOUTS:
            raise BadInput(f"hexagons are laid out {' or '.join(LAYOUTS)}, not {layout!r}")
        if shifted not in SHIFTS:
            raise BadInput(f"the rows of hexagons that are shifted are the {' or '.join(SHIFTS)} ones, not {shifted!r}")
        self.layout, self.shifted = layout, shifted
        super().__init__(free, costs, name)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "layout": self.layout, "shifted": self.shifted}

    def _neighbours(self) -> Iterable[Pairs]:
        is_flat = self.layout == "flat"
        for shift, steps in STEPS.items():
            rows = self._shifts(np.arange(self.free.shape[is_flat])) == shift
            begin = np.broadcast_to(rows if is_flat else rows[:, None], self.free.shape)
            for step in steps:
                yield *self.pairs(step[::-1] if is_flat else step, begin), 1.0

    def _shifts(self, rows: NDArray[Any]) -> NDArray[Any]:
        """1 for the rows, or columns, that are shifted by half a hexagon, 0 for the others."""
        return (rows + SHIFTS.index(self.shifted) + 1) % 2

    def _centres(self) -> NDArray[np.float64]:
        y, x = np.indices(self.free.shape, dtype=np.float64).reshape(2, -1)
        apart = math.sqrt(3.0) / 2.0  # rows of hexagons whose centres are 1 apart
        if self.layout == "flat":
            return np.stack([apart * x, y + self._shifts(x) / 2.0], axis=1)
        return np.stack([x + self._shifts(y) / 2.0, apart * y], axis=1)
