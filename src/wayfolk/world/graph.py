"""Graph: a world that is not a square grid, made from CSR arrays, from a grid or from networkx.

Roadmaps, hexagons, triangles and voxels are graphs that know more: what their nodes are called and where they lie.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem, Missing
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import CsrGraph
from wayfolk.world.cache import World
from wayfolk.world.grid import Grid

FARTHEST = 1e100  # no place and no cost is beyond this, so that squares and sums are finite


class Graph(World):
    """A world that is not a square grid: named nodes, directed edges with costs, and perhaps positions."""

    name = ""

    def __init__(
        self,
        first: ArrayLike,
        target: ArrayLike,
        weight: ArrayLike,
        positions: ArrayLike | None = None,
        names: Sequence[Hashable] | None = None,
    ) -> None:
        super().__init__()
        starts, ends = np.asarray(first, dtype=np.int32), np.asarray(target, dtype=np.int32)
        costs = np.asarray(weight, dtype=np.float64)
        n = len(starts) - 1
        if n < 1 or starts[0] != 0 or starts[-1] != len(ends) or (np.diff(starts) < 0).any() or len(costs) != len(ends):
            raise BadInput("the edges are not in CSR form: first, target and weight do not fit together")
        if len(ends) and (ends.min() < 0 or ends.max() >= n):
            raise BadInput(f"an edge leads to node {ends.max() if ends.min() >= 0 else ends.min()}, of {n} nodes")
        bad = ~((costs >= 0) & (costs <= FARTHEST))
        if bad.any():
            edge = int(bad.argmax())
            source = int(np.searchsorted(starts, edge, side="right")) - 1
            what = f"the edge from node {source} to {ends[edge]} costs {costs[edge]}"
            raise BadInput(f"{what}: it must be 0 or more, up to {FARTHEST:g}")
        self.n_cells = n
        self.names: Sequence[Hashable] = list(range(n) if names is None else names)
        if names is not None and len(self._number) != n:
            raise BadInput(f"{n} nodes need {n} different names")
        self.positions = None if positions is None else np.asarray(positions, dtype=np.float64)
        if self.positions is not None and self.positions.shape not in ((n, 2), (n, 3)):
            raise BadInput(f"positions of {n} nodes have the shape ({n}, 2) or ({n}, 3), not {self.positions.shape}")
        axes, cheapest = np.zeros((3, n)), 0.0
        if self.positions is not None:
            if not (np.abs(self.positions) <= FARTHEST).all():
                raise BadInput(f"the positions of nodes are numbers from {-FARTHEST:g} to {FARTHEST:g}")
            axes[: self.positions.shape[1]] = self.positions.T
            sources = np.repeat(np.arange(n), np.diff(starts))
            straight = np.sqrt(((axes[:, sources] - axes[:, ends]) ** 2).sum(0))
            far = straight > 0
            cheapest = float((costs[far] / straight[far]).min()) if far.any() else 0.0
        x, y, z = axes
        self.graph = CsrGraph(starts, ends, costs, x, y, z, cheapest)
        self.is_tiled = False  # whether moves whose middles are one point meet there

    @classmethod
    def from_grid(cls, grid: Grid) -> Graph:
        """The same cells and moves as `grid`, with explicit edges; nodes are named by `(x, y)`."""
        cells = grid.free_cells
        number = np.full(grid.n_cells, NOWHERE, dtype=np.int32)
        number[cells] = np.arange(len(cells), dtype=np.int32)
        legal = (grid.legal[cells][:, None] >> np.arange(8)) & 1 > 0
        reached = np.where(legal, cells[:, None] + grid.offsets, 0)
        steps = np.broadcast_to(grid.lengths, reached.shape)
        if grid._costs is not None:
            steps = steps * 0.5 * (grid._costs[cells][:, None] + grid._costs[reached])
        first = np.concatenate([[0], np.cumsum(legal.sum(1))])
        places = grid.places(cells)
        graph = cls(first, number[reached[legal]], steps[legal], places, [(int(x), int(y)) for x, y in places])
        graph.is_tiled = True
        return graph

    @classmethod
    def from_networkx(cls, graph: Any, weight: str = "weight", pos: str = "pos") -> Graph:
        """A networkx graph: edge attribute `weight` (1 where missing), node attribute `pos` if all nodes have it."""
        names = list(graph)
        if not names:
            raise BadInput("the graph has no nodes")
        number = {name: cell for cell, name in enumerate(names)}
        first, target, costs = [0], [], []
        for name in names:
            for other, data in graph.adj[name].items():
                options = data.values() if graph.is_multigraph() else [data]
                target.append(number[other])
                costs.append(min(float(option.get(weight, 1.0)) for option in options))
            first.append(len(target))
        places = [graph.nodes[name].get(pos) for name in names]
        positions = None if any(place is None for place in places) else places
        return cls(first, target, costs, positions, names)

    def to_networkx(self) -> Any:
        """The same graph for networkx, with `weight` and, where known, `pos`."""
        try:
            import networkx as nx
        except ImportError:
            raise Missing("networkx is not installed: pip install 'wayfolk[graphs]'") from None
        digraph = nx.DiGraph()
        for cell, name in enumerate(self.names):
            digraph.add_node(name, **({} if self.positions is None else {"pos": tuple(self.positions[cell])}))
        for cell, name in enumerate(self.names):
            for edge in range(self.graph.first[cell], self.graph.first[cell + 1]):
                other, weight = self.names[self.graph.target[edge]], float(self.graph.weight[edge])
                if digraph.has_edge(name, other):  # of parallel edges the cheapest counts
                    weight = min(weight, digraph.edges[name, other]["weight"])
                digraph.add_edge(name, other, weight=weight)
        return digraph

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        """The number of each name."""
        return {name: cell for cell, name in enumerate(self.names)}

    @property
    def sources(self) -> NDArray[np.int32]:
        """The node at which each edge begins; `graph.target` is where it ends."""
        return np.repeat(np.arange(self.n_cells, dtype=np.int32), np.diff(self.graph.first))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """The nodes between which each edge leads."""
        return list(zip(self.sources.tolist(), self.graph.target.tolist(), strict=True))

    @cached_property
    def middles(self) -> NDArray[np.int64]:
        """A number for each edge; moves along two edges in one step meet in the middle if it is the same.

        They do if they join the same nodes, and in a world of cells if their middles are one point, as crossing diagonals.
        """
        if not self.is_tiled or self.positions is None:
            ends = np.sort(np.stack([self.sources, self.graph.target]), axis=0).astype(np.int64)
            pairs: NDArray[np.int64] = ends[0] * self.n_cells + ends[1]
            return pairs
        points = np.round((self.positions[self.sources] + self.positions[self.graph.target]) * 1e6).astype(np.int64)
        order = np.lexsort(points.T)
        is_new = (np.diff(points[order], axis=0, prepend=points[order[:1]] - 1) != 0).any(1)
        middles = np.empty(len(points), np.int64)
        middles[order] = np.cumsum(is_new)
        return middles

    @cached_property
    def one_way_edge(self) -> tuple[int, int] | None:
        """The ends of an edge that leads in one direction only, None if there is no such edge."""
        source, target = self.sources.astype(np.int64), self.graph.target.astype(np.int64)
        one_way = np.flatnonzero(~np.isin(source * self.n_cells + target, target * self.n_cells + source))
        return (int(source[one_way[0]]), int(target[one_way[0]])) if one_way.size else None

    @property
    def free_cells(self) -> NDArray[np.int32]:
        """All nodes that can be entered, in order."""
        return np.arange(self.n_cells, dtype=np.int32)

    @cached_property
    def components(self) -> NDArray[np.int32]:
        """The number of the connected part each node belongs to, from 1; edges count in both directions."""
        ends = np.concatenate([[self.sources, self.graph.target], [self.graph.target, self.sources]], axis=1)
        least = np.arange(self.n_cells)
        while True:
            before = least.copy()
            np.minimum.at(least, ends[0], least[ends[1]])
            least = least[least]  # a node joins the part of the node that it was joined to
            if (least == before).all():
                break
        return (np.unique(least, return_inverse=True)[1] + 1).astype(np.int32)

    def cell(self, place: Hashable) -> int:
        """The number of the node called `place`."""
        try:
            return self._number[place]
        except (KeyError, TypeError):
            raise BadProblem(f"the graph has no node {place!r}") from None

    def place(self, cell: int) -> Hashable:
        """The name of node `cell`."""
        return self.names[cell]

    def with_closed(self, lanes: Iterable[tuple[Hashable, Hashable]]) -> Graph:
        """A copy without the edges from the first to the second node of each pair."""
        keys = self.sources.astype(np.int64) * self.n_cells + self.graph.target
        shut = [self.cell(start) * self.n_cells + self.cell(end) for start, end in lanes]
        for key in shut:
            if key not in keys:
                start, end = divmod(key, self.n_cells)
                raise BadInput(f"no edge leads from {self.place(start)!r} to {self.place(end)!r}")
        kept = np.flatnonzero(~np.isin(keys, shut))
        first = np.searchsorted(kept, self.graph.first)
        graph = Graph(first, self.graph.target[kept], self.graph.weight[kept], self.positions, self.names)
        graph.is_tiled = self.is_tiled
        return graph

    def is_free(self, cell: int) -> bool:
        """Every node of a graph can be entered."""
        return True

    def __repr__(self) -> str:
        return f"Graph({self.n_cells} nodes, {len(self.graph.target)} edges)"
