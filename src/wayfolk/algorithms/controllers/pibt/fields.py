"""Distances to goals on moves with costs, shared by all agents with the same goal, and computed only as far as needed.

A field belongs to a goal cell. It is an A* search backwards from the goal towards the agent it was begun for. The search
resumes when the distance of a cell is needed that it has not settled: for agents near their goals it stays small. Fields
without users are kept for later agents with the same goal; the oldest of them makes room for a new one.

Costs are small integers, so the open cells of a search are kept in a ring of buckets, one for each sum of distance and
heuristic. Where all moves cost the same the searches are those of `equal`, which take less time and memory.

When moves of the map change, a field is compared with the edits that it does not know when its users' turn comes (see
`is_touched` and `is_right`), and searched again only if a distance has changed.

Invariants  as long as prices and moves stay the same, the distance of a settled cell is exact and never changes, and a
            settled cell other than the goal has a neighbour that is nearer.
            There are as many rows as agents at least, and a row with users is never taken away.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.pibt.equal import BYTES, EqualFields, begin_search, new_equal_fields, settle
from wayfolk.errors import TooLarge
from wayfolk.kernels.buckets import ring_size
from wayfolk.kernels.edits import Edits, no_edits
from wayfolk.kernels.jit import inner
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.machine import available_bytes
from wayfolk.world.grid import Grid, Moves

FAR = np.int32(2**31 - 1)  # there is no path
NONE = np.int32(2**31 - 1)
SETTLED = np.int32(2**31 - 2)
HAND, EPOCH, EXPANDED, CHECKED = range(4)  # places in `counts`
SPARE_BYTES = 1 << 28  # for fields without users
CELL = np.dtype([("g", np.int32), ("after", np.int32), ("before", np.int32)], align=True)
ROW = np.dtype(
    [
        ("epoch", np.int64),  # of the prices it was begun with
        ("edits", np.int64),  # how many edits of the map it knows
        ("current", np.int64),  # the sum of distance and heuristic that the search has come to
        ("goal", np.int32),
        ("aim", np.int32),  # where the agent was that it was begun for
        ("users", np.int32),
        ("n_open", np.int32),
        ("n_touched", np.int32),
    ],
    align=True,
)


class GuidedFields(NamedTuple):
    """One search in each row: 1 + distance of a cell (0 = not seen), its place in the open list, and all cells seen.

    `prices[cell, k]` is for leaving `cell` by move k; cells in `shut` are not entered. `row_of[goal]` finds a row. No
    straight move costs less than `straight`, and no diagonal one (or a straight one to each side) less than `diagonal`.
    With `is_equal` all moves cost `straight`, and the searches are in `equal`.
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
    edits: Edits
    equal: EqualFields
    stride: int
    straight: int
    diagonal: int
    is_equal: bool


