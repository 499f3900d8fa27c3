"""Files that are dropped on the page: maps, images and scenes. What they are is read from their bytes, not their names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files.maps import read_map
from wayfolk.playground.choices import map_of
from wayfolk.playground.limits import check_size
from wayfolk.playground.scene_files import read_scene_upload
from wayfolk.world.grid import Grid

SIGNS = {
    b"\x89PNG": ".png", b"GIF8": ".gif", b"BM": ".bmp", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp", b"P1": ".pbm",
    b"P2": ".pgm", b"P3": ".ppm", b"P4": ".pbm", b"P5": ".pgm", b"P6": ".ppm", b"type": ".map",
}  # fmt: skip
SCENE = re.compile(rb"^\[\[?(world|street|group|spawn)\]", re.MULTILINE)
"""A table that every scene file has."""
LONGEST_NAME = 40


def read_upload(name: str, data: bytes) -> dict[str, Any]:
    """The scene in a file with these bytes, or as much of one as its map. Its name is shown, and used for nothing else."""
    if SCENE.search(data):
        try:
            return read_scene_upload(data.decode())
        except UnicodeDecodeError:
            raise BadInput("the file is no scene: it is not written in UTF-8") from None
    return {"map": _read_map(name, data), "start": None, "goal": None, "journeys": [], "street": None}


def _read_map(name: str, data: bytes) -> dict[str, Any]:
    kind = next((kind for sign, kind in SIGNS.items() if data.startswith(sign)), ".txt")
    folder = Path(mkdtemp(prefix="wayfolk-"))
    file = folder / f"map{kind}"
    try:
        file.write_bytes(data)
        grid = read_map(file)
    except WayfolkError as error:
        raise BadInput(str(error).replace(str(file), "the file")) from None
    finally:
        file.unlink(missing_ok=True)
        os.rmdir(folder)
    check_size(grid.width, grid.height)
    return map_of(Grid(grid.free, name=_label(name)))


def _label(name: str) -> str:
    """What the page calls the map: letters, digits, spaces and dashes of the file's name."""
    stem = name.rsplit(".", 1)[0]
    kept = "".join(letter for letter in stem if letter.isalnum() or letter in " -_")
    return kept[:LONGEST_NAME] or "dropped map"
