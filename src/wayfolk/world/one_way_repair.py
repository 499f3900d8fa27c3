"""The kernel that updates one-way moves around some edited cells, and proves that they still lead everywhere.

Zone        the cells whose legal moves have changed, and those one legal move away, get their moves again. With the cells
            one more move away they are the zone. In the zone the rules for sinks and sources are applied again, and an
            edge is opened if a search nearby finds no way from one end of it to the other.
Proof       the moves led from everywhere to everywhere before. A way that used a removed move led from one end of a
            removed move to another such end. It is enough if each of these ends in the zone can be reached from each
            other that is connected with it. Those connected inside the zone can. For the others we search a way, from
            both ends at a time and as far as it takes. Should there be none, all moves must be computed again.
Cost        time in proportion to the edited cells, plus that of a search in each direction for the way around if a door
            closes the way that was there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.world.one_way import (
    N_DIAGONALS,
    N_OPENED,
    N_STRAIGHT,
    back,
    has,
    is_narrow,
    one_way_moves,
    open_edge,
    serve_sink_or_source,
)

REACH = 25  # cells of a zone for each cell whose moves have changed, at most: those within two moves
NEAR = 256  # cells that a search inside the zone expands from either end
APART = 8  # parts of a zone that are compared with each other, at most


class RepairMemory(NamedTuple):
    """A zone and a search.

    `places` holds 1 + the number in the zone of each cell, `roots` which part of the zone a number belongs to, and `parts`
    a cell of each part.
    """

    zone: NDArray[np.int32]
    places: NDArray[np.int32]
    roots: NDArray[np.int32]
    parts: NDArray[np.int32]
    seen: NDArray[np.int32]
    ahead: NDArray[np.int32]
    behind: NDArray[np.int32]
    stamp: NDArray[np.int32]


def new_memory(n_cells: int, n_changed: int) -> RepairMemory:
    """Memory for a map of `n_cells`, in `n_changed` of which moves have changed."""
    n_zone = min(REACH * n_changed, n_cells)
    return RepairMemory(
        zone=np.zeros(n_zone, np.int32),
        places=np.zeros(n_cells, np.int32),
        roots=np.arange(n_zone, dtype=np.int32),
        parts=np.zeros(APART, np.int32),
        seen=np.zeros(n_cells, np.int32),
        ahead=np.empty(n_cells, np.int32),
        behind=np.empty(n_cells, np.int32),
        stamp=np.zeros(1, np.int32),
    )


@kernel
def repair(one_way, changed, legal_before, flow_before, memory):
    """Update `one_way`, which is as before, where legal moves have `changed`; False if all must be computed again."""
    zone = memory.zone
    n_reset = _list_zone(one_way, changed, legal_before, memory, 0)
    n_zone = _list_zone(one_way, zone[:n_reset], one_way.legal, memory, n_reset)
    _reset(one_way, zone[:n_reset], legal_before, memory.places)
    for cell in zone[:n_zone]:
        serve_sink_or_source(one_way, cell)
    for cell in zone[:n_zone]:
        for k in range(2):  # east and south: each edge once
            other = cell + one_way.offsets[k]
            if has(one_way.legal, cell, k) and memory.places[other] != 0:
                _connect(one_way, memory, cell, k)
                memory.roots[_root(memory, cell)] = _root(memory, other)
    return _leads_everywhere(one_way, zone[:n_reset], legal_before, flow_before, memory)


@inner
def _list_zone(one_way, cells, legal_before, memory, n):
    """Add `cells` and those one move away to the zone of `n` cells; how many these are then."""
    for cell in cells:
        n = _list(memory, cell, n)
    for cell in cells:
        moves = one_way.legal[cell] | legal_before[cell]
        for k in range(8):
            if (moves >> k) & 1:
                n = _list(memory, cell + one_way.offsets[k], n)
    return n


@inner
def _list(memory, cell, n):
    if memory.places[cell] == 0:
        memory.zone[n] = cell
        memory.places[cell] = n + 1
        n += 1
    return n


@inner
def _reset(one_way, cells, legal_before, places):
    """Give `cells` the moves along rows, columns and corridors, and count the others no longer."""
    n_opened = _count_head_on(one_way.flow, legal_before, one_way.offsets, cells, places)
    n_straight, n_diagonals = 0, 0
    for cell in cells:
        for k in range(8):
            n_straight += (one_way.straightened[cell] >> k) & 1
            if k >= 4:
                n_diagonals += (one_way.flow[cell] >> k) & 1
    for cell in cells:
        one_way.flow[cell] = one_way_moves(one_way, cell)
        one_way.straightened[cell] = 0
    n_opened -= _count_head_on(one_way.flow, one_way.legal, one_way.offsets, cells, places)
    one_way.counts[N_DIAGONALS] -= n_diagonals
    one_way.counts[N_STRAIGHT] -= n_straight
    one_way.counts[N_OPENED] -= n_opened - n_straight


@inner
def _count_head_on(flow, legal, offsets, cells, places):
    """The edges at `cells`, the first of the zone, that lead both ways though neither end is narrow."""
    n = 0
    for cell in cells:
        for k in range(4):
            other = cell + offsets[k]
            is_second = k >= 2 and 0 < places[other] <= cells.size  # counted from the other end
            if has(flow, cell, k) and has(flow, other, back(k)) and not is_second:
                n += not is_narrow(legal, offsets, cell, k)
    return n


@inner
def _connect(one_way, memory, cell, k):
    """Open the edge from `cell` in direction `k` unless a way nearby leads back."""
    other = cell + one_way.offsets[k]
    is_left = has(one_way.flow, cell, k)
    if is_left and has(one_way.flow, other, back(k)):
        return
    start, goal = (other, cell) if is_left else (cell, other)
    if not _is_reached(one_way.flow, one_way.offsets, memory, start, goal, NEAR):
        open_edge(one_way, cell, k)


@inner
def _is_reached(moves, offsets, memory, start, goal, most):
    """Whether `moves` lead from `start` to `goal`: a breadth-first search from both, of at most `most` cells each."""
    seen, ahead, behind = memory.seen, memory.ahead, memory.behind
    memory.stamp[0] += 2
    mine, theirs = memory.stamp[0], memory.stamp[0] + 1
    seen[start], seen[goal] = mine, theirs
    ahead[0], behind[0] = start, goal
    n_ahead = n_behind = 1
    at = 0
    while at < min(n_ahead, n_behind, most):
        for k in range(8):
            other = ahead[at] + offsets[k]
            if has(moves, ahead[at], k) and seen[other] != mine:
                if seen[other] == theirs:
                    return True
                seen[other] = mine
                ahead[n_ahead] = other
                n_ahead += 1
        for k in range(8):
            other = behind[at] - offsets[k]
            if has(moves, other, k) and seen[other] != theirs:
                if seen[other] == mine:
                    return True
                seen[other] = theirs
                behind[n_behind] = other
                n_behind += 1
        at += 1
    return False


@inner
def _leads_everywhere(one_way, cells, legal_before, flow_before, memory):
    """Whether the ends of removed moves and of new edges at `cells` can reach each other, where they are connected."""
    parts = memory.parts
    n = 0
    for cell in cells:
        ends = (flow_before[cell] & ~one_way.flow[cell]) | (one_way.legal[cell] & ~legal_before[cell])
        for k in range(9):
            end = cell if k == 8 else cell + one_way.offsets[k]
            if ends == 0 or (k < 8 and (ends >> k) & 1 == 0) or one_way.legal[end] == 0:
                continue
            if not _is_listed(memory, end, n):
                if n == APART:
                    return False
                parts[n] = end
                n += 1
    for i in range(n):
        for j in range(i):
            if _root(memory, parts[i]) != _root(memory, parts[j]) and not _is_compared(one_way, memory, i, j):
                return False
    return True


@inner
def _is_listed(memory, cell, n):
    """Whether the part of `cell` is one of the first `n`."""
    root, i = _root(memory, cell), 0
    while i < n and _root(memory, memory.parts[i]) != root:
        i += 1
    return i < n


@inner
def _is_compared(one_way, memory, i, j):
    """Whether two parts reach each other, and are one from here on, or are not connected."""
    moves, offsets, most = one_way.flow, one_way.offsets, memory.seen.size
    one, two = memory.parts[i], memory.parts[j]
    if not _is_reached(moves, offsets, memory, one, two, most):
        return not _is_reached(one_way.legal, offsets, memory, one, two, most)
    if not _is_reached(moves, offsets, memory, two, one, most):
        return False
    memory.roots[_root(memory, one)] = _root(memory, two)
    return True


@inner
def _root(memory, cell):
    """The number that the part of `cell` goes by."""
    number = memory.places[cell] - 1
    while memory.roots[number] != number:
        memory.roots[number] = memory.roots[memory.roots[number]]
        number = memory.roots[number]
    return number
