"""PRA*: finds a path among groups of cells first, and refines it level by level down to the cells.

Sturtevant and Buro, "Partial pathfinding using map abstraction and refinement", 2005.

Guarantees  a path if there is one, on game maps 5 to 10 % longer than a cheapest one on average; with a wide corridor, or
            smoothing, within 1 %.
Invariants  on each level, the path is a cheapest one inside that of the level above. Where start and goal have different
            nodes on the highest level there is no path.
Cost        the abstraction is built at the first query of a map (see `wayfolk.world.abstraction.cliques`); then time and
            memory proportional to the cells inside the abstract path.
Deviations  with `refine` = k, the paper's PRA*(k), an agent walks the k refined steps and then plans again. Here the rest
            of the same abstract path is refined, so that the result is a whole path: `walked` is the part known so far.
            The refined part ends at any child of the k-th node, the one with the least heuristic.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._corridor import END, seek
from wayfolk.algorithms.search._search import places_of, with_room
from wayfolk.algorithms.search._taut import pull
from wayfolk.algorithms.search_view import SearchView, states_by_stamp
from wayfolk.algorithms.task import Task
from wayfolk.kernels import best_first
from wayfolk.kernels.best_first import EXPANDED, STAMP
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE
from wayfolk.kernels.graph import MANHATTAN, OCTILE
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.path_costs import path_cost
from wayfolk.problem.layers import CellLayer, Layer, LayerKind
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.abstraction.cliques import Cliques, cliques_of
from wayfolk.world.grid import Grid, Moves

PAPER = "Sturtevant and Buro 2005"
OPTIMAL = False
COMPLETE = True
WORLDS = "grid"
NOTHING = np.zeros(0, np.int32)
LEVELS_SHOWN = 4
MAX_STAMP = 2**31 - 2**16  # then arrays are not used again, and new ones begin at 0


def begin(
    world: Grid,
    start: int,
    goal: int,
    *,
    refine: Annotated[int, Range(0, 1_000_000_000), "Abstract steps refined at a time; 0 is all."] = 0,
    level: Annotated[
        int, Range(0, 1000), "Level of the first path; 0 is half-way up to where start and goal meet."
    ] = 0,
    wide: Annotated[bool, "Search the neighbours of the path above too."] = False,
    smooth: Annotated[bool, "Shorten the path where that is possible."] = False,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> PathRefinement:
    """A search from `start` to `goal`."""
    return PathRefinement(cliques_of(world), start, goal, refine, level, wide, smooth, watch)


class PathRefinement(Task):
    """A search that can be advanced; `walked` are the cells of the path that are settled."""

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
        self.left = self.level = 0
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
        code, is_new = FULL, True
        while code not in (FOUND, EXHAUSTED):
            while self.left <= 0:
                yield
            self.events, portion = with_room(self.events, self.expanded, self.left)
            code, n = seek(
                graph, self.memory, self.rows,
                start=start, goal=goal, kind=self.kind, parents=parents, marks=marks, last=int(last), above=above,
                first=first, target=target, cells=cells, budget=portion, events=self.events, is_new=is_new,
                path=self.cells,
            )  # fmt: skip
            is_new, self.level = False, level
            expanded = int(self.memory.counts[EXPANDED])
            self.left -= expanded - self.expanded
            self.expanded = expanded
            if code == FULL:
                self.rows = np.concatenate([self.rows, np.zeros_like(self.rows)])
        if n > self.cells.size:
            self.cells = np.zeros(2 * n, np.int32)
            best_first.trace(self.memory, start, int(self.memory.counts[END]), self.cells)
        path: NDArray[np.int32] = self.cells[:n][::-1].copy()
        return path

    def search_view(self) -> SearchView:
        """Open and closed nodes of the level that is searched now, each as all cells below it."""
        nodes = self.memory.cells
        state = states_by_stamp(nodes["mark"], int(self.memory.counts[STAMP]))
        expanded = self.events[: min(self.expanded, len(self.events))]
        if self.level == 0:
            return SearchView(expanded, state, nodes["g"], nodes["parent"])
        below = _nodes_of(self.cliques, self.level)
        is_free = below != NOWHERE
        below = np.where(is_free, below, 0)
        return SearchView(expanded, np.where(is_free, state[below], 0).astype(np.uint8), nodes["g"][below])

    def view_layers(self) -> tuple[Layer, ...]:
        """The groups of the first levels."""
        kind = np.zeros(self.world.n_cells, np.uint8)
        return tuple(
            CellLayer(
                f"Level {level}",
                _nodes_of(self.cliques, level),
                kind,
                (LayerKind(f"groups of level {level}", "mixed", 0.2),),
                groups=(("group", 0),),
            )
            for level in range(1, min(len(self.cliques.parents), LEVELS_SHOWN) + 1)
        )

    def _finish(self) -> None:
        """The path is whole: no cell twice, and smooth if that is wanted."""
        cells = self.walked
        if self.refine:
            cells = _without_loops(cells)
        if self.smooth:
            last, stuck = np.zeros((2, 8), np.int64)
            cells = cells[: pull(self.world.graph, cells, np.zeros_like(cells), last, stuck, len(cells))]
        self.walked = cells
        self.path, self.cost = places_of(self.world, cells), float(path_cost(self.world.graph, cells))
        self.status = Status.SOLVED

    def result(self) -> Result:
        """The path, once there is one."""
        result = Result(self.status, self.algorithm, options=dict(self.options), counters=Counters(self.expanded))
        if self.status is Status.SOLVED:
            result.path, result.cost = self.path, self.cost
        if self.events.size:
            result.events = self.events[: self.expanded].copy()
        return result


def _nodes_of(cliques: Cliques, level: int) -> NDArray[np.int32]:
    """The node of `level` above each cell, NOWHERE for walls."""
    nodes = cliques.parents[0]
    is_free = nodes != NOWHERE
    for parents in cliques.parents[1:level]:
        nodes = np.where(is_free, parents[np.where(is_free, nodes, 0)], NOWHERE).astype(np.int32)
    return nodes


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
