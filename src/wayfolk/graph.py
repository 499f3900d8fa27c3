"""Graph: the flat arrays that kernels read, made from a grid, from CSR arrays or from networkx.

Two backings behind one tiny protocol, chosen at compile time by the type of the tuple: `GridGraph` (a byte of legal
moves for each cell) and `CsrGraph` (anything else). A search kernel is written once against

    slots(graph, cell)             how many edge numbers a cell has, used or not
    there(graph, cell, k)          where edge number k leads, NOWHERE if it is not used
    cost(graph, cell, k)           what it costs
    guess(graph, cell, goal, kind) a lower bound of the cost from cell to goal

and works on both. A new backing is a NamedTuple with four functions registered by `backing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem, Missing
from wayfolk.kernels.jit import specialise

if TYPE_CHECKING:
    from wayfolk.grid import Grid

NOWHERE = np.int32(2**31 - 1)
"""No cell. Never -1, which would be the last element of an array."""

NO_TERRAIN = np.zeros(0)
NO_TERRAIN.flags.writeable = False  # as terrain is: else kernels would be compiled for either

ZERO, OCTILE, MANHATTAN, EUCLIDEAN = range(4)
GUESSES = {"zero": ZERO, "octile": OCTILE, "manhattan": MANHATTAN, "euclidean": EUCLIDEAN}


class GridGraph(NamedTuple):
    """A grid as kernels see it. `terrain` is empty where every cell costs the same."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lengths: NDArray[np.float64]
    terrain: NDArray[np.float64]
    stride: int
    cheapest: float


