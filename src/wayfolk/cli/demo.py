"""The demo: agents patrol through a congested map under several controllers, side by side in one replay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms.catalogue import find
from wayfolk.cli.warm import warm_one
from wayfolk.cli.workers import spread
from wayfolk.problem.papers import paper_problem
from wayfolk.problem.problem import Problem
from wayfolk.problem.record import DISTANCE
from wayfolk.replay import Track, write_replay
from wayfolk.simulation.solving import simulate

CONTROLLERS = ("lra", "direction_map", "whca")
LONGEST = 400.0  # time units for each loop after which a jam counts as such
ALPHA = 0.5  # rate at which lanes are learned, by the controller and in the replay


def run_demo(agents: int, loops: int, seed: int, out: Path) -> dict[str, Any]:
    """Run all controllers, each in a process of its own, and write the replay to `out`; a row for each of them.

    The coherence in a row is the mean over time of that of the lanes their moves would teach.
    """
    problem = paper_problem("jansen-c", agents=agents, loops=loops, seed=seed)
    runs = list(spread(partial(_patrol, problem), CONTROLLERS))
    write_replay([track for _, track in runs], out, f"{agents} agents patrol through the map jansen-c")
    return {"rows": [row for row, _ in runs], "replay": str(out)}


def _patrol(problem: Problem, controller: str) -> tuple[dict[str, Any], Track]:
    warm_one(controller)  # so that the seconds do not include compiling
    options: dict[str, Any] = {"alpha": ALPHA} if controller == "direction_map" else {}
    run = simulate(problem, controller, model=DISTANCE, until=LONGEST * problem.loops, **options)
    label, summary = find(run.algorithm).label, run.summary()
    shown = {"distance": "distance a loop", "collisions": "collisions a loop", "expanded": "expanded a loop"}
    facts = {"time": f"{summary['time']:,.0f}"} | {name: f"{summary[key]:,.0f}" for key, name in shown.items()}
    track = run.track(label, alpha=ALPHA, **facts)
    coherence = float(np.mean(track.coherence)) if track.coherence else 0.0
    row = {"algorithm": label, "status": run.status.value, **summary, "coherence": coherence}
    return row, track
