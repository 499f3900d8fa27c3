"""Divides a map into rooms (low contention areas) and corridors of two lanes (high contention areas).

Renukamurthy, "Spatially distributed multiagent path planning with cooperative JPS", thesis, Windsor 2016, section 3.2.

Steps       1. `cores` finds the central parts of corridors. 2. `buffers` divides them into lanes and adds the buffers.
            3. Rooms are the connected parts of what is left. 4. `graph` connects all areas. 5. Where a buffer cuts off a
            room, or makes a tiny one, it loses its outer ring of cells. Where that is no help, the corridor is dissolved.
            Steps 3 to 5 are repeated until nothing is left to do.
Guarantees  all areas of a connected part of the map can be reached from each other by way of transitions, each lane from
            its entry buffer to its exit buffer.
Cost        O(cells) time and memory for each repetition.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import (
    CORE,
    ENTRY,
    EXIT,
    LINK,
    PAIR,
    ROOM,
    TRANSITION,
    Areas,
    link_between,
    steps_out,
)
from wayfolk.algorithms.controllers.sdp.buffers import LaneCells, grow_lanes
from wayfolk.algorithms.controllers.sdp.cores import READING, Reading, find_cores
from wayfolk.algorithms.controllers.sdp.graph import buffer_of, connected, outer_rings, repair
from wayfolk.compile.jit import kernel
from wayfolk.errors import BadInput
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.deadline import check_deadline
from wayfolk.kernels.distances import label_components
from wayfolk.world.grid import Grid, need_grid

__all__ = ["CORE", "ENTRY", "EXIT", "ROOM", "TRANSITION", "Areas", "link_between", "partition", "steps_out"]

BUFFER = 13  # cells
TINY = 2  # buffers: rooms that are smaller take cells from the buffers around them, to join a larger room


def partition(grid: Grid, *, buffer: int = BUFFER, keep_free: Iterable[int] = (), reading: Reading = READING) -> Areas:
    """The areas of `grid`.

    `buffer` is the largest number of cells of a buffer. A corridor is dissolved if one of its buffers has less than a third
    of that. `keep_free` are cells that must lie in rooms: the corridors that would contain them are dissolved too.
    `reading` says what a corridor is.
    """
    need_grid(grid, "areas")
    check_deadline()
    if buffer < 1:
        raise BadInput(f"a buffer needs at least one cell, not {buffer}")
    cores = find_cores(grid, reading)
    lanes = LaneCells(
        legal=grid.legal,
        offsets=grid.offsets,
        lane=np.full(grid.n_cells, NOWHERE, np.int32),
        depth=np.zeros(grid.n_cells, np.int32),
        part=np.zeros(grid.n_cells, np.uint8),
    )
    kept_free = np.zeros(grid.n_cells, np.uint8)
    wanted = np.fromiter(keep_free, np.int64)
    if wanted.size and not 0 <= wanted.min() <= wanted.max() < grid.n_cells:
        raise BadInput(f"cells to keep free must be from 0 to {grid.n_cells - 1}, not {wanted.min()} to {wanted.max()}")
    kept_free[wanted] = 1
    least, queues = max(buffer // 3, 1), np.empty((4, min(buffer, len(grid.free_cells))), np.int32)
    grow_lanes(lanes, cores, kept_free, least, queues, np.zeros(4, np.int64))
    while True:
        check_deadline()
        areas = connected(grid, _areas(grid, cores, lanes))
        broken = repair(grid, areas, least, TINY * buffer)
        if not broken.buffers.size and not broken.corridors.size:
            _write_diagonals(grid.legal, grid.offsets, grid.free_cells, areas)
            return areas
        cores = areas.corridors
        is_dissolved = np.isin(lanes.lane[areas.cells] // 2, broken.corridors)
        is_smaller = np.isin(buffer_of(areas, areas.cells), broken.buffers) & outer_rings(areas)
        _release(lanes, areas.cells[is_dissolved | is_smaller])


def _areas(grid: Grid, cores: NDArray[np.void], lanes: LaneCells) -> Areas:
    """What is known of areas from `lanes` alone: all but diagonals and connections. Empty corridors are left out."""
    cells = np.flatnonzero(lanes.lane != NOWHERE).astype(np.int32)
    cells = cells[np.argsort(lanes.lane[cells], kind="stable")]
    remaining = np.unique(lanes.lane[cells] // 2)
    number = np.zeros(cores.size, np.int32)
    number[remaining] = np.arange(remaining.size)
    lanes.lane[cells] = 2 * number[lanes.lane[cells] // 2] + lanes.lane[cells] % 2
    first_cell = np.searchsorted(lanes.lane[cells], np.arange(2 * remaining.size + 1)).astype(np.int32)
    place = np.zeros(grid.n_cells, np.int32)
    place[cells] = np.arange(cells.size) - first_cell[lanes.lane[cells]]
    area, inside = np.zeros(grid.n_cells, np.int32), np.zeros(grid.n_cells, np.uint8)
    _write_straight(grid.legal, grid.offsets, grid.free_cells, lanes.lane, inside)
    in_rooms = grid.free_cells[lanes.part[grid.free_cells] == ROOM]
    n_rooms = label_components(inside, grid.offsets, in_rooms, area, np.empty_like(in_rooms))
    area -= 1
    area[cells] = n_rooms + lanes.lane[cells]
    area[area < 0] = NOWHERE
    return Areas(
        area=area,
        depth=lanes.depth,
        part=lanes.part,
        inside=inside,
        n_rooms=int(n_rooms),
        corridors=cores[remaining],
        transitions=np.empty(0, TRANSITION),
        first=np.empty(0, np.int32),
        links=np.empty(0, LINK),
        first_link=np.empty(0, np.int32),
        pairs=np.empty(0, PAIR),
        first_pair=np.empty(0, np.int32),
        cells=cells,
        first_cell=first_cell,
        place=place,
        steps=np.empty(0, np.int32),
    )


def _release(lanes: LaneCells, cells: NDArray[np.int32]) -> None:
    """Give `cells` to the rooms."""
    lanes.lane[cells] = NOWHERE
    lanes.depth[cells] = 0
    lanes.part[cells] = ROOM


@kernel
def _write_straight(legal, offsets, cells, lane, inside):
    """The straight moves that stay in a lane or outside of all lanes."""
    for cell in cells:
        for k in range(4):
            if (legal[cell] >> k) & 1 and lane[cell + offsets[k]] == lane[cell]:
                inside[cell] |= np.uint8(1 << k)


@kernel
def _write_diagonals(legal, offsets, cells, areas):
    """Add the diagonals of rooms whose two corner cells are walls or in the same room."""
    area = areas.area
    for cell in cells:
        if areas.part[cell] != ROOM:
            continue
        for k in range(4, 8):
            if (legal[cell] >> k) & 1 == 0 or area[cell + offsets[k]] != area[cell]:
                continue
            # the straight moves that make up the diagonal: south-east is 4, then clockwise
            one, two = area[cell + offsets[k - 4]], area[cell + offsets[(k - 3) & 3]]
            if (one == area[cell] or one == NOWHERE) and (two == area[cell] or two == NOWHERE):
                areas.inside[cell] |= np.uint8(1 << k)
