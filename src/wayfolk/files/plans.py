"""Plan files: a map, where every agent is at every step, and perhaps the goals.

JSON has a line for each row of the map and for each path, to be read and edited by people; `.npz` holds the same in
compressed arrays. A place is `[x, y]` in both. In JSON a path that is shorter than others, or has a null in it, says
that the agent is nowhere then; arrays say NOWHERE twice. A plan file may hold walls walked through, jumps and
collisions: to find those is the judge's work. It must not hold places outside the map.

A plan in another world, or of larger bodies, is in the same format with a `world` and `bodies` in place of the map.
"""

from __future__ import annotations

import json
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadPlan
from wayfolk.files.arrays import Expected, about_of, checked_about, read_arrays
from wayfolk.files.maps import ascii_map
from wayfolk.files.raw import File, check_room, read_bytes, reason, shown, write_bytes
from wayfolk.kernels.codes import NOWHERE, SQRT2
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import MAX_CELLS, Grid

FORMAT, VERSION = "wayfolk-plan", 1
ARRAYS: Expected = {
    "about": ("U", ()),
    "free": (np.bool_, (None, None)),
    "links": ("u", (None, None)),
    "costs": ("f", (None, None)),
    "goals": ("i", (None, 2)),
    "paths": ("i", (None, None, 2)),
    "nodes": ("i", (None, None)),
    "goal_nodes": ("i", (None,)),
}
OPTIONAL = ("free", "links", "costs", "goals", "paths", "nodes", "goal_nodes")


def write_plan(plan: Plan, file: File, goals: ArrayLike | None = None) -> None:
    """Write `plan` and the cells of its `goals`: `.npz` is small, any other name means readable JSON."""
    if plan.cells.ndim != 2 or not len(plan.cells):
        raise BadPlan(f"{file}: a plan has steps and agents, this has the shape {plan.cells.shape}")
    ends = None if goals is None else np.asarray(goals)
    if ends is not None and ends.shape != (plan.n_agents,):
        raise BadPlan(f"{file}: {plan.n_agents} agents need as many goals, not the shape {ends.shape}")
    is_small = Path(file).suffix.lower() == ".npz"
    if not isinstance(plan.states, Grid):
        from wayfolk.files import body_plans

        head = {"format": FORMAT, "version": VERSION}
        write = body_plans.as_npz if is_small else body_plans.as_json
        text = write(plan, ends, head)
        write_bytes(file, text.encode() if isinstance(text, str) else text, BadPlan)
        return
    grid = plan.grid
    try:
        paths = _places(grid, plan.cells, "agent {1}, step {0}")
        if ends is not None:
            _whole(grid, plan.cells, ends)
            ends = _places(grid, ends[None], "the goal of agent {1}")[0]
    except BadInput as why:
        raise BadPlan(f"{file}: {why}") from None
    write_bytes(file, _npz(grid, paths, ends) if is_small else _json(grid, paths, ends).encode(), BadPlan)


def plan_json(plan: Plan) -> str:
    """Return `plan` as the text of a plan file."""
    return _json(plan.grid, _places(plan.grid, plan.cells, "agent {1}, step {0}"), None)


def read_plan(file: File) -> tuple[Plan, NDArray[np.int32] | None]:
    """The plan in `file` and the cells of its goals, if it has them."""
    data = read_bytes(file, BadPlan)
    try:
        if Path(file).suffix.lower() == ".npz" or data.startswith(b"PK\x03\x04"):
            return _from_npz(data)
        return _from_json(data)
    except BadInput as why:
        said = reason(why)
        raise BadPlan(f"{file}{said}" if said.startswith(", line") else f"{file}: {said}") from None


def _places(grid: Grid, cells: NDArray[Any], what: str) -> NDArray[np.int32]:
    """The places `[step, agent, (x, y)]`, with NOWHERE for both where an agent is not there."""
    places = grid.places(cells)
    places[cells == NOWHERE] = NOWHERE
    _cells(grid, places, what)
    return places


def _cells(grid: Grid, places: NDArray[Any], what: str = "agent {1}, step {0}") -> NDArray[np.int32]:
    """The cells `[step, agent]` of places, which must be inside the map; NOWHERE for NOWHERE."""
    missing = (places == NOWHERE).all(-1)
    outside = ~(((places >= 0) & (places < (grid.width, grid.height))).all(-1) | missing)
    if outside.any():
        step, agent = np.argwhere(outside)[0].tolist()
        place = tuple(places[step, agent].tolist())
        raise BadPlan(f"{what.format(step, agent)}: {place} is outside the {grid.width} x {grid.height} map")
    cells = grid.cells(np.where(missing[..., None], 0, places)).reshape(missing.shape)
    cells[missing] = NOWHERE
    return cells


