"""The areas of a map as arrays: rooms, lanes, the moves inside each, and the transitions between them.

Room        a low contention area of Renukamurthy (LCA).
Corridor    a high contention area (HCA): two lanes with opposite directions. Lanes n_rooms + 2 k (inbound) and
            n_rooms + 2 k + 1 (outbound) belong to corridor k.
Lane        its entry buffer, its rows of the core, and its exit buffer. Agents never move to a smaller `depth`.
Transition  a straight move from a cell of one area to one of another. A lane is entered in its entry buffer only, and left
            from any cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOWHERE

ROOM, ENTRY, CORE, EXIT = range(4)  # parts of areas

TRANSITION = np.dtype([(name, np.int32) for name in ("from_cell", "to_cell", "from_area", "to_area")], align=True)
LINK = np.dtype([(name, np.int32) for name in ("from_area", "to_area", "first", "last", "steps")], align=True)
"""Two neighbouring areas: transitions[first:last] lead from one to the other. See `steps_out` for `steps`."""
PAIR = np.dtype([(name, np.int32) for name in ("lane", "from_area", "to_area")], align=True)


class Areas(NamedTuple):
    """A partition of a map; lists are sorted by their fields, in the order in which these are named.

    area        the area of each cell; NOWHERE in walls
    depth       where a cell is along its lane: -1, -2 ... by steps before the core in the entry buffer, 0 to length - 1 in
                the core, from there on by steps behind it in the exit buffer; 0 in rooms
    part        ROOM, ENTRY, CORE or EXIT
    inside      moves that stay in the area, as bits of `Grid.legal`: straight ones, and in rooms the diagonals whose two
                corner cells are walls or in the same room
    n_rooms     areas 0 to n_rooms - 1 are rooms, the others lanes
    corridors   the cores, rows of `cores.BLOCK`
    transitions rows of TRANSITION; transitions[first[a] : first[a + 1]] leave area a
    links       rows of LINK; links[first_link[a] : first_link[a + 1]] leave area a
    pairs       rows of PAIR: some agent that enters the lane from `from_area` can leave it to `to_area`;
                pairs[first_pair[k] : first_pair[k + 1]] are those of lane n_rooms + k
    cells       the cells of lanes: cells[first_cell[k] : first_cell[k + 1]] are those of lane n_rooms + k
    place       the index of a cell in that part of `cells`; 0 in rooms
    steps       see `steps_out`
    """

    area: NDArray[np.int32]
    depth: NDArray[np.int32]
    part: NDArray[np.uint8]
    inside: NDArray[np.uint8]
    n_rooms: int
    corridors: NDArray[np.void]
    transitions: NDArray[np.void]
    first: NDArray[np.int32]
    links: NDArray[np.void]
    first_link: NDArray[np.int32]
    pairs: NDArray[np.void]
    first_pair: NDArray[np.int32]
    cells: NDArray[np.int32]
    first_cell: NDArray[np.int32]
    place: NDArray[np.int32]
    steps: NDArray[np.int32]


@kernel
def link_between(areas, from_area, to_area):
    """The number of the link from one area to another; NOWHERE if these are not neighbours."""
    low, high = areas.first_link[from_area], areas.first_link[from_area + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if areas.links[middle]["to_area"] < to_area:
            low = middle + 1
        else:
            high = middle
    if low < end and areas.links[low]["to_area"] == to_area:
        return np.int32(low)
    return NOWHERE


@kernel
def steps_out(areas, cell, link):
    """How many moves from `cell`, inside its lane and never to a smaller depth, lead to a cell with a transition of `link`.

    `link` leaves the lane of `cell`. 0 where the cell itself has such a transition, NOWHERE where there is no way.
    """
    return areas.steps[areas.links[link]["steps"] + areas.place[cell]]
