"""The parts of an SVG picture of a world."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.replay.colours import INK, hexed

SIDE = 720.0  # units of the longer side of a picture
MOST_SHAPES = 60_000


class Drawing(NamedTuple):
    """A picture of a world, the part of the plane that it shows, and where it has the cells of the world.

    `levels` says on which of several drawings beside each other a cell is, and `spacing` how far neighbours usually are
    from each other.
    """

    svg: str
    left: float
    top: float
    width: float
    height: float
    at: NDArray[np.float64]
    levels: NDArray[np.int64]
    spacing: float = 1.0


def picture(shapes: Iterable[str], left: float, top: float, width: float, height: float) -> str:
    """The picture of a part of the plane, with its longer side SIDE long."""
    scale = SIDE / max(width, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.6g} {top:.6g} {width:.6g} {height:.6g}" '
        f'width="{width * scale:.6g}" height="{height * scale:.6g}" font-family="system-ui, sans-serif">'
        f'<rect x="{left:.6g}" y="{top:.6g}" width="{width:.6g}" height="{height:.6g}" fill="#ffffff"/>'
        f"{''.join(shapes)}</svg>\n"
    )


def text(x: float, y: float, words: str, size: float, hue: str = hexed(INK)) -> str:
    """Words that begin at a point of their base line, with a white edge so that they can be read on lines."""
    return (
        f'<text x="{x:.6g}" y="{y:.6g}" font-size="{size:.3g}" fill="{hue}" stroke="#ffffff" '
        f'stroke-width="{0.25 * size:.3g}" stroke-linejoin="round" paint-order="stroke">{escape(words)}</text>'
    )


def check_number(n_shapes: int) -> None:
    """Refuse a picture of more shapes than a browser shows in good time."""
    if n_shapes > MOST_SHAPES:
        raise BadInput(f"a picture of {n_shapes:,} shapes is too large; at most {MOST_SHAPES:,} are drawn")


def columns_of(n_panels: int, width: float, height: float) -> int:
    """In how many columns panels of one size are laid out, so that together they are nearly a square."""
    return min(range(1, n_panels + 1), key=lambda n: max(n * width, math.ceil(n_panels / n) * height))
