"""The three verbs of the library: `find_path`, `solve` and (in `simulation`) `simulate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk import catalogue
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.result import Result
from wayfolk.task import Task, finish


def begin_path(world: Grid | Graph, start: Any, goal: Any, algorithm: str = "astar", **options: Any) -> Task:
    """A search that can be advanced step by step; `start` and `goal` are places, checked here."""
    entry = catalogue.find(algorithm, "search")
    allowed = entry.facts.get("MOVES")
    if allowed and isinstance(world, Grid) and world.moves.value not in allowed:
        raise NotSupported(f"{entry.name} works with the moves {', '.join(allowed)}, not {world.moves.value}")
    cells = []
    for what, place in (("start", start), ("goal", goal)):
        cell = int(place) if isinstance(place, np.integer) and isinstance(world, Grid) else world.cell(place)
        if not world.is_free(cell):
            raise BadProblem(f"the {what} {world.place(cell)} is in a wall")
        cells.append(cell)
    task: Task = entry.load()(world, *cells, **entry.checked(options))
    return task


def find_path(
    world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: str = "astar",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    **options: Any,
) -> Result:
    """The path from `start` to `goal` (places: `(x, y)` on a grid), or why there is none."""
    task = begin_path(world, start, goal, algorithm, **options)
    result = finish(task, seconds=seconds, expansions=expansions)
    result.algorithm, result.options = algorithm, options
    return result
