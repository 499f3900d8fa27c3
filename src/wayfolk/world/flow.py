"""Flow: a one-way map, whose rows and columns alternate in direction, so that agents seldom meet head-on.

Wang and Botea, "Fast and memory-efficient multi-agent pathfinding", ICAPS 2008: the flow annotation of FAR.

Even rows lead east and odd ones west, even columns north and odd ones south. Where a cell is one wide, both directions
stay open, also between it and the next cell. A cell that cannot be left (a sink) or entered (a source) gets a diagonal,
the first that is legal of north-west, north-east, south-west and south-east, else a straight edge is opened.

Guarantees  a directed graph on the same cells, with fewer moves.
Invariants  every cell that can be reached on the map can be reached by the moves that are left: the map has as many
            strongly connected parts as connected ones. Two opposite moves between two cells are left only where one of
            the cells is one wide, or the edge is one of `n_straightened` and `n_opened`.
Cost        time in proportion to the cells; for an edited map in proportion to the edit, see `one_way_repair`.
Deviations  the paper's rules are not enough on maps with details one cell wide. A guard therefore looks for strongly
            connected parts and opens straight edges between them, the first ones in the order of cells, until none are
            apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.deadline import check_deadline
from wayfolk.kernels.graph import GridGraph
from wayfolk.world import one_way as kernels
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid, need_grid
from wayfolk.world.one_way_repair import new_memory, repair

MOST_CHANGED = 1024  # cells whose moves have changed; with more of them, all rows and columns are computed again


def flow_of(grid: Grid, parity: int = 0) -> Flow:
    """The one-way moves of `grid`, computed by the first call and kept in its cache.

    `parity` 1 turns all rows round, 2 all columns, 3 both.
    """
    if parity not in range(4):
        raise BadInput(f"parity must be 0, 1, 2 or 3, not {parity}")
    need_grid(grid, "one-way moves")
    return cached(grid, ("flow", parity), lambda grid: make_flow(grid, parity))


@dataclass(eq=False)
class Flow:
    """One-way moves of a grid: `legal` has the moves that are left, by the same bits as `grid.legal`.

    A cell without a move in or out gets a diagonal one (`n_diagonals`), or, where none is legal, a straight edge that is
    open both ways (`n_straightened`); the moves that this adds are the bits of `straightened`. `n_opened` more edges are
    open both ways, so that every cell that could be reached before can still be reached.
    """

    grid: Grid
    parity: int
    legal: NDArray[np.uint8]
    straightened: NDArray[np.uint8]
    n_diagonals: int
    n_straightened: int
    n_opened: int

    @cached_property
    def graph(self) -> GridGraph:
        """What kernels read: the grid with these moves only."""
        return self.grid.graph._replace(legal=self.legal)

    def repaired(self, grid: Grid) -> Flow:
        """The flow of `grid`, an edited copy of this map: the same as here except around the cells that have changed.

        It has all the properties of a flow, but a few edges may be open that are not in `flow_of(grid)`, or the other way
        round: it depends on the edits that came before.
        """
        changed = np.flatnonzero(self.grid.legal != grid.legal).astype(np.int32)
        if len(changed) > MOST_CHANGED:
            return flow_of(grid, self.parity)
        counts = np.array([self.n_diagonals, self.n_straightened, self.n_opened, 0])
        one_way = _new_one_way(grid, self.parity, self.legal.copy(), self.straightened.copy(), counts)
        memory = new_memory(grid.n_cells, len(changed))
        if not repair(one_way, changed, self.grid.legal, self.legal, memory):
            return flow_of(grid, self.parity)
        return _finished(grid, one_way)

    def __repr__(self) -> str:
        return f"Flow({self.grid.width} x {self.grid.height}, {self.n_opened} edges opened by the guard)"


def make_flow(grid: Grid, parity: int) -> Flow:
    """A new one."""
    legal, straightened = np.zeros_like(grid.legal), np.zeros_like(grid.legal)
    one_way = _new_one_way(grid, parity, legal, straightened, np.zeros(4, np.int64))
    check_deadline()
    kernels.annotate(one_way, grid.free_cells)
    check_deadline()
    kernels.guard(one_way, grid.free_cells, np.zeros(grid.n_cells, kernels.MARK))
    return _finished(grid, one_way)


def _new_one_way(
    grid: Grid, parity: int, flow: NDArray[np.uint8], straightened: NDArray[np.uint8], counts: NDArray[np.int64]
) -> kernels.OneWay:
    return kernels.OneWay(grid.legal, grid.offsets, grid.stride, parity, flow, straightened, counts)


def _finished(grid: Grid, one_way: kernels.OneWay) -> Flow:
    """The flow that `one_way` has become."""
    for array in (one_way.flow, one_way.straightened):
        array.flags.writeable = False
    n_diagonals, n_straightened, n_opened, _ = one_way.counts.tolist()
    return Flow(grid, one_way.parity, one_way.flow, one_way.straightened, n_diagonals, n_straightened, n_opened)
