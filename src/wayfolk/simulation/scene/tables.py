"""The tables of a scene file: which keys each has, and what their values must be. docs/scenes.md explains them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from wayfolk.files.made_maps import MapSettings
from wayfolk.files.toml import Area, Count, Expects, Flag, Positive, Schema, Seed, SubTable, Text
from wayfolk.world.body import MOST_SIZE

BODY = ("size", "radius", "turns", "speed")
"""The keys that say what an agent is."""

EVENTS = {
    "retask": ("group", "agents", "goal", "goals", "goal_area"),
    "join": ("start", "goal", *BODY),
    "leave": ("group", "agents"),
    "release": ("group", "agents"),
    "block": ("places", "area"),
    "free": ("places", "area"),
    "close": ("lanes",),
    "open": ("lanes",),
}
"""What an event can do, and the keys that it then may have beside `at` and `do`."""


def _place(value: Any) -> Any:
    """A place of any world: a name, a number, or coordinates, of which the last may be a heading."""
    if isinstance(value, list | tuple) and 2 <= len(value) <= 3:
        *numbers, last = value
        if all(type(number) is int for number in numbers) and (type(last) is int or isinstance(last, str)):
            return tuple(value)
    elif type(value) is int or isinstance(value, str):
        return value
    raise ValueError("no place")


_Place = Annotated[Any, BeforeValidator(_place)]
_Lane = Annotated[list[_Place], Field(min_length=2, max_length=2)]
A_PLACE = "a place [x, y] or the name of a node"
OnePlace = Annotated[_Place | None, Expects(A_PLACE)]
Places = Annotated[
    Annotated[list[_Place], Field(min_length=1)] | None, Expects(f"a list of places, each {A_PLACE[2:]}", A_PLACE)
]
Lanes = Annotated[
    Annotated[list[_Lane], Field(min_length=1)] | None,
    Expects("a list of lanes [from, to]", "a lane [from, to] with the places at both ends"),
]


class BodySettings(Schema):
    """What agents are."""

    size: Annotated[
        int | None, Field(ge=1, le=MOST_SIZE), Expects(f"a whole number of cells from 1 to {MOST_SIZE}")
    ] = None
    radius: Annotated[float | None, Field(ge=0), Expects("a number from 0")] = None
    turns: Flag = None
    speed: Annotated[float | str | None, Expects('a share of full speed, such as 0.5 or "1/3"')] = None


class SceneTable(Schema):
    """The whole file."""

    name: Text = None
    about: Text = None
    seed: Seed = None
    until: Positive = None
    seconds: Positive = None
    model: Annotated[Literal["steps", "distance", "turns"] | None, Expects("a text")] = None
    vision: Annotated[float | None, Field(ge=1), Expects("a number from 1")] = None
    world: SubTable = None
    controller: SubTable = None
    group: Annotated[list[dict[str, Any]] | None, Expects("written as [[group]] tables")] = None
    event: Annotated[list[dict[str, Any]] | None, Expects("written as [[event]] tables")] = None


class WorldTable(MapSettings):
    """[world]: a drawing, a file, or a rule with its settings."""

    map: Text = None
    file: Text = None
    make: Annotated[
        Literal["random", "maze", "rooms", "warehouse", "hexagons", "triangles", "voxels"] | None, Expects("a text")
    ] = None
    levels: Count = None
    moves: Annotated[Literal["four", "eight", "eight_cutting"] | None, Expects("a text")] = None
    terrain: Annotated[list[dict[str, Any]] | None, Expects("written as [[world.terrain]] tables")] = None


class TerrainTable(Schema):
    """[[world.terrain]]: what it costs to enter some cells."""

    places: Places = None
    area: Area = None
    cost: Positive = None


class ControllerTable(Schema):
    """[controller]: the algorithm that decides, and its options."""

    name: Text = None
    options: SubTable = None


class GroupTable(BodySettings):
    """[[group]]: agents that start somewhere and have something to do."""

    name: Text = None
    count: Count = None
    places: Places = None
    area: Area = None
    goals: Places = None
    goal_area: Area = None
    patrol: Places = None
    loops: Annotated[
        Annotated[int, Field(ge=1)] | Literal["endless"] | None, Expects('a whole number from 1, or "endless"')
    ] = None
    tasks: Places = None
    task_area: Area = None
    pickups: Places = None
    dropoffs: Places = None
    ours: Flag = None


class EventTable(BodySettings):
    """[[event]]: something that happens at a time."""

    at: Annotated[float | None, Field(ge=0), Expects("a number from 0")] = None
    do: Annotated[
        Literal["retask", "join", "leave", "release", "block", "free", "close", "open"] | None, Expects("a text")
    ] = None
    group: Text = None
    agents: Annotated[
        Annotated[list[int], Field(min_length=1)] | None,
        Expects("a list of numbers of agents", "the number of an agent"),
    ] = None
    start: OnePlace = None
    goal: OnePlace = None
    goals: Places = None
    goal_area: Area = None
    places: Places = None
    area: Area = None
    lanes: Lanes = None
