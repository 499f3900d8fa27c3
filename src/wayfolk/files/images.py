"""Images as maps: bright pixels are free. Needs Pillow, which comes with the extra `images`."""

from __future__ import annotations

import os
import warnings
from io import BytesIO
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadMap, Missing, NotSupported

READS = ("PNG", "GIF", "BMP", "PPM", "TIFF", "JPEG", "WEBP")  # no others: some of Pillow's formats run programs
WRITES = {".png": "PNG", ".gif": "GIF", ".bmp": "BMP", ".pgm": "PPM", ".tif": "TIFF", ".tiff": "TIFF"}


def read_image(file: str | os.PathLike[str], data: bytes | bytearray) -> NDArray[np.bool_]:
    """Which pixels of the image in `data` are at least half as bright as white."""
    image = _pillow(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", image.DecompressionBombWarning)
            with image.open(BytesIO(data), formats=READS) as picture:
                if picture.mode == "F":
                    raise ValueError("its pixels are floating-point numbers, which have no defined white")
                deep = picture.mode.startswith("I")  # 16 bits, which a conversion would cut off instead of scale
                pixels = np.asarray(picture if deep else picture.convert("L"))
    except Exception as why:  # decoders raise whatever they stumble upon
        raise BadMap(f"{file}: not an image that can be read: {str(why) or type(why).__name__}") from None
    return np.asarray(pixels >= (1 << 15 if deep else 1 << 7))


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
