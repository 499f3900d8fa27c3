"""Draws the areas of a map: rooms in light colours, inbound lanes in blue, outbound lanes in orange, arrows in cores."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.sdp.cores import HORIZONTAL
from wayfolk.algorithms.controllers.sdp.partition import CORE, ENTRY, EXIT, Areas
from wayfolk.errors import Missing
from wayfolk.world.grid import Grid

WALL = (64, 64, 68)
ROOMS = ((247, 244, 234), (226, 240, 226), (246, 228, 228), (229, 236, 246), (240, 230, 245), (238, 238, 214))
LANES = {  # by part, of inbound and outbound lanes
    ENTRY: ((126, 188, 228), (245, 178, 110)),
    CORE: ((0, 90, 156), (196, 78, 0)),
    EXIT: ((190, 220, 240), (250, 214, 178)),
}
ARROW = (255, 255, 255)
WIDTH = 1000  # pixels of a picture, about


def draw_areas(grid: Grid, areas: Areas, file: Path) -> None:
    """Write the areas of `grid` as a PNG image, 3 to 12 pixels for each cell."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise Missing("pictures of areas need Pillow: pip install 'wayfolk[images]'") from None
    scale = min(max(WIDTH // grid.width, 3), 12)
    pixels = np.repeat(np.repeat(colours(grid, areas), scale, 0), scale, 1)
    picture = Image.fromarray(pixels)
    pen = ImageDraw.Draw(picture)
    for corridor in areas.corridors:
        for which in range(2):
            _arrow(pen, grid, corridor, which, scale)
    picture.quantize(32, dither=Image.Dither.NONE).save(file, format="PNG", optimize=True)


def colours(grid: Grid, areas: Areas) -> NDArray[np.uint8]:
    """The colour of each cell, as [y, x, 3]; neighbouring rooms have different ones where possible."""
    cells = np.full((grid.n_cells, 3), WALL, np.uint8)
    palette = np.array(_room_colours(areas), np.uint8).reshape(-1, 3)
    is_room = areas.area < areas.n_rooms
    cells[is_room] = palette[areas.area[is_room]]
    for part, pair in LANES.items():
        for which, colour in enumerate(pair):
            cells[(areas.part == part) & ((areas.area - areas.n_rooms) % 2 == which)] = colour
    return cells.reshape(-1, grid.stride, 3)[1:-1, 1:-1]


def _room_colours(areas: Areas) -> list[tuple[int, int, int]]:
    """A colour for each room: the next one that no room on the other side of a corridor has."""
    beside: list[set[int]] = [set() for _ in range(areas.n_rooms)]
    for pair in areas.pairs:
        if pair["from_area"] < areas.n_rooms and pair["to_area"] < areas.n_rooms:
            beside[pair["from_area"]].add(int(pair["to_area"]))
            beside[pair["to_area"]].add(int(pair["from_area"]))
    chosen: list[tuple[int, int, int]] = []
    order = cycle(ROOMS)
    for room in range(areas.n_rooms):
        used = {chosen[other] for other in beside[room] if other < room}
        chosen.append(next((colour for colour in (next(order) for _ in ROOMS) if colour not in used), ROOMS[0]))
    return chosen


def _arrow(pen: Any, grid: Grid, corridor: NDArray[np.void], which: int, scale: int) -> None:
    """A triangle in the middle of one lane of a core, with its tip in the direction of travel."""
    x, y = grid.place(int(corridor["cell"]))
    length, width = int(corridor["length"]), int(corridor["width"])
    first, last = (0, width // 2) if which else (width // 2, width)
    is_horizontal = corridor["axis"] == HORIZONTAL
    along, across = length / 2, (first + last) / 2
    half = min(length, last - first) * 0.38
    tip = half if (which == 0) == is_horizontal else -half  # inbound leads right and up
    corners = [(along + tip, across), (along - tip, across - half), (along - tip, across + half)]
    points = [(x + a, y + b) if is_horizontal else (x + b, y + a) for a, b in corners]
    pen.polygon([(round(scale * px), round(scale * py)) for px, py in points], fill=ARROW)
