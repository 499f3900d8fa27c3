"""Many queries in one call: no Python between them, and one thread for each core.

A search whose task has a method `batch` answers whole lists of queries in its kernel; any other is called one by one.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.paths import Finder
from wayfolk.algorithms.search._search import places_of
from wayfolk.compile.loading import LOADED, loading_seconds
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.best_first import Answers
from wayfolk.machine import n_cores
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

CHUNK = 256  # queries that a thread takes at a time
ROOM = 64  # cells for each path at first


class Many:
    """The answers to many queries: `costs` (infinite where there is no path), `expanded`, and the paths, on demand."""

    def __init__(self, world: Grid | Graph, algorithm: str, n: int) -> None:
        self.world, self.algorithm, self.seconds = world, algorithm, 0.0
        self.costs = np.full(n, np.inf)
        self.expanded = np.zeros(n, np.int64)
        # the paths of a batch lie in one array, one after another: from, to, number of the array
        self._bounds = np.zeros((n, 3), np.int64)
        self._cells: dict[int, NDArray[np.int32]] = {}
        self._lists: dict[int, list[Hashable] | None] = {}

    def path(self, k: int) -> list[Hashable] | None:
        """The places of query number `k`, or None if there is no path."""
        k = range(len(self))[k]
        if not np.isfinite(self.costs[k]):
            return None
        if k in self._lists:
            return self._lists[k]
        begin, end, batch = self._bounds[k].tolist()
        return places_of(self.world, self._cells[batch][begin:end])

    def __len__(self) -> int:
        return len(self.costs)


def find_many(
    world: Grid | Graph,
    starts: Any,
    goals: Any,
    algorithm: Any = "astar",
    *,
    threads: int | None = None,
    size: int = 1,
    radius: float = 0.0,
    **options: Any,
) -> Many:
    """Find a path from each of `starts` to the goal with the same index in `goals`; returns all answers as a Many.

    Both are places (rows of x and y on a grid, names on a graph) or an array of cells. All cores work, or `threads`. `size`
    and `radius` are those of the agent's body, as for `find_path`.
    """
    finder = Finder(world, algorithm, options, size=size, radius=radius)
    world = finder.world
    first, last = _cells(world, starts, "start"), _cells(world, goals, "goal")
    if len(first) != len(last):
        raise BadInput(f"{len(first)} starts do not fit {len(last)} goals")
    if threads is not None and threads < 1:
        raise BadInput(f"threads must be 1 or more, not {threads}")
    n = len(first)
    many = Many(world, finder.algorithm, n)
    if not n:
        return many
    parts = [slice(k, min(k + CHUNK, n)) for k in range(0, n, CHUNK)]
    n_threads = min(threads or n_cores(), len(parts))
    # begun here and not in the threads: the first one prepares the map
    ends = world.place(first[0]), world.place(last[0])
    team: list[Any] = [finder.begin(*ends)]
    is_batch = hasattr(team[0], "batch")
    if is_batch:
        team += [finder.begin(*ends) for _ in range(n_threads - 1)]
    idle = list(team)
    loading: dict[int, float] = {}  # seconds, by thread

    def work(part: slice) -> None:
        loaded = len(LOADED)
        if is_batch:
            task = idle.pop()
            _answer(task, first[part], last[part], many, part)
            idle.append(task)
        else:
            for k in range(part.start, part.stop):
                result = finder(world.place(first[k]), world.place(last[k]))
                many.costs[k], many.expanded[k], many._lists[k] = result.cost, result.expanded, result.path
        loading[get_ident()] = loading.get(get_ident(), 0.0) + loading_seconds(loaded)

    began = time.perf_counter()
    if n_threads == 1:
        for part in parts:
            work(part)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, parts))
    many.seconds = time.perf_counter() - began - max(loading.values())
    for task in team:
        if hasattr(task, "release"):
            task.release()
    return many


def _answer(task: Any, starts: NDArray[np.int32], goals: NDArray[np.int32], many: Many, part: slice) -> None:
    """Answer the queries of one part; the array for paths grows when it is full."""
    n, done = len(starts), 0
    ends = np.zeros(n, np.int64)
    room = n * ROOM
    while True:
        path = np.empty(room, np.int32)
        ends[: done + 1] = 0  # a new array begins
        before = done
        done = task.batch(starts, goals, done, Answers(many.costs[part], many.expanded[part], ends, path))
        if done > before:
            bounds = many._bounds[part.start + before : part.start + done]
            bounds[1:, 0] = ends[before : done - 1]
            bounds[:, 1] = ends[before:done]
            bounds[:, 2] = part.start + before
            many._cells[part.start + before] = path
        if done == n:
            return
        room *= 2


def _cells(world: Grid | Graph, places: Any, what: str) -> NDArray[np.int32]:
    """The cells of places, all of them free."""
    if isinstance(world, Graph):
        cells = np.array([world.cell(place) for place in places], np.int32)
    else:
        given = np.asarray(places)
        cells = given.astype(np.int32) if given.ndim == 1 and given.size else world.cells(given)
        if ((cells < 0) | (cells >= world.n_cells)).any():
            raise BadProblem(f"a {what} is not a cell of the {world.width} x {world.height} map")
        walls = ~world._free[cells]
        if walls.any():
            raise BadProblem(f"the {what} {world.place(cells[walls.argmax()])} is in a wall")
    return cells
