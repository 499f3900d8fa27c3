"""The demo: agents patrol through a congested map under several controllers, side by side in one replay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.catalogue import find
from wayfolk.errors import BadInput
from wayfolk.formats import write_bytes
from wayfolk.problem import Problem
from wayfolk.record import DISTANCE
from wayfolk.replay import Track, replay_html
from wayfolk.simulation import simulate
from wayfolk.thesis_maps import thesis_problem
from wayfolk.warm import warm_one
from wayfolk.workers import spread

CONTROLLERS = ("lra", "direction_map", "whca")
LONGEST = 400.0  # time units for each loop after which a jam counts as such
ALPHA = 0.5  # how fast lanes are learned, by whoever learns them and in the replay


def run_demo(agents: int, loops: int, seed: int, out: Path) -> dict[str, Any]:
    """Run all controllers, each in a process of its own, and write the replay to `out`; a row for each of them.

    The coherence in a row is the mean over time of that of the lanes their moves would teach.
    """
    problem = thesis_problem("c", agents=agents, loops=loops, seed=seed)
    runs = list(spread(partial(_patrol, problem), CONTROLLERS))
    page = replay_html([track for _, track in runs], f"{agents} agents patrol through thesis map (c)")
    write_bytes(out, page.encode(), BadInput)
    return {"rows": [row for row, _ in runs], "replay": str(out)}


def _patrol(problem: Problem, controller: str) -> tuple[dict[str, Any], Track]:
    warm_one(controller)  # compiling is not what the seconds are about
    options: dict[str, Any] = {"alpha": ALPHA} if controller == "direction_map" else {}
    run = simulate(problem, controller, model=DISTANCE, until=LONGEST * problem.loops, **options)
    label, found = find(run.algorithm).label, run.summary()
    shown = {"distance": "distance a loop", "collisions": "collisions a loop", "expanded": "expanded a loop"}
    facts = {"time": f"{found['time']:,.0f}"} | {name: f"{found[key]:,.0f}" for key, name in shown.items()}
    track = run.track(label, alpha=ALPHA, **facts)
    coherence = float(np.mean(track.coherence)) if track.coherence else 0.0
    row = {"algorithm": label, "status": run.status.value, **found, "coherence": coherence}
    return row, track
