"""What is measured of a patrol beside the summary of its run: coherence over time, and what a paper measures on its maps.

Jansen, "Multi-agent pathfinding with direction maps", 2008, section 4.1: coherence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms import catalogue
from wayfolk.experiments.sweeps.job import Job
from wayfolk.judge.coherence import coherence_over_time
from wayfolk.kernels.codes import ARRIVE
from wayfolk.problem import papers
from wayfolk.simulation.run import Run

SAMPLES = 60  # of coherence, equally far apart, the last one at the end: quarters and tenths fall on samples
RULES = ("alpha", "alpha_s", "around", "fading", "decay")  # by which a controller's map learns


def of_patrol(job: Job, run: Run) -> dict[str, Any]:
    """The coherence of the map that the run's moves teach, under any controller; on maps of papers also their measures.

    A controller with a map of its own has its own rules of learning. `first_loop` is the time at which every agent has
    come back once.
    """
    record = run.record
    measured: dict[str, Any] = {}
    if record.end > 0:
        rules = {name: job.options[name] for name in RULES if name in job.options} | {"rule": _rule(job)}
        measured["coherence"] = coherence_over_time(record, every=record.end / SAMPLES, **rules)[1].tolist()
    back = [rows[run.legs - 1] for rows in arrivals(run) if len(rows) >= run.legs]
    if len(back) == run.n_agents:
        measured["first_loop"] = float(record.time[back].max())
    name = str(job.map.get("name"))
    if job.map == {"make": "paper", "name": name} and name in papers.names("MEASURES"):
        measured |= papers.registered("MEASURES", name, "measure")(run)
    return measured


def paper_map_of(job: Job) -> papers.PaperMap | None:
    """The map of a job, if it is that of a paper."""
    settings = dict(job.map)
    return papers.paper_map(**settings) if settings.pop("make", "") == "paper" else None


def _rule(job: Job) -> str:
    """The rule of learning: that of the controller; for one without a map, that of the paper whose map it is."""
    for option in catalogue.find(job.algorithm).options:
        if option.name == "rule":
            return str(job.options.get("rule", option.default))
    place = paper_map_of(job)
    return place.rule if place is not None else "text"


def arrivals(run: Run) -> list[NDArray[np.intp]]:
    """The rows of each agent's arrivals."""
    rows = run.record.of(ARRIVE)
    return [rows[run.record.agent[rows] == agent] for agent in range(run.n_agents)]
