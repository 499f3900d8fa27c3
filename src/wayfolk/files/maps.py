"""Maps as files: Moving AI maps, drawings and images.

Sturtevant, "Benchmarks for Grid-Based Pathfinding", 2012.

A file is read whole, checked, and only then turned into arrays, so that a wrong header cannot cause a large allocation. An
error is one sentence: the file as the caller named it, the line, and what is wrong there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadMap, NotSupported
from wayfolk.files.raw import File, read_bytes, shown, write_bytes
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.grid import MAX_CELLS, Grid, Moves

IMAGES = frozenset((".png", ".gif", ".bmp", ".pgm", ".pbm", ".ppm", ".pnm", ".tif", ".tiff", ".jpg", ".jpeg", ".webp"))
NEWLINE, RETURN = 10, 13

STATIONS = "ES"  # emitters and service points
BAD, SLOPE, FREE, BLOCKED = 255, 2, 1, 0  # what a letter stands for; SLOPE is a bit


def _codes(letters: Mapping[bytes, int]) -> NDArray[np.uint8]:
    table = np.full(256, BAD, np.uint8)
    for group, code in letters.items():
        table[list(group)] = code
    return table


OCTILE = _codes({b".GSE": FREE, b"@OTW": BLOCKED})
CORNER = _codes({b".GS": FREE, b"@OTW": BLOCKED, b"gs": FREE | SLOPE, b"otw": BLOCKED | SLOPE})
HEIGHTS = _codes({b"%d" % digit: digit for digit in range(10)})
DRAWING = _codes({b". ": FREE, b"#@": BLOCKED})


def read_map(file: File, moves: str | Moves = Moves.EIGHT, *, unknown: str = "blocked") -> Grid:
    """The map in `file`: Moving AI `octile` or `octile-corner`, an image (bright is free), or a `.txt` drawing.

    A `.yaml` is a map of Nav2 beside its image, see `read_nav2`; `.tmx` and `.tmj` are maps of Tiled. An `octile` map with
    cells E is one of the League of Robot Runners: it has the stations E and S. A name such as "rooms", of which there is no
    file here, is that of a built-in map. `unknown` is what cells are in a ROS map that has never seen them: in an image
    alone, the grey 205.
    """
    if unknown not in ("blocked", "free"):
        raise BadMap(f"unknown cells are 'blocked' or 'free', not {unknown!r}")
    moves, kind = Moves.of(moves), Path(file).suffix.lower()
    if not kind:
        from wayfolk.files.built_in import is_name, named_map

        if is_name(file):
            return named_map(file).with_moves(moves)
    if kind in (".yaml", ".yml"):
        from wayfolk.files.nav2 import read_nav2

        return read_nav2(file, moves, unknown=unknown)
    if kind in (".tmx", ".tmj"):
        from wayfolk.files.tiled import read_tiled_grid

        return read_tiled_grid(file, moves)
    data = read_bytes(file, BadMap)
    name = Path(file).stem
    if kind in IMAGES:
        from wayfolk.files.images import read_image

        return Grid(read_image(file, data, unknown_is_free=unknown == "free"), moves, name=name)
    if kind == ".txt" and not data.startswith(b"type"):
        return Grid(_drawn(data.decode("utf-8", "replace"), str(file)), moves, name=name)
    where = str(file)
    is_corner, height, width, body = _header(data, where)
    rows = _rows(np.frombuffer(body, np.uint8), height * (1 + is_corner), width, where, 5)
    if not is_corner:
        free = _codes_of(rows, OCTILE, where, 5)
        return _with_stations(rows, free, moves, name) if (rows == ord("E")).any() else Grid(free, moves, name=name)
    heights = _codes_of(rows[:height], HEIGHTS, where, 5)
    tiles = _codes_of(rows[height:], CORNER, where, 5 + height)[:-1, :-1]  # the last ones each way are padding
    return Grid(tiles & FREE, moves, links=_links(heights, tiles & SLOPE > 0), name=name)


def parse_ascii(text: str, moves: str | Moves = Moves.EIGHT) -> Grid:
    """The grid drawn in `text`: `.` and space are free, `#` and `@` blocked.

    A text that begins with a new line is a block in a program: its indentation and the line of the closing quotes are
    taken away, so a free cell at the left edge of such a block is better drawn as a dot.
    """
    return Grid(_drawn(text, "drawing"), moves)


def ascii_map(grid: Grid) -> str:
    """A drawing of `grid` that `parse_ascii` reads: `.` is free, `#` blocked; cliffs and costs are not drawn."""
    return _drawing(grid.free, b"#.").decode()


def write_map(grid: Grid, file: File) -> None:
    """Write `grid` as an image, if `file` is named like one, or as an `octile` map (`.map`, `.txt`, or no suffix)."""
    suffix = Path(file).suffix.lower()
    if suffix not in IMAGES and suffix not in (".map", ".txt", ""):
        raise BadMap(f"{file}: a map is a file that ends in .map, or in the suffix of an image such as .png")
    if grid.links is not None and (grid.legal != Grid(grid.free, grid.moves).legal).any():
        raise NotSupported(f"{file}: a map file cannot hold the cliffs of this grid; a plan file can")
    if grid.costs is not None and (grid.costs != 1.0).any():
        raise NotSupported(f"{file}: a map file cannot hold the costs of this grid; a plan file can")
    if suffix in IMAGES:
        from wayfolk.files.images import image_bytes

        write_bytes(file, image_bytes(file, grid.free), BadMap)
    else:
        header = b"type octile\nheight %d\nwidth %d\nmap\n" % grid.free.shape
        write_bytes(file, header + _drawing(grid.free, b"@.") + b"\n", BadMap)


def _header(data: bytearray, where: str) -> tuple[bool, int, int, bytearray]:
    """Whether the map is an octile-corner one, its height and width, and its rows."""
    parts = data.split(b"\n", 4)
    parts += [bytearray()] * (5 - len(parts))
    kind, *sizes, end = (line.split() for line in parts[:4])
    if kind not in ([b"type", b"octile"], [b"type", b"octile-corner"]):
        raise BadMap(f"{where}, line 1: should be 'type octile' or 'type octile-corner', not {shown(parts[0])}")
    is_corner = kind[1] == b"octile-corner"
    least = 2 if is_corner else 1  # a tile has two corners each way
    sides: dict[str, int] = {}
    for line, words in enumerate(sizes, 2):
        key = words[0].decode("utf-8", "replace") if len(words) == 2 else ""
        if key not in ("height", "width") or key in sides:
            raise BadMap(f"{where}, line {line}: should give the height or the width, not {shown(parts[line - 1])}")
        if not (words[1].isdigit() and len(words[1]) <= 12 and least <= int(words[1]) <= MAX_CELLS):
            raise BadMap(f"{where}, line {line}: the {key} must be from {least} to {MAX_CELLS}, not {shown(words[1])}")
        sides[key] = int(words[1])
    height, width = sides["height"], sides["width"]
    if height * width > MAX_CELLS:
        raise BadMap(f"{where}, line 3: a map of {width} x {height} cells is larger than the {MAX_CELLS} this can hold")
    if end != [b"map"]:
        raise BadMap(f"{where}, line 4: should be 'map', not {shown(parts[3])}")
    return is_corner, height, width, parts[4].rstrip()


def _rows(text: NDArray[Any], height: int, width: int, where: str, first: int) -> NDArray[Any]:
    """The characters `[y, x]` of a `text` of equally long lines; its first one is line `first` of the file."""
    ends = np.append(np.flatnonzero(text == NEWLINE), len(text))
    lengths = np.diff(ends, prepend=-1) - 1
    n_rows = len(ends) if len(text) else 0
    kept = text != NEWLINE
    closed = np.flatnonzero((lengths > 0) & (text[ends - 1] == RETURN)) if n_rows else ends[:0]
    kept[ends[closed] - 1] = False  # Windows ends a line with two characters
    lengths[closed] -= 1
    wrong = lengths[: min(n_rows, height)] != width
    if wrong.any():
        row = int(wrong.argmax())
        raise BadMap(f"{where}, line {first + row}: the row has {lengths[row]} characters, it should have {width}")
    if n_rows < height:
        raise BadMap(f"{where}, line {first + n_rows}: the map ends after {n_rows} of its {height} rows")
    if n_rows > height:
        raise BadMap(f"{where}, line {first + height}: there are {n_rows} rows, there should be {height}")
    rows: NDArray[Any] = text[kept].reshape(height, width)
    return rows


def _codes_of(rows: NDArray[Any], codes: NDArray[np.uint8], where: str, first: int) -> NDArray[np.uint8]:
    """The code of each character; BadMap for a character without one."""
    values: NDArray[np.uint8] = codes[np.minimum(rows, BAD)]
    if (values == BAD).any():
        y, x = np.argwhere(values == BAD)[0].tolist()
        letter = ascii(chr(int(rows[y, x])))
        raise BadMap(f"{where}, line {first + y}, column {x + 1}: the character {letter} means nothing here")
    return values


def _with_stations(rows: NDArray[Any], free: NDArray[np.uint8], moves: Moves, name: str) -> Grid:
    """A map of the League of Robot Runners; S is a station only there, and in other maps a swamp."""
    from wayfolk.world.site_map import SiteMap

    stride = free.shape[1] + 2
    stations = {}
    for kind in STATIONS:
        y, x = np.nonzero(rows == ord(kind))
        stations[kind] = ((y + 1) * stride + x + 1).astype(np.int32)
    return SiteMap(free, moves, stations=stations, name=name)


def _links(heights: NDArray[np.uint8], is_slope: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    """The pairs of tiles without a cliff between them, by the heights of their corners; None if there are no cliffs.

    A slope keeps the heights of its corners, any other tile is as high as its north-west one. Tiles connect if their
    heights agree at both ends of their common edge.
    """
    flat = heights[:-1, :-1]
    north_east, south_west, south_east = (
        np.where(is_slope, corner, flat) for corner in (heights[:-1, 1:], heights[1:, :-1], heights[1:, 1:])
    )
    east, south = np.ones_like(is_slope), np.ones_like(is_slope)
    east[:, :-1] = (north_east[:, :-1] == flat[:, 1:]) & (south_east[:, :-1] == south_west[:, 1:])
    south[:-1] = (south_west[:-1] == flat[1:]) & (south_east[:-1] == north_east[1:])
    if east.all() and south.all():
        return None
    return (east * OPEN_EAST | south * OPEN_SOUTH).astype(np.uint8)


def _drawn(text: str, where: str) -> NDArray[np.uint8]:
    """The cells of a drawing."""
    first = 1
    if text.startswith("\n"):
        lines = text.split("\n")[1:]
        if not lines[-1].strip():
            lines.pop()
        margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
        text, first = "\n".join(line[margin:] for line in lines), 2
    text = text.rstrip("\r\n")
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    width = len(text.split("\n", 1)[0].removesuffix("\r"))
    if not width:
        raise BadMap(f"{where}, line {first}: there is nothing drawn")
    return _codes_of(_rows(letters, text.count("\n") + 1, width, where, first), DRAWING, where, first)


def _drawing(free: NDArray[np.bool_], letters: bytes) -> bytes:
    """A line for each row, with the first of `letters` for blocked cells and the second for free ones."""
    text = np.full((free.shape[0], free.shape[1] + 1), NEWLINE, np.uint8)
    text[:, :-1] = np.frombuffer(letters, np.uint8)[free.astype(np.uint8)]
    return text.tobytes()[:-1]
