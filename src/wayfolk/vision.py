"""Vision: a map that is unknown until somebody has seen it.

Unseen cells are taken to be free (the free-space assumption). All agents share what any of them has seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.grid import Grid
from wayfolk.kernels.sight import compare


class Vision:
    """`known` is the map as far as it has been seen; `truth` what it really is."""

    def __init__(self, truth: Grid, radius: float) -> None:
        if not radius >= 1:
            raise BadInput(f"vision must reach at least 1, not {radius}")
        self.truth, self.radius = truth, float(radius)
        self.known = Grid(np.ones_like(truth.free), truth.moves, diagonal=truth.diagonal, name=truth.name)

    def look(self, eyes: NDArray[np.int32]) -> NDArray[np.int32]:
        """See around `eyes`; the cells that turned out to be other than they were thought to be."""
        wrong = np.empty(self.truth.n_cells, np.int32)
        n = compare(
            self.truth._free, self.known._free, self.truth.stride, self.truth.width, self.truth.height, eyes,
            self.radius, np.zeros(self.truth.n_cells, np.bool_), wrong,
        )  # fmt: skip
        found = wrong[:n].copy()
        walls = found[~self.truth._free[found]]
        if walls.size:
            self.known = self.known.with_blocked(walls)
        if walls.size < found.size:
            self.known = self.known.with_freed(found[self.truth._free[found]])
        return found
