"""The map of a street: pavement, buildings, lanes and crossings, drawn with letters.

    .          pavement: pedestrians walk here
    #          building
    > < ^ v    a lane, one cell wide, in this direction
    x          a crossing: pedestrians walk over it, and the lane goes on straight
    B          a bus stop: the lane goes on straight
    +          a junction: lanes cross, and vehicles go straight on or turn

A lane comes in at the edge of the map and leaves at the edge. Lanes meet in junctions only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.street.lanes import StreetLane, lane_through
from wayfolk.crowds.street.roads import BUILDING, CROSSING, JUNCTION, LETTERS, PAVEMENT, STOP, Place, ways_over
from wayfolk.errors import BadMap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.layers import CellLayer, LayerKind
from wayfolk.world.grid import Grid

NONE = -1


@dataclass(frozen=True, eq=False)
class StreetMap:
    """`letters[y, x]`, `cell` metres wide; `crossing_of[y, x]` numbers crossings from 0, NONE elsewhere."""

    letters: NDArray[np.str_]
    cell: float
    crossing_of: NDArray[np.int64]
    lanes: tuple[StreetLane, ...]
    walkable: Grid
    """Where pedestrians may walk."""

    @property
    def n_crossings(self) -> int:
        """How many crossings there are."""
        return int(self.crossing_of.max(initial=NONE)) + 1

    @property
    def open(self) -> Grid:
        """All that is not a building."""
        return Grid(self.letters != BUILDING)

    def crossings_at(self, places: NDArray[np.float64]) -> NDArray[np.int64]:
        """The crossing that each place is on, or NONE."""
        height, width = self.letters.shape
        x, y = np.floor(places / self.cell).astype(np.int64).T
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        return np.where(inside, self.crossing_of[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)], NONE)

    def touches_crossing(self, places: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which bodies are on a crossing or reach over its edge."""
        touches = np.zeros(len(places), np.bool_)
        for way in ((0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
            touches |= self.crossings_at(places + radii[:, None] * np.array(way)) != NONE
        return touches

    def edges(self) -> list[Place]:
        """The pavement at the edges of the map."""
        height, width = self.letters.shape
        return [
            (x, y)
            for y in range(height)
            for x in range(width)
            if self.letters[y, x] == PAVEMENT and (x in (0, width - 1) or y in (0, height - 1))
        ]

    def layer(self) -> CellLayer:
        """The lanes and crossings, for a replay; arrows show where lanes lead."""
        grid, junction_of = self.open, _numbered(self.letters, JUNCTION)
        area, order = np.full(grid.n_cells, NOWHERE, np.int32), np.zeros(grid.n_cells, np.int32)
        kind = np.zeros(grid.n_cells, np.uint8)
        parts: dict[Place, int] = {}  # of lanes, by their first cells
        for lane in self.lanes:
            number = NONE
            for step, (x, y) in enumerate(lane.cells):
                if junction_of[y, x] != NONE:
                    number = NONE
                    continue
                number = parts.setdefault((x, y), len(parts)) if number == NONE else number
                cell = grid.cell((x, y))
                area[cell], order[cell] = number, step
                kind[cell] = {CROSSING: 1, STOP: 2}.get(str(self.letters[y, x]), 0)
        for y, x in np.argwhere(junction_of != NONE).tolist():
            cell = grid.cell((x, y))
            area[cell], kind[cell] = len(parts) + junction_of[y, x], 3
        kinds = (
            LayerKind("lane", "grey", 0.35),
            LayerKind("crossing", "orange", 0.35),
            LayerKind("bus stop", "blue", 0.5),
            LayerKind("junction", "grey", 0.5),
        )
        n_kinds = int(kind.max(initial=0)) + 1
        return CellLayer("Street", area, kind, kinds[:n_kinds], order, (("lane", 0), ("junction", len(parts))))


def read_street_map(drawing: str | Sequence[str], cell: float = 3.0) -> StreetMap:
    """The map that `drawing` shows; raises BadMap with one sentence if it makes no street."""
    lines = drawing.strip("\n").splitlines() if isinstance(drawing, str) else list(drawing)
    lines = [line.rstrip() for line in lines]
    if not lines or not lines[0]:
        raise BadMap("the map of a street has no cells")
    if not 0.5 <= cell <= 100:
        raise BadMap(f"the cells of a street are 0.5 to 100 metres wide, not {cell}")
    for y, line in enumerate(lines):
        if len(line) != len(lines[0]):
            raise BadMap(f"line {y + 1} of the map has {len(line)} cells, and the first line {len(lines[0])}")
        for x, letter in enumerate(line):
            if letter not in LETTERS:
                raise BadMap(f"the letter {letter!r} at ({x}, {y}) is none of {' '.join(LETTERS)}")
    letters = np.array([list(line) for line in lines])
    paths = ways_over(letters)
    crossing_of = _numbered(letters, CROSSING)
    lanes = tuple(lane_through(path, letters, crossing_of, cell) for path in paths)
    walkable = Grid(np.isin(letters, (PAVEMENT, CROSSING)))
    _check_crossings(letters, crossing_of, paths)
    return StreetMap(letters, float(cell), crossing_of, lanes, walkable)


def _numbered(letters: NDArray[np.str_], letter: str) -> NDArray[np.int64]:
    """Numbers of the connected areas of a letter, NONE elsewhere."""
    number_of = np.full(letters.shape, NONE, np.int64)
    number = 0
    for y, x in np.argwhere(letters == letter).tolist():
        if number_of[y, x] != NONE:
            continue
        waiting = [(y, x)]
        while waiting:
            down, across = waiting.pop()
            inside = 0 <= down < letters.shape[0] and 0 <= across < letters.shape[1]
            if not inside or letters[down, across] != letter or number_of[down, across] != NONE:
                continue
            number_of[down, across] = number
            waiting += [(down + 1, across), (down - 1, across), (down, across + 1), (down, across - 1)]
        number += 1
    return number_of


def _check_crossings(letters: NDArray[np.str_], crossing_of: NDArray[np.int64], paths: list[list[Place]]) -> None:
    """Each cell of a crossing is on a lane, and each crossing joins pavements."""
    on_lane = {place for path in paths for place in path}
    sides: dict[int, set[Place]] = {}
    for y, x in np.argwhere(letters == CROSSING).tolist():
        if (x, y) not in on_lane:
            raise BadMap(f"the crossing at ({x}, {y}) crosses no lane")
        beside = sides.setdefault(int(crossing_of[y, x]), set())
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = 0 <= there[0] < letters.shape[1] and 0 <= there[1] < letters.shape[0]
            if inside and letters[there[1], there[0]] == PAVEMENT:
                beside.add(there)
    for number, beside in sides.items():
        if len(beside) < 2:
            y, x = np.argwhere(crossing_of == number)[0].tolist()
            raise BadMap(f"the crossing at ({x}, {y}) does not lead from one pavement to another")
