"""Maps of Nav2 and of ROS's map server: a `.yaml` that says how an image beside it is read, and masks of the same kind.

https://docs.nav2.org/configuration/packages/configuring-map-server.html. The darker a pixel, from 0 (white) to 1, the surer
its cell is occupied; `negate` turns that round. The `mode` says what it means:

* trinary: more than `occupied_thresh` is occupied, less than `free_thresh` is free, and what lies between is unknown; an
  alpha channel counts as a fourth colour;
* scale: the same ends, with 0 to 100 in proportion between them; a pixel that is not opaque is unknown;
* raw: the shade itself, from 0 to 100 of 255, is the occupancy; above that a cell is unknown.

A cell with an occupancy of 100 is blocked, one with less is free.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from wayfolk.errors import BadMap
from wayfolk.files.documents import DocumentModel, checked, line_of, parse
from wayfolk.files.folders import beside
from wayfolk.files.images import read_shades
from wayfolk.files.raw import File, read_bytes
from wayfolk.world.grid import Moves
from wayfolk.world.site_map import Frame, SiteMap

UNKNOWN, OCCUPIED = 255, 100  # of an occupancy, otherwise from 0
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class _MapServer(DocumentModel):
    image: str = Field(min_length=1)
    resolution: float = Field(gt=0.0)
    origin: tuple[float, float, float]
    negate: bool = False
    occupied_thresh: Share
    free_thresh: Share
    mode: Literal["trinary", "scale", "raw"] = "trinary"


class OccupancyMap(NamedTuple):
    """The occupancy of each cell `[y, x]`: from 0 to 100, or UNKNOWN; and where the map lies."""

    occupancy: NDArray[np.uint8]
    frame: Frame


def read_nav2(
    file: File,
    moves: str | Moves = Moves.EIGHT,
    *,
    unknown: str = "blocked",
    keep_out: File | None = None,
    speed: File | None = None,
) -> SiteMap:
    """The map of Nav2 in `file`, which ends in `.yaml`, with its frame in metres.

    `keep_out` and `speed` name masks: maps of the same size in the same place. The mask `keep_out` blocks the cells that it
    has as occupied; less occupied ones, which Nav2 avoids, stay as they are. The mask `speed` has by how many per cent
    robots are slowed down in each cell (a CostmapFilterInfo with the base 100 and the multiplier -1): with a share s of
    the full speed left, the terrain costs 1 / s.
    """
    if unknown not in ("blocked", "free"):
        raise BadMap(f"unknown cells are 'blocked' or 'free', not {unknown!r}")
    occupancy, frame = read_occupancy(file)
    free = (occupancy < OCCUPIED) | ((occupancy == UNKNOWN) & (unknown == "free"))
    if keep_out is not None:
        free &= _mask(keep_out, file, occupancy, frame) != OCCUPIED
    costs = None
    if speed is not None:
        slower = _mask(speed, file, occupancy, frame)
        stopped = free & (slower == OCCUPIED)
        if stopped.any():
            y, x = np.argwhere(stopped)[0].tolist()
            raise BadMap(f"{speed}: leaves no speed in the free cell ({x}, {y}): a keep-out mask blocks cells")
        costs = 100.0 / (100.0 - np.where(slower < OCCUPIED, slower, 0))
    return SiteMap(free, moves, costs=costs, frame=frame, name=Path(file).stem)


def read_occupancy(file: File) -> OccupancyMap:
    """The occupancy of a map or of a mask, and its frame."""
    data = bytes(read_bytes(file, BadMap))
    tree = parse(file, data)
    if not isinstance(tree, dict) or "image" not in tree:
        raise BadMap(f"{file}: this is no map of Nav2, which has an 'image'; read_roadmap reads roadmaps")
    about = checked(file, data, tree, _MapServer)
    if about.free_thresh >= about.occupied_thresh and about.mode != "raw":
        line = line_of(data, ("free_thresh",))
        ends = f"{about.free_thresh} is not below occupied_thresh, {about.occupied_thresh}"
        raise BadMap(f"{file}{line}: free_thresh, {ends}")
    image = beside(file, about.image)
    if not image.is_file():
        raise BadMap(f"{file}{line_of(data, ('image',))}: there is no image {about.image} beside it")
    try:
        shades, white, opacity = read_shades(image, read_bytes(image, BadMap))
    except BadMap as why:
        raise BadMap(f"{file}{line_of(data, ('image',))}: {why}") from None
    if opacity is not None and about.mode == "trinary":  # counts as a fourth colour
        shades, white = shades + opacity, white + 255.0
    occupancy = _occupancies(np.arange(int(white) + 1) / white, about)[shades]
    if opacity is not None and about.mode == "scale":
        occupancy[opacity < 255] = UNKNOWN
    return OccupancyMap(occupancy, Frame(about.resolution, *about.origin))


def _occupancies(light: NDArray[np.float64], about: _MapServer) -> NDArray[np.uint8]:
    """The occupancy for each shade, from 0 to 1."""
    if about.mode == "raw":
        raw = np.rint(light * 255.0)
        return np.where(raw <= OCCUPIED, raw, UNKNOWN).astype(np.uint8)
    dark = light if about.negate else 1.0 - light
    low, high = about.free_thresh, about.occupied_thresh
    between = np.rint((dark - low) / (high - low) * 100.0) if about.mode == "scale" else np.full(len(dark), UNKNOWN)
    return np.select([dark > high, dark < low], [OCCUPIED, 0], between).astype(np.uint8)


def _mask(mask: File, file: File, occupancy: NDArray[np.uint8], frame: Frame) -> NDArray[np.uint8]:
    """The occupancy of a mask, which must lie exactly on the map."""
    values, place = read_occupancy(mask)
    if values.shape != occupancy.shape:
        sizes = [f"{width} x {height}" for height, width in (values.shape, occupancy.shape)]
        raise BadMap(f"{mask}: the mask has {sizes[0]} cells, and {file} has {sizes[1]}")
    if not np.allclose(place, frame, rtol=1e-6, atol=1e-6 * frame.metres):
        names = ("resolution", "origin x", "origin y", "yaw")
        name, one, other = next(
            row for row in zip(names, place, frame, strict=True) if not np.isclose(*row[1:], 1e-6, 1e-6 * frame.metres)
        )
        raise BadMap(f"{mask}: the mask lies elsewhere than {file}: its {name} is {one:g}, not {other:g}")
    return values
