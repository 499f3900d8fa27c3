"""What the thesis measures of a patrol beside the summary of a run: coherence over time, and one-way corridors.

`of_patrol` is made with every run of a patrol and kept with it; the summaries are over the runs of a setting.
"""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.directions import coherence_over_time
from wayfolk.experiments.cell import Cell
from wayfolk.experiments.papers import Row
from wayfolk.record import ARRIVE, MOVE
from wayfolk.runs import Run
from wayfolk.thesis_maps import BARRIER_LEFT, SIZE

SAMPLES = 60  # of coherence, equally far apart, the last one at the end: quarters and tenths fall on samples
RULES = ("alpha", "alpha_s", "around", "fading", "rule", "decay")  # by which a controller's map learns
COHERENCE = (
    "coherence_first_quarter",  # mean over the first quarter of the run
    "coherence_quarter",  # at one quarter of the run
    "coherence_mid",
    "coherence_last_tenth",  # mean over the last tenth
    "coherence_end",
    "coherence_least",  # of all samples of all runs after the first loop
    "coherence_most",
)


def of_patrol(cell: Cell, run: Run) -> dict[str, Any]:
    """Coherence of the map that the run's moves would teach, whoever made them; on map (c) also who used which corridor.

    A controller with a map of its own has its own rules. `first_loop` is when everybody had come back once.
    """
    record = run.record
    made: dict[str, Any] = {}
    if record.end > 0:
        rules = {name: cell.options[name] for name in RULES if name in cell.options}
        made["coherence"] = coherence_over_time(record, every=record.end / SAMPLES, **rules)[1].tolist()
    back = [rows[run.legs - 1] for rows in _arrivals(run) if len(rows) >= run.legs]
    if len(back) == run.n_agents:
        made["first_loop"] = float(record.time[back].max())
    if cell.map == {"make": "thesis", "letter": "c"}:
        made |= _corridors(run)
    return made


def _arrivals(run: Run) -> list[NDArray[np.intp]]:
    """The rows of each agent's arrivals."""
    rows = run.record.of(ARRIVE)
    return [rows[run.record.agent[rows] == agent] for agent in range(run.n_agents)]


def _corridors(run: Run) -> dict[str, float]:
    """Crossings of the corridors of map (c) in the second half of the loops without the last: loops 10 to 19 of 20.

    An agent crosses when it comes out on the other side. Nothing if nobody did.
    """
    record, grid = run.record, run.record.grid
    mouth = grid.free[:, BARRIER_LEFT]
    number = np.cumsum(mouth & ~np.append(False, mouth[:-1])) - 1  # of the corridor in a row of the map
    crossings = np.zeros((number[-1] + 1, 2))
    moves = record.of(MOVE)
    for agent, arrived in enumerate(_arrivals(run)):
        rows = moves[record.agent[moves] == agent]
        x, y = grid.places(record.cell[rows]).T
        is_east = x >= SIZE - BARRIER_LEFT
        outside = np.flatnonzero(is_east | (x < BARRIER_LEFT))
        out = outside[1:][is_east[outside[1:]] != is_east[outside[:-1]]]
        loop = np.searchsorted(arrived, rows[out]) // run.legs + 1
        out = out[(loop >= run.n_loops // 2) & (loop < run.n_loops)]
        np.add.at(crossings, (number[y[out - 1]], is_east[out].astype(int)), 1)
    used = crossings[crossings.any(1)]
    if not len(used):
        return {}
    return {
        "corridor_majority": float((used.max(1) / used.sum(1)).min()),
        "corridors_both_ways": float(len(set(used.argmax(1))) == 2),
    }


def over_runs(runs: list[Row], row: Row) -> Row:
    """Means over runs that ended, of COHERENCE and of the whole curve; the least and the most of any run."""
    ended = [run for run in runs if run["status"] == "solved" and run.get("coherence") is not None]
    if not ended:
        return dict.fromkeys(COHERENCE)
    curves = np.array([run["coherence"] for run in ended])
    curve = curves.mean(0)
    n = curves.shape[1]
    times = np.arange(1, n + 1) / n
    late = [k[times * run["simulation_time"] > run["first_loop"]] for k, run in zip(curves, ended, strict=True)]
    found = (
        curve[: n // 4].mean(), curve[n // 4 - 1], curve[n // 2 - 1], curve[-(n // 10) :].mean(), curve[-1],
        min(k.min() for k in late), max(k.max() for k in late),
    )  # fmt: skip
    return dict(zip(COHERENCE, map(float, found), strict=True)) | {"curve": curve.tolist()}


def loops_apart(runs: list[Row], row: Row) -> Row:
    """Collisions of an agent in the first loop, in one of those between and in the last, over runs that ended."""
    found = [[loop["collisions"] for loop in run["loops"]] for run in runs if run["status"] == "solved"]
    loops = [numbers for numbers in found if len(numbers) >= 3]
    if not loops:
        return dict.fromkeys(("collisions_first", "collisions", "collisions_last"))
    return {
        "collisions_first": statistics.fmean(numbers[0] for numbers in loops),
        "collisions": statistics.fmean(statistics.fmean(numbers[1:-1]) for numbers in loops),
        "collisions_last": statistics.fmean(numbers[-1] for numbers in loops),
    }
