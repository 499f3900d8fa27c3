"""The JSON form of maps and tilesets of Tiled."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from wayfolk.errors import BadMap
from wayfolk.files.documents import DocumentModel, checked, line_of, parse_json
from wayfolk.files.folders import beside
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.files.tiled.parts import TiledMap, TileFacts, TileLayer, checked_size, listed, tile_facts, unpacked

Number = Annotated[int, Field(ge=0, lt=1 << 31)]
Steps = tuple[int | str, ...]  # to a part of a document


class _Property(DocumentModel):
    name: str
    value: Any = None


class _Tile(DocumentModel):
    id: Number
    properties: list[_Property] = Field(default_factory=list)


class _Tileset(DocumentModel):
    firstgid: Annotated[int, Field(ge=1, lt=1 << 28)] = 1
    source: str | None = None
    tiles: list[_Tile] = Field(default_factory=list)


class _Layer(DocumentModel):
    type: str
    name: str = ""
    width: int = 0
    height: int = 0
    encoding: str = "csv"
    compression: str = ""
    data: str | list[Any] | None = None
    properties: list[_Property] = Field(default_factory=list)
    layers: list[Any] = Field(default_factory=list)


class _Map(DocumentModel):
    width: int
    height: int
    orientation: str
    infinite: bool = False
    staggeraxis: str = "y"
    staggerindex: str = "odd"
    tilesets: list[_Tileset] = Field(default_factory=list)
    layers: list[Any]


def json_map(file: File, data: bytes) -> TiledMap:
    """The map in a JSON document."""
    tree = parse_json(file, data)
    about = checked(file, data, tree, _Map)
    layers = _tile_layers(file, data, about.layers)
    checked_size(str(file), about.width, about.height, len(layers), about.infinite)
    made = []
    for path, layer in layers:
        where = f"{file}, layer {shown(layer.name)}"
        if (layer.width, layer.height) != (about.width, about.height):
            sizes = f"{layer.width} x {layer.height} tiles, and the map {about.width} x {about.height}"
            raise BadMap(f"{where}{line_of(data, (*path, 'width'))}: it has {sizes}")
        n_tiles = about.width * about.height
        if isinstance(layer.data, list):
            numbers = listed(where, layer.data, n_tiles)
        else:
            numbers = unpacked(where, layer.data or "", layer.encoding, layer.compression, n_tiles)
        facts = tile_facts(where, {one.name: one.value for one in layer.properties})
        made.append(TileLayer(layer.name, numbers, facts.blocked))
    tilesets = []
    for one in about.tilesets:
        if one.source is None:
            tilesets.append((one.firstgid, _facts(file, one)))
        else:
            from wayfolk.files.tiled.tilesets import read_tileset

            tilesets.append((one.firstgid, read_tileset(beside(file, one.source))))
    return TiledMap(about.width, about.height, about.orientation, about.staggeraxis, about.staggerindex, tilesets, made)


def json_tileset(file: File) -> dict[int, TileFacts]:
    """The facts of the tiles in a JSON tileset."""
    data = bytes(read_bytes(file, BadMap))
    return _facts(file, checked(file, data, parse_json(file, data), _Tileset))


def _facts(file: File, tileset: _Tileset) -> dict[int, TileFacts]:
    return {
        tile.id: tile_facts(f"{file}, tile {tile.id}", {one.name: one.value for one in tile.properties})
        for tile in tileset.tiles
    }


def _tile_layers(file: File, data: bytes, trees: list[Any]) -> list[tuple[Steps, _Layer]]:
    """The tile layers from the lowest to the uppermost, those in groups too, each with its path in the document."""
    todo: list[tuple[Steps, Any]] = [(("layers", k), tree) for k, tree in enumerate(trees)]
    todo.reverse()
    found = []
    while todo:
        path, tree = todo.pop()
        layer = checked(file, data, tree, _Layer, path)
        if layer.type == "tilelayer":
            found.append((path, layer))
        elif layer.type == "group":
            todo += [((*path, "layers", k), one) for k, one in reversed(list(enumerate(layer.layers)))]
    return found
