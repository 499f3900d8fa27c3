"""The scene of one panel, and the changes to it, as checked data: their fields, types and bounds.

A text of the page is looked up in a table, or it is a number or the bits of a map. None of it is used as the name of a file
or a module.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wayfolk.algorithms.catalogue import Entry
from wayfolk.errors import BadInput
from wayfolk.playground.algorithms import FAMILIES, known
from wayfolk.playground.limits import MAX_AGENTS, MAX_CELLS, MAX_EDIT_CELLS, MAX_SIDE, check_size

Number = Annotated[int, Field(ge=0, le=1 << 40)]
Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Place = tuple[Annotated[int, Field(ge=0, le=MAX_SIDE)], Annotated[int, Field(ge=0, le=MAX_SIDE)]]
Journey = tuple[Number, Number, Number, Number]
Agent = Annotated[int, Field(ge=0, le=10 * MAX_AGENTS)]
Value = bool | int | float | Annotated[str, Field(max_length=60)] | None
Options = Annotated[dict[Annotated[str, Field(max_length=60)], Value], Field(max_length=60)]

Settings = Annotated[dict[Annotated[str, Field(max_length=30)], float], Field(max_length=10)]
QUARTERS = 4
"""Terrain is written in quarters."""
MAX_DRAWING = 20_000

Kind = Literal["search", "agents", "crowd"]
Errand = Literal["one_shot", "patrol", "tasks"]


class Strict(BaseModel):
    """Data without any keys but the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Map(Strict):
    """A map of the playground by its name, or a drawn one: its size, and its walls as bits in base64, row by row.

    `terrain` has a byte for each cell, in base64 too: what it costs to walk there, in quarters.
    """

    name: Annotated[str, Field(max_length=60)] = ""
    width: Side | None = None
    height: Side | None = None
    walls: Annotated[str, Field(max_length=MAX_CELLS // 4)] = ""
    terrain: Annotated[str, Field(max_length=MAX_CELLS * 4 // 3 + 4)] = ""

    def free(self) -> NDArray[np.bool_]:
        """The free cells of a drawn map."""
        if self.width is None or self.height is None:
            raise BadInput("a drawn map needs its width and height")
        check_size(self.width, self.height)
        n = self.width * self.height
        data = self._bytes(self.walls, (n + 7) // 8, "walls", self.width, self.height)
        free: NDArray[np.bool_] = np.unpackbits(data)[:n].reshape(self.height, self.width) == 0
        return free

    def costs(self, width: int, height: int) -> NDArray[np.float64] | None:
        """What it costs to walk in each cell of a map of this size; None if it is the same everywhere."""
        if not self.terrain:
            return None
        data = self._bytes(self.terrain, width * height, "terrain", width, height)
        if not data.all():
            raise BadInput("terrain costs a quarter or more, not 0")
        return (data / QUARTERS).reshape(height, width)

    def _bytes(self, text: str, n: int, what: str, width: int, height: int) -> NDArray[np.uint8]:
        try:
            data = np.frombuffer(base64.b64decode(text, validate=True), np.uint8)
        except (binascii.Error, ValueError):
            raise BadInput(f"the {what} of a map are written in base64") from None
        if len(data) != n:
            raise BadInput(f"a map of {width} x {height} cells has {n} bytes of {what}, not {len(data)}")
        return data


class Coming(Strict):
    """Who comes to a street: so many a second, with one of the package's brains."""

    brain: Literal["pedestrian", "hurried", "car", "bus"]
    rate: Annotated[float, Field(gt=0, le=5)]
    speed: Annotated[float, Field(ge=0, le=50)] = 0.0
    radius: Annotated[float, Field(ge=0, le=3)] = 0.0
    settings: Settings = {}


class StreetPart(Strict):
    """A street: its drawing (see `wayfolk.crowds.street.street_map`), who comes, and the settings of its signals."""

    drawing: Annotated[str, Field(max_length=MAX_DRAWING)]
    cell: Annotated[float, Field(ge=0.5, le=20)] = 3.0
    coming: Annotated[tuple[Coming, ...], Field(min_length=1, max_length=8)]
    signal: Settings = {}


class PanelScene(Strict):
    """What one panel shows: a map, an algorithm, and the agents with what they have to do.

    A `world` of the playground stands for the map, and for the bodies of its agents.
    """

    map: Map
    moves: Literal["four", "eight", "eight_cutting"] = "eight"
    kind: Kind = "agents"
    algorithm: Annotated[str, Field(max_length=60)]
    options: Options = {}
    seed: Annotated[int, Field(ge=0, le=1 << 31)] = 0
    start: Place | None = None
    goal: Place | None = None
    agents: Annotated[int, Field(ge=1, le=MAX_AGENTS)] = 50
    errand: Errand = "one_shot"
    journeys: Annotated[tuple[Journey, ...], Field(max_length=MAX_AGENTS)] = ()
    street: StreetPart | None = None
    world: Annotated[str, Field(max_length=60)] = ""

    def entry(self) -> Entry:
        """The algorithm, and its checked options."""
        return known(self.algorithm, *FAMILIES[self.kind])


class Edit(Strict):
    """A change while it runs. In a search, agent 0 is put to another start, or gets another goal."""

    do: Literal["block", "free", "terrain", "goal", "put", "join", "add", "leave", "hold", "resume", "move", "options"]
    cells: Annotated[tuple[Place, ...], Field(max_length=MAX_EDIT_CELLS)] = ()
    agent: Agent = 0
    place: Place = (0, 0)
    journeys: Annotated[tuple[Journey, ...], Field(max_length=MAX_AGENTS)] = ()
    count: Annotated[int, Field(ge=1, le=1000)] = 1
    cost: Annotated[float, Field(ge=0.25, le=60)] = 1.0
    options: Options = {}


_SCENE: TypeAdapter[PanelScene] = TypeAdapter(PanelScene)


def read_panel_scene(data: Any) -> PanelScene:
    """The scene in a value from JSON."""
    try:
        return _SCENE.validate_python(data, strict=False)
    except ValidationError as error:
        raise BadInput(sentence(error)) from None


def sentence(error: ValidationError) -> str:
    """What is wrong first, in a sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:80]
    return f"the page sent something wrong{f' in {where}' if where else ''}: {first['msg'][:120]}"
