"""The four maps of the Direction Map thesis, and the picture it begins with.

Jansen, "Multi-agent pathfinding with direction maps", University of Alberta, 2008, chapter 4, Figures 1.1, 4.2, 5.1.

All four are 64 x 64, EIGHT. The thesis prints them as small pictures; these are equal, cell by cell, to the map files of
the simulator it was made with (HOG2, `maps/local`: empty_64, test_s1_64, test_s2_64, test_s4_64). On (b), (c) and (d) an
agent patrols between a cell of the left zone and one of the right zone, and half of the agents begin on each side; on (a)
both cells are anywhere. x + y of every patrol cell is odd.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, UnknownName
from wayfolk.world.grid import Grid, Moves

SIZE = 64
"""Columns and rows: "the larger maps" of chapter 4, which all its tables use."""

BORDER = 2
"""Cells of wall around (b), (c) and (d)."""

BARRIER = slice(30, 34)
"""Columns of the barriers of (b) and (c)."""

CORRIDORS = (slice(26, 28), slice(30, 32), slice(34, 38))
"""Rows in which the centre of (c) can be crossed from column 31 to column 32: there is no other way between its sides."""

_CENTRE_TOP = 24
_CENTRE = (  # of (c): each sign is a square of 2 x 2 cells
    "@......@@......@@...@..@@......@",
    "@.......@....@.........@.......@",
    "@.......@......@..@....@.......@",
    "@.......@.....@....@...@.......@",
    "@.......@.......@......@.......@",
    "@.......@.....@...@....@.......@",
    "@.......@...@..........@.......@",
    "@......@@......@@...@..@@......@",
)
_NOTES = {
    "a": "empty: patrol cells anywhere",
    "b": "a barrier from the lower edge to the middle, with the patrol cells in the corners beside its foot",
    "c": "barriers above and below a centre full of obstacles, with three corridors between the two sides",
    "d": "open space on both sides of a thin wall with passageways one cell wide",
}
_ZONES = {"b": (slice(2, 30), slice(46, 62)), "c": (slice(2, 30), slice(2, 62)), "d": (slice(2, 18), slice(2, 62))}


@dataclass(frozen=True, eq=False)
class ThesisMap:
    """One of the maps: `zones` are masks of the left and the right patrol zone, None where agents patrol anywhere."""

    grid: Grid
    zones: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None
    name: str
    notes: str

    def __repr__(self) -> str:
        return f"ThesisMap({self.grid!r}, {'with' if self.zones else 'without'} patrol zones)"


def thesis_map(letter: str) -> ThesisMap:
    """Return a map of the Direction Map thesis: 'a', 'b', 'c' or 'd' of its Figure 4.2."""
    if letter not in _NOTES:
        raise UnknownName(f"there is no thesis map {letter!r}: choose {', '.join(_NOTES)}")
    name = f"thesis-{letter}"
    free = np.ones((SIZE, SIZE), dtype=bool)
    if letter != "a":
        free[:BORDER] = free[-BORDER:] = free[:, :BORDER] = free[:, -BORDER:] = False
    if letter == "b":
        free[SIZE // 2 :, BARRIER] = False
    elif letter == "c":
        centre = slice(_CENTRE_TOP, _CENTRE_TOP + 2 * len(_CENTRE))
        squares = np.array([list(row) for row in _CENTRE]) == "."
        free[:, BARRIER] = False
        free[centre] = squares.repeat(2, axis=0).repeat(2, axis=1)
    elif letter == "d":
        rows = np.arange(BORDER, SIZE - BORDER)
        free[np.ix_(rows[rows % 3 != 2], (31, 32))] = False
    return ThesisMap(Grid(free, Moves.EIGHT, name=name), _zones(letter), name, _NOTES[letter])


def _zones(letter: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    if letter == "a":
        return None
    left = np.zeros((SIZE, SIZE), dtype=bool)
    columns, rows = _ZONES[letter]
    left[rows, columns] = True
    if letter == "c":
        left[_CENTRE_TOP : _CENTRE_TOP + 2 * len(_CENTRE)] = False
    zones = (left, left[:, ::-1].copy())
    for zone in zones:
        zone.flags.writeable = False
    return zones


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
