"""Ends: the cells in which paths begin and end, for a body that may be in a cell without room for it, or go to an area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds._fields import GoalFields
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.passable import Passable
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd

Point = NDArray[np.float64]


def cell_with_room(space: Space, passable: Passable, point: Point, reach: float, start: int | None = None) -> int:
    """The cell of a point if a body has room in it, else the nearest with room within `reach` metres; NOWHERE if none.

    If `start` is given, cells that can be reached from it are preferred.
    """
    cell, grid = int(space.cells(point)[0]), passable.grid
    if grid.is_free(cell):
        return cell
    apart = ((passable.points[grid.free_cells] - point) ** 2).sum(1)
    apart[apart > reach**2] = np.inf
    if start is not None and start != NOWHERE:
        joined = np.where(grid.components[grid.free_cells] == grid.components[start], apart, np.inf)
        apart = joined if np.isfinite(joined).any() else apart
    return int(grid.free_cells[apart.argmin()]) if np.isfinite(apart).any() else int(NOWHERE)


class AreaEnds:
    """The points in areas to which paths lead."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._fields: GoalFields | None = None

    def point(self, crowd: Crowd, agent: int) -> Point:
        """The point of an agent's area that is nearest on foot, for its width; its goal as it is if there is none."""
        if self._fields is None:
            self._fields = GoalFields(self.space, "ways to areas")
        fields, area = self._fields, int(crowd.areas.of[agent])
        k = int(fields.numbers_of(crowd.bodies, np.array([agent], np.int32), crowd.areas)[0])
        passable = fields.passables.of(float(crowd.radii[agent]))
        start = cell_with_room(self.space, passable, crowd.places[agent], float(crowd.radii[agent]))
        end = int(NOWHERE) if start == NOWHERE else fields.end_of(k, start)
        if end == NOWHERE:
            own: Point = crowd.bodies.goals[agent]
            return own
        targets = crowd.areas.targets_of(area)
        inside = targets[self.space.cells(targets) == end]
        point: Point = passable.points[end]
        if len(inside):
            nearest: Point = inside[((inside - point) ** 2).sum(1).argmin()]
            return nearest
        return point
