"""Worlds that a scene or a sweep describes instead of naming a file: `make = "random"` and the settings of that rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, Strict

from wayfolk.files.toml import Count, Expects, Schema, Seed
from wayfolk.world import generate
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.tiling import Tiling
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

_Side = Annotated[int, Field(strict=True, ge=1)]


class Rule(NamedTuple):
    """A function that makes worlds, the settings that it takes, and those of them that it needs."""

    make: Callable[..., Any]
    settings: tuple[str, ...]
    needed: tuple[str, ...] = ("width", "height")


RULES = {
    "random": Rule(generate.random_map, ("width", "height", "blocked", "seed")),
    "maze": Rule(generate.maze, ("width", "height", "corridor", "seed")),
    "rooms": Rule(generate.rooms, ("width", "height", "size", "seed")),
    "warehouse": Rule(generate.warehouse, ("columns", "rows", "shelf", "aisle", "margin"), ()),
}
"""Maps of squares."""
TILINGS = {
    "hexagons": Rule(lambda free: HexGrid(free[0]), ("width", "height", "blocked", "seed")),
    "triangles": Rule(lambda free: TriangleGrid(free[0]), ("width", "height", "blocked", "seed")),
    "voxels": Rule(Voxels, ("width", "height", "levels", "blocked", "seed")),
}
"""Maps of other cells, made of an array `free[level, y, x]`; only scenes describe them."""


class MapSettings(Schema):
    """The settings of all rules."""

    width: Count = None
    height: Count = None
    blocked: Annotated[float | None, Field(ge=0, le=1), Expects("a fraction from 0 to 1")] = None
    corridor: Count = None
    size: Count = None
    columns: Count = None
    rows: Count = None
    shelf: Annotated[
        Annotated[tuple[_Side, _Side], Strict(False)] | None, Expects("a size [width, height] of whole numbers from 1")
    ] = None
    aisle: Count = None
    margin: Count = None
    seed: Seed = None


def make_map(rule: str, settings: dict[str, Any], moves: str | Moves) -> Grid:
    """The map that the rule of that name makes with `settings`, which have been checked."""
    grid: Grid = RULES[rule].make(**settings, moves=moves)
    return grid


def make_tiling(rule: str, width: int, height: int, levels: int = 1, *, blocked: float = 0.0, seed: int = 0) -> Tiling:
    """The map of other cells than squares that the rule of that name makes; a share of them is blocked at random."""
    free: NDArray[np.bool_] = generate.random_map(width, height * levels, blocked, seed=seed).free
    tiling: Tiling = TILINGS[rule].make(free.reshape(levels, height, width))
    return tiling
