"""Distances to goals on priced moves, shared by whoever has the same goal, and found only as far as somebody asks.

A field belongs to a goal cell. It is a search backwards from there, in order of distance, which goes on when a cell is
asked about that it has not settled: agents near their goals never pay for the rest of the map. Fields stay when their
users have gone, and are found again by later ones; the oldest without a user makes room for a new one.

Prices are small whole numbers, so the open cells of a search hang in a ring of lists, with one distance in each.

Keeps    as long as prices stay the same, the distance of a settled cell is exact and never changes. Always, a settled
         cell other than the goal has a neighbour that is nearer.
         There are as many rows as agents at least, and a row with users is never taken away.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.grid import Grid
from wayfolk.kernels.buckets import ring_size
from wayfolk.kernels.jit import inner
from wayfolk.machine import available_bytes

FAR = np.int32(2**31 - 1)  # no way
NONE = np.int32(2**31 - 1)
SETTLED = np.int32(2**31 - 2)
HAND, EPOCH, EXPANDED = range(3)  # places in `counts`
SPARE_BYTES = 1 << 28  # for fields that nobody uses at the moment
CELL = np.dtype([("g", np.int32), ("after", np.int32), ("before", np.int32)], align=True)
ROW = np.dtype(
    [
        ("epoch", np.int64),  # of the prices it was begun with
        ("current", np.int64),  # the distance the search has come to
        ("goal", np.int32),
        ("users", np.int32),
        ("n_open", np.int32),
        ("n_touched", np.int32),
    ],
    align=True,
)


class GuidedFields(NamedTuple):
    """One search in each row: 1 + distance of a cell (0 = not seen), its place in the open list, and all cells seen.

    `prices[cell, k]` is for leaving `cell` by move k; cells in `shut` are not entered. `row_of[goal]` finds a row.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    prices: NDArray[np.int32]
    shut: NDArray[np.uint8]
    cells: NDArray[np.void]
    touched: NDArray[np.int32]
    heads: NDArray[np.int32]
    rows: NDArray[np.void]
    row_of: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_guided_fields(grid: Grid, n_users: int, prices: NDArray[np.int32], dearest: int) -> GuidedFields:
    """Room for the fields of `n_users` at least, no price above `dearest`. Memory is used as it is visited."""
    n_free = len(grid.free_cells)
    each = (CELL.itemsize + 4) * n_free
    if n_users * each > available_bytes():
        raise TooLarge(f"distance fields for {n_users} agents could need {n_users * each / 1e9:.1f} GB")
    n_rows = max(n_users, min(n_free, SPARE_BYTES // each))
    rows = np.zeros(n_rows, ROW)
    rows["goal"] = NONE
    return GuidedFields(
        grid.legal, grid.offsets, prices, np.zeros(grid.n_cells, np.uint8),
        np.zeros((n_rows, grid.n_cells), CELL), np.zeros((n_rows, n_free), np.int32),
        np.full((n_rows, ring_size(dearest + 1)), NONE, np.int32), rows,
        np.full(grid.n_cells, NONE, np.int32), np.zeros(3, np.int64),
    )  # fmt: skip


@inner
def borrow(fields, goal):
    """The row of `goal`, with one more user."""
    row = fields.row_of[goal]
    if row == NONE:
        hand = fields.counts[HAND]
        while fields.rows[hand]["users"] > 0:
            hand = (hand + 1) % fields.rows.size
        fields.counts[HAND] = (hand + 1) % fields.rows.size
        row = np.int32(hand)
        if fields.rows[row]["goal"] != NONE:
            fields.row_of[fields.rows[row]["goal"]] = NONE
        fields.row_of[goal] = row
        fields.rows[row]["goal"] = goal
        restart(fields, row)
    fields.rows[row]["users"] += 1
    return row


@inner
def give_back(fields, row):
    """One user less."""
    fields.rows[row]["users"] -= 1


@inner
def restart(fields, row):
    """Begin the search of `row` anew, with the prices of today."""
    state, cells = fields.rows[row], fields.cells[row]
    for k in range(state["n_touched"]):
        cells[fields.touched[row, k]]["g"] = 0
    if state["n_open"] > 0:
        fields.heads[row, :] = NONE
    state["epoch"] = fields.counts[EPOCH]
    state["current"] = state["n_open"] = state["n_touched"] = 0
    _open(fields, row, state["goal"], 0)


@inner
def is_stale(fields, row):
    """Whether prices have changed since the search of `row` began."""
    return fields.rows[row]["epoch"] != fields.counts[EPOCH]


@inner
def distance(fields, row, cell):
    """The price of the cheapest way from `cell` to the goal of `row`, or FAR."""
    cells, state = fields.cells[row], fields.rows[row]
    asked = cells[cell]
    if asked["g"] > 0 and asked["after"] == SETTLED:
        return asked["g"] - 1
    heads = fields.heads[row]
    mask = heads.size - 1
    while state["n_open"] > 0:
        at = state["current"]
        while heads[at & mask] == NONE:
            at += 1
        state["current"] = at
        here = np.int64(heads[at & mask])
        _unlink(fields, row, here, at)
        cells[here]["after"] = SETTLED
        fields.counts[EXPANDED] += 1
        legal = fields.legal[here]
        for k in range(8):
            if not (legal >> k) & 1:
                continue
            other = here + fields.offsets[k]
            child = cells[other]
            if fields.shut[other] or (child["g"] > 0 and child["after"] == SETTLED):
                continue
            g = at + fields.prices[other, k ^ 2]  # leaving it the opposite way
            if child["g"] == 0:
                _open(fields, row, other, g)
            elif g < child["g"] - 1:
                _unlink(fields, row, other, child["g"] - 1)
                _open(fields, row, other, g)
        if here == cell:
            return asked["g"] - 1
    return FAR


@inner
def _open(fields, row, cell, g):
    cells, state = fields.cells[row], fields.rows[row]
    child = cells[cell]
    if child["g"] == 0:
        fields.touched[row, state["n_touched"]] = cell
        state["n_touched"] += 1
    spot = g & (fields.heads.shape[1] - 1)
    first = fields.heads[row, spot]
    child["g"], child["after"], child["before"] = g + 1, first, NONE
    if first != NONE:
        cells[first]["before"] = cell
    fields.heads[row, spot] = cell
    state["n_open"] += 1


@inner
def _unlink(fields, row, cell, g):
    cells = fields.cells[row]
    after, before = cells[cell]["after"], cells[cell]["before"]
    if before == NONE:
        fields.heads[row, g & (fields.heads.shape[1] - 1)] = after
    else:
        cells[before]["after"] = after
    if after != NONE:
        cells[after]["before"] = before
    fields.rows[row]["n_open"] -= 1
