"""Section 3.6 of the thesis on direction maps: agents learn a map and leave; a greedy agent then follows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from wayfolk.experiments.papers.jansen.jobs import AGENTS
from wayfolk.experiments.papers.tables import Row
from wayfolk.kernels.codes import THOUGHT
from wayfolk.problem.papers import paper_problem
from wayfolk.problem.problem import tasks
from wayfolk.simulation.solving import simulate
from wayfolk.world.direction_map import DirectionMap

LOOPS = 10
STEPS = 500
ALPHA_S = 0.3  # the thesis says no more than that cells around a path learn too: the least of Table 4.9


def walks(letter: str, agents: int, n: int) -> list[Row]:
    """`n` walks of STEPS steps of one greedy agent each, from a random cell with a vector of a map that `agents` made."""
    return [_walk(letter, agents, seed) for seed in range(n)]


def _walk(letter: str, agents: int, seed: int) -> Row:
    training = simulate(
        paper_problem(f"jansen-{letter}", agents, loops=LOOPS, seed=seed), AGENTS, model="turns", alpha_s=ALPHA_S
    )
    grid = training.record.grid
    learned = DirectionMap(grid, alpha_s=ALPHA_S, rule="simulator").follow(training.record)
    stored = np.flatnonzero(learned.is_stored)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "learned.npz"
        learned.save(file)
        start = np.random.default_rng(seed).choice(stored, 1).astype(np.int32)
        alone = replace(tasks(grid, 1, seed=seed), starts=start)
        run = simulate(alone, "greedy_direction_map", until=STEPS, seed=seed, saved=str(file))
    is_on = learned.is_stored[run.record.plan().cells[1:, 0]]
    thoughts = run.record.of(THOUGHT)
    return {
        "status": "solved",
        "share_on_vectors": float(is_on.mean()),
        "expanded_per_step": float(np.sum(run.record.cell[thoughts]) / run.time),
    }
