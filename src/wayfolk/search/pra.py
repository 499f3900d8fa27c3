"""PRA*: a rough path among groups of cells first, then a finer one inside it, down to the cells.

Sturtevant and Buro, "Partial pathfinding using map abstraction and refinement", 2005.

Finds    a path if there is one, on game maps 5 to 10 % longer than a cheapest one on average; with a wide corridor, or
         smoothing, within 1 %.
Keeps    on each level, the path is a cheapest one below that of the level above. Where the levels end in different nodes
         there is no path.
Takes    the abstraction is built at the first query of a map (see `wayfolk.abstraction.cliques`); then time and memory in
         proportion to the cells below the abstract path.
Differs  with `refine` = k, the paper's PRA*(k), an agent walks the k refined steps and then plans again. Here the rest of
         the same abstract path is refined, so that a whole path comes out: `walked` is what is known of it so far. The
         refined part ends at any child of the k-th node, the one that looks nearest to the goal.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction.cliques import Cliques, cliques_of
from wayfolk.errors import BadInput
from wayfolk.graph import MANHATTAN, NOWHERE, OCTILE
from wayfolk.grid import Grid, Moves
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXHAUSTED, EXPANDED, FOUND, QUEUE_FULL, STAMP
from wayfolk.kernels.heap import ROW
from wayfolk.result import NO_LIMIT, Counters, Result, Status
from wayfolk.search._corridor import END, seek
from wayfolk.search._search import places_of, with_room
from wayfolk.search._taut import pull
from wayfolk.task import Task

PAPER = "Sturtevant and Buro 2005"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
NOTHING = np.zeros(0, np.int32)
MAX_STAMP = 2**31 - 2**16  # then arrays are not used again, and new ones begin at 0


def begin(
    world,
    start: int,
    goal: int,
    *,
    refine: int = 0,
    level: int = 0,
    wide: bool = False,
    smooth: bool = False,
    watch: bool = False,
) -> PathRefinement:
    """A search from `start` to `goal`; `refine` abstract steps at a time, all at once if it is 0.

    The first path is sought on `level`; if that is 0, half-way up to where start and goal become one. A `wide` corridor
    holds the neighbours of the path above too.
    """
    if refine < 0:
        raise BadInput(f"refine must be 0, for all, or the number of abstract steps to refine at a time, not {refine}")
    if level < 0:
        raise BadInput(f"level must be 0, for half-way up, or that of the first path, not {level}")
    return PathRefinement(cliques_of(world), start, goal, refine, level, wide, smooth, watch)


class PathRefinement(Task):
    """A search under way; `walked` are the cells of the path that are settled."""

    def __init__(
        self,
        cliques: Cliques,
        start: int,
        goal: int,
        refine: int,
        level: int,
        wide: bool,
        smooth: bool,
        watch: bool,
    ) -> None:
        self.world: Grid = cliques.grid
        self.cliques, self.start, self.goal, self.refine, self.smooth = cliques, start, goal, refine, smooth
        self.kind = MANHATTAN if self.world.moves is Moves.FOUR else OCTILE
        self.wanted, self.wide = level, wide
        self.memory, self.rows, self.marks, self.cells = _borrow(cliques)
        self.memory.counts[EXPANDED] = 0
        self.events = np.empty(1024 if watch else 0, np.int32)
        self.expanded = 0
        self.left = 0
        self.walked: NDArray[np.int32] = np.array([start], np.int32)
        self.work = self._work()

    def advance(self, budget: int = NO_LIMIT) -> Status:
        """Expand up to `budget` nodes."""
        if not self.status.is_final:
            self.left = budget
            next(self.work, None)
            if self.status.is_final and len(self.cliques.pool) < 4 and self.memory.counts[STAMP] < MAX_STAMP:
                self.cliques.pool.append((self.memory, self.rows, self.marks, self.cells))
        return self.status

    def _work(self) -> Iterator[None]:
        """The whole search; pauses when nothing is left of the budget."""
        starts, goals = self.cliques.ancestors(self.start), self.cliques.ancestors(self.goal)
        if starts[-1] != goals[-1]:
            self.status = Status.IMPOSSIBLE
            return
        meet = next(k for k in range(len(starts)) if starts[k] == goals[k])
        top = min(self.wanted, max(meet - 1, 0)) if self.wanted else meet // 2
        path = yield from self._path(top, starts[top], goals[top], NOTHING, NOWHERE)
        if top == 0:
            self.walked = path
        else:
            step = self.refine or len(path)
            for k in range(0, len(path) - 1, step):
                above, is_last = path[k : k + step + 1], k + step + 1 >= len(path)
                starts = self.cliques.ancestors(int(self.walked[-1]))
                for level in range(top - 1, -1, -1):
                    last = NOWHERE if is_last else above[-1]
                    above = yield from self._path(level, starts[level], goals[level], above, last)
                self.walked = np.concatenate([self.walked, above[1:]])
        self._finish()

    def _path(
        self, level: int, start: int, goal: int, above: NDArray[np.int32], last: Any
    ) -> Generator[None, None, NDArray[np.int32]]:
        """A path on one level, between children of `above`."""
        cliques = self.cliques
        graph = self.world.graph if level == 0 else cliques.graphs[level - 1]
        cells = NOTHING if level == 0 else cliques.cells[level - 1]
        parents = marks = first = target = NOTHING
        if above.size:
            parents, marks = cliques.parents[level], self.marks[level]
        if above.size and self.wide:
            first, target = cliques.graphs[level].first, cliques.graphs[level].target
        code, is_new = QUEUE_FULL, True
        while code not in (FOUND, EXHAUSTED):
            while self.left <= 0:
                yield
            self.events, portion = with_room(self.events, self.expanded, self.left)
            code, n = seek(
                graph, self.memory, self.rows, start, goal, self.kind, parents, marks, int(last), above, first, target,
                cells, portion, self.events, is_new, self.cells,
            )  # fmt: skip
            is_new = False
            expanded = int(self.memory.counts[EXPANDED])
            self.left -= expanded - self.expanded
            self.expanded = expanded
            if code == QUEUE_FULL:
                self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        if n > self.cells.size:
            self.cells = np.zeros(2 * n, np.int32)
            best_first.trace(self.memory, start, int(self.memory.counts[END]), self.cells)
        path: NDArray[np.int32] = self.cells[:n][::-1].copy()
        return path

    def _finish(self) -> None:
        """The path is whole: no cell twice, and smooth if that is wanted."""
        cells = self.walked
        if self.refine:
            cells = _without_loops(cells)
        if self.smooth:
            last, stuck = np.zeros((2, 8), np.int64)
            cells = cells[: pull(self.world.graph, cells, np.zeros_like(cells), last, stuck, len(cells))]
        self.walked = cells
        self.path, self.cost = places_of(self.world, cells), _cost(self.world, cells)
        self.status = Status.SOLVED

    def result(self) -> Result:
        """The path, once there is one."""
        made = Result(self.status, "", counters=Counters(self.expanded))
        if self.status is Status.SOLVED:
            made.path, made.cost = self.path, self.cost
        if self.events.size:
            made.events = self.events[: self.expanded].copy()
        return made


def _borrow(cliques: Cliques) -> Any:
    """Arrays of a search that has ended here, or new ones."""
    try:
        return cliques.pool.pop()
    except IndexError:
        marks = [np.zeros(n, np.int32) for n in cliques.n_nodes]
        memory = best_first.new_memory(cliques.grid.n_cells)
        return memory, np.zeros(1024, ROW), marks, np.zeros(1024, np.int32)


def _without_loops(cells: NDArray[np.int32]) -> NDArray[np.int32]:
    """The path without what lies between two visits of a cell."""
    last = {cell: k for k, cell in enumerate(cells.tolist())}
    kept = []
    k = 0
    while k < len(cells):
        k = last[int(cells[k])]
        kept.append(cells[k])
        k += 1
    return np.array(kept, np.int32)


def _cost(grid: Grid, cells: NDArray[np.int32]) -> float:
    """What the path costs."""
    steps = np.abs(np.diff(cells))
    lengths = np.where((steps == 1) | (steps == grid.stride), 1.0, grid.diagonal)
    if grid._costs is not None:
        lengths = lengths * 0.5 * (grid._costs[cells[1:]] + grid._costs[cells[:-1]])
    return float(lengths.sum())
