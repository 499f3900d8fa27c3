"""Divides a map into areas for the goals there are, and the areas among hosts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.areas import ROOM, Areas
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.grid import Grid


def areas_for(
    grid: Grid, goals: NDArray[np.int32], buffer: int, accepts: bool
) -> tuple[Areas, NDArray[np.int32]]:  # fmt: skip
    """The areas of `grid` and the cells that were kept in rooms: all goals, if some would be inside a corridor.

    If that is not to be accepted, such a goal is refused.
    """
    areas = partition(grid, buffer=buffer)
    inside = goals[areas.part[goals] != ROOM]
    if not inside.size:
        return areas, np.zeros(0, np.int32)
    if not accepts:
        place = grid.place(int(inside[0]))
        raise BadProblem(f"the goal {place} is inside a corridor, which `goals_inside=refuse` forbids")
    return partition(grid, buffer=buffer, keep_free=goals), np.array(goals, np.int32)


def divide(areas: Areas, stride: int, here: NDArray[np.int32], n_hosts: int) -> NDArray[np.int32]:
    """The host of each area: parts of the map with about as many cells and agents, which are `here`, for each host.

    The map is cut in two, across the longer side, until there are enough parts. The lanes of a corridor stay together.
    """
    n_areas, n_rooms = len(areas.first) - 1, areas.n_rooms
    block = np.arange(n_areas)  # areas that stay together
    block[n_rooms:] = n_rooms + (block[n_rooms:] - n_rooms) // 2
    cells = np.flatnonzero(areas.area != NOWHERE)
    of_cell = block[areas.area[cells]]
    n_blocks = int(block.max(initial=-1)) + 1
    size = np.bincount(of_cell, minlength=n_blocks)
    crowd = np.bincount(block[areas.area[here]], minlength=n_blocks)
    weight = size / max(size.sum(), 1) + crowd / max(crowd.sum(), 1)
    centre = np.stack([np.bincount(of_cell, part, n_blocks) for part in (cells % stride, cells // stride)])
    host = np.zeros(n_blocks, np.int32)
    _cut(centre / np.maximum(size, 1), weight, np.arange(n_blocks), 0, n_hosts, host)
    return host[block]


def _cut(
    centre: NDArray[np.float64],
    weight: NDArray[np.float64],
    blocks: NDArray[np.int64],
    first: int,
    n_hosts: int,
    host: NDArray[np.int32],
) -> None:
    """Give `blocks` to the hosts from `first` on, `n_hosts` of them."""
    parts = [(blocks, first, n_hosts)]
    while parts:
        blocks, first, n = parts.pop()
        if n == 1 or len(blocks) < 2:
            host[blocks] = first
            continue
        spans = np.ptp(centre[:, blocks], axis=1)
        ordered = blocks[np.argsort(centre[int(spans.argmax()), blocks], kind="stable")]
        share = np.cumsum(weight[ordered]) / weight[ordered].sum()
        half = n // 2
        at = min(max(int(np.searchsorted(share, half / n)) + 1, 1), len(ordered) - 1)
        parts += [(ordered[:at], first, half), (ordered[at:], first + half, n - half)]
