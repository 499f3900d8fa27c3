"""Finds the cores of corridors: short straight passages between two walls that many agents must share.

Wilt and Botea, "Spatially distributed multiagent path planning", ICAPS 2014, as told in section 3.2 of the work of
Renukamurthy, Windsor 2016: a pattern of 2, 3 and 4 cells wide is moved over the map, both ways.

Why         Renukamurthy calls patterns 8 cells long, draws them 4 long, and does not say which walls and ends they need, or
            when a passage is no bottleneck. `READING` was chosen because it gives the numbers of corridors printed for
            eight maps. It is a fit of few numbers by about as many settings: other rules may fit as well.
            `benchmarks/sdp_readings.py` compares it with others.
Pattern     a strip is a line of cells across the passage, from wall to wall. A block is a row of such strips, all with
            the same two walls, as long as it gets. A block is a core if its width and length are those of a pattern.
Ends        within `opening_reach` cells beyond either end the passage is wider than the core, and at least
            `opening_width` cells wide.
Bottleneck  within half of `around` steps from either end lie at least `side` cells, and no way around the core leads from
            one end to the other in `around` steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EAST, NORTH, SOUTH, WEST
from wayfolk.world.grid import Grid

WIDEST = 4  # cells across a core
HORIZONTAL, VERTICAL = range(2)
BLOCK = np.dtype([("cell", np.int32), ("axis", np.int32), ("width", np.int32), ("length", np.int32)], align=True)
"""A core: its first cell by order, whether agents pass it along a row or along a column, and its size."""


class Reading(NamedTuple):
    """How section 3.2 is read. `least[w]` and `most[w]` are the lengths of cores w cells wide; see above for the rest."""

    least: tuple[int, int, int, int, int]
    most: tuple[int, int, int, int, int]
    opening_reach: int
    opening_width: int
    side: int
    around: int


READING = Reading(least=(1, 1, 2, 3, 3), most=(0, 0, 4, 3, 4), opening_reach=2, opening_width=4, side=104, around=64)
"""Cores of 2 x 2 to 2 x 4, 3 x 3, 4 x 3 and 4 x 4 cells. On either side lie at least 8 buffers of 13 cells."""


class Passages(NamedTuple):
    """A map, the cells of cores, and memory for a search: `seen` holds the number of the search that met a cell."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    taken: NDArray[np.uint8]
    seen: NDArray[np.int32]
    queue: NDArray[np.int32]


def find_cores(grid: Grid, reading: Reading = READING) -> NDArray[np.void]:
    """The cores of `grid`, rows of BLOCK: horizontal ones, then vertical ones, each by cell. No two share a cell."""
    passages = Passages(
        legal=grid.legal,
        offsets=grid.offsets,
        taken=np.zeros(grid.n_cells, np.uint8),
        seen=np.zeros(grid.n_cells, np.int32),
        queue=np.empty(len(grid.free_cells), np.int32),
    )
    blocks = np.empty(_list_blocks(passages, grid.free_cells, reading, np.empty(0, BLOCK)), BLOCK)
    _list_blocks(passages, grid.free_cells, reading, blocks)
    return blocks[: _keep_bottlenecks(passages, reading, blocks)]


@kernel
def _list_blocks(passages, cells, reading, blocks):
    """Write the blocks of the right size to `blocks` as far as there is room; how many there are."""
    n = 0
    for axis in range(2):
        along = passages.offsets[EAST if axis == HORIZONTAL else SOUTH]
        for cell in cells:
            width = _width(passages, cell, axis)
            if width < 2 or width > WIDEST or _continues(passages, cell - along, axis, width):
                continue
            length, most = 1, reading.most[width]
            while length <= most and _continues(passages, cell + (length - 1) * along, axis, width):
                length += 1
            if reading.least[width] <= length <= most:
                if n < blocks.size:
                    blocks[n]["cell"], blocks[n]["axis"] = cell, axis
                    blocks[n]["width"], blocks[n]["length"] = width, length
                n += 1
    return n


@inner
def _width(passages, cell, axis):
    """The length of the strip that begins with `cell`, or more than WIDEST; 0 if none begins there."""
    before, after = (NORTH, SOUTH) if axis == HORIZONTAL else (WEST, EAST)
    if passages.legal[cell] == 0 or (passages.legal[cell] >> before) & 1:
        return 0
    return 1 + _reach(passages, cell, after, WIDEST)


