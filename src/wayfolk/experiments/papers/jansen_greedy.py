"""Section 3.6 of the thesis on direction maps: agents make a map and leave; one that looks a step ahead follows it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from wayfolk.directions import DirectionMap
from wayfolk.experiments.papers import Row
from wayfolk.problem import tasks
from wayfolk.record import THOUGHT
from wayfolk.simulation import simulate
from wayfolk.thesis_maps import thesis_problem

LOOPS = 10
STEPS = 500
ALPHA_S = 0.3  # the thesis says no more than that cells around a path learn too: the least of Table 4.9


def walks(letter: str, agents: int, n: int) -> list[Row]:
    """`n` walks of one greedy agent each, on maps that `agents` have made: STEPS steps after its first on a vector.

    Until then it may take as many. A walk that finds no vector has a status only.
    """
    return [_walk(letter, agents, seed) for seed in range(n)]


def _walk(letter: str, agents: int, seed: int) -> Row:
    made = simulate(thesis_problem(letter, agents, LOOPS, seed), "direction_map", model="distance", alpha_s=ALPHA_S)
    grid = made.record.grid
    learned = DirectionMap(grid, alpha_s=ALPHA_S).follow(made.record)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "learned.npz"
        learned.save(file)
        alone = tasks(grid, 1, seed=seed)
        run = simulate(alone, "greedy_direction_map", until=2 * STEPS, seed=seed, saved=str(file))
    is_on = learned.is_stored[run.record.plan().cells[:, 0]]
    first = int(is_on.argmax())
    if not is_on[first] or first > STEPS:
        return {"status": "out_of_time"}
    thoughts = run.record.of(THOUGHT)
    return {
        "status": "solved",
        "share_on_vectors": float(is_on[first + 1 : first + 1 + STEPS].mean()),
        "expanded_per_step": float(np.sum(run.record.cell[thoughts]) / run.time),
    }
