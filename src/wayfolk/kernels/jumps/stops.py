"""Where jumps have to stop, derived from the bits of legal moves, whatever forbids a move.

A move to `next` after a move from `last` to `cell` is pruned if the bits allow another way from `last` to `next` around
`cell` that is shorter, or as short with its diagonal first (among two straight moves: the horizontal one first).
`pruning.py` has the pruned moves in a table by the byte of one cell, which is right where walls alone forbid moves.
Here they are derived from the bits of the neighbourhood: so the moves that stay in a part of a map can be searched, also
where such a part forbids a diagonal between free cells.

Why         a pruned way can be replaced by one that is shorter or has its diagonals earlier. So some cheapest path to each
            cell is never pruned, whatever the bits are, if diagonals cost 1 to 2.
"""

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import DX, DY, EAST, NORTH, SOUTH, WEST

NONE = 8  # no direction


def _bits(*ways: int) -> int:
    return sum(1 << way for way in ways)


def _number(x: int, y: int) -> int:
    """The direction of a step by (x, y), or NONE."""
    steps = list(zip(DX, DY, strict=True))
    return steps.index((x, y)) if (x, y) in steps else NONE


def _shortcuts() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`[way, way]`: the one direction that replaces the two, and the straight one that, made twice, replaces them."""
    once, twice = np.full((8, 8), NONE), np.full((8, 8), NONE)
    for a, b in np.ndindex(8, 8):
        x, y = DX[a] + DX[b], DY[a] + DY[b]
        once[a, b] = _number(x, y)
        if a >= 4 and b >= 4 and abs(x) + abs(y) == 2:
            twice[a, b] = _number(x // 2, y // 2)
    return once, twice


NATURAL_OF_FOUR = np.array(
    [_bits(EAST, SOUTH, NORTH), _bits(SOUTH), _bits(WEST, SOUTH, NORTH), _bits(NORTH), 0, 0, 0, 0], np.uint8
)
_ONCE, _TWICE = _shortcuts()
_BACK = np.array([_number(-DX[way], -DY[way]) for way in range(8)])
_RANK = np.array([1, 0, 1, 0, 2, 2, 2, 2])  # of two ways with the same moves, that with the higher rank first is kept


@kernel
def update_stops(jumps, legal, offsets, first, last):
    """Derive the stops again, after the legal moves of cells from `first` to `last` have changed."""
    around = 2 * jumps.stride + 2
    for cell in range(max(first - around, 0), min(last + around + 1, legal.size)):
        jumps.stops[cell] = _stops(jumps, legal, offsets, cell)


@kernel
def close_cells(jumps, legal, offsets, original, cells, n_closed, n):
    """Let the first `n` of `cells` be closed, where the first `n_closed` were: no move leads into or out of them.

    `legal` is a copy of the bits `original`, in which nothing else has changed. Diagonals beside a closed cell are legal.
    """
    for number in range(n_closed):
        cell = cells[number]
        legal[cell] = original[cell]
        for k in range(8):
            legal[cell + offsets[k]] = original[cell + offsets[k]]
    for number in range(n):
        for k in range(8):
            legal[cells[number] + offsets[k]] &= ~np.uint8(1 << _BACK[k])
        legal[cells[number]] = 0
    for number in range(max(n, n_closed)):
        _update_around(jumps, legal, offsets, cells[number])


@inner
def _update_around(jumps, legal, offsets, cell):
    """Derive the stops again that moves of `cell` and its neighbours decide."""
    for row in range(-3, 4):
        middle = cell + row * jumps.stride
        for at in range(max(middle - 3, 0), min(middle + 4, legal.size)):
            jumps.stops[at] = _stops(jumps, legal, offsets, at)


@inner
def _stops(jumps, legal, offsets, cell):
    """The directions, as bits, in which a run has to end at `cell`."""
    if legal[cell] == 0:
        return 255
    common = legal[cell]
    for k in range(8):
        common &= legal[cell + offsets[k]]
    if common == (255 if jumps.natural[4] else 15):  # nothing is in the way here
        return 0
    stops = 0
    for way in range(8):
        if legal[cell - offsets[way]] >> way & 1:
            ways, natural = ways_of(legal, offsets, cell, way), jumps.natural[way]
            is_plain = ways & ~natural == 0 if natural != 1 << way else ways == natural
            if not is_plain:
                stops |= 1 << way
    return stops


@inner
def ways_of(legal, offsets, cell, way):
    """The directions, as bits, in which a cheapest path that enters `cell` by `way` may have to leave it."""
    last = cell - offsets[way]
    ways = np.uint8(0)
    for k in range(8):
        if not legal[cell] >> k & 1 or k == _BACK[way]:
            continue
        once, twice = _ONCE[way, k], _TWICE[way, k]
        if once != NONE and legal[last] >> once & 1:
            continue
        if twice != NONE and legal[last] >> twice & 1 and legal[last + offsets[twice]] >> twice & 1:
            continue
        if _RANK[k] > _RANK[way] and legal[last] >> k & 1 and legal[last + offsets[k]] >> way & 1:
            continue
        ways |= np.uint8(1 << k)
    return ways