def _about(grid: Grid) -> dict[str, Any]:
    about = {"name": grid.name, "width": grid.width, "height": grid.height, "moves": grid.moves.value}
    return about if grid.diagonal == SQRT2 else about | {"diagonal": grid.diagonal}


def _json(grid: Grid, paths: NDArray[np.int32], goals: NDArray[np.int32] | None) -> str:
    """The plan as text, with a line for each row and each path."""
    world = [f'"{key}": {json.dumps(value)}' for key, value in _about(grid).items()]
    world.append(_listed("rows", ascii_map(grid).replace("#", "@").split("\n")))
    if grid.links is not None:
        world.append(_listed("links", [row.tobytes().decode() for row in (grid.links & 3) + ord("0")]))
    if grid.costs is not None:
        world.append(_listed("costs", grid.costs.tolist()))
    agents = [_named(path) for path in paths.swapaxes(0, 1)]
    parts = [
        f'"format": "{FORMAT}"',
        f'"version": {VERSION}',
        '"map": {\n' + ",\n".join(world) + "}",
        f'"starts": {json.dumps(_named(paths[0]), separators=(",", ":"))}',
        f'"goals": {json.dumps(None if goals is None else _named(goals), separators=(",", ":"))}',
        _listed("paths", agents),
    ]
    return "{\n" + ",\n".join(parts) + "}\n"


def _named(places: NDArray[np.int32]) -> list[list[int] | None]:
    rows: list[list[int] | None] = places.tolist()
    for k in np.flatnonzero(places[:, 0] == NOWHERE).tolist():
        rows[k] = None
    return rows


def _listed(key: str, items: list[Any]) -> str:
    return f'"{key}": [\n' + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "]"


def _npz(grid: Grid, paths: NDArray[np.int32], goals: NDArray[np.int32] | None) -> bytes:
    about = json.dumps({"format": FORMAT, "version": VERSION, "map": _about(grid)})
    arrays = {"free": grid.free, "links": grid.links, "costs": grid.costs, "goals": goals, "paths": paths}
    held: dict[str, Any] = {name: array for name, array in arrays.items() if array is not None}
    stream = BytesIO()
    np.savez_compressed(stream, about=np.array(about), **held)
    return stream.getvalue()


def _from_json(data: bytearray) -> tuple[Plan, NDArray[np.int32] | None]:
    try:
        content = json.loads(data)
    except json.JSONDecodeError as why:
        raise BadPlan(f", line {why.lineno}, column {why.colno}: not JSON: {why.msg.removesuffix(' at')}") from None
    except UnicodeDecodeError:
        raise BadPlan("the file is not text in UTF-8") from None
    except (ValueError, RecursionError) as why:
        raise BadPlan(f"not JSON: {reason(why)}") from None
    about = checked_about(content, FORMAT, VERSION)
    if "world" in about:
        from wayfolk.files import body_plans

        return body_plans.from_json(about)
    world = _map_of(about)
    free = _letters(world, "rows", ".@") == ord(".")
    links = None if world.get("links") is None else _letters(world, "links", "0123") - ord("0")
    grid = _grid(world, free, links, None if world.get("costs") is None else _costs(world))
    paths = _list(content, "paths")
    for agent, path in enumerate(paths):
        if not isinstance(path, list) or not path:
            raise BadPlan(f"agent {agent} should have a list of places that begins with its start, not {shown(path)}")
    n_places = max(map(len, paths), default=1)
    check_room(n_places * len(paths), sum(map(len, paths)))
    cells = np.full((n_places, len(paths)), NOWHERE, np.int32)
    for agent, path in enumerate(paths):
        cells[: len(path), agent] = _listed_cells(grid, path, f"agent {agent}, step {{}}")
    if content.get("starts") is not None:
        starts = _listed_cells(grid, _list(content, "starts", len(paths)), "the start of agent {}")
        if (starts != cells[0]).any():
            raise BadPlan(f"the path of agent {(starts != cells[0]).argmax()} does not begin at its start")
    goals = None
    if content.get("goals") is not None:
        goals = _listed_cells(grid, _list(content, "goals", len(paths)), "the goal of agent {}")
    return _whole(grid, cells, goals)


