"""Cliques: cells that are all neighbours become one node, such nodes again, until one is left. PRA* searches them.

Sturtevant and Buro, "Partial pathfinding using map abstraction and refinement", 2005.

On each level groups of four that are all neighbours of each other are put together first, then groups of three, then
pairs; a node that is left and has a single neighbour joins that one's group, any other is a group of its own. A node
lies at the mean of its children, and an edge is as long as the distance between its ends. The highest level has one node
for each connected part of the map.

Invariants  two nodes are neighbours if and only if children of theirs are; the cells below a node are connected. So the
            cells below a path of nodes hold a path of cells.
Cost        time in proportion to the cells, about 2 s and 45 MB for a million.
Deviations  on terrain an edge costs its length times the mean of what its ends cost. An edited map is contracted again
            from the start: which cells go together depends on how those before them did.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.deadline import check_deadline
from wayfolk.kernels.graph import CsrGraph
from wayfolk.world.abstraction import _cliques
from wayfolk.world.abstraction.editing import check_edited
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, Moves, need_grid


def cliques_of(grid: Grid) -> Cliques:
    """The clique abstraction of `grid`, built by the first call and kept with the grid."""
    need_grid(grid, "cliques")
    return cached(grid, "cliques", Cliques)


class Cliques:
    """Levels of nodes above the cells of a map.

    `parents[k]` holds the parent of each node of level k; level 0 are the cells, by number, those in walls NOWHERE.
    `graphs[k]` is level k + 1, and `cells[k]` a cell below each of its nodes.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.parents: list[NDArray[np.int32]] = []
        self.graphs: list[CsrGraph] = []
        self.cells: list[NDArray[np.int32]] = []
        self.pool: list[object] = []  # arrays of searches that have ended here
        cells = grid.free_cells
        first, target = _edges(grid)
        x, y = grid.places(cells).T.astype(np.float64)
        price = np.ones(len(cells)) if grid._costs is None else grid._costs[cells]
        while len(target) or not self.graphs:
            parents = np.full(len(cells), NOWHERE, np.int32)
            check_deadline()
            n = _cliques.contract(first, target, parents)
            _cliques.renumber(parents, np.full(n, NOWHERE, np.int32))
            if self.parents:
                self.parents.append(parents)
            else:
                self.parents.append(np.full(grid.n_cells, NOWHERE, np.int32))
                self.parents[0][cells] = parents
            begins, order = grouped(parents, n)
            above_first, above_target = np.zeros(n + 1, np.int32), np.zeros(len(target), np.int32)
            seen = np.full(n, NOWHERE, np.int32)
            check_deadline()
            n_edges = _cliques.quotient(first, target, parents, order, begins, seen, above_first, above_target)
            first, target = above_first, above_target[:n_edges].copy()
            x, y, price = (np.bincount(parents, values, n) / np.diff(begins) for values in (x, y, price))
            cells = cells[order[begins[:-1]]]
            self.graphs.append(self._graph(first, target, x, y, price))
            self.cells.append(cells)

    def edited(self, grid: Grid) -> Cliques:
        """The abstraction of `grid`, which differs from this map in some cells."""
        check_edited(self.grid, grid)
        return Cliques(grid)

    @property
    def n_nodes(self) -> list[int]:
        """How many nodes there are on each level above the cells."""
        return [len(cells) for cells in self.cells]

    @property
    def n_bytes(self) -> int:
        """The memory it takes."""
        arrays = [*self.parents, *self.cells, *(array for graph in self.graphs for array in graph)]
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def ancestors(self, cell: int) -> list[int]:
        """The cell, its parent, the parent of that, and so on to the top."""
        ancestors = [int(cell)]
        for parents in self.parents:
            ancestors.append(int(parents[ancestors[-1]]))
        return ancestors

    def _graph(
        self,
        first: NDArray[np.int32],
        target: NDArray[np.int32],
        x: NDArray[np.float64],
        y: NDArray[np.float64],
        price: NDArray[np.float64],
    ) -> CsrGraph:
        weight = np.zeros(len(target))
        _cliques.weigh(first, target, x, y, price, self.grid.moves is Moves.FOUR, weight)
        return CsrGraph(first, target, weight, x, y, np.zeros(len(x)), self.grid.graph.cheapest)


def grouped(parents: NDArray[np.int32], n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where the nodes of each of `n` groups begin in a list of all nodes, and that list; `parents` are their groups."""
    begins, order = np.zeros(n + 1, np.int32), np.zeros(len(parents), np.int32)
    _cliques.list_children(parents, begins, order)
    return begins, order


def _edges(grid: Grid) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The moves between free cells, counted in order, as CSR."""
    cells = grid.free_cells
    number = np.zeros(grid.n_cells, np.int32)
    first, target = np.zeros(len(cells) + 1, np.int32), np.zeros(8 * len(cells), np.int32)
    n = _cliques.link(grid.legal, grid.offsets, cells, number, first, target)
    return first, target[:n]
