"""Vision: a map that is unknown until an agent has seen it.

Unseen cells are taken to be free (the free-space assumption). All agents share what any of them has seen.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.errors import BadInput
from wayfolk.world.grid import Grid


class Vision:
    """`known` is the map as far as it has been seen; `truth` what it really is."""

    def __init__(self, truth: Grid, radius: float) -> None:
        if not radius >= 1:
            raise BadInput(f"vision must reach at least 1, not {radius}")
        self.truth, self.radius = truth, float(radius)
        self.known = Grid(np.ones_like(truth.free), truth.moves, diagonal=truth.diagonal, name=truth.name)

    def look(self, eyes: NDArray[np.int32]) -> NDArray[np.int32]:
        """See around the cells `eyes`; returns the cells that turned out to be free or blocked against what was known."""
        wrong = np.empty(self.truth.n_cells, np.int32)
        n = _compare(
            truth=self.truth._free,
            known=self.known._free,
            stride=self.truth.stride,
            width=self.truth.width,
            height=self.truth.height,
            eyes=eyes,
            radius=self.radius,
            noted=np.zeros(self.truth.n_cells, np.bool_),
            wrong=wrong,
        )
        changed = wrong[:n].copy()
        walls = changed[~self.truth._free[changed]]
        if walls.size:
            self.known = self.known.with_blocked(walls)
        if walls.size < changed.size:
            self.known = self.known.with_freed(changed[self.truth._free[changed]])
        return changed


@kernel
def _compare(truth, known, stride, width, height, eyes, radius, noted, wrong):
    """Write the cells within `radius` of any eye that differ to `wrong`; how many."""
    n = 0
    reach = int(radius)
    for eye in eyes:
        eye_y, eye_x = eye // stride, eye % stride
        for y in range(max(1, eye_y - reach), min(height, eye_y + reach) + 1):
            for x in range(max(1, eye_x - reach), min(width, eye_x + reach) + 1):
                cell = y * stride + x
                if truth[cell] != known[cell] and not noted[cell]:
                    if (y - eye_y) * (y - eye_y) + (x - eye_x) * (x - eye_x) <= radius * radius:
                        noted[cell] = True
                        wrong[n] = cell
                        n += 1
    return n
