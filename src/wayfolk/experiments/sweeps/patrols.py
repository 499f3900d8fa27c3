"""What is measured of a patrol beside the summary of its run: coherence over time, and one-way corridors.

Jansen, "Multi-agent pathfinding with direction maps", 2008, chapter 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.experiments.sweeps.job import Job
from wayfolk.judge.coherence import coherence_over_time
from wayfolk.kernels.codes import ARRIVE, MOVE
from wayfolk.simulation.run import Run
from wayfolk.world.thesis_maps import BARRIER, CORRIDORS, SIZE

SAMPLES = 60  # of coherence, equally far apart, the last one at the end: quarters and tenths fall on samples
RULES = ("alpha", "alpha_s", "around", "fading", "decay")  # by which a controller's map learns
CORRIDOR_SHARES = ("corridor_upper_east", "corridor_middle_east", "corridor_lower_east")


def of_patrol(job: Job, run: Run) -> dict[str, Any]:
    """The coherence of the map that the run's moves teach, under any controller; on map (c) also the use of corridors.

    A controller with a map of its own has its own rules. `first_loop` is the time at which every agent has come back once.
    """
    record = run.record
    measured: dict[str, Any] = {}
    if record.end > 0:
        rules = {name: job.options[name] for name in RULES if name in job.options} | {"rule": _rule(job)}
        measured["coherence"] = coherence_over_time(record, every=record.end / SAMPLES, **rules)[1].tolist()
    back = [rows[run.legs - 1] for rows in _arrivals(run) if len(rows) >= run.legs]
    if len(back) == run.n_agents:
        measured["first_loop"] = float(record.time[back].max())
    if job.map == {"make": "thesis", "letter": "c"}:
        measured |= _corridors(run)
    return measured


def _rule(job: Job) -> str:
    """The rule of learning: that of the controller; on maps of the thesis, for one without a map, its simulator's."""
    rule: str = job.options.get("rule", "setup")
    if rule != "setup":
        return rule
    setup = job.options.get("setup", "ours" if job.algorithm == "direction_map" else "")
    return "simulator" if setup == "thesis" or (not setup and job.map.get("make") == "thesis") else "text"


def _arrivals(run: Run) -> list[NDArray[np.intp]]:
    """The rows of each agent's arrivals."""
    rows = run.record.of(ARRIVE)
    return [rows[run.record.agent[rows] == agent] for agent in range(run.n_agents)]


def _corridors(run: Run) -> dict[str, float | None]:
    """Crossings of the corridors of map (c) in the second half of the loops without the last: loops 10 to 19 of 20.

    An agent crosses when it comes out on the other side of the barriers; its corridor is the one in which it last went
    from column 31 to column 32 or back. Nothing if no agent did.
    """
    record, grid = run.record, run.record.grid
    number = np.zeros(SIZE, np.int64)  # of the corridor in a row of the map
    for k, rows in enumerate(CORRIDORS):
        number[rows] = k
    crossings = np.zeros((len(CORRIDORS), 2))
    moves = record.of(MOVE)
    for agent, arrived in enumerate(_arrivals(run)):
        rows = moves[record.agent[moves] == agent]
        x, y = grid.places(record.cell[rows]).T
        is_east = x >= SIZE // 2
        outside = np.flatnonzero((x >= BARRIER.stop) | (x < BARRIER.start))
        out = outside[1:][is_east[outside[1:]] != is_east[outside[:-1]]]
        loop = np.searchsorted(arrived, rows[out]) // run.legs + 1
        out = out[(loop >= run.n_loops // 2) & (loop < run.n_loops)]
        over = np.flatnonzero(np.append(False, is_east[1:] != is_east[:-1]))
        last = over[np.searchsorted(over, out, side="right") - 1]
        np.add.at(crossings, (number[y[last]], is_east[out].astype(int)), 1)
    used = crossings[crossings.any(1)]
    if not len(used):
        return {}
    shares = dict(zip(CORRIDOR_SHARES, _east_shares(crossings), strict=True))
    return shares | {
        "corridor_majority": float((used.max(1) / used.sum(1)).min()),
        "corridors_both_ways": float(len(set(used.argmax(1))) == 2),
    }


def _east_shares(crossings: NDArray[np.float64]) -> list[float | None]:
    """The share of crossings of each corridor that go east, None without crossings."""
    return [float(east / (west + east)) if west + east else None for west, east in crossings]
