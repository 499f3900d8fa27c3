"""Flow: who crosses a line and when, persons a second, time headways, and the fundamental diagram."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.measures.density import Densities, area_density, voronoi_density
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.world.area import Corners

Floats = NDArray[np.float64]
Line = tuple[float, float, float, float]


class LinePassages(NamedTuple):
    """A row for each time that somebody crosses the line, by time.

    sides      1 from the left of the line (seen from its first end, with y down: the side of smaller y if it points to the
               right) to its right, else -1
    along      where on the line, in metres from its first end
    width      length of the line in metres
    """

    times: Floats
    agents: NDArray[np.int64]
    sides: NDArray[np.int8]
    along: Floats
    width: float

    @property
    def flow(self) -> float:
        """Persons a second: all but the first, in the time from the first to the last; NaN for less than two."""
        if len(self.times) < 2 or self.times[-1] <= self.times[0]:
            return float("nan")
        return float((len(self.times) - 1) / (self.times[-1] - self.times[0]))

    @property
    def specific_flow(self) -> float:
        """Persons a second and metre of the line."""
        return self.flow / self.width

    def headways(self, lane: float | None = None) -> Floats:
        """Seconds between one person and the next that crosses in the same direction.

        With `lane`, only those count that cross not farther than this many metres from each other; each is paired with the
        last one before.
        """
        result: list[float] = []
        for side in (1, -1):
            rows = np.flatnonzero(self.sides == side)
            times, along = self.times[rows], self.along[rows]
            for k in range(1, len(rows)):
                near = np.flatnonzero(np.abs(along[:k] - along[k]) <= (np.inf if lane is None else lane))
                if near.size:
                    result.append(float(times[k] - times[near[-1]]))
        return np.array(result)


def passages(trajectory: Trajectory, line: Line) -> LinePassages:
    """Who crosses the line from (x1, y1) to (x2, y2); the moment is found between the two frames.

    An agent that leaves is not seen after its last frame: draw the line a little before the place where agents leave.
    """
    try:
        x1, y1, x2, y2 = (float(end) for end in line)
    except (TypeError, ValueError):
        raise BadInput(f"a line is x1, y1, x2, y2 in metres, not {line!r}") from None
    width = float(np.hypot(x2 - x1, y2 - y1))
    if not 0 < width < np.inf:
        raise BadInput(f"a line has two different ends, not {line!r}")
    places = trajectory.places.astype(np.float64)
    along_x, along_y = (x2 - x1) / width, (y2 - y1) / width
    side = along_x * (places[..., 1] - y1) - along_y * (places[..., 0] - x1)
    where = along_x * (places[..., 0] - x1) + along_y * (places[..., 1] - y1)
    with np.errstate(invalid="ignore"):
        changes = (side[:-1] < 0) != (side[1:] < 0)
    changes &= ~np.isnan(side[:-1]) & ~np.isnan(side[1:])
    frame, agent = np.nonzero(changes)
    before, after = side[frame, agent], side[frame + 1, agent]
    part = before / (before - after)
    at = where[frame, agent] + part * (where[frame + 1, agent] - where[frame, agent])
    on_line = (at >= 0) & (at <= width)
    times = (frame + part) * trajectory.seconds
    order = np.flatnonzero(on_line)[np.argsort(times[on_line], kind="stable")]
    sides = np.where(before < 0, 1, -1).astype(np.int8)
    return LinePassages(times[order], agent[order].astype(np.int64), sides[order], at[order], width)


def fundamental_diagram(
    trajectory: Trajectory, area: Corners, *, by: str = "voronoi", spacing: float = 0.1, cut_off: float = np.inf
) -> Densities:
    """Density, speed and flow in `area` at every frame in which somebody is there; `by` is "voronoi" or "area"."""
    if by not in ("voronoi", "area"):
        raise BadInput(f"a density is measured by 'voronoi' or 'area', not {by!r}")
    if by == "area":
        found = area_density(trajectory, area)
    else:
        found = voronoi_density(trajectory, area, spacing=spacing, cut_off=cut_off)
    kept = ~np.isnan(found.speed)
    return Densities(found.times[kept], found.density[kept], found.speed[kept])


def weidmann_speed(density: Floats, *, free_speed: float = 1.34, most: float = 5.4) -> Floats:
    """The speed that people walk at in the field, by density: Weidmann, "Transporttechnik der Fussgaenger", 1993."""
    with np.errstate(divide="ignore"):
        speed: Floats = free_speed * (1.0 - np.exp(-1.913 * (1.0 / density - 1.0 / most)))
    return np.clip(speed, 0.0, None)
