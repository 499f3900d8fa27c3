"""Buildings of Open-RMF's traffic editor: the vertices and lanes of each level, and the lifts that join levels.

Positions are in metres, x to the right and y down, as on the editor's drawing. Drawings are scaled by the measured
distances of their level; in buildings with geographic coordinates, degrees become metres from the first vertex. Fiducials
say how levels lie above each other. A vertex is called by its name if no other has it, else by its level and number.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from wayfolk.errors import BadMap
from wayfolk.files.documents import DocumentModel, checked, line_of
from wayfolk.files.raw import File
from wayfolk.world.roadmap import Lane, Roadmap

METRES_PER_DEGREE = 6_371_000.0 * math.pi / 180.0


def _values(parameters: Any) -> Any:
    """The parameters of the editor, each a pair of a type and a value, as a plain table."""
    if not isinstance(parameters, dict):
        return parameters
    return {name: pair[1] if isinstance(pair, list) and len(pair) == 2 else pair for name, pair in parameters.items()}


class _LaneFacts(DocumentModel):
    bidirectional: bool = False
    graph_idx: int = 0
    speed_limit: float = Field(default=0.0, ge=0.0)


class _VertexFacts(DocumentModel):
    lift_cabin: str = ""


class _Distance(DocumentModel):
    distance: float = Field(gt=0)


Vertex = Annotated[
    tuple[float, float, float, str, Annotated[_VertexFacts, BeforeValidator(_values)]],
    BeforeValidator(lambda row: [*row, {}] if isinstance(row, list) and len(row) == 4 else row),
]
Number = Annotated[int, Field(ge=0)]


class _Level(DocumentModel):
    vertices: list[Vertex] = Field(default_factory=list)
    lanes: list[tuple[Number, Number, Annotated[_LaneFacts, BeforeValidator(_values)]]] = Field(default_factory=list)
    measurements: list[tuple[Number, Number, Annotated[_Distance, BeforeValidator(_values)]]] = Field(
        default_factory=list
    )
    fiducials: list[tuple[float, float, str]] = Field(default_factory=list)
    elevation: float = 0.0


class _Building(DocumentModel):
    name: str = ""
    coordinate_system: str = "reference_image"
    levels: dict[str, _Level]


def rmf_roadmap(file: File, data: bytes, tree: Any, graph: int | None) -> Roadmap:
    """The lanes of a building, those with the number `graph` or all of them."""
    building = checked(file, data, tree, _Building)
    for name, level in building.levels.items():
        for k, (start, end, _) in enumerate(level.lanes):
            for number in (start, end):
                if number >= len(level.vertices):
                    line = line_of(data, ("levels", name, "lanes", k))
                    raise BadMap(f"{file}{line}: a lane of {name} leads to vertex {number}, of {len(level.vertices)}")
    lanes = [
        (name, start, end, facts)
        for name, level in building.levels.items()
        for start, end, facts in level.lanes
        if graph in (None, facts.graph_idx)
    ]
    if not lanes:
        numbers = sorted({facts.graph_idx for level in building.levels.values() for *_, facts in level.lanes})
        which = "" if graph is None else f" with the number {graph}: choose one of {numbers}"
        raise BadMap(f"{file}: the building has no lanes{which}")
    at = _positions(file, building)
    used = list(dict.fromkeys((name, k) for name, start, end, _ in lanes for k in (start, end)))
    called = _names(building, used)
    has_levels = len(building.levels) > 1
    places = {
        called[vertex]: (*at[vertex[0]][vertex[1]], *([building.levels[vertex[0]].elevation] if has_levels else []))
        for vertex in used
    }
    made = [
        Lane(called[name, start], called[name, end], not facts.bidirectional, None, facts.speed_limit or 1.0)
        for name, start, end, facts in lanes
    ]
    made += _lifts(building, used, called)
    levels = {called[vertex]: vertex[0] for vertex in used}
    return Roadmap(places, made, levels=levels, name=building.name or Path(file).stem)


def _names(building: _Building, used: list[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """What each vertex is called."""
    given = {(name, k): building.levels[name].vertices[k][3] for name, k in used}
    count = Counter(given.values())
    return {(name, k): one if one and count[one] == 1 else f"{name}/{k}" for (name, k), one in given.items()}


def _lifts(building: _Building, used: list[tuple[str, int]], called: dict[tuple[str, int], str]) -> list[Lane]:
    """Lanes between the levels that a lift joins, as long as the levels are apart."""
    stops: dict[str, list[tuple[float, str]]] = {}
    for vertex in used:
        level = building.levels[vertex[0]]
        cabin = level.vertices[vertex[1]][4].lift_cabin
        if cabin:
            stops.setdefault(cabin, []).append((level.elevation, called[vertex]))
    lanes = []
    for one in stops.values():
        one.sort()
        lanes += [Lane(low, high, False, above - below) for (below, low), (above, high) in pairwise(one)]
    return lanes


def _positions(file: File, building: _Building) -> dict[str, NDArray[np.float64]]:
    """The position of each vertex of each level, in metres."""
    at, marks = {}, {}
    origin = next((level.vertices[0][:2] for level in building.levels.values() if level.vertices), (0.0, 0.0))
    for name, level in building.levels.items():
        raw = np.array([vertex[:2] for vertex in level.vertices], np.float64).reshape(-1, 2)
        signs = {mark: np.array([x, y]) for x, y, mark in level.fiducials}
        if building.coordinate_system == "wgs84":
            scale = METRES_PER_DEGREE * np.array([math.cos(math.radians(origin[1])), -1.0])
            raw = raw - origin
        elif building.coordinate_system == "cartesian_meters":
            scale = np.array([1.0, -1.0])
        else:
            scale = np.full(2, _metres(file, name, level, raw))
        at[name], marks[name] = raw * scale, {mark: place * scale for mark, place in signs.items()}
    reference = next(iter(marks.values()), {})
    for name, own in marks.items():
        shared = own.keys() & reference.keys()
        if shared:
            at[name] = at[name] + np.mean([reference[mark] - own[mark] for mark in sorted(shared)], axis=0)
    return at


def _metres(file: File, name: str, level: _Level, raw: NDArray[np.float64]) -> float:
    """How long a pixel of the drawing is: the mean of what was measured; 1 without measurements."""
    scales = []
    for start, end, measured in level.measurements:
        if max(start, end) >= len(raw):
            raise BadMap(f"{file}: a measurement of {name} leads to vertex {max(start, end)}, of {len(raw)}")
        pixels = math.dist(raw[start], raw[end])
        if pixels > 0.0:
            scales.append(measured.distance / pixels)
    return sum(scales) / len(scales) if scales else 1.0
