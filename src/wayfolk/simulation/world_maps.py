"""The maps of a saved world: as it was when its agents began, where the kept log begins, and as it is now.

Maps on which agents are points on a square grid are arrays of free cells. Of other worlds, the file has the first map as
JSON, as files of plans do, and arrays of what has changed: cells that were blocked or freed, or lanes that are closed.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput, NotSupported
from wayfolk.files.arrays import Arrays
from wayfolk.files.body_plans import about_states, states_from
from wayfolk.files.world_json import name_of
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.tiling import Tiling

CHANGES = ("changed_at_record", "changed")


class Maps(NamedTuple):
    """The map at the start, where the log begins, and now."""

    first: Grid | StateGraph
    at_record: Grid | StateGraph
    now: Grid | StateGraph


def map_arrays(maps: Maps) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays from which `read_maps` makes the maps again, some of them None, and what is not in arrays."""
    first, at_record, now = maps
    if isinstance(first, Grid) and isinstance(at_record, Grid) and isinstance(now, Grid):
        arrays = {
            "free": now.free, "free_at_record": at_record.free, "free_at_start": first.free,
            "costs": now.costs, "links": now.links,
        }  # fmt: skip
        return arrays, {"map": {"name": now.name, "moves": now.moves.value, "diagonal": now.diagonal}}
    assert isinstance(first, StateGraph)
    assert isinstance(at_record, StateGraph)
    assert isinstance(now, StateGraph)
    _check_names(first.world)
    return dict(zip(CHANGES, (_changes(at_record), _changes(now)), strict=True)), about_states(first)


def read_maps(arrays: Arrays, about: dict[str, Any]) -> Maps:
    """The maps of a file; BadInput says what is wrong with them."""
    if "world" not in about:
        return Maps(*(grid_of(arrays, about, name) for name in ("free_at_start", "free_at_record", "free")))
    first = states_from(about)
    return Maps(first, *(_changed(first, name, arrays[name]) for name in CHANGES))


def grid_of(arrays: Arrays, about: dict[str, Any], name: str) -> Grid:
    """The map whose free cells are in the array `name`."""
    return Grid(arrays[name], costs=arrays.get("costs"), links=arrays.get("links"), **about["map"])


def _check_names(world: Grid | Graph) -> None:
    """Raise NotSupported if JSON cannot tell how nodes are called."""
    if isinstance(world, Grid | Tiling):
        return
    for name in world.names:
        try:
            is_told = name_of(json.loads(json.dumps(name))) == name
        except (TypeError, ValueError, BadInput):
            is_told = False
        if not is_told:
            raise NotSupported(
                f"a world can be saved if its nodes are called by texts, numbers or tuples, not {name!r}"
            )


def _changes(states: StateGraph) -> NDArray[np.int32]:
    """The cells of the first world that were blocked or freed, or its lanes that are closed."""
    if isinstance(states.world, Grid | Tiling):
        return np.setxor1d(states.first.free_cells, states.world.free_cells).astype(np.int32)
    return np.array(sorted(states.closed), np.int32)


def _changed(first: StateGraph, name: str, changes: NDArray[np.int32]) -> StateGraph:
    """The first map after changes."""
    if not changes.size:
        return first
    world = first.world
    has_cells = isinstance(world, Grid | Tiling)
    if isinstance(world, Grid):
        allowed = np.zeros(world.n_cells, np.bool_)
        inside = np.zeros((world.height + 2, world.stride), np.bool_)
        inside[1:-1, 1:-1] = True
        allowed[:] = inside.ravel()
    else:
        allowed = np.ones(world.n_cells if has_cells else len(world.graph.target), np.bool_)
    fits = (changes >= 0) & (changes < len(allowed))
    fits[fits] = allowed[changes[fits]]
    if not fits.all():
        raise BadInput(f"the array {name!r} holds {changes[~fits][0]}, which is outside the world")
    if has_cells:
        is_free = np.isin(changes, world.free_cells)
        states = first.with_blocked(changes[is_free].tolist()).with_freed(changes[~is_free].tolist())
    else:
        states = first.with_edges_closed(changes.tolist())
    return cached(states.world, ("states", states.kinds), lambda world: states)  # those of problems in this world, too
