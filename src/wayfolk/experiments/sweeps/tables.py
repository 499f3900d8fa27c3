"""The tables of a sweep's file: which keys each has, and what their values must be. docs/laboratory.md explains them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from wayfolk.files.made_maps import MapSettings
from wayfolk.files.toml import Count, Expects, Flag, Positive, Schema, SubTable, Text


class SettingNames(NamedTuple):
    """A kind of maps or problems: the settings that it needs, and those that may be left out."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        """All settings."""
        return self.needed + self.optional


MAPS = {
    "random": SettingNames(("width", "height"), ("blocked", "seed")),
    "maze": SettingNames(("width", "height"), ("corridor", "seed")),
    "rooms": SettingNames(("width", "height"), ("size", "seed")),
    "warehouse": SettingNames((), ("columns", "rows", "aisle")),
    "paper": SettingNames(("name",)),
    "scaled": SettingNames(("file", "width", "height"), ("diagonal", "cliffs")),
}
BODY = ("size", "radius", "turns", "speed")
PROBLEMS = {
    "scen": SettingNames(("file", "agents")),
    "random": SettingNames(("agents",), BODY),
    "paper": SettingNames(("name", "agents")),
    "patrol": SettingNames(("agents",), ("loops", *BODY)),
    "tasks": SettingNames(("agents",), BODY),
    "deliveries": SettingNames(("agents",), BODY),
    "queries": SettingNames(("file",), ("first", "count")),
    "pairs": SettingNames(("count",), ("least", "most")),
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
        Literal["random", "maze", "rooms", "warehouse", "paper", "scaled"] | None,
        Expects(f"one of {', '.join(MAPS)}"),
    ] = None
    name: Text = None
    file: Text = None
    diagonal: Annotated[float | None, Field(ge=1, le=2), Expects("a length from 1 to 2")] = None
    cliffs: Annotated[bool | None, Expects("true or false")] = None


class ProblemTable(Schema):
    """A problem on each of the maps."""

    kind: Annotated[
        Literal["scen", "random", "paper", "patrol", "tasks", "deliveries", "queries", "pairs"] | None,
        Expects(f"one of {', '.join(PROBLEMS)}"),
    ] = None
    file: Text = None
    agents: Count = None
    name: Text = None
    loops: Count = None
    first: Annotated[int | None, Field(ge=0), Expects("a whole number from 0")] = None
    count: Count = None
    size: Count = None
    radius: Positive = None
    turns: Flag = None
    speed: Positive = None
    least: Annotated[float | None, Expects("a number")] = None
    most: Annotated[float | None, Expects("a number")] = None


class AlgorithmTable(Schema):
    """An algorithm and its options."""

    name: Text = None
    options: SubTable = None
