"""The four maps of the Direction Map thesis, rebuilt from its text and tables, and the picture it begins with.

Jansen, "Multi-agent pathfinding with direction maps", University of Alberta, 2008, chapter 4, Figures 1.1, 4.2, 5.1.

The maps are printed there as small pictures only. What stands here fits each sentence about them and the lengths of
the agents' loops in the tables; `docs/thesis-maps.md` lists sentence by sentence and number by number how well. All
four are symmetric in both axes, 64 x 64, EIGHT. Agents patrol between cells with x + y even, on (b), (c) and (d)
between a zone on the left and one on the right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, UnknownName
from wayfolk.grid import Grid, Moves
from wayfolk.problem import Problem, patrol

SIZE = 64
"""Columns and rows: "the larger maps" of chapter 4, which all its tables use."""

ZONE_WIDTH = 20
"""Columns of each patrol zone, from the edge of the map and over its full height. Loops on (d), where the shortest way
is almost the octile distance, must be 109 long on average: 20 columns give 107, 16 would give 115 and 24 give 101."""

BARRIER_LEFT = 24
"""First column of the barriers of (b) and (c); they end as far from the right edge. 16 columns make them large."""

STRIP = 4
"""Rows left free above and below the barrier of (b): room for lanes both ways, and a bottleneck where they cross."""

CORRIDORS = 4
"""Corridors through the centre of (c): two for each way. These are the only ways from one side to the other."""

CORRIDOR_WIDTH = 2
"""Cells across a corridor of (c): opposing agents can just get by. In corridors of one cell 100 agents under LRA* and
WHCA* jam: neither had finished after 6,000 time units, where the thesis has 5,000 and 3,500."""

SLAB = 2
"""Rows of each obstacle between two corridors of (c)."""

POST_COLUMN = 21
"""Column of a row of small obstacles before the mouths of the corridors of (c), and as far from the right edge. They
stand in line with the slabs, one cell from the zone and two from the slabs, so that agents thread their way in."""

WALL_LEFT = 31
"""First column of the wall of (d), which is as thin as a wall in the middle of an even number of columns can be."""

PASSAGE_ROWS = (4, 15, 25)
"""First rows of the passageways of (d) in the upper half, evenly spread; the lower half mirrors them."""

PASSAGE_WIDTH = 3
"""Rows of a passageway of (d): small, but no agent needs a detour worth mentioning, so the heuristic stays good."""


@dataclass(frozen=True, eq=False)
class ThesisMap:
    """One of the maps: `zones` are masks of the left and the right patrol zone, None where agents patrol anywhere."""

    grid: Grid
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None
    name: str
    notes: str
    parameters: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict)


def thesis_map(letter: str) -> ThesisMap:
    """Map 'a', 'b', 'c' or 'd' of Figure 4.2."""
    if letter not in _MAPS:
        raise UnknownName(f"there is no thesis map {letter!r}: choose {', '.join(_MAPS)}")
    name = f"thesis-{letter}"
    free = np.ones((SIZE, SIZE), dtype=bool)
    notes, constants = _MAPS[letter]
    if letter == "b":
        free[STRIP:-STRIP, BARRIER_LEFT:-BARRIER_LEFT] = False
    elif letter == "c":
        _block_centre(free)
    elif letter == "d":
        free[:, WALL_LEFT:-WALL_LEFT] = False
        for row in PASSAGE_ROWS:
            free[row : row + PASSAGE_WIDTH] = free[SIZE - row - PASSAGE_WIDTH : SIZE - row] = True
    zones = None
    if letter != "a":
        left = np.zeros((SIZE, SIZE), dtype=bool)
        left[:, :ZONE_WIDTH] = True
        zones = (left, left[:, ::-1].copy())
        for zone in zones:
            zone.flags.writeable = False
    parameters = {constant.lower(): globals()[constant] for constant in constants}
    return ThesisMap(Grid(free, Moves.EIGHT, name=name), zones, name, notes, parameters)


def thesis_problem(letter: str, agents: int = 100, loops: int = 20, seed: int = 0) -> Problem:
    """The thesis's task on one of its maps: `agents` walk from a place to another and back, `loops` times."""
    made = thesis_map(letter)
    return patrol(made.grid, agents, loops, seed=seed, zones=made.zones, name=made.name)


def two_rooms(room: int = 12, length: int = 8, width: int = 1, *, moves: str | Moves = Moves.EIGHT) -> Grid:
    """Two open square rooms of `room` cells a side, joined by two corridors `length` long and `width` wide.

    Figures 1.1 and 5.1: people would use one corridor for each direction.
    """
    if min(room, length, width) < 1:
        raise BadInput(f"room, length and width must be 1 or more, not {room}, {length} and {width}")
    if room < 2 * width + 1:
        raise BadInput(f"two corridors of {width} need rooms of at least {2 * width + 1}, not {room}")
    free = np.ones((room, 2 * room + length), dtype=bool)
    free[:, room : room + length] = False
    above = (room - 2 * width) // 3  # thirds of the wall: above, between and below the corridors
    free[above : above + width] = free[room - above - width : room - above] = True
    return Grid(free, moves, name=f"two-rooms-{room}-{length}-{width}")


def _block_centre(free: NDArray[np.bool_]) -> None:
    """Draw map (c): two barriers that leave the centre open, slabs there with corridors between, posts before them."""
    pitch = CORRIDOR_WIDTH + SLAB
    n_rows = CORRIDORS * pitch - SLAB
    top = (SIZE - n_rows) // 2
    free[:, BARRIER_LEFT:-BARRIER_LEFT] = False
    for corridor in range(CORRIDORS):
        row = top + corridor * pitch
        free[row : row + CORRIDOR_WIDTH, BARRIER_LEFT:-BARRIER_LEFT] = True
    for row in range(top - SLAB, top + n_rows + SLAB, pitch):
        free[row : row + SLAB, [POST_COLUMN, SIZE - 1 - POST_COLUMN]] = False


_MAPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a": ("empty: patrol cells anywhere", ("SIZE",)),
    "b": (
        "a large barrier in the middle that the octile heuristic leads into; ways above and below it",
        ("SIZE", "ZONE_WIDTH", "BARRIER_LEFT", "STRIP"),
    ),
    "c": (
        "barriers above and below a centre full of obstacles, with narrow corridors between the two sides",
        ("SIZE", "ZONE_WIDTH", "BARRIER_LEFT", "CORRIDORS", "CORRIDOR_WIDTH", "SLAB", "POST_COLUMN"),
    ),
    "d": (
        "open space on both sides of a thin wall with small passageways",
        ("SIZE", "ZONE_WIDTH", "WALL_LEFT", "PASSAGE_ROWS", "PASSAGE_WIDTH"),
    ),
}
