"""Who can do with a limited view, in Arun's chapter 7: walks through maps of which only the cells around are seen.

What was not seen yet is taken to be free. A search for whole paths plans again whenever it has seen something new; RTA*
goes on with what it knows by then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfolk.belief import GridBelief
from wayfolk.errors import NotSupported
from wayfolk.experiments.papers import Row
from wayfolk.experiments.papers.arun_claims import LOOKAHEAD
from wayfolk.generate import draw_pairs, random_map
from wayfolk.grid import Grid
from wayfolk.result import Result
from wayfolk.run import begin_path
from wayfolk.walker import walk

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
                    found = (
                        _rta(grid, start, goal)
                        if algorithm == "rta"
                        else walk(grid, start, goal, algorithm, sight=SIGHT)
                    )
                except NotSupported as error:
                    return f"not measured: {error}"
                runs.append(_run(found))
    return runs


def _run(found: Result) -> Row:
    cost = found.cost if found.is_solved else None
    return {"status": found.status.value, "reached": int(found.is_solved), "cost": cost, "expanded": found.expanded}


def _rta(grid: Grid, start: np.int32, goal: np.int32) -> Result:
    """RTA* that is told before each move what has come into view."""
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
