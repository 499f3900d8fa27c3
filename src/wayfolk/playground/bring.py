"""Files that are dropped on the page: maps and images. What they are is read from their bytes, not from their names."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from wayfolk.errors import BadInput, WayfolkError
from wayfolk.files.maps import read_map
from wayfolk.playground.limits import check_size
from wayfolk.playground.shown import map_of
from wayfolk.world.grid import Grid

SIGNS = {
    b"\x89PNG": ".png", b"GIF8": ".gif", b"BM": ".bmp", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp", b"P1": ".pbm",
    b"P2": ".pgm", b"P3": ".ppm", b"P4": ".pbm", b"P5": ".pgm", b"P6": ".ppm", b"type": ".map",
}  # fmt: skip
SHORTEST_NAME, LONGEST_NAME = 1, 40


def read_dropped(name: str, data: bytes) -> dict[str, Any]:
    """The map in a file with these bytes. Its name is shown on the page and used for nothing else."""
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
