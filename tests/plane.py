"""Geometry for tests, by shapely: worlds of polygons, a judge of paths, and the shortest path by brute force."""

import math

import numpy as np
import shapely

CLOSE = 1e-7  # what a path may be off by


def squares(grid, grown=0.0):
    """The blocked cells of a grid, each larger on all sides by `grown`."""
    half = 0.5 + grown
    return [shapely.box(x - half, y - half, x + half, y + half) for y, x in np.argwhere(~grid.free)]


def free_space(grid, grown=0.0):
    """What is free in a grid, as a shapely geometry; a cell is the square around its place."""
    frame = shapely.box(-0.5, -0.5, grid.width - 0.5, grid.height - 0.5)
    return frame.difference(shapely.union_all(squares(grid, grown)))


def random_world(seed, obstacles=12, side=100.0):
    """A square with polygons cut out, its largest part."""
    rng = np.random.default_rng(seed)
    polygons = []
    for _ in range(obstacles):
        angles = np.sort(rng.uniform(0, 2 * math.pi, rng.integers(3, 8)))
        around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        polygons.append(shapely.Polygon(rng.uniform(0, side, 2) + rng.uniform(3, 18) * around))
    parts = shapely.get_parts(shapely.box(0, 0, side, side).difference(shapely.union_all(polygons)))
    return parts[shapely.area(parts).argmax()]


def random_points(world, n, seed):
    """Points of a world."""
    rng = np.random.default_rng(seed)
    low_x, low_y, high_x, high_y = world.bounds
    points = rng.uniform((low_x, low_y), (high_x, high_y), (100 * n, 2))
    return [tuple(point) for point in points[shapely.covers(world, shapely.points(points))][:n].tolist()]


def is_inside(world, path):
    """Whether a path stays in the world, or so close that it comes from rounding."""
    shape = shapely.LineString(path) if len(path) > 1 else shapely.Point(path[0])
    return world.buffer(CLOSE, join_style="mitre").covers(shape)


def shortest(world, start, goal):
    """The length of the shortest path: Dijkstra over all corners, joined where the line between them is free."""
    points = np.array([start, goal, *np.unique(shapely.get_coordinates(world), axis=0).tolist()])
    one, other = np.triu_indices(len(points), 1)
    fat = world.buffer(CLOSE, join_style="mitre")
    shapely.prepare(fat)
    is_free = shapely.covers(fat, shapely.linestrings(np.stack([points[one], points[other]], axis=1)))
    costs = np.full((len(points), len(points)), math.inf)
    costs[one[is_free], other[is_free]] = np.hypot(*(points[one[is_free]] - points[other[is_free]]).T)
    costs = np.minimum(costs, costs.T)
    reached, done = np.where(np.arange(len(points)) == 0, 0.0, math.inf), np.zeros(len(points), bool)
    for _ in points:
        nearest = np.where(done, math.inf, reached).argmin()
        done[nearest] = True
        reached = np.minimum(reached, reached[nearest] + costs[nearest])
    return float(reached[1])
