"""Divides cores into two lanes and grows the buffers in which agents wait before a core and leave it.

Lanes       agents keep to the right. Inbound leads from left to right and from bottom to top, outbound the other way. In a
            core 3 cells wide the inbound lane has two rows, the outbound lane one.
Buffers     each lane has one at either end: the first N cells of a breadth-first search that begins at the core, enters no
            other lane, and stays on the lane's side of the line between both lanes, so that neither shuts the other in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import CORE, ENTRY, EXIT, ROOM
from wayfolk.algorithms.controllers.sdp.cores import HORIZONTAL
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EAST, NOWHERE, SOUTH


class LaneCells(NamedTuple):
    """The lane of each cell, NOWHERE for those in none, and what `partition.Areas` says about lanes."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lane: NDArray[np.int32]
    depth: NDArray[np.int32]
    part: NDArray[np.uint8]


@kernel
def grow_lanes(lanes, cores, kept_free, least, queues, sizes):
    """Write the lanes of `cores` to `lanes`: inbound 2 k and outbound 2 k + 1 for core k.

    A corridor with a cell of `kept_free`, or with a buffer of fewer than `least` cells, is left out. `queues` has a row for
    each of the four buffers, as long as a buffer may be large; `sizes` has a place for each.
    """
    for k in range(cores.size):
        _divide(lanes, cores[k], k)
    for k in range(cores.size):
        _grow(lanes, cores[k], k, queues, sizes)
        if min(sizes) < least or _has(lanes, cores[k], queues, sizes, kept_free):
            _dissolve(lanes, cores[k], queues, sizes)


@inner
def _core_cell(lanes, core, place, row):
    """The cell of a core that is `place` strips from its first one."""
    ahead, across = (EAST, SOUTH) if core["axis"] == HORIZONTAL else (SOUTH, EAST)
    return core["cell"] + place * lanes.offsets[ahead] + row * lanes.offsets[across]


@inner
def _n_outbound(core):
    """The number of rows of the outbound lane: the upper ones, or those on the left."""
    return core["width"] // 2


@inner
def _is_forward(core, which):
    """Whether a lane leads the way in which cells are numbered: right or down."""
    return (which == 0) == (core["axis"] == HORIZONTAL)


@inner
def _divide(lanes, core, k):
    for place in range(core["length"]):
        for row in range(core["width"]):
            cell = _core_cell(lanes, core, place, row)
            which = 1 if row < _n_outbound(core) else 0
            lanes.lane[cell] = 2 * k + which
            lanes.part[cell] = CORE
            lanes.depth[cell] = place if _is_forward(core, which) else core["length"] - 1 - place


@inner
def _grow(lanes, core, k, queues, sizes):
    """Grow the buffers of corridor `k` by breadth-first search: buffer 2 * which + side lies at one end of one lane."""
    sizes[:] = 0
    for buffer in range(4):
        which, side = buffer // 2, buffer % 2
        outward = ((EAST if core["axis"] == HORIZONTAL else SOUTH) + 2 * (1 - side)) & 3
        first = 0 if which == 1 else _n_outbound(core)
        last = _n_outbound(core) if which == 1 else core["width"]
        for row in range(first, last):
            cell = _core_cell(lanes, core, side * (core["length"] - 1), row)
            _add(lanes, core, k, cell, outward, buffer, queues, sizes)
        done = 0
        while done < sizes[buffer]:
            for turn in range(4):  # straight on first, so that an incomplete last ring lies before the core
                _add(lanes, core, k, queues[buffer, done], (outward + turn) & 3, buffer, queues, sizes)
            done += 1


@inner
def _add(lanes, core, k, cell, move, buffer, queues, sizes):
    """Add the neighbour of `cell` to `buffer`, if it is in no lane, on the right side, and the queue is not full."""
    which, side = buffer // 2, buffer % 2
    is_entry = (side == 0) == _is_forward(core, which)
    other = cell + lanes.offsets[move]
    if sizes[buffer] == queues.shape[1] or (lanes.legal[cell] >> move) & 1 == 0:
        return
    if lanes.lane[other] == NOWHERE and _is_outbound(lanes, core, other) == (which == 1):
        lanes.lane[other] = 2 * k + which
        lanes.part[other] = ENTRY if is_entry else EXIT
        lanes.depth[other] = lanes.depth[cell] + (-1 if is_entry else 1)
        queues[buffer, sizes[buffer]] = other
        sizes[buffer] += 1


@inner
def _is_outbound(lanes, core, cell):
    """Whether `cell` lies on the side of the outbound lane: above the line between both lanes, or to the left of it."""
    stride = lanes.offsets[SOUTH]
    if core["axis"] == HORIZONTAL:
        return cell // stride - core["cell"] // stride < _n_outbound(core)
    return cell % stride - core["cell"] % stride < _n_outbound(core)


@inner
def _has(lanes, core, queues, sizes, kept_free):
    """Whether one of the cells of the corridor is marked in `kept_free`."""
    for place in range(core["length"]):
        for row in range(core["width"]):
            if kept_free[_core_cell(lanes, core, place, row)]:
                return True
    for buffer in range(4):
        for cell in queues[buffer, : sizes[buffer]]:
            if kept_free[cell]:
                return True
    return False


@inner
def _dissolve(lanes, core, queues, sizes):
    for place in range(core["length"]):
        for row in range(core["width"]):
            _release(lanes, _core_cell(lanes, core, place, row))
    for buffer in range(4):
        for cell in queues[buffer, : sizes[buffer]]:
            _release(lanes, cell)


@inner
def _release(lanes, cell):
    lanes.lane[cell] = NOWHERE
    lanes.depth[cell] = 0
    lanes.part[cell] = ROOM
