"""Tilesets in files of their own, beside the map that names them."""

from __future__ import annotations

from pathlib import Path

from wayfolk.files.raw import File
from wayfolk.files.tiled.parts import TileFacts


def read_tileset(file: File) -> dict[int, TileFacts]:
    """The facts of the tiles in a tileset, which is XML or JSON."""
    if Path(file).suffix.lower() in (".tsx", ".xml"):
        from wayfolk.files.tiled.xml_form import xml_tileset

        return xml_tileset(file)
    from wayfolk.files.tiled.json_form import json_tileset

    return json_tileset(file)
