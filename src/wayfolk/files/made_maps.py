"""Maps that a scene or a sweep describes instead of naming a file: `make = "random"` and the settings of that rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from pydantic import Field, Strict

from wayfolk.files.toml import Count, Expects, Schema, Seed
from wayfolk.world import generate
from wayfolk.world.grid import Grid, Moves

_Side = Annotated[int, Field(strict=True, ge=1)]


class Rule(NamedTuple):
    """A function that makes maps, the settings that it takes, and those of them that it needs."""

    make: Callable[..., Grid]
    settings: tuple[str, ...]
    needed: tuple[str, ...] = ("width", "height")


RULES = {
    "random": Rule(generate.random_map, ("width", "height", "blocked", "seed")),
    "maze": Rule(generate.maze, ("width", "height", "corridor", "seed")),
    "rooms": Rule(generate.rooms, ("width", "height", "size", "seed")),
    "warehouse": Rule(generate.warehouse, ("columns", "rows", "shelf", "aisle", "margin"), ()),
}


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
    return RULES[rule].make(**settings, moves=moves)
