"""Sectors: fixed squares of a map, in each a region for every connected part. A small map of the same shape.

Sturtevant, "Memory-efficient abstractions for pathfinding", 2007; used for direction maps by Jansen, 2010.

Two regions are neighbours if one step leads from one to the other: what is connected on the map is connected here. A
region has a centre, a cell from which few steps lead to the others; the way to a neighbour costs what the cheapest path
between the centres costs that leaves the one for the other once.

Invariants  a region is connected, lies in one sector, and holds its centre. No neighbour of the centre has fewer steps
            to all of the region in total.
Cost        time in proportion to the cells; 2 bytes for a cell and about 40 for a region.
Deviations  the paper moves centres to make refinement cheap by trying them; here they are moved to the middle.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.deadline import in_parts
from wayfolk.kernels.heap import ROW
from wayfolk.world.abstraction import _sectors
from wayfolk.world.abstraction._clusters import SearchRoom, Squares
from wayfolk.world.abstraction.editing import carry, check_edited, starts
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, need_grid

MAX_SIZE = 128


def sectors_of(grid: Grid, size: int = 16) -> Sectors:
    """The sectors of `grid`, built by the first call and kept with the grid."""
    need_grid(grid, "sectors")
    return cached(grid, ("sectors", size), lambda grid: Sectors(grid, size))


class Sectors:
    """The sectors of a map, `size` cells wide, and their regions, numbered by sector and first cell.

    `centres[region]` is a cell; `graph` is a world whose nodes are the regions: every search works on it.
    """

    def __init__(self, grid: Grid, size: int = 16, *, old: Sectors | None = None) -> None:
        if not 2 <= size <= MAX_SIZE:
            raise BadInput(f"sectors must be from 2 to {MAX_SIZE} cells wide, not {size}")
        if not grid._free.any():
            raise BadInput("a map without free cells has no regions")
        self.grid, self.size = grid, size
        self.across, self.down = -(-grid.width // size), -(-grid.height // size)
        n = self.across * self.down
        is_touched = np.ones(n, bool) if old is None else self._touched(old.grid)
        asked = np.flatnonzero(is_touched)
        corners = (np.stack([asked % self.across, asked // self.across], 1) * size).astype(np.int32)
        self.part: NDArray[np.uint16] = np.full(grid.n_cells, _sectors.NO_PART, np.uint16)
        if old is not None:
            self.part = old.part.copy()
        counts = np.zeros(len(asked), np.int64)
        queue = np.zeros(size * size, np.int32)
        squares = Squares(size, grid.width, grid.height, corners)
        _sectors.divide(grid.graph, grid._free, squares, queue, self.part, counts)
        n_regions = np.zeros(n, np.int64) if old is None else np.diff(old.first).astype(np.int64)
        n_regions[asked] = counts
        self.first: NDArray[np.int32] = starts(n_regions).astype(np.int32)
        self.centres = np.zeros(self.first[-1], np.int32)
        centres = np.zeros(int(counts.sum()), np.int32)
        steps = np.zeros(grid.n_cells, np.int32)
        first = starts(counts)
        for rows in in_parts(np.arange(len(asked)), 64 * size**2 * counts):  # some searches of each region
            some, ends = squares._replace(corners=corners[rows]), first[rows[0] : rows[-1] + 2]
            _sectors.centre(grid.graph, some, ends, self.part, queue, steps, centres)
        owner = np.repeat(np.arange(n), n_regions)
        self.centres[is_touched[owner]] = centres
        if old is not None:
            carry(~is_touched, old.centres, old.first, self.centres, self.first)
        self.is_new = is_touched if old is None else self._with_neighbours(is_touched)
        self.graph = self._joined(is_touched, owner, old)

    def edited(self, grid: Grid) -> Sectors:
        """The sectors of `grid`, which differs from this map in some cells: computed again around those only."""
        check_edited(self.grid, grid)
        return Sectors(grid, self.size, old=self)

    @property
    def n_regions(self) -> int:
        """How many regions there are."""
        return len(self.centres)

    @property
    def n_searched(self) -> int:
        """In how many sectors regions were joined to their neighbours when this was made."""
        return int(self.is_new.sum())

    @property
    def n_bytes(self) -> int:
        """The memory it takes."""
        arrays = (self.part, self.first, self.centres, *self.graph.graph)
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def region(self, cell: int) -> int:
        """The region that a free cell is in."""
        return int(self.regions([cell])[0])

    def regions(self, cells: ArrayLike) -> NDArray[np.int32]:
        """The regions of free cells."""
        flat = np.asarray(cells)
        y, x = np.divmod(flat, self.grid.stride)
        if not self.grid._free[flat].all():
            raise BadInput("a cell in a wall is in no region")
        regions: NDArray[np.int32] = (
            self.first[(y - 1) // self.size * self.across + (x - 1) // self.size] + self.part[flat]
        )
        return regions

    def cells(self, region: int) -> NDArray[np.int32]:
        """The cells of a region, in order."""
        sector = int(np.searchsorted(self.first, region, side="right")) - 1
        row, column = divmod(sector, self.across)
        x = np.arange(column * self.size, min((column + 1) * self.size, self.grid.width))
        y = np.arange(row * self.size, min((row + 1) * self.size, self.grid.height))
        cells = ((y[:, None] + 1) * self.grid.stride + x + 1).ravel()
        inside: NDArray[np.int32] = cells[self.part[cells] == region - self.first[sector]].astype(np.int32)
        return inside

    def route(self, start: int, goal: int) -> list[int] | None:
        """The regions of a cheapest way from one cell to another by centres, or None if there is none."""
        from wayfolk.algorithms.paths import find_path

        path = find_path(self.graph, self.region(start), self.region(goal)).path
        return cast("list[int] | None", path)

    def _joined(self, is_touched: NDArray[np.bool_], owner: NDArray[np.intp], old: Sectors | None) -> Graph:
        """The graph of regions; of `old`, the ways between regions of sectors that are not touched are kept."""
        grid, most = self.grid, 4 * self.size + 4  # cells around a sector: no region has more neighbours
        is_searched = self.is_new[owner]
        todo = np.flatnonzero(is_searched)
        targets, weights = np.zeros((len(todo), most), np.int32), np.zeros((len(todo), most))
        counts = np.zeros(len(todo), np.int64)
        sectors = _sectors.SectorMap(self.size, self.across, self.first, self.centres, self.part, is_touched)
        room = SearchRoom(np.zeros(72 * self.size**2, ROW), np.zeros(9 * self.size**2))
        for rows in in_parts(np.arange(len(todo)), 72 * self.size**2):
            found = _sectors.RegionEdges(targets[rows[0] :], weights[rows[0] :], counts[rows[0] :])
            _sectors.join(grid.graph, sectors, todo[rows], room, found)
        used = np.arange(most) < counts[:, None]
        source, target, weight = np.repeat(todo, counts), targets[used], weights[used]
        if old is not None:
            kept = self._kept(is_touched, old)
            source = np.concatenate([kept[0], source])
            target, weight = np.concatenate([kept[1], target]), np.concatenate([kept[2], weight])
            mixed = np.flatnonzero(is_searched[source])  # kept ways and new ones
            mixed = mixed[np.lexsort((self.centres[target[mixed]], weight[mixed], source[mixed]))]
            order = np.concatenate([np.flatnonzero(~is_searched[source]), mixed])
            order = order[np.argsort(source[order], kind="stable")]
            source, target, weight = source[order], target[order], weight[order]
        first = starts(np.bincount(source, minlength=self.n_regions))
        return Graph(first, target, weight, grid.places(self.centres))

    def _kept(
        self, is_touched: NDArray[np.bool_], old: Sectors
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.float64]]:
        """The edges of `old` that are right still: from, to and cost. Regions may have got other numbers."""
        owner = np.repeat(np.arange(len(is_touched)), np.diff(old.first))
        shifted = np.arange(old.n_regions) + (self.first - old.first)[owner]
        graph, is_lost = old.graph.graph, is_touched[owner]
        source = np.repeat(np.arange(old.n_regions), np.diff(graph.first))
        stays = ~(is_lost[source] | is_lost[graph.target])
        return shifted[source[stays]], shifted[graph.target[stays]].astype(np.int32), graph.weight[stays]

    def _touched(self, old: Grid) -> NDArray[np.bool_]:
        """The sectors in which a cell is free, blocked, or moved from as it was not before."""
        is_touched = np.zeros((self.down, self.across), bool)
        x, y = self.grid.places(np.flatnonzero((old.legal != self.grid.legal) | (old._free != self.grid._free))).T
        is_touched[y // self.size, x // self.size] = True
        return is_touched.ravel()

    def _with_neighbours(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        wide = np.pad(chosen.reshape(self.down, self.across), 1)
        wide[1:-1] |= wide[:-2] | wide[2:]
        is_near: NDArray[np.bool_] = wide[:, 1:-1] | wide[:, :-2] | wide[:, 2:]
        return is_near[1:-1].ravel()
