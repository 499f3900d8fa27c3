"""What the jump point searches share: the task around the kernel `jump_points`, and its memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._search import EXAMPLE, QueueSearch
from wayfolk.algorithms.shown import Shown
from wayfolk.compile.jit import entry_point
from wayfolk.errors import NotSupported
from wayfolk.kernels import buckets, jump_points
from wayfolk.kernels.jump_points import CLOSED, PER_UNIT, STAMP, estimate
from wayfolk.kernels.watching import keep_fresh
from wayfolk.world.grid import Grid
from wayfolk.world.kept import kept, pool

MAX_SIDE = 32_000  # distances are kept in 16 bits
WATCHED = 8  # expansions at a time while scans are recorded


class Prepared(NamedTuple):
    """The tables of a map, and the kernel for them without the search for types at each call."""

    table: Any
    run: Callable[..., Any]


class JumpSearch(QueueSearch):
    """A jump point search that can be advanced. `new_table` makes the tables of a map, which are kept with it by `name`.

    `watched`, if given, makes tables that also record what is scanned, in their fields `runs` and `n_runs`.
    """

    bound = 1.0

    def __init__(
        self,
        world: Grid,
        start: int,
        goal: int,
        name: str,
        new_table: Callable[[Grid], Any],
        watch: bool,
        watched: Callable[[Any], Any] | None = None,
    ) -> None:
        self.table, self.run = kept(world, ("jump points", name), partial(_prepared, name, new_table))
        self.records_runs = watch and watched is not None
        if watch and watched is not None:
            table, self.run = kept(world, ("watched", name), lambda world: _with_kernel(watched(self.table)))
            self.table = table._replace(n_runs=np.zeros(1, np.int64))
            self.scanned = np.zeros(world.n_cells, np.uint8)
        self.pool = pool(world, "jump memories")
        super().__init__(world, start, goal, watch)

    def borrow(self) -> tuple[jump_points.JumpMemory, buckets.Buckets, NDArray[np.intp]]:
        """Memory, a queue and room for the path."""
        try:
            arrays: tuple[jump_points.JumpMemory, buckets.Buckets, NDArray[np.intp]] = self.pool.pop()
            return arrays
        except IndexError:
            return _new_arrays(self.world)

    def arranged(self) -> tuple[Any, ...]:
        """The first arguments of the kernels."""
        return self.table, self.memory, self.queue

    def expand(self, budget: int) -> int:
        """Resume the search; while scans are recorded, a few expansions at a time, for which there is room."""
        if not self.records_runs:
            return super().expand(budget)
        used, room = int(self.table.n_runs[0]), WATCHED * 16 * (self.world.height + self.world.width + 4)
        if len(self.table.runs) < used + room:
            runs = np.concatenate([self.table.runs[:used], np.empty((used + room, 3), np.int32)])
            self.table = self.table._replace(runs=runs)
            self.inputs = self.arranged()
        code = super().expand(min(budget, WATCHED))
        table = self.table
        table.n_runs[0] = keep_fresh(table.runs, used, int(table.n_runs[0]), self.scanned, self.world.stride)
        return code

    def shown(self) -> Shown:
        """Jump points, and what was scanned to find them."""
        cells, stamp = self.memory.cells, int(self.memory.counts[STAMP])
        seen = cells["mark"] >= stamp
        return (
            super()
            .shown()
            ._replace(
                state=seen.astype(np.uint8) + (seen & (cells["mark"] & CLOSED > 0)),
                g=cells["g"],
                parent=cells["parent"],
                h=partial(_estimates, self.table, self.goal),
                runs=self.table.runs[: self.table.n_runs[0]] if self.records_runs else None,
                leaps=True,
            )
        )

    def many(self, *arguments: Any) -> Any:
        """Call the kernel for many queries."""
        return jump_points.search_many(*arguments)

    def trace(self, cells: NDArray[np.intp]) -> None:
        """Write the path backwards to `cells`."""
        jump_points.trace(self.table, self.memory, self.start, self.goal, cells)


def _prepared(name: str, new_table: Callable[[Grid], Any], world: Grid) -> Prepared:
    """The tables of `world`."""
    _refuse(world, name)
    return _with_kernel(new_table(world))


def _with_kernel(table: Any) -> Prepared:
    arrays = jump_points.new_memory(1), buckets.new_buckets(2, 1)
    return Prepared(table, entry_point(jump_points.search, table, *arrays, *EXAMPLE))


def _estimates(table: Any, goal: int, cells: NDArray[np.int32]) -> NDArray[np.float64]:
    """The heuristics of `cells`."""
    values = np.empty(len(cells))
    estimate(table, goal, np.asarray(cells, np.int32), values)
    return values


def _refuse(world: Grid, name: str) -> None:
    """Jump points need straight and diagonal steps that can stand for each other everywhere."""
    if world.links is not None:
        raise NotSupported(f"{name} does not know cliffs, and this map has some: use astar")
    if not 1.0 <= world.diagonal <= 2.0:
        raise NotSupported(f"{name} needs diagonal steps that cost 1 to 2, not {world.diagonal}")
    if max(world.width, world.height) > MAX_SIDE:
        raise NotSupported(f"{name} works on maps of up to {MAX_SIDE} cells a side")


def _new_arrays(world: Grid) -> tuple[jump_points.JumpMemory, buckets.Buckets, Any]:
    """Arrays for searches in `world`; no run raises f by more than twice its length."""
    around = world.width + world.height
    queue = buckets.new_buckets(int(2 * PER_UNIT * world.diagonal * around) + 2, 32 * around)
    return jump_points.new_memory(world.n_cells), queue, np.empty(8 * around, np.intp)
