"""The arrays of a saved world: their types and shapes, and whether they fit each other.

Kernels index one array by what is in another, and check nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.files.arrays import Arrays, Expected
from wayfolk.kernels.codes import BLOCK, CLOSE, FREE, NOWHERE, OPEN, REFUSED, THOUGHT
from wayfolk.kernels.crew import AGENT, ANSWER, ROW
from wayfolk.simulation.court import STATE
from wayfolk.simulation.world_maps import CHANGES, Maps
from wayfolk.world.graph import Graph
from wayfolk.world.grid import MAX_CELLS, Grid
from wayfolk.world.state_graph import StateGraph
from wayfolk.world.tiling import Tiling

MEMORY = "memory."
"""What the names of the arrays of the controller's memory begin with."""
MAPS = ("free", "free_at_start", "free_at_record")
ON_GRIDS = ("known", "known_costs", "known_links", "costs", "links")
OPTIONAL = (*ON_GRIDS, *MAPS, *CHANGES)
EXPECTED: Expected = {
    "about": ("U", ()),
    **dict.fromkeys((*MAPS, "known"), (np.bool_, (None, None))),
    **dict.fromkeys(("costs", "known_costs"), (np.float64, (None, None))),
    **dict.fromkeys(("links", "known_links"), (np.uint8, (None, None))),
    **dict.fromkeys(("starts", "pool", "drops", "record_starts", "record_goals", *CHANGES), (np.int32, (None,))),
    **dict.fromkeys(("routes", "route", "visits"), (np.int32, (None, None))),
    "agents": (AGENT, (None,)), "answers": (ANSWER, (None,)), "states": (STATE, (None,)), "log": (ROW, (None,)),
    "record_ours": (np.bool_, (None,)), "luck": (np.uint64, (1,)),
    f"{MEMORY}*": ("biufV", None),
}  # fmt: skip


def check_shapes(arrays: Arrays, about: dict[str, Any]) -> None:
    """Raise BadInput unless the arrays fit each other by their shapes, so that maps can be made from them."""
    n = len(arrays["agents"])
    if not n or len(arrays["starts"]) > n or 0 in (arrays["visits"].shape[1], arrays["route"].shape[1]):
        raise BadInput("there are fewer agents than starts, or agents without a goal")
    sizes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("answers", "states", "record_starts", "record_goals", "record_ours"), (n,)),
        "visits": (n, arrays["visits"].shape[1]), "route": (n, arrays["route"].shape[1]),
        "routes": (len(arrays["starts"]), arrays["visits"].shape[1]),
    }  # fmt: skip
    has_nodes = "world" in about
    for name in CHANGES if has_nodes else MAPS:
        if name not in arrays:
            raise BadInput(f"the array {name!r} is missing")
    for name in (*MAPS, *ON_GRIDS) if has_nodes else CHANGES:
        if name in arrays:
            raise BadInput(f"the array {name!r} does not belong to this kind of world")
    if "free" in arrays:
        shape = arrays["free"].shape
        if 0 in shape:
            raise BadInput("there are no cells")
        if shape[0] * shape[1] > MAX_CELLS:
            raise BadInput(f"a map of {shape[1]} x {shape[0]} cells is too large")
        sizes |= dict.fromkeys((*MAPS, *ON_GRIDS), shape)
    for name, size in sizes.items():
        if name in arrays and arrays[name].shape != size:
            raise BadInput(f"the array {name!r} of the shape {arrays[name].shape} does not fit the others")


def check_arrays(arrays: Arrays, maps: Maps, ticks: int, tick: float) -> None:
    """Raise BadInput unless the arrays fit the maps, and a clock that shows `ticks` of the length `tick`."""
    _check_numbers(arrays, len(arrays["agents"]), ticks * tick, maps)
    _check_places(arrays, maps)


