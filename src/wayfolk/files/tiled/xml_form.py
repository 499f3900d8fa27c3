"""The XML form of maps and tilesets of Tiled."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from wayfolk.errors import BadMap
from wayfolk.files.folders import beside
from wayfolk.files.markup import parse_xml
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.files.tiled.parts import TiledMap, TileFacts, TileLayer, checked_size, listed, tile_facts, unpacked

BOOLEANS = {"true": True, "false": False}


def xml_map(file: File, data: bytes) -> TiledMap:
    """The map in an XML document."""
    root = parse_xml(file, data)
    if root.tag != "map":
        raise BadMap(f"{file}: should be a map of Tiled, which begins with <map>, not with <{root.tag[:40]}>")
    width, height = _number(file, root, "width"), _number(file, root, "height")
    layers = list(_tile_layers(root))
    checked_size(str(file), width, height, len(layers), root.get("infinite") == "1")
    tilesets = []
    for one in root.findall("tileset"):
        first, source = _number(file, one, "firstgid"), one.get("source")
        if source is None:
            tilesets.append((first, _facts(file, one)))
        else:
            from wayfolk.files.tiled.tilesets import read_tileset

            tilesets.append((first, read_tileset(beside(file, source))))
    return TiledMap(
        width, height, root.get("orientation", "orthogonal"), root.get("staggeraxis", "y"),
        root.get("staggerindex", "odd"), tilesets, [_layer(file, one, width, height) for one in layers],
    )  # fmt: skip


def xml_tileset(file: File) -> dict[int, TileFacts]:
    """The facts of the tiles in an XML tileset."""
    root = parse_xml(file, bytes(read_bytes(file, BadMap)))
    if root.tag != "tileset":
        raise BadMap(f"{file}: should be a tileset of Tiled, which begins with <tileset>, not with <{root.tag[:40]}>")
    return _facts(file, root)


def _tile_layers(parent: Element) -> Iterator[Element]:
    """The tile layers from the lowest to the uppermost, those in groups too."""
    for one in parent:
        if one.tag == "layer":
            yield one
        elif one.tag == "group":
            yield from _tile_layers(one)


def _layer(file: File, layer: Element, width: int, height: int) -> TileLayer:
    name = layer.get("name", "")
    where = f"{file}, layer {shown(name)}"
    sizes = _number(file, layer, "width"), _number(file, layer, "height")
    if sizes != (width, height):
        raise BadMap(f"{where}: it has {sizes[0]} x {sizes[1]} tiles, and the map {width} x {height}")
    data = layer.find("data")
    if data is None:
        raise BadMap(f"{where}: it has no data")
    encoding = data.get("encoding")
    if encoding is None:
        numbers = listed(where, [tile.get("gid", "0") for tile in data.iter("tile")], width * height)
    else:
        numbers = unpacked(where, data.text or "", encoding, data.get("compression", ""), width * height)
    return TileLayer(name, numbers, tile_facts(where, _properties(where, layer)).blocked)


def _facts(file: File, tileset: Element) -> dict[int, TileFacts]:
    facts = {}
    for tile in tileset.findall("tile"):
        number = _number(file, tile, "id")
        where = f"{file}, tile {number}"
        facts[number] = tile_facts(where, _properties(where, tile))
    return facts


def _properties(where: str, parent: Element) -> dict[str, object]:
    """The properties of an element that count, with values of their types."""
    values: dict[str, object] = {}
    for one in parent.findall("properties/property"):
        name, kind = one.get("name", ""), one.get("type", "string")
        text = one.get("value", one.text or "")
        if name not in ("blocked", "cost"):
            continue
        if kind == "bool":
            values[name] = BOOLEANS.get(text, text)
        elif kind in ("int", "float"):
            try:
                values[name] = float(text)
            except ValueError:
                raise BadMap(f"{where}: the property {name} is {shown(text)}, which is no number") from None
        else:
            values[name] = text
    return values


def _number(file: File, element: Element, name: str) -> int:
    """A whole number from 0 among the attributes of an element."""
    text = element.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        what = shown(text) if text else "missing"
        raise BadMap(f"{file}: {name} of <{element.tag[:40]}> should be a whole number, and is {what}")
    return int(text)
