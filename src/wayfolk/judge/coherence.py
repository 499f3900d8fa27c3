"""The coherence of a run over time, whatever controlled it.

Jansen, "Multi-agent pathfinding with direction maps", 2008, chapter 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.coherence import coherences
from wayfolk.problem.record import Record
from wayfolk.world.direction_map import DirectionMap


def coherence_over_time(
    record: Record,
    alpha: float = 0.5,
    every: float = 10.0,
    *,
    younger_than: float | None = None,
    **rules: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return times, `every` apart, and the coherence at each of the direction map that a record's moves would teach.

    The record may be of any controller. `alpha` and `rules` are those of a `DirectionMap`. With `younger_than` only
    vectors count that have learned something within that time.
    """
    if not every > 0:
        raise BadInput(f"every must be more than 0, not {every}")
    if younger_than is not None and not younger_than >= 0:
        raise BadInput(f"younger_than must be 0 or more, not {younger_than}")
    learner = DirectionMap(record.grid, alpha, **rules)
    values = np.zeros(int(record.end / every + 1e-9))
    age = np.inf if younger_than is None else float(younger_than)
    coherences(learner.lanes, record.log(), record.starts.copy(), float(every), age, values)
    times = np.arange(1, len(values) + 1, dtype=np.float64)
    times *= every
    return times, values
