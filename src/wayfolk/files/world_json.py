"""Worlds of every kind as JSON, for the files of plans: what `world_as_dict` writes, `world_from_dict` reads and checks."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.files.raw import shown
from wayfolk.world.body import Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap, Wall
from wayfolk.world.tiling import Tiling
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

World = Grid | Graph
TILINGS = {"hexagons": HexGrid, "triangles": TriangleGrid, "voxels": Voxels}


def world_as_dict(world: World) -> dict[str, Any]:
    """The world as lists, numbers and texts; `kind` says what it is."""
    if isinstance(world, Grid):
        about: dict[str, Any] = {
            "kind": "grid",
            "name": world.name,
            "moves": world.moves.value,
            "diagonal": world.diagonal,
        }
        about["rows"] = _rows(world.free)
        if world.links is not None:
            about["links"] = (world.links & 3).tolist()
        return about if world.costs is None else about | {"costs": world.costs.tolist()}
    if isinstance(world, Tiling):
        kind = next(kind for kind, cls in TILINGS.items() if isinstance(world, cls))
        settings = {name: value for name, value in world._settings().items() if name != "costs"}
        rows = [_rows(level) for level in world.free] if world.free.ndim == 3 else _rows(world.free)
        about = {"kind": kind, **settings, "rows": rows}
        return about if world.costs is None else about | {"costs": world.costs.tolist()}
    if isinstance(world, Roadmap):
        points = None if world.positions is None else world.positions.tolist()
        return {
            "kind": "roadmap", "name": world.name, "places": list(world.names), "positions": points,
            "lanes": [list(lane) for lane in world.lanes], "levels": [list(pair) for pair in world.levels.items()],
            "stations": {name: list(places) for name, places in world.stations.items()},
            "walls": [list(wall) for wall in world.walls],
        }  # fmt: skip
    return {
        "kind": "graph", "names": list(world.names), "first": world.graph.first.tolist(),
        "target": world.graph.target.tolist(), "weight": world.graph.weight.tolist(), "tiled": world.is_tiled,
        "positions": None if world.positions is None else world.positions.tolist(),
    }  # fmt: skip


def world_from_dict(about: Any) -> World:
    """The world that `world_as_dict` has written; BadInput says what is wrong with it."""
    if not isinstance(about, dict):
        raise BadInput(f"the world should be an object, not {shown(about)}")
    makers: dict[str, Callable[[dict[str, Any]], World]] = {"grid": _grid, "roadmap": _roadmap, "graph": _graph}
    makers |= dict.fromkeys(TILINGS, _tiling)
    kind = about.get("kind")
    if not isinstance(kind, str) or kind not in makers:
        raise BadInput(f"the kind of a world is {', '.join(makers)}, not {shown(kind)}")
    try:
        return makers[kind](about)
    except KeyError as key:
        raise BadInput(f"the {kind} says nothing about {key}") from None
    except (TypeError, ValueError, OverflowError, AttributeError) as why:
        raise BadInput(f"the {kind} cannot be read: {str(why)[:200]}") from None


def body_as_dict(body: Body) -> dict[str, Any]:
    """A body as numbers; what is left out is that of a point."""
    return {name: value for name, value in vars(body).items() if value != getattr(Body(), name)}


def body_from_dict(about: Any) -> Body:
    """The body that `body_as_dict` has written."""
    if not isinstance(about, dict) or set(about) - set(vars(Body())):
        raise BadInput(f"a body has {', '.join(vars(Body()))}, not {shown(about)}")
    if type(about.get("turns", False)) is not bool:
        raise BadInput(f"a body turns or not: true or false, not {shown(about['turns'])}")
    return Body(**about)


def name_of(place: Any) -> Hashable:
    """The name of a place as JSON has it: lists stand for tuples."""
    if isinstance(place, list):
        return tuple(name_of(part) for part in place)
    if isinstance(place, (str, int, float)) or place is None:
        return place
    raise BadInput(f"a place is a text, a number or a list of them, not {shown(place)}")


def _rows(free: NDArray[np.bool_]) -> list[str]:
    return ["".join("@."[cell] for cell in row) for row in free.tolist()]


def _free(rows: Any) -> NDArray[np.bool_]:
    """The free cells of rows of `.` and `@`, which are equally long."""
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise BadInput(f"the rows of a map are texts, not {shown(rows)}")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]) or set(row) - set(".@"):
            raise BadInput(f"row {number} of the map should be {len(rows[0])} characters '.' and '@', not {shown(row)}")
    return np.array([[letter == "." for letter in row] for row in rows], bool)


def _text(about: dict[str, Any], key: str) -> str:
    if not isinstance(about[key], str):
        raise BadInput(f"the {key} of a world is a text, not {shown(about[key])}")
    return str(about[key])


def _grid(about: dict[str, Any]) -> Grid:
    links = about.get("links")
    if links is not None:
        links = np.array(links, np.int64)
        if ((links < 0) | (links > 3)).any():
            raise BadInput("the links of a grid are from 0 to 3")
    free, moves, name = _free(about["rows"]), _text(about, "moves"), _text(about, "name")
    return Grid(free, moves, costs=about.get("costs"), links=links, diagonal=float(about["diagonal"]), name=name)


def _tiling(about: dict[str, Any]) -> Graph:
    rows, costs = about["rows"], about.get("costs")
    if about["kind"] == "voxels":
        if not isinstance(rows, list) or not rows:
            raise BadInput("voxels need a list of levels")
        levels = [_free(level) for level in rows]
        if len({level.shape for level in levels}) > 1:
            raise BadInput("the levels of voxels differ in size")
        return Voxels(np.array(levels), about["neighbours"], costs=costs, name=_text(about, "name"))
    if about["kind"] == "hexagons":
        return HexGrid(_free(rows), _text(about, "layout"), costs=costs, name=_text(about, "name"))
    return TriangleGrid(_free(rows), costs=costs, name=_text(about, "name"))


def _roadmap(about: dict[str, Any]) -> Roadmap:
    names = [name_of(place) for place in about["places"]]
    points = about["positions"]
    places = names if points is None else dict(zip(names, points, strict=True))
    lanes = [Lane(name_of(lane[0]), name_of(lane[1]), bool(lane[2]), *lane[3:]) for lane in about["lanes"]]
    levels = {name_of(place): str(level) for place, level in about["levels"]}
    stations = {str(name): [name_of(place) for place in use] for name, use in about["stations"].items()}
    known = set(names)
    for place in [*levels, *(place for use in stations.values() for place in use)]:
        if place not in known:
            raise BadInput(f"the roadmap has no place {place!r}")
    walls = [Wall(tuple(start), tuple(end), str(level)) for start, end, level in about.get("walls", [])]
    return Roadmap(places, lanes, levels=levels, stations=stations, walls=walls, name=_text(about, "name"))


def _graph(about: dict[str, Any]) -> Graph:
    names = [name_of(name) for name in about["names"]]
    graph = Graph(about["first"], about["target"], about["weight"], about["positions"], names)
    graph.is_tiled = bool(about["tiled"])
    return graph
