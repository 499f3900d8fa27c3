"""A corridor that is open at both ends, in which people walk round as on a ring."""

from __future__ import annotations

from wayfolk.world.space import Space

BEYOND = 10.0
"""Metres by which the walls go on beyond the ends."""


def corridor(length: float, width: float) -> Space:
    """The free space between two walls, from (0, 0) to (length, width)."""
    left, right = -BEYOND, length + BEYOND
    return Space(
        polygons=[
            [(left, -1), (right, -1), (right, 0), (left, 0)],
            [(left, width), (right, width), (right, width + 1), (left, width + 1)],
        ]
    )
