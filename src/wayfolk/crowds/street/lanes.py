"""Lane: a line that vehicles drive along, with its crossings and bus stops; places on it are metres from its start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BENDS = 6  # points of a corner


@dataclass(frozen=True, eq=False)
class Lane:
    """`points` of the line and how far along each is; crossings are (number, begin, end), stops are places."""

    cells: tuple[tuple[int, int], ...]
    points: Floats
    along: Floats
    crossings: tuple[tuple[int, float, float], ...]
    stops: tuple[float, ...]

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


def lane_through(
    cells: list[tuple[int, int]], letters: NDArray[np.str_], crossing_of: NDArray[np.int64], cell: float
) -> Lane:
    """The lane through the middles of `cells`, from edge to edge, with round corners."""
    middles = (np.array(cells, np.float64) + 0.5) * cell
    steps = np.diff(middles, axis=0) if len(cells) > 1 else np.array([_direction(letters, cells[0])]) * cell
    first, last = steps[0] / 2, steps[-1] / 2
    points = [middles[0] - first]
    for k, middle in enumerate(middles):
        before = steps[k - 1] if k else steps[0]
        after = steps[k] if k < len(steps) else steps[-1]
        if (before == after).all():
            points.append(middle)
        else:
            into, out = middle - before / 2, middle + after / 2
            for part in np.linspace(0.0, 1.0, BENDS):
                points.append((1 - part) ** 2 * into + 2 * part * (1 - part) * middle + part**2 * out)
    points.append(middles[-1] + last)
    line = np.array(points)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
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
    return Lane(tuple(cells), line, along, tuple(crossings), tuple(stops))


def _direction(letters: NDArray[np.str_], place: tuple[int, int]) -> tuple[int, int]:
    return {">": (1, 0), "<": (-1, 0), "^": (0, -1), "v": (0, 1)}[str(letters[place[1], place[0]])]
