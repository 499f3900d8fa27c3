"""Meshes: paths on navigation meshes, one mesh for each width of bodies.

Where every free cell has room for the body, the mesh is made of the grid's cells. For wider bodies, and among polygons, it
is the free space without what is nearer to a wall than the body's radius; that needs shapely.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import Missing
from wayfolk.world.grid import Grid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.passable import Passables, goal_reach
from wayfolk.world.space import Space, outlines_of

Points = NDArray[np.float64]
SHRUNK = 0.98  # share of the radius that paths stay away from walls: a body that touches one is still on its mesh
ROUND = 4  # sides of a quarter of a circle around a corner
MARGIN = 4.0  # metres, and radii, around all walls and ends of paths in a space without a grid


class Meshes:
    """The meshes of one space, made when they are first needed."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.passables = None if space.grid is None else Passables(space)
        self._mesh: Navmesh | None = None  # of the grid
        self._shrunk: dict[float, tuple[Any, Navmesh]] = {}

    def find(self, place: Points, goal: Points, radius: float) -> Points | None:
        """The points of a path for a body of this radius, without its place and with the goal; None if there is none."""
        if self.passables is not None and not self.space.polygons:
            grid = self.passables.of(radius).grid
            if grid is self.space.grid:
                return self._find_on_grid(grid, place, goal)
        return self._find_in_rest(place, goal, radius)

    def _find_on_grid(self, grid: Grid, place: Points, goal: Points) -> Points | None:
        """The path on the mesh of a grid, which has the middles of cells at whole numbers."""
        if self._mesh is None:
            self._mesh = Navmesh.from_grid(_without_costs(grid))
        mesh, cell = self._mesh, self.space.cell
        ends = place / cell - 0.5, goal / cell - 0.5
        if not (len(mesh.locate(ends[0])) and len(mesh.locate(ends[1]))):
            return None
        result = mesh.find_path(*ends)
        return None if result.path is None else _without_first(np.array(result.path) * cell + 0.5 * cell)

    def _find_in_rest(self, place: Points, goal: Points, radius: float) -> Points | None:
        """The path on the mesh of what is far enough from all walls."""
        free, mesh = self._rest(np.stack([place, goal]), radius)
        ends = []
        for point, reach in ((place, radius), (goal, goal_reach(radius, 0.0))):
            end = _nearest(free, point)
            if np.hypot(*(end - point)) > reach + 1e-9 or not len(mesh.locate(end)):
                return None
            ends.append(end)
        result = mesh.find_path(ends[0], ends[1])
        return None if result.path is None else _without_first(np.array(result.path))

    def _rest(self, ends: Points, radius: float) -> tuple[Any, Navmesh]:
        """The free space that is far enough from walls, and its mesh; without a grid it reaches around both ends."""
        shapely = _shapely()
        known = self._shrunk.get(radius)
        if known is not None and (self.space.grid is not None or known[0].envelope.covers(shapely.MultiPoint(ends))):
            return known
        wide = SHRUNK * radius
        if self.space.grid is not None:
            rings = [np.append(ring, ring[:1], 0) * self.space.cell for ring in outlines_of(self.space.grid)]
            free = shapely.build_area(shapely.MultiLineString(rings)).buffer(-wide, quad_segs=ROUND)
        else:
            points = np.concatenate([*self.space.polygons, ends])
            if known is not None:
                points = np.concatenate([points, shapely.get_coordinates(known[0].envelope)])
            margin = MARGIN + MARGIN * radius
            free = shapely.box(*(points.min(0) - margin), *(points.max(0) + margin))
        solid = [
            (shapely.Polygon(ring) if len(ring) > 2 else shapely.LineString(ring)).buffer(wide, quad_segs=ROUND)
            for ring in self.space.polygons
        ]
        free = free.difference(shapely.union_all(solid)).simplify(0.01 * radius)
        self._shrunk[radius] = free, Navmesh.from_polygons(free)
        return self._shrunk[radius]


def _shapely() -> Any:
    try:
        import shapely  # type: ignore[import-untyped]
    except ImportError:
        raise Missing("shapely is not installed: pip install 'wayfolk[graphs]'") from None
    return shapely


def _nearest(free: Any, point: Points) -> Points:
    """The point itself if it is free, else the nearest free one."""
    shapely = _shapely()
    at = shapely.Point(point)
    if free.covers(at):
        return point
    nearest: Points = shapely.get_coordinates(shapely.shortest_line(at, free))[1]
    return nearest


def _without_first(points: Points) -> Points:
    """The points to pass, at least one."""
    return points[1:] if len(points) > 1 else points


def _without_costs(grid: Grid) -> Grid:
    return grid if grid.costs is None else Grid(grid.free, grid.moves, links=grid.links, name=grid.name)
