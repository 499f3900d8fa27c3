"""Images as maps: bright pixels are free. Needs Pillow, which comes with the extra `images`.

A pixel at least half as bright as white is free. The one exception is the grey 205, which the map saver of ROS writes for
cells that no sensor has seen (it writes 0 for occupied and 254 for free ones): such a cell is unknown, and blocked unless
the caller says that unknown cells are free.

The size of an image is read from its header and checked before a pixel is decoded.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadMap, Missing, NotSupported

READS = ("PNG", "GIF", "BMP", "PPM", "TIFF", "JPEG", "WEBP")  # no others: some of Pillow's formats run programs
WRITES = {".png": "PNG", ".gif": "GIF", ".bmp": "BMP", ".pgm": "PPM", ".tif": "TIFF", ".tiff": "TIFF"}
MAX_PIXELS = 1 << 25  # 5,792 x 5,792; to decode one takes up to 8 bytes
UNKNOWN = 205  # of 255
TIFF_TAGS = (256, 257, 278, 322, 323)  # width and length of the image, rows of a strip, width and length of a tile


def read_image(
    file: str | os.PathLike[str], data: bytes | bytearray, *, unknown_is_free: bool = False, most: int = MAX_PIXELS
) -> NDArray[np.bool_]:
    """Which pixels of the image in `data` are free; an image of more than `most` pixels is not decoded."""
    pixels = _decoded(file, data, most, lambda picture: np.asarray(picture.convert("L")))
    deep = pixels.dtype != np.uint8
    free = np.asarray(pixels >= (1 << 15 if deep else 1 << 7))
    return free if unknown_is_free else free & (pixels != (UNKNOWN * 257 if deep else UNKNOWN))


def read_shades(
    file: str | os.PathLike[str], data: bytes | bytearray, *, most: int = MAX_PIXELS
) -> tuple[NDArray[Any], float, NDArray[np.uint8] | None]:
    """The shade of each pixel, the shade of white, and the opacity of pixels up to 255 (None without an alpha channel).

    The shade is the mean of the colours.
    """
    rows = _decoded(
        file, data, most, lambda one: np.asarray(one.convert("RGBA" if one.has_transparency_data else "RGB"))
    )
    if rows.dtype != np.uint8:
        return np.clip(rows, 0, 65535), 65535.0, None
    shades = rows[:, :, 0].astype(np.uint16)  # of 765, the sum of three colours
    shades += rows[:, :, 1]
    shades += rows[:, :, 2]
    return shades, 765.0, rows[:, :, 3] if rows.shape[2] == 4 else None


def _decoded(
    file: str | os.PathLike[str], data: bytes | bytearray, most: int, converted: Callable[[Any], NDArray[Any]]
) -> NDArray[Any]:
    """The pixels of an image, `converted` if they have 8 bits; those of 16 bits would be cut off instead of scaled."""
    image = _pillow(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _check_webp(data, most)
            with image.open(BytesIO(data), formats=READS) as picture:
                _check_size(picture.width, picture.height, most)
                _check_tiff(picture, most)
                if picture.mode == "F":
                    raise ValueError("its pixels are floating-point numbers, which have no defined white")
                return np.asarray(picture) if picture.mode.startswith("I") else converted(picture)
    except Exception as why:  # decoders raise whatever they stumble upon
        raise BadMap(f"{file}: not an image that can be read: {str(why) or type(why).__name__}") from None


def _check_size(width: int, height: int, most: int) -> None:
    if not 0 < width * height <= most:
        raise ValueError(f"it has {width} x {height} pixels, and at most {most} are read")


def _check_webp(data: bytes | bytearray, most: int) -> None:
    """Raise if the header of a WEBP says that it is too large: Pillow takes memory for all of it when it opens one."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return
    kind, body = bytes(data[12:16]), data[20:30]
    if len(body) == 10 and kind == b"VP8X":
        width, height = (1 + int.from_bytes(body[k : k + 3], "little") for k in (4, 7))
    elif len(body) == 10 and kind == b"VP8 ":
        width, height = (int.from_bytes(body[k : k + 2], "little") & 0x3FFF for k in (6, 8))
    elif len(body) == 10 and kind == b"VP8L":
        bits = int.from_bytes(body[1:5], "little")
        width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        raise ValueError("its header does not say how large it is")
    _check_size(width, height, most)


def _check_tiff(picture: Any, most: int) -> None:
    """Raise if a strip or a tile of a TIFF is too large, however small the image is."""
    tags = getattr(picture, "tag_v2", None)
    if tags is not None:
        width, length, strip, tile_width, tile_length = (int(tags.get(tag, 1)) for tag in TIFF_TAGS)
        _check_size(width, min(strip, length), most)
        _check_size(tile_width, tile_length, most)


def image_bytes(file: str | os.PathLike[str], free: NDArray[np.bool_]) -> bytes:
    """The image of a map, white where it is free, in the format that the name `file` asks for."""
    kind = Path(file).suffix.lower()
    if kind not in WRITES:
        raise NotSupported(f"{file}: a map can be read from {kind} but not written to it: choose {', '.join(WRITES)}")
    image = _pillow(file)
    stream = BytesIO()
    image.fromarray(free.astype(np.uint8) * np.uint8(255)).save(stream, WRITES[kind])
    return stream.getvalue()


def _pillow(file: str | os.PathLike[str]) -> ModuleType:
    try:
        from PIL import Image
    except ImportError:
        raise Missing(f"{file}: images need the package Pillow: pip install 'wayfolk[images]'") from None
    return Image
