"""What a map of Tiled consists of in either form, and how the numbers of its tiles are written in text."""

from __future__ import annotations

import base64
import binascii
import math
import re
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadMap
from wayfolk.files.raw import shown
from wayfolk.world.grid import MAX_CELLS

MOST_LAYERS = 1_000
MOST_TILES = 1 << 26  # in all layers together
ANY_ZLIB = 47  # zlib and gzip, told apart by their first bytes
KINDS = ("", "zlib", "gzip")
TILE = re.compile(r"\s*[0-9]{1,10}\s*")


class TileFacts(NamedTuple):
    """The properties of a tile that count."""

    blocked: bool = False
    cost: float | None = None


class TileLayer(NamedTuple):
    """A layer: the number of the tile in each cell, row by row, 0 for none; and whether all its tiles block."""

    name: str
    numbers: NDArray[np.uint32]
    blocked: bool


class TiledMap(NamedTuple):
    """A map: `tilesets` have the number of their first tile, and the facts of tiles counted from there."""

    width: int
    height: int
    orientation: str
    stagger_axis: str
    stagger_index: str
    tilesets: list[tuple[int, dict[int, TileFacts]]]
    layers: list[TileLayer]


def checked_size(where: str, width: int, height: int, n_layers: int, infinite: bool) -> None:
    """Refuse a map that is too large, or that has no size."""
    if infinite:
        raise BadMap(f"{where}: the map is infinite: switch that off in its properties in Tiled, and save it again")
    if width < 1 or height < 1 or width * height > MAX_CELLS:
        raise BadMap(f"{where}: a map has from 1 to {MAX_CELLS} cells, not {width} x {height}")
    if n_layers > MOST_LAYERS or n_layers * width * height > MOST_TILES:
        raise BadMap(
            f"{where}: {n_layers} layers of {width} x {height} tiles are more than the {MOST_TILES} that are read"
        )


def tile_facts(where: str, properties: dict[str, object]) -> TileFacts:
    """The facts in the properties of a tile; `where` says which file and tile it is."""
    blocked, cost = properties.get("blocked", False), properties.get("cost")
    if not isinstance(blocked, bool):
        raise BadMap(f"{where}: the property blocked is true or false, not {shown(blocked)}")
    if cost is None:
        return TileFacts(blocked)
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not (0.0 < cost < math.inf):
        raise BadMap(f"{where}: the property cost is a number above 0, not {shown(cost)}")
    return TileFacts(blocked, float(cost))


def unpacked(where: str, text: str, encoding: str, compression: str, n_tiles: int) -> NDArray[np.uint32]:
    """The numbers of so many tiles in the text of a layer."""
    if encoding == "csv":
        check_number(where, text.count(",") + 1 if text.strip() else 0, n_tiles)  # before they become objects
        return listed(where, text.split(","), n_tiles)
    if encoding != "base64":
        raise BadMap(f"{where}: its tiles are written as {shown(encoding)}: only csv and base64 are read")
    if compression not in KINDS:
        raise BadMap(f"{where}: its tiles are compressed by {shown(compression)}: only zlib and gzip are read")
    size = 4 * n_tiles
    try:
        data = base64.b64decode("".join(text.split()), validate=True)
        if compression:
            packer = zlib.decompressobj(ANY_ZLIB)
            data = packer.decompress(data, size + 1)
    except (binascii.Error, ValueError, zlib.error) as why:
        raise BadMap(f"{where}: its tiles cannot be unpacked: {why}") from None
    if len(data) != size:
        some = "more" if len(data) > size else f"only {len(data)}"
        raise BadMap(f"{where}: {n_tiles} tiles are {size} bytes, and there are {some}")
    return np.frombuffer(data, "<u4").astype(np.uint32)


def listed(where: str, values: list[Any], n_tiles: int) -> NDArray[np.uint32]:
    """The numbers of so many tiles in a list of whole numbers, or of texts of such."""
    check_number(where, len(values), n_tiles)
    numbers = np.zeros(n_tiles, np.uint32)
    for k, value in enumerate(values):
        number = int(value) if isinstance(value, str) and TILE.fullmatch(value) else value
        if not isinstance(number, int) or not 0 <= number < 1 << 32:
            raise BadMap(f"{where}: tile {k} is {shown(value)}, which is no number of a tile")
        numbers[k] = number
    return numbers


def check_number(where: str, n_given: int, n_tiles: int) -> None:
    """Refuse a layer that has more or fewer tiles than the map has cells."""
    if n_given != n_tiles:
        raise BadMap(f"{where}: there should be {n_tiles} tiles, not {n_given}")
