"""Distances to goals where all moves cost the same: an A* search backwards from each goal, half a byte for each cell.

Distances of neighbours differ by at most 1, and PIBT compares neighbours only. So a field holds distances modulo 7. The
distances by which a cell is reached from two of its neighbours differ by at most 2, so that these can be compared as well.
The search knows the distance of the cell that it expands: the key of its list less the heuristic.

With equal costs the sum of distance and heuristic rises by at most 2 from a cell to the next one. So the open cells of a
search are in a ring of four lists, one for each sum. A cell whose distance falls is put on another list as well, and is
skipped when it comes up for the second time.

Invariants  the distance of a settled cell is exact, modulo 7.
"""

from typing import NamedTuple

import numpy as np

from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.kernels.field_store import WORDS, place_of, pop, push
from wayfolk.world.grid import Grid, Moves

N_LISTS = 4
PER_WORD = 8
CELLS = WORDS * PER_WORD  # of a block
SHIFT = CELLS.bit_length() - 1
_DX, _DY = np.array(DX, np.int64), np.array(DY, np.int64)


class EqualMoves(NamedTuple):
    """`n_moves` is 4 or 8. `steep` is how many moves a diagonal step saves less than one: 1 without diagonals, else 0."""

    stride: int
    n_moves: int
    steep: int


def equal_moves(grid: Grid) -> EqualMoves:
    """The moves of `grid`."""
    is_four = grid.moves is Moves.FOUR
    return EqualMoves(stride=grid.stride, n_moves=4 if is_four else 8, steep=1 if is_four else 0)


@inlined
def residue(store, row, cell):
    """0 for a cell that was not seen, else 2 * (1 + distance modulo 7), and 1 more if it is settled."""
    first = store.places[row, np.uint64(cell >> SHIFT)]
    return (np.int64(store.words[np.uint64(first + ((cell & (CELLS - 1)) >> 3))]) >> ((cell & 7) << 2)) & 15


@inlined
def farther(one, other):
    """By how much the distance of residue `one` exceeds that of residue `other`, from -3 to 3."""
    more = (one >> 1) - (other >> 1)
    return more - 7 if more > 3 else more + 7 if more < -3 else more


@inner
def write_goal(store, row, cell):
    """Let the distance of `cell`, which was not seen, be 0."""
    store.words[place_of(store, row, cell) + ((cell & (CELLS - 1)) >> 3)] |= np.int64(2) << ((cell & 7) << 2)


@inner
def settle(store, moves, row, cell, aim, legal, offsets, shut):
    """Search on until `cell` is settled, or there is nothing left to search; return the number of cells expanded."""
    field, places, words = store.fields[row], store.places[row], store.words
    stride, steep = np.uint32(moves.stride), moves.steep
    aim_y = np.int64(np.uint32(aim) // stride)
    aim_x = aim - aim_y * moves.stride
    expanded, following = 0, np.int64(NOWHERE)  # the cell that would be taken from the open list next does not go there
    while field["n_open"] > 0 or following != NOWHERE:
        here = following
        if here == NOWHERE:
            here = pop(store, row)
        following = np.int64(NOWHERE)
        spot, low = np.uint64(places[np.uint64(here >> SHIFT)] + ((here & (CELLS - 1)) >> 3)), (here & 7) << 2
        found = (np.int64(words[spot]) >> low) & 15
        if found & 1:
            continue
        words[spot] ^= np.int64(1) << low
        expanded += 1
        y = np.int64(np.uint32(here) // stride)
        dx, dy = here - y * moves.stride - aim_x, y - aim_y
        ahead = field["current"] - max(abs(dx), abs(dy)) - steep * min(abs(dx), abs(dy)) + 1
        after = found + 2 if found < 14 else np.int64(2)
        bits = legal[here]
        for k in range(moves.n_moves):
            if not (bits >> k) & 1:
                continue
            there = here + offsets[k]
            first, spot = places[np.uint64(there >> SHIFT)], (there & (CELLS - 1)) >> 3
            low = (there & 7) << 2
            old = (np.int64(words[np.uint64(first + spot)]) >> low) & 15
            if old & 1 or shut[np.uint64(there)] or (old != 0 and farther(old, after) <= 0):
                continue
            if first == 0:
                first = np.int32(place_of(store, row, there))
            words[np.uint64(first + spot)] ^= (old ^ after) << low
            across, down = abs(dx + _DX[k]), abs(dy + _DY[k])
            key = ahead + max(across, down) + steep * min(across, down)
            if key != field["current"]:
                push(store, row, there, key)
                continue
            if following != NOWHERE:
                push(store, row, following, key)
            following = np.int64(there)
        if here == cell:
            break
    if following != NOWHERE:
        push(store, row, following, field["current"])
    return expanded
