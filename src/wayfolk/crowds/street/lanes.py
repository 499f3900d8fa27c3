"""Lanes of a street: lines that vehicles drive along; a place on a lane is its metres from the start."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cell = tuple[int, int]
BENDS = 6  # points of a corner


@dataclass(frozen=True)
class Visit:
    """A way over a junction: its cells, where on the lane it begins and ends, and the cell before it."""

    cells: frozenset[Cell]
    begin: float
    end: float
    comes_from: Cell

    def conflicts(self, other: Visit) -> bool:
        """Whether two vehicles cannot drive there at the same time."""
        return self.comes_from != other.comes_from and bool(self.cells & other.cells)


@dataclass(frozen=True, eq=False)
class StreetLane:
    """A way from edge to edge: `points` of its line and how far along each is.

    starts     how far along each of its `cells` begins
    crossings  number, begin and end of each
    stops      places of bus stops
    junctions  ways over junctions; lanes may share cells before and behind them
    """

    cells: tuple[Cell, ...]
    points: Floats
    along: Floats
    starts: Floats
    crossings: tuple[tuple[int, float, float], ...]
    stops: tuple[float, ...]
    junctions: tuple[Visit, ...] = ()
    _shifts: dict[StreetLane, Floats] = field(default_factory=dict)

    @property
    def length(self) -> float:
        """Metres from edge to edge."""
        return float(self.along[-1])

    def at(self, places: Floats) -> Floats:
        """The points that lie so many metres along."""
        x = np.interp(places, self.along, self.points[:, 0])
        y = np.interp(places, self.along, self.points[:, 1])
        return np.stack([x, y], -1)

    def headings(self, places: Floats) -> Floats:
        """The direction of the lane at some places, in radians."""
        row = np.clip(np.searchsorted(self.along, places, "right") - 1, 0, len(self.along) - 2)
        ways = self.points[row + 1] - self.points[row]
        headings: Floats = np.arctan2(ways[..., 1], ways[..., 0])
        return headings

    def places_of(self, other: StreetLane, along: Floats, radii: Floats) -> Floats:
        """How far along this lane vehicles are that are `along` another, NaN if their rears are not on it.

        In a junction, those who have come in by the same cell are as far as if they went this way.
        """
        if other is self:
            return along
        if other not in self._shifts:
            self._shifts[other] = self._shifts_of(other)
        rows = np.clip(np.searchsorted(other.starts, along - radii, "right") - 1, 0, len(other.cells) - 1)
        places: Floats = along + self._shifts[other][rows]
        return places

    def _shifts_of(self, other: StreetLane) -> Floats:
        """For each cell of another lane, how much farther vehicles there are along this lane; NaN where they are not."""
        shifts = np.full(len(other.cells), np.nan)
        row_of = {cell: row for row, cell in enumerate(self.cells)}
        own = {visit.comes_from: visit for visit in self.junctions}
        inside = {cell: visit for visit in other.junctions for cell in visit.cells}
        for row, cell in enumerate(other.cells):
            if cell in inside:
                visit = inside[cell]
                if visit.comes_from in own:
                    shifts[row] = own[visit.comes_from].begin - visit.begin
            elif cell in row_of:
                shifts[row] = self.starts[row_of[cell]] - other.starts[row]
        return shifts


def lane_through(
    cells: list[Cell], letters: NDArray[np.str_], crossing_of: NDArray[np.int64], cell: float
) -> StreetLane:
    """The lane through the middles of `cells`, from edge to edge, with round corners."""
    middles = (np.array(cells, np.float64) + 0.5) * cell
    steps = np.diff(middles, axis=0) if len(cells) > 1 else np.array([_direction(letters, cells[0])]) * cell
    first, last = steps[0] / 2, steps[-1] / 2
    points = [middles[0] - first]
    begins = []
    for k, middle in enumerate(middles):
        begins.append(len(points) - 1)
        before = steps[k - 1] if k else steps[0]
        after = steps[k] if k < len(steps) else steps[-1]
        if (before == after).all():
            points += [middle, middle + after / 2]
        else:
            into, out = middle - before / 2, middle + after / 2
            for part in np.linspace(0.0, 1.0, BENDS):
                points.append((1 - part) ** 2 * into + 2 * part * (1 - part) * middle + part**2 * out)
    points.append(middles[-1] + last)
    line = np.array(points)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    starts = along[begins]
    keep = np.concatenate([[True], np.diff(along) > 1e-9])
    line, along = line[keep], along[keep]
    crossings: list[tuple[int, float, float]] = []
    stops: list[float] = []
    for (x, y), middle in zip(cells, middles, strict=True):
        at = float(along[np.hypot(*(line - middle).T).argmin()])
        number = int(crossing_of[y, x])
        if number >= 0:
            if crossings and crossings[-1][0] == number and at - cell / 2 <= crossings[-1][2] + 1e-6:
                crossings[-1] = (number, crossings[-1][1], at + cell / 2)
            else:
                crossings.append((number, at - cell / 2, at + cell / 2))
        if letters[y, x] == "B":
            stops.append(at)
    junctions = _visits(cells, letters, np.append(starts, along[-1]))
    return StreetLane(tuple(cells), line, along, starts, tuple(crossings), tuple(stops), junctions)


def _visits(cells: list[Cell], letters: NDArray[np.str_], starts: Floats) -> tuple[Visit, ...]:
    """The ways over junctions of a lane whose cells begin at `starts`."""
    visits = []
    rows = [row for row, (x, y) in enumerate(cells) if letters[y, x] == "+"]
    for first in (row for row in rows if row - 1 not in rows):
        last = first
        while last + 1 in rows:
            last += 1
        inside = frozenset(cells[first : last + 1])
        visits.append(Visit(inside, float(starts[first]), float(starts[last + 1]), cells[first - 1]))
    return tuple(visits)


def _direction(letters: NDArray[np.str_], place: Cell) -> tuple[int, int]:
    return {">": (1, 0), "<": (-1, 0), "^": (0, -1), "v": (0, 1)}[str(letters[place[1], place[0]])]
