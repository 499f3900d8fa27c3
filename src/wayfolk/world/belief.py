"""What one agent believes of a world that it has only partly seen, beside the truth.

It is for one agent alone; agents that share what they see have `vision.py`. Walls do not hide what is behind
them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.codes import SQRT2
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


class GridBelief:
    """`real` is the map as it is, `world` as the agent believes it to be: at first `known`, or free everywhere.

    The agent sees its eight neighbours and all cells at most `sight` away (along a straight line): whether they are free,
    and their terrain. Terrain is known from the beginning unless `known` has other costs.
    """

    def __init__(self, real: Grid, known: Grid | None, sight: float) -> None:
        self.real, self.sight = real, max(sight, SQRT2)
        everywhere = np.ones_like(real.free)
        self.world = known or Grid(
            everywhere, real.moves, costs=real.costs, links=real.links, diagonal=real.diagonal, name=real.name
        )
        for what in ("width", "height", "moves", "diagonal"):
            if getattr(self.world, what) != getattr(real, what):
                raise BadInput(f"the known map and the real one must have the same {what}")
        if (self.world.costs is None) != (real.costs is None):
            raise BadInput("either the known map and the real one both have terrain costs, or neither")
        if not np.array_equal(everywhere if real.links is None else real.links, _links(self.world, everywhere)):
            raise BadInput("the known map and the real one must have the same cliffs")

    def happen(self, blocked: Sequence[int], freed: Sequence[int]) -> None:
        """Replace the real map, which has changed."""
        self.real = self.real.with_blocked(blocked).with_freed(freed)

    def look(self, here: int) -> NDArray[np.int32]:
        """See what is around `here`; returns the cells about which the belief was wrong, and corrects it."""
        real, world = self.real, self.world
        y, x = divmod(here, real.stride)
        reach = int(min(self.sight, real.width + real.height))
        top, left = max(y - reach, 0), max(x - reach, 0)

        def window(cells: NDArray[np.generic]) -> NDArray[np.generic]:
            return cells.reshape(-1, real.stride)[top : y + reach + 1, left : x + reach + 1]

        differs = window(real._free) != window(world._free)
        if real._costs is not None and world._costs is not None and real._costs is not world._costs:
            differs |= window(real._free) & (window(real._costs) != window(world._costs))
        ys, xs = np.nonzero(differs)
        is_near = (xs + left - x) ** 2 + (ys + top - y) ** 2 <= self.sight**2
        seen: NDArray[np.int32] = ((ys + top) * real.stride + xs + left)[is_near].astype(np.int32)
        if seen.size:
            self.world = world.with_cells_of(real, seen)
        return seen

    @property
    def unknown_ways(self) -> int:
        """Cells that are free but believed to be blocked."""
        return int((self.real._free & ~self.world._free).sum())


class GraphBelief:
    """The same for a graph, whose nodes may be closed, and whose known edges may have other costs than the real ones.

    The agent sees the edges from and to all nodes at most `sight` edges away from it, whichever are closed.
    """

    def __init__(self, real: Graph, known: Graph | None, sight: float) -> None:
        self.real, self.world, self.sight = real, known or real, max(sight, 1)
        self.whole = real
        edges, ours = real.graph, self.world.graph
        if not (np.array_equal(edges.first, ours.first) and np.array_equal(edges.target, ours.target)):
            raise BadInput("the known graph and the real one must have the same nodes and edges, in the same order")
        self.source = np.repeat(np.arange(real.n_cells), np.diff(edges.first))
        self.is_closed = np.zeros(real.n_cells, bool)
        self.true, self.believed = edges.weight.copy(), ours.weight.copy()

    def happen(self, blocked: Sequence[int], freed: Sequence[int]) -> None:
        """Close and open nodes; the edges of a closed node cannot be used."""
        self.is_closed[np.asarray(blocked, np.int64)] = True
        self.is_closed[np.asarray(freed, np.int64)] = False
        edges = self.whole.graph
        shut = self.is_closed[self.source] | self.is_closed[edges.target]
        self.true = np.where(shut, np.inf, edges.weight)
        self.real = self._graph(self.true)

    def look(self, here: int) -> NDArray[np.int32]:
        """See what is around `here`; returns the nodes with edges about which the belief was wrong, and corrects it."""
        target = self.whole.graph.target
        is_seen = np.zeros(self.whole.n_cells, bool)
        is_seen[here] = True
        for _ in range(int(min(self.sight, self.whole.n_cells))):
            before = is_seen.sum()
            is_seen[target[is_seen[self.source]]] = True
            if is_seen.sum() == before:
                break
        differs = (is_seen[self.source] | is_seen[target]) & (self.true != self.believed)
        if differs.any():
            self.believed[differs] = self.true[differs]
            self.world = self._graph(self.believed)
        return np.unique(self.source[differs]).astype(np.int32)

    def _graph(self, weights: NDArray[np.float64]) -> Graph:
        kept = np.isfinite(weights)
        first = np.concatenate([[0], np.cumsum(np.bincount(self.source[kept], minlength=self.whole.n_cells))])
        whole = self.whole
        return Graph(first, whole.graph.target[kept], weights[kept], whole.positions, whole.names)

    @property
    def unknown_ways(self) -> int:
        """Edges that can be used but are believed to be closed."""
        return int((np.isinf(self.believed) & np.isfinite(self.true)).sum())


def _links(grid: Grid, everywhere: NDArray[np.bool_]) -> NDArray[np.generic]:
    return everywhere if grid.links is None else grid.links
