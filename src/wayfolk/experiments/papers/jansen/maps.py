"""The four maps of Figure 4.2.

All four are 64 x 64, EIGHT. The figure prints them as small pictures; these are equal, cell by cell, to the map files of
the simulator of the experiments (HOG2, `maps/local`: empty_64, test_s1_64, test_s2_64, test_s4_64). On (b), (c) and (d) an
agent patrols between a cell of the left zone and one of the right zone, and half of the agents begin on each side; on (a)
both cells are anywhere. x + y of every patrol cell is odd.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.experiments.papers.jansen.guessed_maps import guessed_map
from wayfolk.experiments.papers.jansen.patrols import patrols
from wayfolk.problem.papers import PaperMap
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
    "a": "Empty: patrol cells anywhere",
    "b": "A barrier from the lower edge to the middle, with the patrol cells in the corners beside its foot",
    "c": "Barriers above and below a centre full of obstacles, with three corridors between the two sides",
    "d": "Open space on both sides of a thin wall with passageways one cell wide",
}
_ZONES = {"b": (slice(2, 30), slice(46, 62)), "c": (slice(2, 30), slice(2, 62)), "d": (slice(2, 18), slice(2, 62))}


def read(name: str, guess: bool = False) -> PaperMap:
    """The map 'jansen-a', 'jansen-b', 'jansen-c' or 'jansen-d'; with `guess` as one would draw it from the text alone."""
    letter = name[-1]
    grid, zones = guessed_map(letter) if guess else (_grid(letter), _zones(letter))
    return PaperMap(name, Grid(grid.free, grid.moves, name=name), _NOTES[letter], patrols, zones, rule="simulator")


def _grid(letter: str) -> Grid:
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
    return Grid(free, Moves.EIGHT)


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
