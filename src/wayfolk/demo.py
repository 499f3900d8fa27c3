"""The demo: agents patrol through a congested map under several controllers, side by side in one replay."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from wayfolk.catalogue import find
from wayfolk.generate import thesis_problem
from wayfolk.machine import n_cores
from wayfolk.record import DISTANCE
from wayfolk.replay import write_replay
from wayfolk.runs import Run
from wayfolk.simulation import simulate

CONTROLLERS = ("lra", "whca")
LONGEST = 400.0  # time units for each loop after which a jam counts as such


def run_demo(agents: int, loops: int, seed: int, out: Path, tell: Any = None) -> dict[str, Any]:
    """Run all controllers, each in a process of its own, and write the replay to `out`; a row for each of them."""
    jobs = [(name, agents, loops, seed) for name in CONTROLLERS]
    with ProcessPoolExecutor(min(n_cores(), len(jobs)), get_context("spawn")) as pool:
        runs = list(pool.map(_patrol, *zip(*jobs, strict=True)))
    rows, tracks = [], []
    for run in runs:
        label = find(run.algorithm).label
        found = run.summary()
        rows.append({"algorithm": label, "status": run.status.value, **found})
        facts = {name: f"{found[name]:,.1f}" for name in ("time", "distance", "collisions", "expanded")}
        tracks.append(run.track(label, **facts))
    write_replay(tracks, out, f"{agents} agents patrol through thesis map (c)")
    return {"rows": rows, "replay": str(out)}


def _patrol(controller: str, agents: int, loops: int, seed: int) -> Run:
    problem = thesis_problem("c", agents=agents, loops=loops, seed=seed)
    return simulate(problem, controller, model=DISTANCE, until=LONGEST * loops)
