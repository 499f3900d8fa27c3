"""Flood fill: is there a way at all? A few cells at a time, so that an agent without a way does not move for ever."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots, there

DONE, USED = range(2)  # places in `counts`


class Flood(NamedTuple):
    """Cells reached so far, in order; the neighbours of those before counts[DONE] have been reached too."""

    seen: NDArray[np.uint8]
    order: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_flood(n_cells: int) -> Flood:
    """Arrays of a flood fill that has not begun."""
    return Flood(np.zeros(n_cells, np.uint8), np.empty(n_cells, np.int32), np.zeros(2, np.int64))


@inner
def is_cut_off(graph, flood, start, goal, budget):
    """Flood `budget` cells more, beginning with `start`; True once all is flooded and `goal` was not reached."""
    counts = flood.counts
    if counts[USED] == 0:
        flood.order[0] = start
        flood.seen[start] = 1
        counts[USED] = 1
    stop = counts[DONE] + budget
    while counts[DONE] < min(stop, counts[USED]):
        cell = flood.order[counts[DONE]]
        counts[DONE] += 1
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other != NOWHERE and flood.seen[other] == 0:
                flood.seen[other] = 1
                flood.order[counts[USED]] = other
                counts[USED] += 1
    return counts[DONE] == counts[USED] and flood.seen[goal] == 0
