"""Direction maps as files: the vectors, and enough about their world to refuse another one."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.files.arrays import about_of, read_arrays
from wayfolk.files.raw import File, read_bytes, write_bytes
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

FORMAT, VERSION = "wayfolk-directions", 1
MOST_SECONDS = 1e15  # of the age of a vector
LEAST_LIMIT = 1 << 26  # bytes of all arrays, in addition to those for each cell


def write_directions(directions: DirectionMap, file: File) -> None:
    """Write the vectors of `directions`, and which world they are of, to a `.npz` file."""
    cells = np.flatnonzero(directions.is_stored).astype(np.int32)
    held: dict[str, Any] = {
        "about": np.array(json.dumps(_about(directions.world))),
        "cells": cells,
        "lanes": directions.lanes.cells[cells].view(np.float64).reshape(-1, 4),
    }
    stream = BytesIO()
    np.savez_compressed(stream, **held | _plan_of(directions.world))
    write_bytes(file, stream.getvalue(), BadInput)


def read_directions(directions: DirectionMap, file: File) -> DirectionMap:
    """Fill a new direction map with the vectors of `file`, if they are of its world; their ages count back from 0."""
    world = directions.world
    data = read_bytes(file, BadInput)
    expected: dict[str, Any] = {name: (array.dtype, (None,) * array.ndim) for name, array in _plan_of(world).items()}
    expected |= {"about": ("U", ()), "cells": (np.int32, (None,)), "lanes": (np.float64, (None, 4))}
    try:
        arrays = read_arrays(data, expected, limit=LEAST_LIMIT + 128 * world.n_cells)
        about = about_of(arrays, FORMAT, VERSION)
    except BadInput as why:
        raise BadInput(f"{file}: not a direction map of a world like this: {why}") from None
    cells, lanes = arrays["cells"], arrays["lanes"]
    difference = _difference(world, about, arrays)
    if difference:
        raise BadInput(f"{file}: the direction map is of another world: {difference}")
    if len(cells) != len(lanes):
        raise BadInput(f"{file}: {len(cells)} cells have {len(lanes)} vectors")
    if not ((np.abs(lanes[:, :3]) <= 1.0).all() and (np.hypot(*lanes.T[:2]) <= lanes[:, 2] + 1e-9).all()):
        raise BadInput(f"{file}: a vector is longer than 1, or not a number")
    if not (np.abs(lanes[:, 3]) < MOST_SECONDS).all():
        raise BadInput(f"{file}: the age of a vector is not a number")
    wrong = (cells < 0) | (cells >= world.n_cells)
    if wrong.any():
        raise BadInput(f"{file}: there is a vector for cell {cells[wrong][0]}, of {world.n_cells} cells")
    if len(cells):
        lanes[:, 3] -= lanes[:, 3].max()
        directions.lanes.cells.view(np.float64).reshape(-1, 4)[cells] = lanes
    return directions


def _about(world: Grid | Graph) -> dict[str, Any]:
    if isinstance(world, Graph):
        return {"format": FORMAT, "version": VERSION, "nodes": world.n_cells}
    shape = {"width": world.width, "height": world.height, "moves": world.moves.value}
    return {"format": FORMAT, "version": VERSION, "name": world.name} | shape


def _plan_of(world: Grid | Graph) -> dict[str, NDArray[Any]]:
    """What makes a world another one: the moves from each cell, or the edges and places of nodes."""
    if isinstance(world, Graph):
        assert world.positions is not None
        return {"first": world.graph.first, "target": world.graph.target, "places": world.positions}
    return {"legal": world.legal}


def _difference(world: Grid | Graph, about: dict[str, Any], plan: dict[str, NDArray[Any]]) -> str:
    """What is different here from the world of a file, "" if nothing is."""
    if isinstance(world, Graph):
        if about.get("nodes") != world.n_cells:
            return f"it has {about.get('nodes')} nodes, this has {world.n_cells}"
        same = all(np.array_equal(plan[name], array) for name, array in _plan_of(world).items())
        return "" if same else "its edges or places are not the same"
    for what in ("width", "height", "moves"):
        if about.get(what) != _about(world)[what]:
            return f"its {what} is {about.get(what)}, here it is {_about(world)[what]}"
    if plan["legal"].shape != world.legal.shape:
        return f"it has {plan['legal'].size} cells with their border, this has {world.n_cells}"
    other = np.flatnonzero(plan["legal"] != world.legal)
    if not other.size:
        return ""
    return f"{len(other)} cells can be left in other ways, the first of them {world.place(int(other[0]))}"
