"""Many queries in one call: no Python between them, and one thread for each core.

A search whose task has a method `batch` runs whole lists of queries in its kernel; any other is asked one by one.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.machine import n_cores
from wayfolk.run import begin_path, make_ready
from wayfolk.search._best_first import places_of
from wayfolk.task import Task, finish

CHUNK = 256  # queries that a thread takes at a time


@dataclass
class Many:
    """The answers to many queries: `costs` (infinite where there is no path), `expanded`, and the paths.

    `paths[k]` is an array of cells where the search works on many queries at once, else a list of places; or None.
    """

    world: Grid | Graph
    algorithm: str
    costs: NDArray[np.float64]
    expanded: NDArray[np.int64]
    paths: list[Any]
    seconds: float

    def path(self, k: int) -> list[Hashable] | None:
        """The places of query number `k`, or None if there is no path."""
        path = self.paths[k]
        return places_of(self.world, path) if isinstance(path, np.ndarray) else path

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
    made = Many(world, algorithm, np.full(n, np.inf), np.zeros(n, np.int64), [None] * n, 0.0)
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
                made.costs[k], made.expanded[k], made.paths[k] = result.cost, result.expanded, result.path
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
    costs, expanded, ends = np.empty(n), np.empty(n, np.int64), np.zeros(n, np.int64)
    room = n * 64
    while done < n:
        path = np.empty(room, np.int32)
        ends[: done + 1] = 0  # the paths found so far are taken out of the buffer
        before, done = done, task.batch(starts, goals, done, costs, expanded, ends, path)  # type: ignore[attr-defined]
        for k in range(before, done):
            if np.isfinite(costs[k]):
                made.paths[part.start + k] = path[0 if k == before else ends[k - 1] : ends[k]][::-1]
        room *= 2
    made.costs[part], made.expanded[part] = costs, expanded


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
