"""Many queries in one call: no Python between them, and one thread for each core.

A search whose task has a method `batch` runs whole lists of queries in its kernel; any other is asked one by one.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.machine import n_cores
from wayfolk.run import begin_path, make_ready
from wayfolk.search._search import places_of
from wayfolk.task import Task, finish

CHUNK = 256  # queries that a thread takes at a time


class Many:
    """The answers to many queries: `costs` (infinite where there is no path), `expanded`, and the paths, on demand."""

    def __init__(self, world: Grid | Graph, algorithm: str, n: int) -> None:
        self.world, self.algorithm, self.seconds = world, algorithm, 0.0
        self.costs = np.full(n, np.inf)
        self.expanded = np.zeros(n, np.int64)
        # the paths of a batch lie in one array, one after another, each backwards: from, to, number of the array
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
        return places_of(self.world, self._cells[batch][begin:end][::-1])

    def __len__(self) -> int:
        return len(self.costs)


def find_many(
    world: Grid | Graph,
    starts: Any,
    goals: Any,
    algorithm: str = "astar",
    *,
    threads: int | None = None,
    **options: Any,
) -> Many:
    """Paths from each of `starts` to the one of `goals` at the same place in the list.

    Both are places (rows of x and y on a grid, names on a graph) or an array of cells. All cores work, or `threads`.
    """
    first, last = _cells(world, starts, "start"), _cells(world, goals, "goal")
    if len(first) != len(last):
        raise BadInput(f"{len(first)} starts do not fit {len(last)} goals")
    if threads is not None and threads < 1:
        raise BadInput(f"threads must be 1 or more, not {threads}")
    n = len(first)
    made = Many(world, algorithm, n)
    if not n:
        return made
    make_ready(algorithm)
    began = time.perf_counter()
    parts = [slice(k, min(k + CHUNK, n)) for k in range(0, n, CHUNK)]
    # made here and not in the threads: the first one prepares the map
    ends = world.place(first[0]), world.place(last[0])
    team = [begin_path(world, *ends, algorithm, **options) for _ in range(min(threads or n_cores(), len(parts)))]
    idle = list(team)

    def work(part: slice) -> None:
        task = idle.pop()
        if hasattr(task, "batch"):
            _batch(task, first[part], last[part], made, part)
        else:
            for k in range(part.start, part.stop):
                ends = world.place(first[k]), world.place(last[k])
                result = finish(begin_path(world, *ends, algorithm, **options))
                made.costs[k], made.expanded[k], made._lists[k] = result.cost, result.expanded, result.path
        idle.append(task)

    if len(team) == 1:
        for part in parts:
            work(part)
    else:
        with ThreadPoolExecutor(len(team)) as pool:
            list(pool.map(work, parts))
    for task in team:
        if hasattr(task, "release"):
            task.release()
    made.seconds = time.perf_counter() - began
    return made


def _batch(task: Task, starts: NDArray[np.int32], goals: NDArray[np.int32], made: Many, part: slice) -> None:
    """Run the queries of one part; room for the paths is added when it is used up."""
    n, done = len(starts), 0
    costs, expanded, ends = made.costs[part], made.expanded[part], np.zeros(n, np.int64)
    room = n * 64
    while done < n:
        path = np.empty(room, np.int32)
        ends[: done + 1] = 0  # a new array begins
        before, done = done, task.batch(starts, goals, done, costs, expanded, ends, path)  # type: ignore[attr-defined]
        room *= 2
        if done > before:
            bounds = made._bounds[part.start + before : part.start + done]
            bounds[1:, 0] = ends[before : done - 1]
            bounds[:, 1] = ends[before:done]
            bounds[:, 2] = part.start + before
            made._cells[part.start + before] = path


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
