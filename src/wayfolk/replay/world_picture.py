"""A world as a picture: a map, hexagons, triangles, the levels of voxels, or a roadmap with its lanes.

svg_of(world)     an SVG picture: one-way lanes have arrows, faster lanes are wider
text_of(world)    a drawing in letters, for a terminal
"""

from __future__ import annotations

import math
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, NotSupported
from wayfolk.replay.colours import EDGE, FLOOR, INK, TONES, WALL, hexed
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Roadmap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

SIDE = 720.0  # units of the longer side of a picture
MOST_SHAPES = 60_000
MOST_NAMES = 80  # roadmaps with more places are drawn without names
ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">'
    f'<path d="M0 0L6 3L0 6z" fill="{hexed(TONES["blue"])}"/></marker></defs>'
)


def svg_of(world: Grid | Graph) -> str:
    """The SVG picture of `world`."""
    if isinstance(world, Roadmap):
        return _roadmap(world)
    if isinstance(world, Voxels):
        sides = math.ceil(math.sqrt(len(world.free)))  # levels in rows, the lowest first
        depth, height, width = world.free.shape
        shapes = []
        for z in range(depth):
            x, y = z % sides * (width + 1), z // sides * (height + 2) + 1
            shapes += [_cells(world.free[z], x, y), _text(x, y - 0.25, f"z = {z}", 0.6)]
        return _picture(shapes, 0.0, 0.0, sides * (width + 1) - 1, -(-depth // sides) * (height + 2))
    if isinstance(world, HexGrid | TriangleGrid):
        return _polygons(world)
    if isinstance(world, Grid):
        return _picture([_cells(world.free, 0, 0)], 0.0, 0.0, world.width, world.height)
    raise NotSupported("only grids, hexagons, triangles, voxels and roadmaps can be drawn, not other graphs")


def text_of(world: Graph, columns: int = 100) -> str:
    """A drawing of voxels, level by level, or of a roadmap: `o` is a place, dots are lanes."""
    if isinstance(world, Voxels):
        levels = ("\n".join("".join("#."[int(free)] for free in row) for row in level) for level in world.free)
        return "\n\n".join(f"z = {z}\n{level}" for z, level in enumerate(levels))
    if not isinstance(world, Roadmap):
        raise NotSupported("only voxels and roadmaps can be drawn in letters, of the worlds that are not square grids")
    at = _placed(world)
    low, high = at.min(0), at.max(0)
    scale = (columns - 1) / max(*(high - low), 1e-9)
    spots = np.rint((at - low) * [scale, 0.5 * scale]).astype(int)  # a letter is about twice as high as it is wide
    rows = [[" "] * (spots[:, 0].max() + 1) for _ in range(spots[:, 1].max() + 1)]
    for start, end in zip(world.sources, world.graph.target, strict=True):
        n = max(int(np.abs(spots[end] - spots[start]).max()), 1)
        for x, y in np.rint(np.linspace(spots[start], spots[end], n + 1)).astype(int).tolist():
            rows[y][x] = "."
    for x, y in spots.tolist():
        rows[y][x] = "o"
    return "\n".join("".join(row).rstrip() for row in rows)


def _roadmap(world: Roadmap) -> str:
    """Lanes as lines, blue with an arrow if they lead one way only, and places as discs."""
    _check_number(len(world.lanes) + world.n_cells)
    at = _placed(world)
    (left, top), (right, bottom) = at.min(0), at.max(0)
    unit = max(right - left, bottom - top, 1e-9) / SIDE
    fastest = max((lane.speed for lane in world.lanes), default=1.0)
    there = {(int(a), int(b)) for a, b in zip(world.sources, world.graph.target, strict=True)}
    shapes = [ARROW]
    for a, b in sorted(there):
        one_way = (b, a) not in there
        if one_way or a < b:
            (x1, y1), (x2, y2) = at[a].tolist(), at[b].tolist()
            part = 1.0 - 5.0 * unit / max(math.dist(at[a], at[b]), 5.0 * unit)  # an arrow ends beside the disc
            x2, y2 = (x1 + part * (x2 - x1), y1 + part * (y2 - y1)) if one_way else (x2, y2)
            edge = slice(world.graph.first[a], world.graph.first[a + 1])
            speed = float(world.speeds[edge][world.graph.target[edge] == b].max())
            style = (
                f'stroke="{hexed(TONES["blue"])}" marker-end="url(#arrow)"' if one_way else f'stroke="{hexed(WALL)}"'
            )
            wide = unit * (1.0 + 2.0 * speed / fastest)
            shapes.append(f'<path d="M{x1:.6g} {y1:.6g}L{x2:.6g} {y2:.6g}" {style} stroke-width="{wide:.3g}"/>')
    for node, (x, y) in enumerate(at.tolist()):
        shapes.append(f'<circle cx="{x:.6g}" cy="{y:.6g}" r="{4.0 * unit:.3g}" fill="{hexed(INK)}"/>')
        if world.n_cells <= MOST_NAMES:
            shapes.append(_text(x + 6.0 * unit, y - 3.0 * unit, str(world.place(node)), 11.0 * unit))
    edge_room = 30.0 * unit
    return _picture(
        shapes, left - edge_room, top - edge_room, right - left + 4 * edge_room, bottom - top + 2 * edge_room
    )


def _placed(world: Roadmap) -> NDArray[np.float64]:
    """Where the places are drawn: levels side by side, and places without positions around a circle."""
    if world.positions is None:
        angles = np.arange(world.n_cells) * 2.0 * math.pi / world.n_cells
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    at = world.positions[:, :2].copy()
    if world.positions.shape[1] == 3:
        levels = np.unique(world.positions[:, 2], return_inverse=True)[1]
        at[:, 0] += levels * 1.15 * max(float(np.ptp(at[:, 0])), 1.0)
    return at


def _polygons(world: HexGrid | TriangleGrid) -> str:
    """Each cell as a polygon around its centre."""
    _check_number(world.n_cells)
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
    for (x, y), outline, free in zip(world.positions.tolist(), outlines, world.free.flat, strict=True):
        points = " ".join(f"{x + dx:.4g},{y + dy:.4g}" for dx, dy in outline)
        fill = hexed(FLOOR if free else WALL)
        shapes.append(f'<polygon points="{points}" fill="{fill}" stroke="{hexed(EDGE)}" stroke-width="0.03"/>')
    (left, top), (right, bottom) = world.positions.min(0) - 1.0, world.positions.max(0) + 1.0
    return _picture(shapes, left, top, right - left, bottom - top)


def _corner(turn: float, radius: float) -> tuple[float, float]:
    """The point at so many turns around a centre."""
    angle = 2.0 * math.pi * turn
    return radius * math.cos(angle), radius * math.sin(angle)


def _cells(free: NDArray[np.bool_], x: float, y: float) -> str:
    """Square cells: a floor, and a rectangle for each run of walls in a row."""
    moves = []
    for k, row in enumerate(~free):
        edges = np.flatnonzero(np.diff(row.astype(np.int8), prepend=0, append=0))
        moves += [
            f"M{x + first} {y + k}h{last - first}v1H{x + first}z" for first, last in edges.reshape(-1, 2).tolist()
        ]
    height, width = free.shape
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{hexed(FLOOR)}" stroke="{hexed(EDGE)}" '
        f'stroke-width="0.08"/><path fill="{hexed(WALL)}" d="{"".join(moves)}"/>'
    )


def _text(x: float, y: float, text: str, size: float) -> str:
    return f'<text x="{x:.6g}" y="{y:.6g}" font-size="{size:.3g}" fill="{hexed(INK)}">{escape(text)}</text>'


def _check_number(n_shapes: int) -> None:
    if n_shapes > MOST_SHAPES:
        raise BadInput(f"a picture of {n_shapes:,} shapes is too large; at most {MOST_SHAPES:,} are drawn")


def _picture(shapes: list[Any], left: float, top: float, width: float, height: float) -> str:
    scale = SIDE / max(width, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.6g} {top:.6g} {width:.6g} {height:.6g}" '
        f'width="{width * scale:.6g}" height="{height * scale:.6g}" font-family="system-ui, sans-serif">'
        f'<rect x="{left:.6g}" y="{top:.6g}" width="{width:.6g}" height="{height:.6g}" fill="#ffffff"/>'
        f"{''.join(shapes)}</svg>\n"
    )
