"""Vision: a map that is unknown until an agent has seen it.

Unseen cells are taken to be free, to cost as little as any free cell, and to have no cliffs (the free-space assumption).
All agents share what any of them has seen. The cliffs of a cell are those to its east and south; those to its north and
west are seen with its neighbours, all of which an agent sees from where it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH, SQRT2
from wayfolk.kernels.graph import NO_TERRAIN
from wayfolk.world.grid import Grid

NO_LINKS = np.zeros(0, np.uint8)
NO_LINKS.flags.writeable = False


class Vision:
    """`known` is the map as far as it has been seen; `truth` what it really is. Agents see `radius` far, and neighbours."""

    def __init__(self, truth: Grid, radius: float) -> None:
        if not radius >= 1:
            raise BadInput(f"vision must reach at least 1, not {radius}")
        self.truth, self.radius = truth, float(radius)
        costs = None if truth.costs is None else np.full_like(truth.costs, truth.graph.cheapest)
        links = None if truth.links is None else np.full_like(truth.links, OPEN_EAST | OPEN_SOUTH)
        self.known = Grid(
            np.ones_like(truth.free), truth.moves, costs=costs, links=links, diagonal=truth.diagonal, name=truth.name
        )

    def look(self, eyes: NDArray[np.int32]) -> NDArray[np.int32]:
        """See around the cells `eyes`; returns the cells that turned out to be other than was known."""
        truth, wrong = self.truth, np.empty(self.truth.n_cells, np.int32)
        n = _compare(
            truth=_seen_of(truth),
            known=_seen_of(self.known),
            stride=truth.stride,
            width=truth.width,
            height=truth.height,
            eyes=eyes,
            radius=max(self.radius, SQRT2),
            noted=np.zeros(truth.n_cells, np.bool_),
            wrong=wrong,
        )
        changed = wrong[:n].copy()
        if changed.size:
            self.known = self.known.with_cells_of(truth, changed)
        return changed


def _seen_of(grid: Grid) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.uint8]]:
    """What there is to see of a map: which cells are free, their costs, and their links."""
    costs, links = grid._costs, grid._links
    return grid._free, NO_TERRAIN if costs is None else costs, NO_LINKS if links is None else links


@kernel
def _compare(truth, known, stride, width, height, eyes, radius, noted, wrong):
    """Write the cells within `radius` of any eye that differ to `wrong`; how many."""
    free, costs, links = truth
    known_free, known_costs, known_links = known
    n = 0
    reach = int(radius)
    for eye in eyes:
        eye_y, eye_x = eye // stride, eye % stride
        for y in range(max(1, eye_y - reach), min(height, eye_y + reach) + 1):
            for x in range(max(1, eye_x - reach), min(width, eye_x + reach) + 1):
                cell = y * stride + x
                differs = free[cell] != known_free[cell]
                if costs.size > 0 and free[cell] and costs[cell] != known_costs[cell]:
                    differs = True
                if links.size > 0 and links[cell] != known_links[cell]:
                    differs = True
                if differs and not noted[cell]:
                    if (y - eye_y) * (y - eye_y) + (x - eye_x) * (x - eye_x) <= radius * radius:
                        noted[cell] = True
                        wrong[n] = cell
                        n += 1
    return n
