"""The tables of a sweep's file: which keys each has, and what their values must be. docs/laboratory.md explains them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from wayfolk.files.made_maps import MapSettings
from wayfolk.files.toml import Count, Expects, Positive, Schema, SubTable, Text


class Kind(NamedTuple):
    """A kind of maps or problems: the settings that it needs, and those that may be left out."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        """All settings."""
        return self.needed + self.optional


MAPS = {
    "random": Kind(("width", "height"), ("blocked", "seed")),
    "maze": Kind(("width", "height"), ("corridor", "seed")),
    "rooms": Kind(("width", "height"), ("size", "seed")),
    "warehouse": Kind((), ("columns", "rows", "aisle")),
    "thesis": Kind(("letter",)),
    "scaled": Kind(("file", "width", "height"), ("diagonal", "cliffs")),
}
PROBLEMS = {
    "scen": Kind(("file", "agents")),
    "random": Kind(("agents",), ("zone",)),
    "patrol": Kind(("agents",), ("loops",)),
    "tasks": Kind(("agents",)),
    "deliveries": Kind(("agents",)),
    "queries": Kind(("file",), ("first", "count")),
    "pairs": Kind(("count",), ("least", "most")),
}

MOST_SEEDS = 1_000_000  # in a block, and repeats as well
_Seed = Annotated[int, Field(ge=0, le=1 << 62)]
_List = Annotated[Annotated[list[Any], Field(min_length=1)] | None, Expects("a list that is not empty")]


class SweepFile(Schema):
    """The whole file."""

    name: Text = None
    sweep: Annotated[list[dict[str, Any]] | None, Expects("written as [[sweep]] tables")] = None


class BlockTable(Schema):
    """[[sweep]]: every map with every problem, algorithm, seed and repeat."""

    maps: _List = None
    moves: Text = None
    problems: _List = None
    seeds: Annotated[
        Annotated[int, Field(ge=1, le=MOST_SEEDS)] | Annotated[list[_Seed], Field(min_length=1)] | None,
        Expects(f"a number of seeds from 1 to {MOST_SEEDS:,}, or a list of whole numbers from 0"),
    ] = None
    repeats: Annotated[int | None, Field(ge=1, le=MOST_SEEDS), Expects(f"a whole number from 1 to {MOST_SEEDS:,}")] = (
        None
    )
    model: Annotated[Literal["steps", "distance", "turns"] | None, Expects("a text")] = None
    limits: SubTable = None
    algorithms: _List = None


class LimitsTable(Schema):
    """When a run is stopped."""

    seconds: Positive = None
    expansions: Count = None
    steps: Count = None
    until: Positive = None


class MapTable(MapSettings):
    """A map that is made by a rule."""

    make: Annotated[
        Literal["random", "maze", "rooms", "warehouse", "thesis", "scaled"] | None,
        Expects(f"one of {', '.join(MAPS)}"),
    ] = None
    name: Text = None
    letter: Annotated[Literal["a", "b", "c", "d"] | None, Expects("a text")] = None
    file: Text = None
    diagonal: Annotated[float | None, Field(ge=1, le=2), Expects("a length from 1 to 2")] = None
    cliffs: Annotated[bool | None, Expects("true or false")] = None


class ProblemTable(Schema):
    """A problem on each of the maps."""

    kind: Annotated[
        Literal["scen", "random", "patrol", "tasks", "deliveries", "queries", "pairs"] | None,
        Expects(f"one of {', '.join(PROBLEMS)}"),
    ] = None
    file: Text = None
    agents: Count = None
    zone: Annotated[Literal["rooms"] | None, Expects('"rooms"')] = None
    loops: Count = None
    first: Annotated[int | None, Field(ge=0), Expects("a whole number from 0")] = None
    count: Count = None
    least: Annotated[float | None, Expects("a number")] = None
    most: Annotated[float | None, Expects("a number")] = None


class AlgorithmTable(Schema):
    """An algorithm and its options."""

    name: Text = None
    options: SubTable = None
