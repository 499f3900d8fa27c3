"""A world as a picture: a map, hexagons, triangles, the levels of voxels, a mesh of polygons, or a roadmap.

svg_of(world)        an SVG picture: darker ground costs more, and stations have colours
drawing_of(world)    the same for worlds that agents move in, with the points of their cells
text_of(world)       a drawing in letters, for a terminal
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wayfolk.files.maps import ascii_map
from wayfolk.replay.colours import EDGE, FLOOR, QUIET, TONES, WALL, Colour, between, hexed
from wayfolk.replay.roadmap_picture import graph_drawing, graph_text
from wayfolk.replay.svg import Drawing, check_number, columns_of, picture, text
from wayfolk.world.generate import scale as scaled
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.site_map import SiteMap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

ROUGH: tuple[Colour, Colour] = ((240, 226, 196), (176, 124, 58))  # the cheapest terrain above 1, and the most expensive
SHADES = 8
STATION_TONES = ("orange", "blue", "green", "red")
LETTER = 1.0 / 50.0  # the height of a letter, of the side of a picture


def svg_of(world: Grid | Graph | Navmesh) -> str:
    """The SVG picture of `world`."""
    return _mesh(world) if isinstance(world, Navmesh) else drawing_of(world).svg


def drawing_of(world: Grid | Graph) -> Drawing:
    """The picture of `world`, and where each cell is in it."""
    if isinstance(world, Voxels):
        return _levels(world)
    if isinstance(world, HexGrid | TriangleGrid):
        return _polygons(world)
    if not isinstance(world, Grid):
        return graph_drawing(world)
    shapes = [_cells(world.free, 0, 0), *_terrain(world)]
    if isinstance(world, SiteMap):
        shapes += _stations(world)
    at = np.asarray(world.places(np.arange(world.n_cells)) + 0.5, np.float64)
    return _drawn(shapes, (0.0, 0.0, world.width, world.height), at, np.zeros(world.n_cells, np.int64))


def _drawn(
    shapes: list[str], box: tuple[float, float, float, float], at: NDArray[np.float64], levels: NDArray[np.int64]
) -> Drawing:
    return Drawing(picture(shapes, *box), *box, at, levels)


def text_of(world: Grid | Graph | Navmesh, columns: int = 100) -> str:
    """A drawing in letters: `#` is blocked; of a roadmap or another graph, `o` is a place, and dots are lanes.

    A grid, a mesh and a graph are scaled to at most so many `columns`.
    """
    if isinstance(world, Grid):
        if world.width > columns:  # a letter is about twice as high as it is wide
            world = scaled(world, columns, max(1, world.height * columns // world.width // 2))
        return ascii_map(world)
    if isinstance(world, Navmesh):
        return _mesh_text(world, columns)
    if isinstance(world, Voxels):
        return "\n\n".join(f"z = {z}\n" + "\n".join(_letters(level)) for z, level in enumerate(world.free))
    if isinstance(world, HexGrid):
        return _hexagon_text(world)
    if isinstance(world, TriangleGrid):
        return "\n".join(_letters(world.free))
    return graph_text(world, columns)


def _letters(free: NDArray[np.bool_]) -> list[str]:
    return ["".join("#."[int(cell)] for cell in row) for row in free]


def _hexagon_text(world: HexGrid) -> str:
    """The shifted rows begin one letter later; of flat hexagons, the shifted columns stand one line lower."""
    late = int(world.shifted == "odd")  # whether row or column 0 is not the shifted one
    if world.layout == "pointy":
        return "\n".join(" " * (y % 2 == late) + " ".join(row) for y, row in enumerate(_letters(world.free)))
    lines = []
    for row in _letters(world.free):
        for shift in (0, 1):
            kept = (letter if (x % 2 == late) == bool(shift) else " " for x, letter in enumerate(row))
            lines.append("".join(kept).rstrip())
    return "\n".join(lines)


def _mesh_text(world: Navmesh, columns: int) -> str:
    """Whether the middle of each letter is inside the mesh."""
    corners = np.concatenate(world.polygons)
    low, size = corners.min(0), np.ptp(corners, axis=0)
    side = max(size[0] / columns, size[1] / (2 * columns))
    width, height = max(1, math.ceil(size[0] / side)), max(1, math.ceil(size[1] / (2 * side)))
    x, y = low[0] + (np.arange(width) + 0.5) * size[0] / width, low[1] + (np.arange(height) + 0.5) * size[1] / height
    return "\n".join("".join("#."[len(world.locate((at, down))) > 0] for at in x) for down in y)


def _levels(world: Voxels) -> Drawing:
    """The levels of voxels beside each other, the lowest first."""
    depth, height, width = world.free.shape
    n_columns = columns_of(depth, 1.05 * width, 1.15 * height)
    n_rows = math.ceil(depth / n_columns)
    size = max(n_columns * width, n_rows * height) * LETTER
    across, down = width + size, height + 2.2 * size
    corners = np.array([(z % n_columns * across, z // n_columns * down + 1.6 * size) for z in range(depth)])
    shapes = []
    for z, (x, y) in enumerate(corners.tolist()):
        shapes += [_cells(world.free[z], x, y), text(x, y - 0.4 * size, f"z = {z}", size)]
    room = 0.5 * size
    levels, y, x = np.indices(world.free.shape).reshape(3, -1)
    at = corners[levels] + np.stack([x, y], axis=1) + 0.5
    box = (-room, -room, n_columns * across - size + 2 * room, n_rows * down + 2 * room)
    return _drawn(shapes, box, at, levels)


def _mesh(world: Navmesh) -> str:
    """The convex polygons of a mesh on solid ground; thin lines are portals."""
    check_number(world.n_polygons)
    corners = np.concatenate(world.polygons)
    (left, top), (width, height) = corners.min(0).tolist(), np.ptp(corners, axis=0).tolist()
    unit = max(width, height) / 720.0
    room = 12.0 * unit
    shapes = [
        f'<rect x="{left - room:.6g}" y="{top - room:.6g}" width="{width + 2 * room:.6g}" '
        f'height="{height + 2 * room:.6g}" fill="{hexed(WALL)}"/>'
    ]
    for ring in world.polygons:
        points = " ".join(f"{x:.6g},{y:.6g}" for x, y in ring.tolist())
        shapes.append(
            f'<polygon points="{points}" fill="{hexed(FLOOR)}" stroke="{hexed(EDGE)}" stroke-width="{unit:.3g}"/>'
        )
    return picture(shapes, left - room, top - room, width + 2 * room, height + 2 * room)


def _shade(costs: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each cost its shade from 1 to SHADES, in proportion to its logarithm; 0 for usual ground."""
    logs = np.abs(np.log(costs))
    most = float(logs.max(initial=0.0))
    return np.ceil(logs / most * SHADES).astype(np.int64) if most > 0.0 else np.zeros(costs.shape, np.int64)


