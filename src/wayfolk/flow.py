"""Flow: a map whose rows and columns are one-way streets, so that a crowd seldom meets head-on.

Wang and Botea, "Fast and memory-efficient multi-agent pathfinding", ICAPS 2008: the flow annotation of FAR.

Even rows lead east and odd ones west, even columns north and odd ones south. Where a cell is one wide, both directions
stay open, also between it and the next cell. A cell that cannot be left (a sink) or entered (a source) gets a diagonal,
the first that is legal of north-west, north-east, south-west and south-east, else a straight edge is opened.

Finds    a directed graph on the same cells, with fewer moves.
Keeps    whatever can be reached on the map can be reached by the moves that are left: the map has as many strongly
         connected parts as connected ones. Two opposite moves between two cells are left only where one of the cells is
         one wide, or the edge is one of `n_straightened` and `n_opened`.
Takes    time in proportion to the cells.
Differs  the paper's rules are not enough on maps with details one cell wide. A guard therefore looks for strongly
         connected parts and opens straight edges between them, the first ones in the order of cells, until none are apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction._kept import kept
from wayfolk.errors import BadInput
from wayfolk.graph import GridGraph
from wayfolk.grid import Grid
from wayfolk.kernels import flow as kernels


def flow_of(grid: Grid, parity: int = 0) -> Flow:
    """The one-way streets of `grid`, made when they are first asked for and kept with it.

    `parity` 1 turns all rows round, 2 all columns, 3 both.
    """
    if parity not in range(4):
        raise BadInput(f"parity must be 0, 1, 2 or 3, not {parity}")
    return kept(grid, ("flow", parity), lambda grid: make_flow(grid, parity))


@dataclass(eq=False)
class Flow:
    """The moves that are left: `legal` has the same bits as `grid.legal`.

    `n_diagonals` were added for sinks and sources, and `n_straightened` straight edges opened where no diagonal was legal;
    `n_opened` edges were opened by the guard.
    """

    grid: Grid
    parity: int
    legal: NDArray[np.uint8]
    n_diagonals: int
    n_straightened: int
    n_opened: int

    @cached_property
    def graph(self) -> GridGraph:
        """What kernels read: the grid with these moves only."""
        return self.grid.graph._replace(legal=self.legal)

    def edited(self, grid: Grid) -> Flow:
        """The same for `grid`."""
        return make_flow(grid, self.parity)

    def __repr__(self) -> str:
        return f"Flow({self.grid.width} x {self.grid.height}, {self.n_opened} edges opened by the guard)"


def make_flow(grid: Grid, parity: int) -> Flow:
    """A new one."""
    legal = np.zeros_like(grid.legal)
    counts = np.zeros(4, np.int64)
    kernels.annotate(grid.legal, grid.offsets, grid.stride, parity, grid.free_cells, legal, counts)
    kernels.guard(grid.legal, grid.offsets, grid.free_cells, legal, np.zeros(grid.n_cells, kernels.MARK), counts)
    legal.flags.writeable = False
    n_diagonals, n_straightened, n_opened, _ = counts.tolist()
    return Flow(grid, parity, legal, n_diagonals, n_straightened, n_opened)
