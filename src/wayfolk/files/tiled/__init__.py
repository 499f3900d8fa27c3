"""Maps of the editor Tiled, as XML (`.tmx`, `.tsx`) or JSON (`.tmj`, `.tsj`, `.json`): layers of tiles with properties.

https://doc.mapeditor.org/en/stable/reference/tmx-map-format. What a tile means is in its properties:

* `blocked` (bool): a cell with such a tile in any layer is blocked;
* `cost` (a number above 0): what the terrain costs; of several layers the uppermost tile with a cost counts.

A layer with the property `blocked` blocks all cells where it has a tile. All others are free, those without a tile too.
Orthogonal and isometric maps are grids of squares, hexagonal ones are hexagons. Objects and
images are left out; layers that are hidden in the editor count.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.errors import BadInput, BadMap, NotSupported
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.files.tiled.parts import TiledMap, TileFacts
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.hexagons import HexGrid

FLIPS = np.uint32(0x0FFFFFFF)  # the four highest bits of a tile's number turn and mirror its picture
SQUARES = ("orthogonal", "isometric")


def read_tiled(file: File, moves: str | Moves = Moves.EIGHT) -> Grid | HexGrid:
    """The map of Tiled in `file`: a grid with the rule `moves`, or hexagons."""
    data = bytes(read_bytes(file, BadMap))
    if Path(file).suffix.lower() == ".tmx":
        from wayfolk.files.tiled.xml_form import xml_map

        tiled = xml_map(file, data)
    else:
        from wayfolk.files.tiled.json_form import json_map

        tiled = json_map(file, data)
    free, costs = _terrain(file, tiled)
    name = Path(file).stem
    try:
        if tiled.orientation in SQUARES:
            return Grid(free, moves, costs=costs, name=name)
        if tiled.orientation == "hexagonal":
            layout = "flat" if tiled.stagger_axis == "x" else "pointy"
            return HexGrid(free, layout, shifted=tiled.stagger_index, costs=costs, name=name)
    except BadInput as why:
        raise BadMap(f"{file}: {why}") from None
    raise BadMap(
        f"{file}: the orientation is {shown(tiled.orientation)}: only {', '.join(SQUARES)} and hexagonal are read"
    )


def read_tiled_grid(file: File, moves: str | Moves) -> Grid:
    """The map of Tiled in `file`, which must consist of squares."""
    world = read_tiled(file, moves)
    if not isinstance(world, Grid):
        raise NotSupported(
            f"{file}: this is a map of hexagons, and a grid of squares is needed: read it with read_tiled"
        )
    return world


def _terrain(file: File, tiled: TiledMap) -> tuple[Any, Any]:
    """Which cells are free, and their costs; None where no tile has a cost."""
    free = np.ones((tiled.height, tiled.width), np.bool_)
    costs = np.ones(free.shape)
    first = np.array([number for number, _ in tiled.tilesets], np.int64)
    known = {start + k: facts for start, tiles in tiled.tilesets for k, facts in tiles.items()}
    for layer in tiled.layers:
        numbers = layer.numbers & FLIPS
        used, where = np.unique(numbers, return_inverse=True)
        if len(used) and used[-1] and (not len(first) or used[used > 0][0] < first.min()):
            raise BadMap(
                f"{file}: the layer {shown(layer.name)} has the tile {used[used > 0][0]}, which no tileset holds"
            )
        facts = [known.get(int(number), TileFacts()) for number in used]
        blocked = np.array(
            [one.blocked or (layer.blocked and number > 0) for one, number in zip(facts, used, strict=True)]
        )
        cost = np.array([np.nan if one.cost is None else one.cost for one in facts])
        free &= ~blocked[where].reshape(free.shape)
        laid = cost[where].reshape(free.shape)
        costs = np.where(np.isnan(laid), costs, laid)
    return free, None if (costs == 1.0).all() else costs