def _rough(shade: int) -> str:
    return hexed(between(ROUGH, (shade - 1) / (SHADES - 1)))


def _terrain(world: Grid) -> list[str]:
    """The free cells whose ground does not cost 1."""
    if world.costs is None:
        return []
    shades = np.where(world.free, _shade(np.where(world.free, world.costs, 1.0)), 0)
    return [_runs(shades == k, 0, 0, _rough(k)) for k in range(1, SHADES + 1) if (shades == k).any()]


def _stations(world: SiteMap) -> list[str]:
    """The cells of stations, each kind in its colour."""
    shapes = []
    for k, cells in enumerate(world.stations.values()):
        x, y = world.places(cells).reshape(-1, 2).T
        here = np.zeros(world.free.shape, np.bool_)
        here[y, x] = True
        shapes.append(_runs(here, 0, 0, hexed(TONES[STATION_TONES[k % len(STATION_TONES)]])))  # type: ignore[index]
    return shapes


def _polygons(world: HexGrid | TriangleGrid) -> Drawing:
    """Each cell as a polygon around its centre; those of one colour are one shape."""
    assert world.positions is not None
    n_corners = 6 if isinstance(world, HexGrid) else 3
    check_number(world.n_cells * n_corners // 12)
    rings_of = cell_outlines(world)
    shades = np.zeros(world.n_cells, np.int64) if world.costs is None else _shade(world.costs).ravel()
    shades = np.where(world.free.ravel(), shades, -1)
    shapes = []
    for shade in np.unique(shades).tolist():
        fill = hexed(WALL) if shade < 0 else _rough(shade) if shade else hexed(FLOOR)
        rings = (world.positions[shades == shade, None] + rings_of[shades == shade]).tolist()
        path = "".join("M" + "L".join(f"{x:.5g} {y:.5g}" for x, y in ring) + "z" for ring in rings)
        shapes.append(f'<path d="{path}" fill="{fill}" stroke="{hexed(EDGE)}" stroke-width="0.03"/>')
    (left, top), (right, bottom) = world.positions.min(0) - 1.0, world.positions.max(0) + 1.0
    box = (float(left), float(top), float(right - left), float(bottom - top))
    return _drawn(shapes, box, world.positions, np.zeros(world.n_cells, np.int64))


def cell_outlines(world: Grid | Graph) -> NDArray[np.float64]:
    """The corners of each cell around its centre: hexagons, triangles, or squares."""
    if isinstance(world, HexGrid):
        turn = 0.5 if world.layout == "pointy" else 0.0
        corners = [_corner((k + turn) / 6.0, 1.0 / math.sqrt(3.0)) for k in range(6)]
        return np.broadcast_to(np.array(corners), (world.n_cells, 6, 2))
    if isinstance(world, TriangleGrid):
        up = np.array([_corner(k / 3.0 - 0.25, 1.0) for k in range(3)])
        points_up = np.indices(world.free.shape).sum(0).ravel() % 2 == 0
        return np.asarray(np.where(points_up[:, None, None], up, up * (1.0, -1.0)), np.float64)
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    return np.broadcast_to(square, (world.n_cells, 4, 2))


def _corner(turn: float, radius: float) -> tuple[float, float]:
    """The point at so many turns around a centre."""
    angle = 2.0 * math.pi * turn
    return radius * math.cos(angle), radius * math.sin(angle)


def _cells(free: NDArray[np.bool_], x: float, y: float) -> str:
    """Square cells: a floor, and a rectangle for each run of walls in a row."""
    height, width = free.shape
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{height}" fill="{hexed(FLOOR)}" stroke="{hexed(QUIET)}" '
        f'stroke-width="{max(height, width) / 720.0:.3g}"/>{_runs(~free, x, y, hexed(WALL))}'
    )


def _runs(here: NDArray[np.bool_], x: float, y: float, fill: str) -> str:
    """A rectangle for each run of such cells in a row."""
    moves = []
    for k, row in enumerate(here):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        moves += [
            f"M{x + first:g} {y + k:g}h{last - first}v1H{x + first:g}z" for first, last in edges.reshape(-1, 2).tolist()
        ]
    return f'<path fill="{fill}" d="{"".join(moves)}"/>'
