"""Distances to goals on moves with costs, shared by all agents with the same goal, and computed only as far as needed.

A field belongs to a goal cell. It is an A* search backwards from the goal towards the agent it was begun for. The search
resumes when the distance of a cell is needed that it has not settled: for agents near their goals it stays small. Fields
are in a store with a limit (`wayfolk.kernels.field_store`). Some without users are kept for later agents with the same
goal; the oldest of them makes room for a new one.

Costs are small integers, so the open cells of a search are kept in a ring of lists, one for each sum of distance and
heuristic. Where all moves cost the same the searches are those of `equal`, which take less time and memory. They know
distances modulo 7: what can be asked for is how much farther one of two neighbours is (`compare`).

When moves of the map change, a field is compared with the edits that it does not know when its users' turn comes (see
`is_touched` and `is_right`), and searched again only if a distance has changed. A search that has settled a cell with a
new move begins again in place of going on: distances on both sides of a new passage can differ by more than a move costs.

Invariants  as long as prices and moves stay the same, the distance of a settled cell is exact and never changes, and a
            settled cell other than the goal has a neighbour that is nearer.
            There are as many rows as agents at least. A row with users is never taken away, though the store may be too
            small to keep its distances.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.pibt import equal
from wayfolk.compile.jit import inlined, inner, kernel, specialise
from wayfolk.kernels import field_store
from wayfolk.kernels.buckets import ring_size
from wayfolk.kernels.edits import Edits, no_edits
from wayfolk.kernels.field_store import FieldStore, is_held, set_value, value
from wayfolk.kernels.rra import search_on
from wayfolk.kernels.rra_moves import CellPrices, octile
from wayfolk.world.grid import Grid, Moves

FAR = np.int64(1 << 30)  # there is no path, or none is known
NONE = np.int32(2**31 - 1)
HAND, EPOCH, EXPANDED, CHECKED = range(4)  # places in `counts`
KEPT_CELLS = 1 << 25  # of fields without users
ROW = np.dtype(
    [
        ("epoch", np.int64),  # of the prices it was begun with
        ("edits", np.int64),  # how many edits of the map it knows
        ("resumed", np.int64),  # how many edits there were when its search last resumed
        ("goal", np.int32),
        ("aim", np.int32),  # where the agent was that it was begun for
    ],
    align=True,
)


class GuidedFields(NamedTuple):
    """One search in each row of the store, whose values are 2 * (1 + distance) and 1 more if settled, or those of `equal`.

    `prices[cell, k]` is for leaving `cell` by move k; cells in `shut` are not entered. `row_of[goal]` finds a row. No
    straight move costs less than `straight`, and no diagonal one (or a straight one to each side) less than `diagonal`.
    With `is_equal` all moves cost `straight`, and the searches are those of `equal`.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    prices: NDArray[np.int32]
    shut: NDArray[np.uint8]
    store: FieldStore
    rows: NDArray[np.void]
    row_of: NDArray[np.int32]
    counts: NDArray[np.int64]
    edits: Edits
    moves: equal.EqualMoves
    stride: int
    straight: int
    diagonal: int
    is_equal: bool


