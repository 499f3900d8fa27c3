"""Density: how many persons there are on a square metre, by cells of a grid or by Voronoi cells.

The Voronoi method: Steffen and Seyfried, "Methods for measuring pedestrian density, flow, speed and direction with minimal
scatter", Physica A 389, 2010. The density at a place is one over the area of the Voronoi cell that it is in, so
one person more or less in the area does not make the density jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.crowds.measures.voronoi import count_nearest
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.errors import BadInput
from wayfolk.world.area import Area, Corners

Floats = NDArray[np.float64]

SERVICE_LEVELS = (("A", 0.31), ("B", 0.43), ("C", 0.72), ("D", 1.08), ("E", 2.17), ("F", np.inf))
"""Levels of service of walkways and the density in persons on a square metre up to which each reaches.

Fruin, "Pedestrian planning and design", 1971: 3.25, 2.32, 1.39, 0.93 and 0.46 square metres for a person.
"""
MOST_POINTS = 4_000_000


class Densities(NamedTuple):
    """A row for each frame: persons on a square metre, and metres a second (NaN where nobody is)."""

    times: Floats
    density: Floats
    speed: Floats

    @property
    def flow(self) -> Floats:
        """Persons a second through a line of a metre: density times speed."""
        result: Floats = self.density * self.speed
        return result


def grid_density(trajectory: Trajectory, *, cell: float = 1.0, frames: Sequence[int] | slice | None = None) -> Floats:
    """Persons on a square metre in each cell, `[y, x]`, as the mean over `frames` (all by default)."""
    if not cell > 0:
        raise BadInput(f"the side of a cell must be some metres, not {cell}")
    places = trajectory.places[_chosen(trajectory, frames)]
    width, height = _extent(trajectory)
    columns, lines = max(1, int(np.ceil(width / cell - 1e-9))), max(1, int(np.ceil(height / cell - 1e-9)))
    if columns * lines > MOST_POINTS:
        raise BadInput(f"a side of {cell:g} m gives more than {MOST_POINTS:,} cells: choose a larger one")
    points = places[~np.isnan(places[..., 0])].reshape(-1, 2)
    x = np.clip((points[:, 0] / cell).astype(np.int64), 0, columns - 1)
    y = np.clip((points[:, 1] / cell).astype(np.int64), 0, lines - 1)
    counts = np.bincount(y * columns + x, minlength=lines * columns).reshape(lines, columns)
    density: Floats = counts / (cell * cell * max(len(places), 1))
    return density


def area_density(trajectory: Trajectory, area: Corners, *, frames: Sequence[int] | slice | None = None) -> Densities:
    """The classic density: persons in `area` divided by its size, and their mean speed."""
    measured = Area.of(area)
    chosen = _chosen(trajectory, frames)
    places, speeds = trajectory.places[chosen], np.hypot(*np.moveaxis(trajectory.velocities()[chosen], -1, 0))
    inside = measured.contains(places)
    counts = inside.sum(1)
    sums = np.where(inside, np.nan_to_num(speeds), 0.0).sum(1)
    speed = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return Densities(_times(trajectory, chosen), counts / measured.size, speed)


def voronoi_density(
    trajectory: Trajectory,
    area: Corners,
    *,
    frames: Sequence[int] | slice | None = None,
    spacing: float = 0.1,
    cut_off: float = np.inf,
) -> Densities:
    """The Voronoi density and speed in the free part of `area`, frame by frame.

    Cells are counted in points `spacing` metres apart, on the free cells of the grid or, without one, in the rectangle
    around all places. A point farther than `cut_off` from everybody is in no cell.
    """
    measured = Area.of(area)
    if not spacing > 0 or not cut_off > 0:
        raise BadInput(f"spacing and cut_off must be above 0, not {spacing} and {cut_off}")
    points = _points(trajectory, spacing)
    inside = measured.contains(points)
    size = inside.sum() * spacing * spacing
    if not size:
        raise BadInput(f"no free place is in the area {area}")
    chosen = _chosen(trajectory, frames)
    speeds = np.hypot(*np.moveaxis(trajectory.velocities()[chosen], -1, 0))
    density, speed = np.zeros(len(chosen)), np.full(len(chosen), np.nan)
    for row, frame in enumerate(chosen):
        there = np.flatnonzero(~np.isnan(trajectory.places[frame, :, 0]))
        places = trajectory.places[frame, there].astype(np.float64)
        whole, within = np.zeros(len(there), np.int64), np.zeros(len(there), np.int64)
        count_nearest(points, inside, places, min(float(cut_off), 1e9), whole, within)
        weights = within / np.maximum(whole, 1)
        density[row] = weights.sum() / size
        if within.any():
            speed[row] = (np.nan_to_num(speeds[row, there]) * within).sum() / within.sum()
    return Densities(_times(trajectory, chosen), density, speed)


def service_level(density: float) -> str:
    """The letter of the level of service at so many persons on a square metre."""
    if not density >= 0:
        raise BadInput(f"a density is 0 or more persons on a square metre, not {density}")
    return next(name for name, most in SERVICE_LEVELS if density <= most)


def _chosen(trajectory: Trajectory, frames: Sequence[int] | slice | None) -> NDArray[np.int64]:
    every = np.arange(trajectory.n_frames)
    chosen: NDArray[np.int64] = (
        every if frames is None else every[frames if isinstance(frames, slice) else list(frames)]
    )
    return chosen


def _times(trajectory: Trajectory, frames: NDArray[np.int64]) -> Floats:
    return frames.astype(np.float64) * trajectory.seconds


def _extent(trajectory: Trajectory) -> tuple[float, float]:
    """Width and height in metres of the map, or of what lies right of and below the origin."""
    if trajectory.grid is not None:
        return trajectory.grid.width * trajectory.cell, trajectory.grid.height * trajectory.cell
    if np.isnan(trajectory.places).all():
        return 1.0, 1.0
    x, y = np.nanmax(trajectory.places.reshape(-1, 2), 0)
    return float(x) + 1e-6, float(y) + 1e-6


def _points(trajectory: Trajectory, spacing: float) -> Floats:
    """The sample points on free ground."""
    grid = trajectory.grid
    if grid is not None:
        low, (wide, high) = np.zeros(2), _extent(trajectory)
    else:
        places = trajectory.places.reshape(-1, 2)
        if np.isnan(places).all():
            return np.zeros((0, 2))
        low = np.nanmin(places, 0).astype(np.float64)
        wide, high = np.nanmax(places, 0).astype(np.float64) - low
    if (wide / spacing + 1) * (high / spacing + 1) > MOST_POINTS:
        raise BadInput(f"a spacing of {spacing:g} m gives more than {MOST_POINTS:,} points: choose a larger one")
    x = low[0] + spacing * (np.arange(max(1, round(wide / spacing))) + 0.5)
    y = low[1] + spacing * (np.arange(max(1, round(high / spacing))) + 0.5)
    points = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    if grid is None:
        return points
    at = np.minimum((points / trajectory.cell).astype(np.int64), [grid.width - 1, grid.height - 1])
    return np.ascontiguousarray(points[grid.free[at[:, 1], at[:, 0]]])
