"""Which choice moves which number: the paper's own setup with one thing switched at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wayfolk.experiments.papers.tables import Row
from wayfolk.experiments.sweeps.job import Job

SETTINGS: list[Row] = [
    {"table": "4.1", "map": "b", "w_max": 2},
    {"table": "4.1", "map": "b", "w_max": 10},
    {"table": "4.3", "map": "c", "radius": 2},
    {"table": "4.3", "map": "c", "radius": 10},
    {"table": "4.10", "map": "d", "win": 3},
    {"table": "4.10", "map": "d", "win": 7},
]


def switched(job: Job, name: str) -> Job:
    """The job with the choice called `name` switched."""
    return SWITCHES[name](job)


def _on_a_guessed_map(job: Job) -> Job:
    problem = {name: value for name, value in job.problem.items() if name not in ("file", "digest")}
    return replace(job, map=job.map | {"guess": True}, problem=problem)


def _with(**options: Any) -> Callable[[Job], Job]:
    return lambda job: replace(job, options=job.options | options)


SWITCHES: dict[str, Callable[[Job], Job]] = {
    "nothing": lambda job: job,
    "map: drawn from the text": _on_a_guessed_map,
    "sides: all start on the left": lambda job: replace(job, problem=job.problem | {"sides": "left"}),
    "clock: steps, all at once": lambda job: replace(job, model="steps"),
    "clock: distance": lambda job: replace(job, model="distance"),
    "unvisited: free": _with(unvisited="free"),
    "rule: text": _with(rule="text"),
    "agents: ours": lambda job: replace(job, algorithm="direction_map"),
}
