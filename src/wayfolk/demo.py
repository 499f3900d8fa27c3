"""The demo: agents patrol through a congested map under several controllers, side by side in one replay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from wayfolk.catalogue import find
from wayfolk.errors import BadInput
from wayfolk.formats import write_bytes
from wayfolk.problem import Problem
from wayfolk.record import DISTANCE
from wayfolk.replay import replay_html
from wayfolk.runs import Run
from wayfolk.simulation import simulate
from wayfolk.thesis_maps import thesis_problem
from wayfolk.warm import warm_one
from wayfolk.workers import spread

CONTROLLERS = ("lra", "whca")
LONGEST = 400.0  # time units for each loop after which a jam counts as such


def run_demo(agents: int, loops: int, seed: int, out: Path) -> dict[str, Any]:
    """Run all controllers, each in a process of its own, and write the replay to `out`; a row for each of them."""
    problem = thesis_problem("c", agents=agents, loops=loops, seed=seed)
    rows, tracks = [], []
    for run in spread(partial(_patrol, problem), CONTROLLERS):
        label = find(run.algorithm).label
        found = run.summary()
        rows.append({"algorithm": label, "status": run.status.value, **found})
        shown = {"distance": "distance a loop", "collisions": "collisions a loop", "expanded": "expanded a loop"}
        facts = {"time": f"{found['time']:,.0f}"} | {name: f"{found[key]:,.0f}" for key, name in shown.items()}
        tracks.append(run.track(label, **facts))
    page = replay_html(tracks, f"{agents} agents patrol through thesis map (c)")
    write_bytes(out, page.encode(), BadInput)
    return {"rows": rows, "replay": str(out)}


def _patrol(problem: Problem, controller: str) -> Run:
    warm_one(controller)  # compiling is not what the seconds are about
    return simulate(problem, controller, model=DISTANCE, until=LONGEST * problem.loops)