def _from_npz(data: bytearray) -> tuple[Plan, NDArray[np.int32] | None]:
    arrays = read_arrays(data, ARRAYS, optional=OPTIONAL)
    about = about_of(arrays, FORMAT, VERSION)
    if "nodes" in arrays:
        from wayfolk.files import body_plans

        return body_plans.from_arrays(about, arrays)
    for name in ("free", "paths"):
        if name not in arrays:
            raise BadPlan(f"the archive has no array {name!r}")
    world = _map_of(about)
    free, paths, ends = arrays["free"], arrays["paths"], arrays.get("goals")
    if free.shape != (world["height"], world["width"]):
        raise BadPlan(f"the array 'free' has the shape {free.shape}, not {(world['height'], world['width'])}")
    grid = _grid(world, free, arrays.get("links"), arrays.get("costs"))
    if not len(paths):
        raise BadPlan(f"the array 'paths' has the shape {paths.shape}, it should have steps, agents and 2")
    if ends is None:
        return _whole(grid, _cells(grid, paths), None)
    if ends.shape != paths.shape[1:]:
        raise BadPlan(f"the array 'goals' has the shape {ends.shape}, not {paths.shape[1:]}")
    return _whole(grid, _cells(grid, paths), _cells(grid, ends[None], "the goal of agent {1}")[0])


def _map_of(content: dict[str, Any]) -> dict[str, Any]:
    """The part about the map."""
    world = content.get("map")
    if not isinstance(world, dict):
        raise BadPlan(f"the map should be an object, not {shown(world)}")
    for key in ("width", "height"):
        if type(world.get(key)) is not int or not 1 <= world[key] <= MAX_CELLS:
            raise BadPlan(f"the {key} of the map must be from 1 to {MAX_CELLS}, not {shown(world.get(key))}")
    for key in ("name", "moves"):
        if not isinstance(world.get(key), str):
            raise BadPlan(f"the {key} of the map should be a text, not {shown(world.get(key))}")
    if type(world.get("diagonal", SQRT2)) not in (int, float):
        raise BadPlan(f"the diagonal of the map should be a number, not {shown(world['diagonal'])}")
    return world


def _grid(world: dict[str, Any], free: NDArray[Any], links: NDArray[Any] | None, costs: NDArray[Any] | None) -> Grid:
    diagonal = world.get("diagonal", SQRT2)
    return Grid(free, world["moves"], costs=costs, links=links, diagonal=diagonal, name=world["name"])


def _whole(
    grid: Grid, cells: NDArray[np.int32], goals: NDArray[np.int32] | None
) -> tuple[Plan, NDArray[np.int32] | None]:
    if goals is not None and (goals == NOWHERE).any():
        raise BadPlan(f"the goal of agent {(goals == NOWHERE).argmax()} is nowhere")
    return Plan(grid, cells), goals


def _list(holder: dict[str, Any], key: str, length: int | None = None) -> list[Any]:
    items = holder.get(key)
    if not isinstance(items, list):
        raise BadPlan(f"{key!r} should be a list, not {shown(items)}")
    if length is not None and len(items) != length:
        raise BadPlan(f"{key!r} should have {length} items, it has {len(items)}")
    return items


def _letters(world: dict[str, Any], key: str, letters: str) -> NDArray[np.uint8]:
    """The characters `[y, x]` of the map's rows."""
    rows = _list(world, key, world["height"])
    for y, row in enumerate(rows):
        if not isinstance(row, str) or len(row) != world["width"] or set(row) - set(letters):
            raise BadPlan(f"item {y} of {key!r} should be {world['width']} characters of {letters!r}, not {shown(row)}")
    return np.frombuffer("".join(rows).encode(), np.uint8).reshape(world["height"], world["width"])


def _costs(world: dict[str, Any]) -> NDArray[np.float64]:
    rows = _list(world, "costs", world["height"])
    for y, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != world["width"] or set(map(type, row)) - {int, float}:
            raise BadPlan(f"item {y} of 'costs' should be {world['width']} numbers, not {shown(row)}")
    try:
        return np.array(rows, np.float64)
    except OverflowError:
        raise BadPlan("a cost is too large") from None


def _listed_cells(grid: Grid, places: list[Any], what: str) -> NDArray[np.int32]:
    """The cells of a list of `[x, y]` or null; `what` names one of them by its number."""
    there = [place for place in places if place is not None]
    if (
        set(map(type, there)) <= {list}
        and set(map(len, there)) <= {2}
        and set(map(type, chain.from_iterable(there))) <= {int}
    ):
        numbers = list(chain.from_iterable(there))
        if min(numbers, default=0) >= 0 and max(numbers[::2], default=0) < grid.width:
            if max(numbers[1::2], default=0) < grid.height:
                cells = np.full(len(places), NOWHERE, np.int32)
                cells[[place is not None for place in places]] = grid.cells(np.array(numbers, np.int64).reshape(-1, 2))
                return cells
    for k, place in enumerate(places):
        if place is None:
            continue
        if type(place) is not list or len(place) != 2 or set(map(type, place)) != {int}:
            raise BadPlan(f"{what.format(k)}: should be a place [x, y], not {shown(place)}")
        if not (0 <= place[0] < grid.width and 0 <= place[1] < grid.height):
            raise BadPlan(f"{what.format(k)}: {shown(place)} is outside the {grid.width} x {grid.height} map")
    raise AssertionError("a list that is right was called wrong")
