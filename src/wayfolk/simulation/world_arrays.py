"""The arrays of a saved world: their types and shapes, and whether they fit each other.

Kernels index one array by what is in another, and check nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.files.arrays import Arrays, Expected
from wayfolk.kernels.codes import NOWHERE, REFUSED, THOUGHT
from wayfolk.kernels.crew import AGENT, ANSWER, ROW
from wayfolk.simulation.court import STATE
from wayfolk.world.grid import MAX_CELLS

MEMORY = "memory."
"""What the names of the arrays of the controller's memory begin with."""
OPTIONAL = ("known", "known_costs", "known_links", "costs", "links")
EXPECTED: Expected = {
    "about": ("U", ()),
    **dict.fromkeys(("free", "free_at_start", "free_at_record", "known"), (np.bool_, (None, None))),
    **dict.fromkeys(("costs", "known_costs"), (np.float64, (None, None))),
    **dict.fromkeys(("links", "known_links"), (np.uint8, (None, None))),
    **dict.fromkeys(("starts", "pool", "drops", "record_starts", "record_goals"), (np.int32, (None,))),
    **dict.fromkeys(("routes", "route", "visits"), (np.int32, (None, None))),
    "agents": (AGENT, (None,)), "answers": (ANSWER, (None,)), "states": (STATE, (None,)), "log": (ROW, (None,)),
    "record_ours": (np.bool_, (None,)), "luck": (np.uint64, (1,)),
    f"{MEMORY}*": ("biufV", None),
}  # fmt: skip


def check_arrays(arrays: Arrays, ticks: int, tick: float) -> None:
    """Raise BadInput unless the arrays fit each other, and a clock that shows `ticks` of the length `tick`."""
    n, shape = len(arrays["agents"]), arrays["free"].shape
    if not n or len(arrays["starts"]) > n or 0 in (*shape, arrays["visits"].shape[1], arrays["route"].shape[1]):
        raise BadInput("there are fewer agents than starts, agents without a goal, or no cells")
    if shape[0] * shape[1] > MAX_CELLS:
        raise BadInput(f"a map of {shape[1]} x {shape[0]} cells is too large")
    sizes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys(("free_at_start", "free_at_record", *OPTIONAL), shape),
        **dict.fromkeys(("answers", "states", "record_starts", "record_goals", "record_ours"), (n,)),
        "visits": (n, arrays["visits"].shape[1]), "route": (n, arrays["route"].shape[1]),
        "routes": (len(arrays["starts"]), arrays["visits"].shape[1]),
    }  # fmt: skip
    for name, size in sizes.items():
        if name in arrays and arrays[name].shape != size:
            raise BadInput(f"the array {name!r} of the shape {arrays[name].shape} does not fit the others")
    _check_numbers(arrays, n, ticks * tick)
    _check_places(arrays, shape)


def _check_numbers(arrays: Arrays, n: int, now: float) -> None:
    agents, states, answers, log = (arrays[name] for name in ("agents", "states", "answers", "log"))
    width, room = arrays["visits"].shape[1], arrays["route"].shape[1]
    for name, values, most in (
        ("agents", agents["ready"], now + 4.0), ("log", log["time"], now + 1e-6), ("log", log["agent"], n - 1),
        ("log", log["kind"], THOUGHT), ("answers", answers["n_route"], room), ("answers", answers["at"], room),
        ("answers", answers["spent"], 2**30), ("states", states["leg"], max(width, 2) - 1),
        ("states", states["loop"], 2**30),
    ):  # fmt: skip
        _refuse(name, values, (values >= 0) & (values <= most))
    if (np.diff(log["time"]) < 0).any():
        raise BadInput("the array 'log' is not in the order of time")
    for field in ("want", "due", "chain", "verdict"):  # scratch of the referee
        states[field] = 0


def _check_places(arrays: Arrays, shape: tuple[int, ...]) -> None:
    stride = shape[1] + 2
    inside = np.zeros((shape[0] + 2, stride), np.bool_)
    inside[1:-1, 1:-1] = True
    free = np.zeros_like(inside)
    free[1:-1, 1:-1] = arrays["free"]
    agents, answers, log = (arrays[name] for name in ("agents", "answers", "log"))
    here = agents["here"][agents["present"]]
    in_use = np.arange(arrays["route"].shape[1]) < answers["n_route"][:, None]
    arrays["route"][~in_use] = 0
    are_cells = log["cell"][~np.isin(log["kind"], (THOUGHT, REFUSED))]  # these hold a count, and what was asked for
    for name, cells, allowed, none in (
        ("agents", here, free, None), ("agents", agents["here"], inside, None), ("agents", agents["came"], inside, None),
        ("agents", agents["goal"], inside, None), ("starts", arrays["starts"], inside, None),
        *((name, arrays[name], inside, None) for name in ("routes", "visits", "pool", "drops")),
        *((name, arrays[name], inside, NOWHERE) for name in ("record_starts", "record_goals")),
        ("route", arrays["route"][in_use], inside, None), ("log", are_cells, inside, None),
    ):  # fmt: skip
        fits = (cells >= 0) & (cells < inside.size)
        fits[fits] = allowed.ravel()[cells[fits]]
        _refuse(name, cells, fits if none is None else fits | (cells == none))
    _refuse("log", log["cell"], log["cell"] >= 0)
    if len(np.unique(here)) < len(here):
        raise BadInput("two agents are in one cell")
    at_start = np.flatnonzero(~arrays["free_at_start"].ravel())
    if np.isin(_flat(arrays["starts"], stride, shape[1]), at_start).any():
        raise BadInput("the array 'starts' has an agent in a wall")


def _flat(cells: NDArray[np.int32], stride: int, width: int) -> NDArray[np.int64]:
    """The places of cells in an array without a border."""
    return (cells.astype(np.int64) // stride - 1) * width + cells % stride - 1


def _refuse(name: str, values: NDArray[Any], fits: NDArray[np.bool_]) -> None:
    if not fits.all():
        raise BadInput(f"the array {name!r} holds {values[~fits][0]}, which is outside the world")
