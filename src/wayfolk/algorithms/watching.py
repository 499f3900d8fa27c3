"""Watch a search: the rows of a Trace, read from the arrays of the task between portions of its work.

The task is the one that everybody else runs. It is advanced by one expansion at a time, later by portions that grow with
the number of expansions so far. Within a portion, cells are closed in the order in which they were expanded, and opened
when their parents were; of several costs that a cell had within a portion, only the last is seen.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import free_cell
from wayfolk.algorithms.refusals import check_world
from wayfolk.algorithms.search_view import CLOSED, CLOSED_BACK, OPEN, OPEN_BACK, SearchView
from wayfolk.algorithms.task import Task, begin_task, checked_limits
from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem import trace as kinds
from wayfolk.problem.result import NO_LIMIT, Status
from wayfolk.problem.trace import ROW, Trace
from wayfolk.world.grid import Grid

MOST_ROWS = 4_000_000
MOST_CELLS = 4096 * 4096
CELLS_LOOKED_AT = 100_000_000  # a map is looked at so often, and then again for each doubling of the work
FEWEST_LOOKS, MOST_LOOKS = 16, 1024
OPENED_AS = {OPEN: kinds.OPENED, CLOSED: kinds.OPENED, OPEN_BACK: kinds.OPENED_BACK, CLOSED_BACK: kinds.OPENED_BACK}


def watch_path(
    world: Any,
    start: Any,
    goal: Any,
    algorithm: Any = "astar",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    steps: int | None = None,
    **options: Any,
) -> Trace:
    """Search for a path as `find_path` does, and return what the search did as a Trace.

    A search is limited by `expansions`, a real-time search by `steps`. A search with millions of rows is stopped, and its
    trace is not whole.
    """
    checked_limits(seconds=seconds, expansions=expansions, steps=steps)
    watcher = begin_watch(world, start, goal, algorithm, **options)
    left = (steps if watcher.is_walk else expansions) or NO_LIMIT
    until = None if seconds is None else perf_counter() + seconds
    while not watcher.is_done and left > 0:
        if until is not None and perf_counter() >= until:
            break
        left -= watcher.advance(left)
    return watcher.trace()


def begin_watch(world: Any, start: Any, goal: Any, algorithm: Any = "astar", **options: Any) -> Watcher:
    """Begin a search that is watched while somebody advances it."""
    entry = catalogue.find(algorithm, "search", "realtime")
    if not isinstance(world, Grid):
        raise NotSupported("searches on grids can be watched, not those on other graphs")
    if world.n_cells > MOST_CELLS:
        raise NotSupported(f"a search can be watched on maps of up to {MOST_CELLS:,} cells, not {world.n_cells:,}")
    check_world(entry, world)
    if any(option.name == "watch" for option in entry.options):
        options["watch"] = True
    cells = free_cell(world, start, "start"), free_cell(world, goal, "goal")
    task = begin_task(entry, (world, *cells), options)
    return Watcher(world, task, cells, entry.family == "realtime", entry.label)


class Watcher:
    """A task, and the rows of what it has done so far."""

    def __init__(self, grid: Grid, task: Task, ends: tuple[int, int], is_walk: bool, label: str = "") -> None:
        self.grid, self.task, self.ends, self.is_walk, self.label = grid, task, ends, is_walk, label
        self.rows: list[NDArray[np.void]] = []
        self.n_rows = self.n_expanded = self.n_runs = 0
        self.time = 0.0
        self.leaps = False
        self.looks = int(np.clip(CELLS_LOOKED_AT // grid.n_cells, FEWEST_LOOKS, MOST_LOOKS))
        self.state = np.zeros(grid.n_cells, np.uint8)
        self.g = np.full(grid.n_cells, np.nan)
        self.parent = np.full(grid.n_cells, NOWHERE, np.int32)
        self.learned = np.zeros(grid.n_cells)
        self.when = np.full(grid.n_cells, np.nan)  # the time of the last expansion of a cell, within a portion

    @property
    def is_done(self) -> bool:
        """Whether the search has ended, or has too many rows to go on."""
        return self.task.status.is_final or self.n_rows >= MOST_ROWS

    def advance(self, most: int) -> int:
        """Advance the task by a portion of at most `most` units and add its rows; return the portion."""
        portion = min(most, max(1, int(self.time) // self.looks))
        self.task.advance(portion)
        self.look(portion)
        return portion

    def look(self, portion: int) -> None:
        """Add rows for what has changed since the last look."""
        view = self.task.search_view()
        before, new = self.time, view.expanded[self.n_expanded :]
        if self.is_walk:
            self.time += portion
            times = np.asarray(before + portion * (np.arange(len(new)) + 1.0) / (len(new) + 1.0), np.float64)
        else:
            is_silent = len(view.expanded) == 0  # it does not record what it expands: its portions count
            self.time += portion if is_silent else len(new)
            times = np.asarray(before + 1.0 + np.arange(len(new)), np.float64)
        self.n_expanded = len(view.expanded)
        self.leaps = view.leaps
        self.when[new] = times
        self._see_runs(view)
        if view.state is None:
            self._see_expanded(new, times, before)
        else:
            self._see_states(view, len(new), before)
        self._see_learned(view)
        self.when[new] = np.nan

    def _see_runs(self, view: SearchView) -> None:
        if view.runs is not None:
            runs = view.runs[self.n_runs :]
            first, last, stride = runs[:, 1], runs[:, 2], self.grid.stride
            step = np.sign(last // stride - first // stride) * stride + np.sign(last % stride - first % stride)
            last = np.where(self.grid._free[last], last, last - step)  # the wall that ended it is not part of it
            self._add(runs[:, 0], kinds.SCANNED, first, last)
            self.n_runs = len(view.runs)

    def _see_expanded(self, new: NDArray[np.int32], times: NDArray[np.float64], before: float) -> None:
        """All that is known of the search is what it expands; a real-time search begins anew for each move."""
        if self.is_walk and len(new):
            self._add(before, kinds.FORGOTTEN, np.flatnonzero(self.state))
            self.state[:] = 0
        self.state[new] = CLOSED
        self._add(times, kinds.CLOSED, new)

    def _see_states(self, view: SearchView, n_new: int, before: float) -> None:
        assert view.state is not None
        is_seen = view.state > 0
        changed = view.state != self.state
        moved = np.zeros(len(changed), bool)
        if view.g is not None:
            moved |= is_seen & (view.g != self.g)
        if view.parent is not None:
            moved |= is_seen & (view.parent != self.parent)
        cells = np.flatnonzero(changed | moved)
        now, was, parent = view.state[cells], self.state[cells], self.parent
        if view.parent is not None:
            parent = view.parent
            self.parent[cells] = parent[cells]
        if view.g is not None:
            self.g[cells] = view.g[cells]
        self.state[cells] = now
        is_closed, was_closed = (np.isin(states, (CLOSED, CLOSED_BACK)) for states in (now, was))
        expanded = self.when[cells]

        self._add(before, kinds.FORGOTTEN, cells[now == 0])
        unnamed = view.expanded[len(view.expanded) - n_new :]  # expanded, but without a state of its own
        unnamed = unnamed[view.state[unnamed] == 0]
        self._add(self.when[unnamed], kinds.CLOSED, unnamed)
        opened = (now > 0) & (moved[cells] | (was == 0) | (was_closed & ~is_closed))
        above = parent[cells[opened]]
        is_known = (above != NOWHERE) & (above != cells[opened])
        opening = np.where(above == cells[opened], before, self.time)
        opening[is_known] = self.when[above[is_known]]
        opening = np.fmin(np.where(np.isnan(opening), self.time, opening), expanded[opened])
        costs = view.g[cells[opened]] if view.g is not None else np.nan
        left = view.h(cells[opened].astype(np.int32)) if view.h is not None else np.nan
        opened_as = np.array([OPENED_AS[state] for state in now[opened].tolist()], np.uint8)
        self._add(opening, opened_as, cells[opened], above, costs, left)

        closed = is_closed & (~was_closed | ~np.isnan(expanded))
        closing = np.where(np.isnan(expanded), self.time, expanded)[closed]
        self._add(closing, np.where(now == CLOSED_BACK, kinds.CLOSED_BACK, kinds.CLOSED)[closed], cells[closed])

    def _see_learned(self, view: SearchView) -> None:
        if view.learned is None:
            return
        cells = np.flatnonzero(view.learned != self.learned)
        self.learned[cells] = view.learned[cells]
        self._add(self.time, kinds.LEARNED, cells, h=self.learned[cells])

    def _add(
        self,
        time: ArrayLike,
        kind: ArrayLike,
        cell: NDArray[Any],
        other: Any = NOWHERE,
        g: Any = np.nan,
        h: Any = np.nan,
    ) -> None:
        if not len(cell):
            return
        rows = np.empty(len(cell), ROW)
        rows["time"], rows["kind"], rows["cell"] = time, kind, cell
        rows["other"], rows["g"], rows["h"] = other, g, h
        self.rows.append(rows)
        self.n_rows += len(rows)

    def trace(self) -> Trace:
        """What has been seen so far."""
        rows = np.concatenate(self.rows) if self.rows else np.empty(0, ROW)
        result = self.task.result()
        is_whole = self.task.status.is_final
        if not is_whole and result.status is Status.RUNNING:
            result.status = Status.OUT_OF_BUDGET
        if not result.algorithm:
            result.algorithm = self.task.algorithm
        walk = np.zeros(0, np.int32)
        if self.is_walk and result.path:
            places: Any = result.path
            walk = self.grid.cells(places).astype(np.int32)
        start, goal = self.ends
        return Trace(
            grid=self.grid,
            start=start,
            goal=goal,
            rows=rows[np.argsort(rows["time"], kind="stable")],
            end=float(len(walk) - 1) if self.is_walk else self.time,
            result=result,
            walk=walk,
            leaps=self.leaps,
            is_whole=is_whole,
            layers=self.task.view_layers(),
            label=self.label,
        )
