"""The arrays of RWT, and the passages of a map: where walls are near each other."""

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY, NOWHERE

STAMP, EDITS, FREED, KNOWN, NEEDS = range(5)  # places in `counts`
TREE, OPEN, ROUTES, QUEUE = range(4)  # what is full, in `counts[NEEDS]`
LEG = np.dtype(
    [
        ("goal", np.int32),
        ("n", np.int32),  # cells of the route
        ("booked", np.int32),  # cells of the route after this place are booked
        ("at", np.int32),  # the place in the route that the agent is nearest to
        ("end", np.int32),  # the place that it plans towards
        ("was", np.int32),  # the cell from which it planned last
        ("waits", np.int32),  # how often it has planned from there
        ("rings", np.int32),  # how far from the route it may go
        ("edits", np.int32),  # the edits of the map that it knows
        ("freed", np.int32),  # and those by which cells were freed
        ("slot", np.int32),  # when it planned last
        ("since", np.int32),  # when it got its goal
        ("spent", np.int32),  # nodes that it has expanded and not reported yet
        ("effort", np.int32),  # nodes that its route has taken
        ("is_open", np.bool_),  # no passage was near when it planned last
    ],
    align=True,
)
NODE = np.dtype([("stamp", np.int64), ("time", np.int64), ("came", np.int32), ("closed", np.bool_)], align=True)


@inner
def find_passages(arrays):
    """Measure the rows and columns of the map, and the steps to passages, unless they are known for the map as it is."""
    counts = arrays.counts
    if counts[KNOWN] == counts[EDITS]:
        return
    counts[KNOWN] = counts[EDITS]
    stride, n_cells = arrays.window.searches.stride, arrays.legal.size
    _find_walls(arrays)
    for first in range(0, n_cells, stride):
        _measure_line(arrays.near, first, 1, stride, arrays.wide)
    for first in range(stride):
        _measure_line(arrays.near, first, stride, n_cells // stride, arrays.tall)
    _measure_distances(arrays)


@inner
def _find_walls(arrays):
    """Write NOWHERE to `near` for each cell of a wall: of the border, or of an obstacle of more than `narrow` cells."""
    near, queue, legal, offsets = arrays.near, arrays.listed, arrays.legal, arrays.window.rules.offsets
    for cell in range(near.size):
        near[cell] = 0 if legal[cell] == 0 else 1
    for first in range(near.size):
        if near[first] != 0:
            continue
        queue[0] = first
        near[first] = 1
        n, at = 1, 0
        while at < n:
            for k in range(8):
                other = queue[at] + offsets[k]
                if 0 <= other < near.size and near[other] == 0:
                    near[other] = 1
                    queue[n] = other
                    n += 1
            at += 1
        if n > arrays.narrow:
            for k in range(n):
                near[queue[k]] = NOWHERE


@inner
def _measure_line(near, first, step, n, runs):
    """Write to each of `n` cells in a line how many cells there are side by side between walls."""
    at = 0
    while at < n:
        end = at
        while end < n and near[first + end * step] != NOWHERE:
            end += 1
        for k in range(at, end):
            runs[first + k * step] = min(end - at, 255)
        at = end + 1


@inner
def _measure_distances(arrays):
    """Write to `near` how many steps it is from each cell to a passage."""
    near, queue, legal, offsets = arrays.near, arrays.listed, arrays.legal, arrays.window.rules.offsets
    n, at = 0, 0
    for cell in range(near.size):
        near[cell] = NOWHERE
        if legal[cell] != 0 and is_passage(arrays, cell):
            near[cell] = 0
            queue[n] = cell
            n += 1
    while at < n:
        cell = queue[at]
        at += 1
        for k in range(8):
            if (legal[cell] >> k) & 1 and near[cell + offsets[k]] == NOWHERE:
                near[cell + offsets[k]] = near[cell] + 1
                queue[n] = cell + offsets[k]
                n += 1


@inner
def is_passage(arrays, cell):
    """Whether `cell` is in a narrow place."""
    return min(arrays.wide[cell], arrays.tall[cell]) <= arrays.narrow


@inner
def is_blocked(arrays, crew, agent, cell):
    """Whether another agent rests on its goal in `cell`, which is in a passage."""
    who = crew.occupant[cell]
    if who == NOBODY or not is_passage(arrays, cell):
        return False
    return who != agent and crew.agents[who]["here"] == crew.agents[who]["goal"]