@inner
def _reach(passages, cell, k, most):
    """How many moves `k` can follow each other from `cell`, up to `most`."""
    n = 0
    while n < most and (passages.legal[cell] >> k) & 1:
        cell += passages.offsets[k]
        n += 1
    return n


@inner
def _continues(passages, cell, axis, width):
    """Whether the strip at `cell` and the next one along the passage have this width, and each cell is open to the next."""
    ahead = EAST if axis == HORIZONTAL else SOUTH
    if _width(passages, cell, axis) != width:
        return False
    if _width(passages, cell + passages.offsets[ahead], axis) != width:
        return False
    across = passages.offsets[SOUTH if axis == HORIZONTAL else EAST]
    row = 0
    while row < width and (passages.legal[cell + row * across] >> ahead) & 1:
        row += 1
    return row == width


@kernel
def _keep_bottlenecks(passages, reading, blocks):
    """Move the blocks that are cores to the front; how many these are."""
    n, stamp = 0, 0
    for i in range(blocks.size):
        core = blocks[i]
        if not (_is_open(passages, reading, core, 0) and _is_open(passages, reading, core, 1)):
            continue
        stamp += 3
        if not _close(passages, core, stamp):
            continue
        if _is_wide(passages, reading, core, 0, stamp) and _is_wide(passages, reading, core, 1, stamp):
            _take(passages, core)
            blocks[n] = core
            n += 1
    return n


@inner
def _is_open(passages, reading, core, side):
    """Whether the passage gets wider soon beyond one end of `core`; side 0 is the end with its first cell."""
    ahead, across = _directions(core["axis"])
    outward = (ahead + 2 * (1 - side)) & 3
    wanted = max(reading.opening_width, core["width"] + 1)
    for row in range(core["width"]):
        cell = _end_cell(passages, core, side, row)
        for _ in range(reading.opening_reach):
            if (passages.legal[cell] >> outward) & 1 == 0:
                break
            cell += passages.offsets[outward]
            back = _reach(passages, cell, (across + 2) & 3, wanted)
            if 1 + back + _reach(passages, cell, across, wanted) >= wanted:
                return True
    return False


@inner
def _directions(axis):
    """The moves along a core and across it."""
    return (EAST, SOUTH) if axis == HORIZONTAL else (SOUTH, EAST)


@inner
def _end_cell(passages, core, side, row):
    """A cell of the strip at one end of `core`."""
    ahead, across = _directions(core["axis"])
    strip = core["cell"] + side * (core["length"] - 1) * passages.offsets[ahead]
    return strip + row * passages.offsets[across]


@inner
def _close(passages, core, stamp):
    """Mark the cells of `core` with `stamp`; False if another core has one of them."""
    ahead, across = _directions(core["axis"])
    for place in range(core["length"]):
        for row in range(core["width"]):
            cell = core["cell"] + place * passages.offsets[ahead] + row * passages.offsets[across]
            if passages.taken[cell]:
                return False
            passages.seen[cell] = stamp
    return True


@inner
def _take(passages, core):
    ahead, across = _directions(core["axis"])
    for place in range(core["length"]):
        for row in range(core["width"]):
            passages.taken[core["cell"] + place * passages.offsets[ahead] + row * passages.offsets[across]] = 1


@inner
def _is_wide(passages, reading, core, side, stamp):
    """Search from one end of `core`, whose cells have `stamp`; whether it meets enough cells, and none that the search
    from side 0 has met.
    """
    legal, offsets, seen, queue = passages.legal, passages.offsets, passages.seen, passages.queue
    mine = stamp + 1 + side
    outward = (_directions(core["axis"])[0] + 2 * (1 - side)) & 3
    used = 0
    for row in range(core["width"]):
        cell = _end_cell(passages, core, side, row)
        if (legal[cell] >> outward) & 1:
            queue[used] = cell + offsets[outward]
            used += 1
    for i in range(used):
        if side == 1 and seen[queue[i]] == stamp + 1:
            return False
        seen[queue[i]] = mine
    ring = 0
    for _ in range(reading.around // 2):
        last = used
        for at in range(ring, last):
            for k in range(4):
                other = queue[at] + offsets[k]
                if (legal[queue[at]] >> k) & 1 == 0 or seen[other] == mine or seen[other] == stamp:
                    continue
                if side == 1 and seen[other] == stamp + 1:
                    return False
                seen[other] = mine
                queue[used] = other
                used += 1
        ring = last
    return used >= reading.side
