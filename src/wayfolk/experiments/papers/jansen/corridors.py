"""Who crosses the three corridors of map (c) which way (section 4.1.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.experiments.papers.jansen.maps import BARRIER, CORRIDORS, SIZE
from wayfolk.experiments.sweeps.patrols import arrivals
from wayfolk.kernels.codes import MOVE
from wayfolk.simulation.run import Run

CORRIDOR_SHARES = ("corridor_upper_east", "corridor_middle_east", "corridor_lower_east")


def shares(run: Run) -> dict[str, float | None]:
    """The use of the corridors in the second half of the loops without the last: loops 10 to 19 of 20.

    An agent crosses when it comes out on the other side of the barriers; its corridor is the one in which it last went
    from column 31 to column 32 or back. Nothing if no agent did.
    """
    record, grid = run.record, run.record.grid
    number = np.zeros(SIZE, np.int64)  # of the corridor in a row of the map
    for k, rows in enumerate(CORRIDORS):
        number[rows] = k
    crossings = np.zeros((len(CORRIDORS), 2))
    moves = record.of(MOVE)
    for agent, arrived in enumerate(arrivals(run)):
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
    east = dict(zip(CORRIDOR_SHARES, _east_shares(crossings), strict=True))
    return east | {
        "corridor_majority": float((used.max(1) / used.sum(1)).min()),
        "corridors_both_ways": float(len(set(used.argmax(1))) == 2),
    }


def _east_shares(crossings: NDArray[np.float64]) -> list[float | None]:
    """The share of crossings of each corridor that go east, None without crossings."""
    return [float(east / (west + east)) if west + east else None for west, east in crossings]