class CsrGraph(NamedTuple):
    """Any graph: the edges of cell c are numbers first[c] to first[c + 1] of `target` and `weight`.

    `x` and `y` place the cells in a plane; `cheapest` is the least cost of a unit of straight distance there, 0 where
    cells have no places.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    cheapest: float


_SLOTS: dict[type, Callable[..., Any]] = {}
_THERE: dict[type, Callable[..., Any]] = {}
_COST: dict[type, Callable[..., Any]] = {}
_GUESS: dict[type, Callable[..., Any]] = {}


def backing(
    kind: type,
    slots: Callable[..., Any],
    there: Callable[..., Any],
    cost: Callable[..., Any],
    guess: Callable[..., Any],
) -> None:
    """Register the four functions, plain Python to be compiled, by which searches read tuples of the type `kind`."""
    _SLOTS[kind], _THERE[kind], _COST[kind], _GUESS[kind] = slots, there, cost, guess


def slots(graph: Any, cell: Any) -> Any:
    """How many edge numbers a cell has."""
    return _SLOTS[type(graph)](graph, cell)


def there(graph: Any, cell: Any, k: Any) -> Any:
    """Where edge `k` of `cell` leads, or NOWHERE."""
    return _THERE[type(graph)](graph, cell, k)


def cost(graph: Any, cell: Any, k: Any) -> Any:
    """What edge `k` of `cell` costs."""
    return _COST[type(graph)](graph, cell, k)


def guess(graph: Any, cell: Any, goal: Any, kind: Any) -> Any:
    """A lower bound of the cost from `cell` to `goal`."""
    return _GUESS[type(graph)](graph, cell, goal, kind)


specialise(slots, _SLOTS)
specialise(there, _THERE)
specialise(cost, _COST)
specialise(guess, _GUESS)


def _grid_slots(graph, cell):  # type: ignore[no-untyped-def]
    return 8


def _grid_there(graph, cell, k):  # type: ignore[no-untyped-def]
    if (graph.legal[cell] >> k) & 1:
        return cell + graph.offsets[k]
    return NOWHERE


def _grid_cost(graph, cell, k):  # type: ignore[no-untyped-def]
    if graph.terrain.size == 0:
        return graph.lengths[k]
    return graph.lengths[k] * 0.5 * (graph.terrain[cell] + graph.terrain[cell + graph.offsets[k]])


def _grid_guess(graph, cell, goal, kind):  # type: ignore[no-untyped-def]
    if kind == ZERO:
        return 0.0
    cell_y, goal_y = cell // graph.stride, goal // graph.stride
    dx = abs((cell - cell_y * graph.stride) - (goal - goal_y * graph.stride))
    dy = abs(cell_y - goal_y)
    if kind == OCTILE:
        return graph.cheapest * (max(dx, dy) + (graph.lengths[4] - 1.0) * min(dx, dy))
    if kind == MANHATTAN:
        return graph.cheapest * (dx + dy)
    return graph.cheapest * math.sqrt(dx * dx + dy * dy)


def _csr_slots(graph, cell):  # type: ignore[no-untyped-def]
    return graph.first[cell + 1] - graph.first[cell]


def _csr_there(graph, cell, k):  # type: ignore[no-untyped-def]
    return graph.target[graph.first[cell] + k]


def _csr_cost(graph, cell, k):  # type: ignore[no-untyped-def]
    return graph.weight[graph.first[cell] + k]


def _csr_guess(graph, cell, goal, kind):  # type: ignore[no-untyped-def]
    if kind == ZERO or graph.cheapest == 0.0:
        return 0.0
    dx = abs(graph.x[cell] - graph.x[goal])
    dy = abs(graph.y[cell] - graph.y[goal])
    if kind == OCTILE:
        return graph.cheapest * (max(dx, dy) + (math.sqrt(2.0) - 1.0) * min(dx, dy))
    if kind == MANHATTAN:
        return graph.cheapest * (dx + dy)
    return graph.cheapest * math.sqrt(dx * dx + dy * dy)


backing(GridGraph, _grid_slots, _grid_there, _grid_cost, _grid_guess)
backing(CsrGraph, _csr_slots, _csr_there, _csr_cost, _csr_guess)


def grid_graph(grid: Grid) -> GridGraph:
    """The tuple that kernels read for `grid`."""
    terrain = NO_TERRAIN if grid._costs is None else grid._costs
    cheapest = 1.0 if grid._costs is None else float(grid._costs[grid.free_cells].min(initial=1.0))
    return GridGraph(grid.legal, grid.offsets, grid.lengths, terrain, grid.stride, cheapest)


class Graph:
    """A world that is not a grid: named nodes, directed edges with costs, and perhaps places in a plane."""

    def __init__(
        self,
        first: ArrayLike,
        target: ArrayLike,
        weight: ArrayLike,
        positions: ArrayLike | None = None,
        names: Sequence[Hashable] | None = None,
    ) -> None:
        starts, ends = np.asarray(first, dtype=np.int32), np.asarray(target, dtype=np.int32)
        costs = np.asarray(weight, dtype=np.float64)
        n = len(starts) - 1
        if n < 1 or starts[0] != 0 or starts[-1] != len(ends) or (np.diff(starts) < 0).any() or len(costs) != len(ends):
            raise BadInput("the edges are not in CSR form: first, target and weight do not fit together")
        if len(ends) and (ends.min() < 0 or ends.max() >= n):
            raise BadInput(f"an edge leads to node {ends.max() if ends.min() >= 0 else ends.min()}, of {n} nodes")
        bad = ~(np.isfinite(costs) & (costs >= 0))
        if bad.any():
            edge = int(bad.argmax())
            source = int(np.searchsorted(starts, edge, side="right")) - 1
            raise BadInput(f"the edge from node {source} to {ends[edge]} costs {costs[edge]}: it must be 0 or more")
        self.n_cells = n
        self.names = list(range(n)) if names is None else list(names)
        self._number = {name: cell for cell, name in enumerate(self.names)}
        if len(self._number) != n:
            raise BadInput(f"{n} nodes need {n} different names")
        self.positions = None if positions is None else np.asarray(positions, dtype=np.float64)
        if self.positions is not None and self.positions.shape != (n, 2):
            raise BadInput(f"{n} nodes need {n} pairs as positions, not an array of the shape {self.positions.shape}")
        x, y, cheapest = np.zeros(n), np.zeros(n), 0.0
        if self.positions is not None:
            x, y = np.ascontiguousarray(self.positions.T)
            sources = np.repeat(np.arange(n), np.diff(starts))
            straight = np.hypot(x[sources] - x[ends], y[sources] - y[ends])
            far = straight > 0
            cheapest = float((costs[far] / straight[far]).min()) if far.any() else 0.0
        self.graph = CsrGraph(starts, ends, costs, x, y, cheapest)

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
        return cls(first, number[reached[legal]], steps[legal], places, [(int(x), int(y)) for x, y in places])

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
        found = [graph.nodes[name].get(pos) for name in names]
        positions = None if any(place is None for place in found) else found
        return cls(first, target, costs, positions, names)

    def to_networkx(self) -> Any:
        """The same graph for networkx, with `weight` and, where known, `pos`."""
        try:
            import networkx as nx
        except ImportError:
            raise Missing("networkx is not installed: pip install 'wayfolk[graphs]'") from None
        made = nx.DiGraph()
        for cell, name in enumerate(self.names):
            made.add_node(name, **({} if self.positions is None else {"pos": tuple(self.positions[cell])}))
        for cell, name in enumerate(self.names):
            for edge in range(self.graph.first[cell], self.graph.first[cell + 1]):
                other, weight = self.names[self.graph.target[edge]], float(self.graph.weight[edge])
                if made.has_edge(name, other):  # of parallel edges the cheapest counts
                    weight = min(weight, made.edges[name, other]["weight"])
                made.add_edge(name, other, weight=weight)
        return made

    def cell(self, place: Hashable) -> int:
        """The number of the node called `place`."""
        try:
            return self._number[place]
        except (KeyError, TypeError):
            raise BadProblem(f"the graph has no node {place!r}") from None

    def place(self, cell: int) -> Hashable:
        """The name of node `cell`."""
        return self.names[cell]

    def is_free(self, cell: int) -> bool:
        """Every node of a graph can be entered."""
        return True

    def __repr__(self) -> str:
        return f"Graph({self.n_cells} nodes, {len(self.graph.target)} edges)"
