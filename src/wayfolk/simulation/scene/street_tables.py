"""The tables of a scene file with a street: which keys each has, and what their values must be. See docs/crowds.md."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from wayfolk.files.toml import Area, Count, Expects, Flag, OnePlace, Places, Positive, Schema, Seed, SubTable, Text


class StreetSceneTable(Schema):
    """The whole file."""

    name: Text = None
    about: Text = None
    seed: Seed = None
    until: Positive = None
    street: SubTable = None
    signal: Annotated[list[dict[str, Any]] | None, Expects("written as [[signal]] tables")] = None
    spawn: Annotated[list[dict[str, Any]] | None, Expects("written as [[spawn]] tables")] = None


class StreetTable(Schema):
    """[street]: the map, the size of its cells, and the model that moves pedestrians."""

    map: Text = None
    file: Text = None
    cell: Positive = None
    step: Positive = None
    model: Text = None
    options: SubTable = None


class SignalTable(Schema):
    """[[signal]]: the brain of the lamps of one crossing, or of all others."""

    brain: Text = None
    crossing: OnePlace = None
    settings: SubTable = None


class SpawnTable(Schema):
    """[[spawn]]: who comes to the street, where, and how often."""

    brain: Text = None
    name: Text = None
    rate: Positive = None
    most: Count = None
    vehicle: Flag = None
    speed: Annotated[float | None, Field(gt=0, le=50), Expects("a number above 0, at most 50")] = None
    radius: Annotated[float | None, Field(gt=0, le=10), Expects("a number above 0, at most 10")] = None
    places: Places = None
    area: Area = None
    goals: Places = None
    goal_area: Area = None
    settings: SubTable = None
