"""The open cells of a time-bounded search, in lists by f, and all else that its agent keeps.

Invariants  open cells are in a list for each f (rounded to a hundredth), newest first: every operation takes constant
            time. Those that descend from the salient root are in a second such list too, in the same order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE

NODE = np.dtype(
    [
        ("g", np.float64), ("key", np.int32), ("parent", np.int32), ("mark", np.int32),
        ("after", np.int32), ("before", np.int32), ("salient", np.int32), ("s_after", np.int32),
        ("s_before", np.int32), ("trace", np.int32, 2), ("place", np.int32, 2),
    ],
    align=True,
)  # fmt: skip
HEAD = np.dtype([("open", np.int32), ("salient", np.int32), ("epoch", np.int32)], align=True)
COUNTS = (
    "expanded",
    "generated",
    "moves",
    "waits",
    "backward",
    "turns",
    "most",
    "traced_most",
    "first_move",
    "restarts",
)
STATE = np.dtype(
    [(name, np.int64) for name in (
        "start", "goal", "here", "stamp", "least", "top", "current", "s_current", "n_open", "n_salient", "epoch",
        "is_found", "is_traced", "is_tracing", "trace", "follow", "cursor", "n_cursor", "subgoal", "heading", "n_short",
        "is_planning", "before", "left", "s_left", *COUNTS,
    )] + [("travel", np.float64), ("scale", np.float64)],
    align=True,
)  # fmt: skip


class Slate(NamedTuple):
    """All that an agent knows: cells, lists by f, its own state in one record, and two paths, written backwards.

    While it `is_planning` a move, it may make `left` more expansions for it, `s_left` of them among the salient cells.
    """

    cells: NDArray[np.void]
    heads: NDArray[np.void]
    state: NDArray[np.void]
    paths: NDArray[np.int32]


def new_slate(n_cells: int, n_heads: int) -> Slate:
    """Arrays for a world of `n_cells`."""
    heads = np.zeros(n_heads, HEAD)
    heads["open"] = heads["salient"] = NOWHERE
    return Slate(np.zeros(n_cells, NODE), heads, np.zeros(1, STATE), np.empty((2, n_cells), np.int32))


@inner
def open_cell(slate, cell, key, is_salient):
    """Put `cell` at the head of the list of its f, and of the salient one."""
    state, node = slate.state[0], slate.cells[cell]
    head = slate.heads[key]
    node["mark"], node["key"] = state["stamp"], key
    node["before"], node["after"] = NOWHERE, head["open"]
    if head["open"] != NOWHERE:
        slate.cells[head["open"]]["before"] = cell
    head["open"] = cell
    state["n_open"] += 1
    if is_salient:
        make_salient(slate, cell)


@inner
def make_salient(slate, cell):
    """Make an open cell salient."""
    state, node = slate.state[0], slate.cells[cell]
    head = slate.heads[node["key"]]
    if head["epoch"] != state["epoch"]:
        head["epoch"], head["salient"] = state["epoch"], NOWHERE
    node["salient"] = state["epoch"]
    node["s_before"], node["s_after"] = NOWHERE, head["salient"]
    if head["salient"] != NOWHERE:
        slate.cells[head["salient"]]["s_before"] = cell
    head["salient"] = cell
    state["n_salient"] += 1


@inner
def remove(slate, cell):
    """Take an open cell out of the lists it is in."""
    state, node = slate.state[0], slate.cells[cell]
    head = slate.heads[node["key"]]
    if node["before"] == NOWHERE:
        head["open"] = node["after"]
    else:
        slate.cells[node["before"]]["after"] = node["after"]
    if node["after"] != NOWHERE:
        slate.cells[node["after"]]["before"] = node["before"]
    state["n_open"] -= 1
    if node["salient"] == state["epoch"]:
        if node["s_before"] == NOWHERE:
            head["salient"] = node["s_after"]
        else:
            slate.cells[node["s_before"]]["s_after"] = node["s_after"]
        if node["s_after"] != NOWHERE:
            slate.cells[node["s_after"]]["s_before"] = node["s_before"]
        node["salient"] = 0
        state["n_salient"] -= 1


@inner
def best_open(slate):
    """The newest of the open cells with the least f; there must be one."""
    state = slate.state[0]
    at = state["current"]
    while slate.heads[at]["open"] == NOWHERE:
        at += 1
    state["current"] = at
    return slate.heads[at]["open"]


@inner
def best_salient(slate):
    """The newest of the salient cells with the least f; there must be one."""
    state = slate.state[0]
    at = state["s_current"]
    while slate.heads[at]["epoch"] != state["epoch"] or slate.heads[at]["salient"] == NOWHERE:
        at += 1
    state["s_current"] = at
    return slate.heads[at]["salient"]
