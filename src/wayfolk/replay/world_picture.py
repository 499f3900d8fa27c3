"""A world as a picture: a map, hexagons, triangles, the levels of voxels, a mesh of polygons, or a roadmap.

svg_of(world)     an SVG picture: darker ground costs more, and stations have colours
text_of(world)    a drawing in letters, for a terminal
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import NotSupported
from wayfolk.files.maps import ascii_map
from wayfolk.replay.colours import EDGE, FLOOR, QUIET, TONES, WALL, Colour, between, hexed
from wayfolk.replay.roadmap_picture import roadmap_svg, roadmap_text
from wayfolk.replay.svg import check_number, columns_of, picture, text
from wayfolk.world.generate import scale as scaled
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.roadmap import Roadmap
from wayfolk.world.site_map import SiteMap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

ROUGH: tuple[Colour, Colour] = ((240, 226, 196), (176, 124, 58))  # the cheapest terrain above 1, and the most expensive
SHADES = 8
STATION_TONES = ("orange", "blue", "green", "red")
LETTER = 1.0 / 50.0  # the height of a letter, of the side of a picture


def svg_of(world: Grid | Graph | Navmesh) -> str:
    """The SVG picture of `world`."""
    if isinstance(world, Roadmap):
        return roadmap_svg(world)
    if isinstance(world, Voxels):
        return _levels(world)
    if isinstance(world, HexGrid | TriangleGrid):
        return _polygons(world)
    if isinstance(world, Navmesh):
        return _mesh(world)
    if isinstance(world, Grid):
        shapes = [_cells(world.free, 0, 0), *_terrain(world)]
        if isinstance(world, SiteMap):
            shapes += _stations(world)
        return picture(shapes, 0.0, 0.0, world.width, world.height)
    raise NotSupported("only grids, hexagons, triangles, voxels, meshes and roadmaps can be drawn, not other graphs")


def text_of(world: Grid | Graph | Navmesh, columns: int = 100) -> str:
    """A drawing in letters: `#` is blocked; of a roadmap, `o` is a place, and dots are lanes.

    A grid, a mesh and a roadmap are scaled to at most so many `columns`.
    """
    if isinstance(world, Grid):
        if world.width > columns:  # a letter is about twice as high as it is wide
            world = scaled(world, columns, max(1, world.height * columns // world.width // 2))
        return ascii_map(world)
    if isinstance(world, Roadmap):
        return roadmap_text(world, columns)
    if isinstance(world, Navmesh):
        return _mesh_text(world, columns)
    if isinstance(world, Voxels):
        return "\n\n".join(f"z = {z}\n" + "\n".join(_letters(level)) for z, level in enumerate(world.free))
    if isinstance(world, HexGrid):
        return _hexagon_text(world)
    if isinstance(world, TriangleGrid):
        return "\n".join(_letters(world.free))
    raise NotSupported("only grids, hexagons, triangles, voxels, meshes and roadmaps can be drawn, not other graphs")


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


def _levels(world: Voxels) -> str:
    """The levels of voxels beside each other, the lowest first."""
    depth, height, width = world.free.shape
    n_columns = columns_of(depth, 1.05 * width, 1.15 * height)
    n_rows = math.ceil(depth / n_columns)
    size = max(n_columns * width, n_rows * height) * LETTER
    across, down = width + size, height + 2.2 * size
    shapes = []
    for z in range(depth):
        x, y = z % n_columns * across, z // n_columns * down + 1.6 * size
        shapes += [_cells(world.free[z], x, y), text(x, y - 0.4 * size, f"z = {z}", size)]
    room = 0.5 * size
    return picture(shapes, -room, -room, n_columns * across - size + 2 * room, n_rows * down + 2 * room)


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


def _polygons(world: HexGrid | TriangleGrid) -> str:
    """Each cell as a polygon around its centre."""
    check_number(world.n_cells)
    assert world.positions is not None
    if isinstance(world, HexGrid):
        turn = 0.5 if world.layout == "pointy" else 0.0
        corners = [_corner((k + turn) / 6.0, 1.0 / math.sqrt(3.0)) for k in range(6)]
        outlines = [corners] * world.n_cells
    else:
        up = [_corner(k / 3.0 - 0.25, 1.0) for k in range(3)]
        down = [(x, -y) for x, y in up]
        outlines = [down if sum(world.place(cell)) % 2 else up for cell in range(world.n_cells)]
    shapes = []
    shades = np.zeros(world.n_cells, np.int64) if world.costs is None else _shade(world.costs).ravel()
    rows = zip(world.positions.tolist(), outlines, world.free.flat, shades.tolist(), strict=True)
    for (x, y), outline, free, shade in rows:
        points = " ".join(f"{x + dx:.6g},{y + dy:.6g}" for dx, dy in outline)
        fill = (_rough(shade) if shade else hexed(FLOOR)) if free else hexed(WALL)
        shapes.append(f'<polygon points="{points}" fill="{fill}" stroke="{hexed(EDGE)}" stroke-width="0.03"/>')
    (left, top), (right, bottom) = world.positions.min(0) - 1.0, world.positions.max(0) + 1.0
    return picture(shapes, left, top, right - left, bottom - top)


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