def new_guided_fields(grid: Grid, n_users: int, prices: NDArray[np.int32], costliest: int) -> GuidedFields:
    """Room for the fields of `n_users` and some more; no move costs more than `costliest`. Memory is used when touched."""
    n_free = len(grid.free_cells)
    straight = int(prices[:, :4].min())
    diagonal = 2 * straight if grid.moves is Moves.FOUR else int(prices[:, 4:].min())
    is_equal = costliest == straight == int(prices[:, : 4 if grid.moves is Moves.FOUR else 8].max())
    each = (BYTES if is_equal else CELL.itemsize + 4) * n_free
    if n_users * each > available_bytes():
        raise TooLarge(f"distance fields for {n_users} agents could need {n_users * each / 1e9:.1f} GB")
    n_rows = max(n_users + n_users // 4, min(n_free, SPARE_BYTES // each))
    n_equal, n_priced = (n_rows, 0) if is_equal else (0, n_rows)
    rows = np.zeros(n_rows, ROW)
    rows["goal"] = NONE
    return GuidedFields(
        legal=grid.legal,
        offsets=grid.offsets,
        prices=prices,
        shut=np.zeros(grid.n_cells, np.uint8),
        cells=lazy_zeros((n_priced, grid.n_cells), CELL),
        touched=lazy_zeros((n_priced, grid.n_cells), np.int32),
        heads=np.full((n_priced, ring_size(2 * costliest + 1)), NONE, np.int32),
        rows=rows,
        row_of=np.full(grid.n_cells, NONE, np.int32),
        counts=np.zeros(4, np.int64),
        edits=no_edits(),
        equal=new_equal_fields(grid, n_equal),
        stride=grid.stride,
        straight=straight,
        diagonal=diagonal,
        is_equal=is_equal,
    )


@inner
def borrow(fields, goal, aim):
    """The row of `goal`, with one more user, which is at `aim`."""
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
        restart(fields, row, aim)
    fields.rows[row]["users"] += 1
    return row


@inner
def give_back(fields, row):
    """One user less."""
    fields.rows[row]["users"] -= 1


@inner
def restart(fields, row, aim):
    """Begin the search of `row` again with the prices and moves as they are, towards `aim`."""
    state = fields.rows[row]
    state["epoch"], state["edits"] = fields.counts[EPOCH], fields.edits.counts[0]
    if fields.is_equal:
        begin_search(fields.equal, row, state["goal"], aim)
        return
    cells = fields.cells[row]
    for k in range(state["n_touched"]):
        cells[fields.touched[row, k]]["g"] = 0
    if state["n_open"] > 0:
        fields.heads[row, :] = NONE
    state["aim"], state["n_open"], state["n_touched"] = aim, 0, 0
    state["current"] = _least(fields, state["goal"], aim)
    _open(fields, row, state["goal"], 0, state["current"])


@inner
def is_stale(fields, row):
    """Whether prices have changed since the search of `row` began."""
    return fields.rows[row]["epoch"] != fields.counts[EPOCH]


@inner
def is_touched(fields, row, first):
    """Whether the search of `row` has settled a cell whose moves have changed, from number `first` of the edits on."""
    edits = fields.edits
    for k in range(first, edits.counts[0]):
        fields.counts[CHECKED] += 1
        if known(fields, row, edits.list[k]["cell"]) != FAR:
            return True
    return False


@inner
def is_right(fields, row, cell, first):
    """Whether the distance of `cell` is right although moves have changed, from number `first` of the edits on.

    It is if no path over a cell that gained a move can be shorter, and if a path of that length is still there.
    """
    edits, goal = fields.edits, fields.rows[row]["goal"]
    left = distance(fields, row, cell)
    if left == FAR:
        return False
    for k in range(first, edits.counts[0]):
        if edits.list[k]["gained"]:
            edit = edits.list[k]["cell"]
            beyond = known(fields, row, edit)
            if beyond == FAR:
                beyond = _least(fields, edit, goal)
            if _least(fields, cell, edit) + beyond < left:
                return False
    while cell != goal:
        fields.counts[CHECKED] += 1
        nearer = cell
        for k in range(8):
            if (fields.legal[cell] >> k) & 1:
                beyond = known(fields, row, cell + fields.offsets[k])
                if beyond != FAR and beyond + fields.prices[cell, k] == left:
                    nearer = cell + fields.offsets[k]
                    break
        if nearer == cell:
            return False
        cell, left = nearer, known(fields, row, nearer)
    return True


@inner
def _least(fields, cell, other):
    """The least that a path between two cells can cost."""
    stride = np.uint32(fields.stride)  # 32 bits are divided in a third of the time of 64
    cell_y, other_y = np.int64(np.uint32(cell) // stride), np.int64(np.uint32(other) // stride)
    dx = abs((cell - cell_y * fields.stride) - (other - other_y * fields.stride))
    dy = abs(cell_y - other_y)
    return fields.straight * (max(dx, dy) - min(dx, dy)) + fields.diagonal * min(dx, dy)


@inner
def known(fields, row, cell):
    """The cost of the cheapest path from `cell` to the goal of `row` if it is settled, else FAR."""
    if fields.is_equal:
        value = fields.equal.left[row, cell]
        return np.int32(((value >> 1) - 1) * fields.straight) if value & 1 else FAR
    asked = fields.cells[row, cell]
    return np.int32(asked["g"] - 1) if asked["g"] > 0 and asked["after"] == SETTLED else FAR


@inner
def distance(fields, row, cell):
    """The cost of the cheapest path from `cell` to the goal of `row`, or FAR."""
    left = known(fields, row, cell)
    if left != FAR:
        return left
    if fields.is_equal:
        fields.counts[EXPANDED] += settle(fields.equal, row, cell, fields.legal, fields.offsets, fields.shut)
        return known(fields, row, cell)
    return _search(fields, row, cell)


@inner
def _search(fields, row, cell):
    """Search on until `cell` is settled; its distance, or FAR if there is nothing left to search."""
    cells, state = fields.cells[row], fields.rows[row]
    asked = cells[cell]
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
        reached = cells[here]["g"] - 1
        fields.counts[EXPANDED] += 1
        legal = fields.legal[here]
        for k in range(8):
            if not (legal >> k) & 1:
                continue
            other = here + fields.offsets[k]
            child = cells[other]
            if fields.shut[other] or (child["g"] > 0 and child["after"] == SETTLED):
                continue
            g = reached + fields.prices[other, k ^ 2]  # leaving it the opposite way
            if child["g"] == 0 or g < child["g"] - 1:
                rest = _least(fields, other, state["aim"])
                if child["g"] > 0:
                    _unlink(fields, row, other, child["g"] - 1 + rest)
                _open(fields, row, other, g, g + rest)
        if here == cell:
            return np.int32(asked["g"] - 1)
    return FAR


@inner
def _open(fields, row, cell, g, f):
    cells, state = fields.cells[row], fields.rows[row]
    child = cells[cell]
    if child["g"] == 0:
        fields.touched[row, state["n_touched"]] = cell
        state["n_touched"] += 1
    spot = f & (fields.heads.shape[1] - 1)
    first = fields.heads[row, spot]
    child["g"], child["after"], child["before"] = g + 1, first, NONE
    if first != NONE:
        cells[first]["before"] = cell
    fields.heads[row, spot] = cell
    state["n_open"] += 1


@inner
def _unlink(fields, row, cell, f):
    cells = fields.cells[row]
    after, before = cells[cell]["after"], cells[cell]["before"]
    if before == NONE:
        fields.heads[row, f & (fields.heads.shape[1] - 1)] = after
    else:
        cells[before]["after"] = after
    if after != NONE:
        cells[after]["before"] = before
    fields.rows[row]["n_open"] -= 1
