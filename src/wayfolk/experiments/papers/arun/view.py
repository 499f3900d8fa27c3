"""Which algorithms work with a limited view (Arun, chapter 7): walks on maps of which only the nearby cells are seen.

Cells that were not seen yet are taken to be free. A search for whole paths replans whenever it has seen something new; RTA*
continues with its changed map.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.algorithms.paths import begin_path
from wayfolk.algorithms.walk import walk
from wayfolk.errors import NotSupported
from wayfolk.experiments.papers.arun.claims import LOOKAHEAD
from wayfolk.experiments.papers.tables import Row
from wayfolk.problem.result import Result
from wayfolk.world.belief import GridBelief
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid

SIGHT = 3.0  # cells; RTA* looks as many moves ahead
PAIRS = 10  # on each map
MOST_MOVES = 10_000  # of a walk; 25 for each cell


def walks(algorithm: str, size: int, densities: tuple[float, ...], maps: int) -> list[Row] | str:
    """A run for each walk, or why the algorithm cannot walk."""
    runs: list[Row] = []
    for blocked in densities:
        for seed in range(maps):
            grid = random_map(size, size, blocked, seed=seed)
            for start, goal in zip(*draw_pairs(grid, PAIRS, seed=seed), strict=True):
                try:
                    result = (
                        _rta(grid, start, goal)
                        if algorithm == "rta"
                        else walk(grid, start, goal, algorithm, sight=SIGHT)
                    )
                except NotSupported as error:
                    return f"not measured: {error}"
                runs.append(_run(result))
    return runs


def _run(result: Result) -> Row:
    cost = result.cost if result.is_solved else None
    return {"status": result.status.value, "reached": int(result.is_solved), "cost": cost, "expanded": result.expanded}


def _rta(grid: Grid, start: np.int32, goal: np.int32) -> Result:
    """A walk of RTA* whose map is updated before each move with the cells that have come into view."""
    belief = GridBelief(grid, None, SIGHT)
    belief.look(int(start))
    task: Any = begin_path(belief.world, start, goal, "rta", depth=LOOKAHEAD)
    for _ in range(MOST_MOVES):
        if task.advance(1).is_final:
            break
        if belief.look(task.here).size:
            task.change(belief.world)
    result: Result = task.result()
    return result
