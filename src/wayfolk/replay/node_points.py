"""Where a panel draws the nodes of a graph of states, and how large the bodies are there.

Lengths are cells of the panel, and the middle of the cell (x, y) is (x, y): those of the map for bodies on a square grid,
as wide as two neighbours are apart among hexagons and other tiles, and half as wide as a usual lane is long on graphs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.replay.svg import Drawing
from wayfolk.replay.world_picture import cell_outlines, drawing_of
from wayfolk.world.cache import cached
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.tiling import Tiling

MOST_CELLS = 2000  # of the longer side of a panel
PARTS_OF_LANE = 2.0  # cells on a usual lane
RADIUS_ON_GRID, RADIUS_ON_TILES, RADIUS_ON_LANES = 0.43, 0.36, 0.4  # of points, which have no size, in cells
BESIDE_DISCS = 0.5  # the radius of a point among discs, of the smallest of them
ROOM = 0.07  # between a square body and the sides of its cells


class Shape(NamedTuple):
    """How bodies of one kind are drawn: squares with a `side`, discs if that is 0, with a mark in front if they turn."""

    side: float
    radius: float
    turns: bool
    name: str


class NodePoints:
    """The points of the nodes of `states`; `width` and `height` are those of the panel."""

    def __init__(self, states: StateGraph) -> None:
        self.states, world = states, states.world
        self.drawing: Drawing | None = None
        self.unit = 1.0  # how long a cell of the panel is, of lengths in the picture
        self.margin = np.zeros(2)  # between the panel and the picture, in cells
        if isinstance(world, Grid):
            self.width, self.height = world.width, world.height
            self.at = world.places(np.arange(world.n_cells)).astype(np.float64)
            self.levels = np.zeros(world.n_cells, np.int64)
        else:
            self.drawing = drawing_of(world)
            box = self.drawing
            usual = box.spacing / (1.0 if isinstance(world, Tiling) else PARTS_OF_LANE)
            self.unit = max(usual, max(box.width, box.height) / MOST_CELLS)
            size = np.array([box.width, box.height]) / self.unit
            room = max(body.radius for body in states.kinds) / self.unit  # for discs at the edge of the picture
            whole = np.ceil(size + 2.0 * room)
            self.width, self.height = whole.astype(int).tolist()
            self.margin = (whole - size) / 2.0
            self.at = (box.at - (box.left, box.top)) / self.unit + self.margin - 0.5
            self.levels = box.levels

    @property
    def shapes(self) -> list[Shape]:
        """How each kind of body is drawn."""
        is_grid, is_tiled = isinstance(self.states.world, Grid), isinstance(self.states.world, Tiling)
        point = RADIUS_ON_GRID if is_grid else RADIUS_ON_TILES if is_tiled else RADIUS_ON_LANES
        discs = [body.radius / self.unit for body in self.states.kinds if body.radius > 0.0]
        point = min([point, *(BESIDE_DISCS * radius for radius in discs)])
        shapes = []
        for body in self.states.kinds:
            side = body.size - 2 * ROOM if body.size > 1 else 0.0
            radius = side / 2.0 if side else body.radius / self.unit or point
            shapes.append(Shape(side, radius, body.turns, str(body)))
        return shapes

    def points(self, nodes: ArrayLike) -> NDArray[np.float64]:
        """Where the middles of the bodies are; between two levels a body is on the nearer one."""
        at = self.states.whereabouts(np.asarray(nodes, np.int64))
        share = np.where(self.levels[at.cell] == self.levels[at.ahead], at.share, np.round(at.share))
        sizes = np.array([body.size for body in self.states.kinds])[at.kind]
        points: NDArray[np.float64] = self.at[at.cell] + share[:, None] * (self.at[at.ahead] - self.at[at.cell])
        return points + (sizes[:, None] - 1) / 2.0

    def levels_of(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """The level on which each node is drawn."""
        at = self.states.whereabouts(np.asarray(nodes, np.int64))
        levels: NDArray[np.int64] = self.levels[np.where(np.round(at.share) > 0, at.ahead, at.cell)]
        return levels

    def headings(self, nodes: ArrayLike) -> NDArray[np.float64]:
        """Radians clockwise from east."""
        at = self.states.whereabouts(np.asarray(nodes, np.int64))
        n = self.states.together[at.kind]
        turn = (at.heading_ahead - at.heading + n // 2) % n - n // 2
        headings: NDArray[np.float64] = (at.heading + at.share * turn) * 2.0 * np.pi / n
        return headings

    def outline(self, place: tuple[int, ...]) -> NDArray[np.float64]:
        """The corners of a cell of the world, or both ends of a lane between two; the middle of (x, y) is 0.5 more here."""
        middles: NDArray[np.float64] = self.at[list(place)] + 0.5
        return middles if len(place) == 2 else middles + cell_outlines(self.states.world)[place[0]] / self.unit

    def names(self, nodes: ArrayLike) -> list[str]:
        """What each node is called: its place; of a slow body on its way, both ends."""
        at = self.states.whereabouts(np.asarray(nodes, np.int64))
        place = self.states.world.place
        rows = zip(at.cell.tolist(), at.ahead.tolist(), at.share.tolist(), strict=True)
        return [
            f"{place(cell)}" if not share else f"{place(cell)} \u2192 {place(ahead)}" for cell, ahead, share in rows
        ]


def node_points(states: StateGraph) -> NodePoints:
    """The points of the nodes of `states`, made once."""
    return cached(states, "points of a panel", NodePoints)