def _check_numbers(arrays: Arrays, n: int, now: float, maps: Maps) -> None:
    agents, states, answers, log = (arrays[name] for name in ("agents", "states", "answers", "log"))
    width, room = arrays["visits"].shape[1], arrays["route"].shape[1]
    for name, values, most in (
        ("agents", agents["ready"], now + 4.0), ("log", log["time"], now + 1e-6), ("log", log["agent"], n - 1),
        ("answers", answers["n_route"], room), ("answers", answers["at"], room),
        ("answers", answers["spent"], 2**30), ("states", states["leg"], max(width, 2) - 1),
        ("states", states["loop"], 2**30),
    ):  # fmt: skip
        _refuse(name, values, (values >= 0) & (values <= most))
    has_lanes = isinstance(maps.now, StateGraph) and not isinstance(maps.now.world, Grid | Tiling)
    kinds = [kind for kind in range(THOUGHT + 1) if not (has_lanes and kind in (BLOCK, FREE))]
    _refuse("log", log["kind"], np.isin(log["kind"], [*kinds, CLOSE, OPEN] if has_lanes else kinds))
    if (np.diff(log["time"]) < 0).any():
        raise BadInput("the array 'log' is not in the order of time")
    for field in ("want", "due", "chain", "verdict"):  # scratch of the referee
        states[field] = 0


def _check_places(arrays: Arrays, maps: Maps) -> None:
    inside, free, free_at_start = _inside(maps.now), maps.now._free, maps.first._free
    agents, answers, log = (arrays[name] for name in ("agents", "answers", "log"))
    here = agents["here"][agents["present"]]
    in_use = np.arange(arrays["route"].shape[1]) < answers["n_route"][:, None]
    arrays["route"][~in_use] = 0
    is_edit = np.isin(log["kind"], (BLOCK, FREE, CLOSE, OPEN))
    are_cells = log["cell"][
        ~np.isin(log["kind"], (THOUGHT, REFUSED)) & ~is_edit
    ]  # these hold a count, or what was wanted
    for name, cells, allowed, none in (
        ("agents", here, free, None), ("agents", agents["here"], inside, None), ("agents", agents["came"], inside, None),
        ("agents", agents["goal"], inside, None), ("starts", arrays["starts"], inside, None),
        *((name, arrays[name], inside, None) for name in ("routes", "visits", "pool", "drops")),
        *((name, arrays[name], inside, NOWHERE) for name in ("record_starts", "record_goals")),
        ("route", arrays["route"][in_use], inside, None), ("log", are_cells, inside, None),
        ("log", log["cell"][is_edit], _editable(maps.now), None),
    ):  # fmt: skip
        fits = (cells >= 0) & (cells < allowed.size)
        fits[fits] = allowed.ravel()[cells[fits]]
        _refuse(name, cells, fits if none is None else fits | (cells == none))
    _refuse("log", log["cell"], log["cell"] >= 0)
    if isinstance(maps.now, Grid):
        if len(np.unique(here)) < len(here):
            raise BadInput("two agents are in one cell")
    elif maps.now.clashes(here):
        raise BadInput("two agents are in one place")
    if not free_at_start[arrays["starts"]].all():
        raise BadInput("the array 'starts' has an agent in a wall")


def _inside(states: Grid | StateGraph) -> NDArray[np.bool_]:
    """Which cells belong to the map, or which nodes there are."""
    if isinstance(states, StateGraph):
        return np.ones(states.n_cells, np.bool_)
    inside = np.zeros((states.height + 2, states.stride), np.bool_)
    inside[1:-1, 1:-1] = True
    return inside.ravel()


def _editable(states: Grid | StateGraph) -> NDArray[np.bool_]:
    """Which cells can be blocked and freed, or which lanes can be closed and opened."""
    if isinstance(states, Grid):
        return _inside(states)
    world = states.first
    n = max(states.n_cells, len(world.graph.target) if isinstance(world, Graph) else 0)
    allowed = np.zeros(n, np.bool_)
    if isinstance(world, Grid):
        allowed[: world.n_cells] = _inside(world)
    else:
        allowed[: world.n_cells if isinstance(world, Tiling) else len(world.graph.target)] = True
    return allowed


def _refuse(name: str, values: NDArray[Any], fits: NDArray[np.bool_]) -> None:
    if not fits.all():
        raise BadInput(f"the array {name!r} holds {values[~fits][0]}, which is outside the world")
