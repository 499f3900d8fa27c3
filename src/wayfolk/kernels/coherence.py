"""The coherence of a direction map: how well the vectors of neighbouring cells agree."""

import math

import numpy as np

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.direction_map import NEVER, SMALL, fade, follow, heading
from wayfolk.kernels.graph import slots, there


@kernel
def coherence(lanes, since):
    """The mean of |v1 + v2| / 2 over vectors learned at `since` or later, v2 being that of the cell v1 points to.

    That is the one at the end of the open edge with the smallest angle to v1. 0 where there are no vectors.
    """
    total, n = 0.0, 0
    cells = lanes.cells
    for cell in range(cells.size):
        lane = cells[cell]
        seen = lane["seen"]
        if seen == NEVER or seen < since:
            continue
        n += 1
        x, y = lane["x"], lane["y"]
        if x * x + y * y < SMALL * SMALL:
            continue
        nearest, best = NOWHERE, -np.inf
        for k in range(slots(lanes.graph, cell)):
            other = there(lanes.graph, cell, k)
            if other != NOWHERE:
                to_x, to_y = heading(lanes.graph, cell, k)
                if x * to_x + y * to_y > best:
                    nearest, best = other, x * to_x + y * to_y
        if nearest != NOWHERE and cells[nearest]["seen"] >= since:
            x, y = x + cells[nearest]["x"], y + cells[nearest]["y"]
        total += 0.5 * math.sqrt(x * x + y * y)
    return total / n if n else 0.0


@kernel
def coherences(lanes, log, here, every, younger_than, values):
    """Learn from a whole log, and write the coherence after each span of `every` to `values`."""
    row = 0
    for sample in range(values.size):
        now = (sample + 1) * every
        first = row
        while row < log.size and log[row]["time"] < now:
            row += 1
        follow(lanes, log, first, row, here)
        fade(lanes, now)
        values[sample] = coherence(lanes, now - younger_than)