def new_guided_fields(
    grid: Grid, n_users: int, prices: NDArray[np.int32], costliest: int, memory: int | None = None
) -> GuidedFields:
    """Room for the fields of `n_users` and some more, in `memory` bytes; no move costs more than `costliest`."""
    n_free = max(len(grid.free_cells), 1)
    straight = int(prices[:, :4].min())
    diagonal = 2 * straight if grid.moves is Moves.FOUR else int(prices[:, 4:].min())
    is_equal = costliest == straight == int(prices[:, : 4 if grid.moves is Moves.FOUR else 8].max())
    n_rows = max(n_users + n_users // 4, min(n_free, KEPT_CELLS // n_free))
    rows = np.zeros(n_rows, ROW)
    rows["goal"] = NONE
    return GuidedFields(
        legal=grid.legal,
        offsets=grid.offsets,
        prices=prices,
        shut=np.zeros(grid.n_cells, np.uint8),
        store=field_store.new_store(
            n_rows,
            grid.n_cells,
            per_word=equal.PER_WORD if is_equal else 1,
            n_lists=equal.N_LISTS if is_equal else ring_size(2 * costliest + 1),
            memory=memory,
        ),
        rows=rows,
        row_of=np.full(grid.n_cells, NONE, np.int32),
        counts=np.zeros(4, np.int64),
        edits=no_edits(),
        moves=equal.equal_moves(grid),
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
        while fields.store.fields[hand]["users"] > 0:
            hand = (hand + 1) % fields.rows.size
        fields.counts[HAND] = (hand + 1) % fields.rows.size
        row = np.int32(hand)
        if fields.rows[row]["goal"] != NONE:
            fields.row_of[fields.rows[row]["goal"]] = NONE
        fields.row_of[goal] = row
        fields.rows[row]["goal"] = goal
        restart(fields, row, aim)
    field_store.use(fields.store, row)
    return row


@inner
def give_back(fields, row):
    """One user less."""
    field_store.leave(fields.store, row)


@kernel
def release(fields, row):
    """One user less, for Python."""
    give_back(fields, row)


_RESTART: dict[type, Callable[..., Any]] = {}


def restart(fields: Any, row: Any, aim: Any) -> Any:
    """Begin the search of `row` again with the prices and moves as they are, towards `aim`."""
    return _RESTART[type(fields)](fields, row, aim)


def restarts(kind: type, begin_again: Callable[..., Any]) -> None:
    """Enter `restart` for fields of the class `kind`, which have `store`, `rows`, `row_of` and `counts`: plain Python."""
    _RESTART[kind] = begin_again


specialise(restart, _RESTART)


def _restart_cells(fields, row, aim):
    state, store = fields.rows[row], fields.store
    state["epoch"], state["aim"] = fields.counts[EPOCH], aim
    state["edits"] = state["resumed"] = fields.edits.counts[0]
    field_store.drop(store, row)
    field_store.begin(store, row, np.int64(state["goal"]), _least(fields, state["goal"], aim))
    if fields.is_equal:
        equal.write_goal(store, row, np.int64(state["goal"]))
    else:
        set_value(store, row, np.int64(state["goal"]), 2)


restarts(GuidedFields, _restart_cells)


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
        if is_settled(fields, row, np.int64(edits.list[k]["cell"])):
            return True
    return False


@inner
def is_right(fields, row, cell, first):
    """Whether the distance of `cell` is right although moves have changed, from number `first` of the edits on.

    It is if no path over a cell that gained a move can be shorter, and if a path of that length is still there.
    """
    edits, goal = fields.edits, fields.rows[row]["goal"]
    if not reach(fields, row, cell):
        return False
    left = _walk(fields, row, cell)
    if left == FAR:
        return False
    for k in range(first, edits.counts[0]):
        if edits.list[k]["gained"]:
            edit = np.int64(edits.list[k]["cell"])
            near, beyond = _least(fields, cell, edit), _least(fields, edit, goal)
            if near + beyond < left and is_settled(fields, row, edit):
                walked = _walk(fields, row, edit)
                beyond = beyond if walked == FAR else walked
            if near + beyond < left:
                return False
    return True


@inner
def _walk(fields, row, cell):
    """The cost of a walk from `cell`, which is settled, to the goal by settled cells; FAR if the map has cut it off."""
    goal, total = fields.rows[row]["goal"], np.int64(0)
    for _ in range(fields.legal.size):
        if cell == goal:
            return total
        fields.counts[CHECKED] += 1
        nearer = cell
        for k in range(8):
            if (fields.legal[cell] >> k) & 1:
                there, price = cell + fields.offsets[k], np.int64(fields.prices[cell, k])
                if is_settled(fields, row, there) and compare(fields, row, cell, there) == price:
                    nearer, total = there, total + price
                    break
        if nearer == cell:
            return FAR
        cell = nearer
    return FAR


@inner
def _least(fields, cell, other):
    """The least that a path between two cells can cost."""
    return octile(fields.stride, fields.straight, fields.diagonal, cell, other)


@inlined
def level(fields, row, cell):
    """What the field knows of the distance of `cell`: an odd number if it is settled. For `higher`."""
    return equal.residue(fields.store, row, cell) if fields.is_equal else value(fields.store, row, cell)


@inlined
def higher(fields, one, other):
    """By how much the distance of one level exceeds that of the level of a neighbouring cell; both are settled."""
    return equal.farther(one, other) * fields.straight if fields.is_equal else (one >> 1) - (other >> 1)


@inner
def is_settled(fields, row, cell):
    """Whether the distance from `cell` to the goal of `row` is known."""
    return level(fields, row, cell) & 1 != 0


@inner
def compare(fields, row, one, other):
    """By how much farther cell `one` is from the goal of `row` than its neighbour `other`; both are settled."""
    return higher(fields, level(fields, row, one), level(fields, row, other))


@inner
def reach(fields, row, cell):
    """Search on until the distance of `cell` is known; whether there is a path."""
    return is_settled(fields, row, cell) or _search(fields, row, cell)


@inner
def is_nearer(fields, row, one, other):
    """Whether cell `one` is nearer to the goal of `row` than its neighbour `other`."""
    if not reach(fields, row, one):
        return False
    if not reach(fields, row, other):
        return True
    return reach(fields, row, one) and compare(fields, row, one, other) < 0  # the search may have begun again


@inner
def _search(fields, row, cell):
    """Search on until `cell` is settled; whether it is, or there is nothing left to search."""
    store, state = fields.store, fields.rows[row]
    if not is_held(store, row) or _is_reopened(fields, row):
        restart(fields, row, cell)
    if fields.is_equal:
        fields.counts[EXPANDED] += equal.settle(
            store, fields.moves, row, cell, np.int64(state["aim"]), fields.legal, fields.offsets, fields.shut
        )
        return is_settled(fields, row, cell)
    prices = CellPrices(
        fields.legal, fields.offsets, fields.prices, fields.shut, fields.stride, fields.straight, fields.diagonal
    )
    fields.counts[EXPANDED] += search_on(store, row, prices, cell, np.int64(state["aim"]))
    return is_settled(fields, row, cell)


@inner
def _is_reopened(fields, row):
    """Whether the search of `row`, which resumes now, has settled a cell that gained a move since it resumed last."""
    edits, state = fields.edits, fields.rows[row]
    for k in range(state["resumed"], edits.counts[0]):
        if edits.list[k]["gained"] and is_settled(fields, row, np.int64(edits.list[k]["cell"])):
            return True
    state["resumed"] = edits.counts[0]
    return False
