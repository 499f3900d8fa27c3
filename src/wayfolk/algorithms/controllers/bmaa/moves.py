"""The moves of BMAA*: agents take a step in turn, if their way is free or can be cleared.

Invariants  no two of the steps of a round lead to one cell, swap two agents or cross, and no agent is moved twice.
"""

import numpy as np

from wayfolk.algorithms.controllers.bmaa.search import ROUND, STAMP, new_stamp, yields
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners, diagonal, is_under_way


@inner
def begin_round(arrays):
    """Begin a round with a new stamp for the cells that are entered; before the stamps run out all marks are cleared."""
    if arrays.counts[STAMP] > 2**30:
        arrays.counts[STAMP] = 0
        arrays.entered[:] = 0
        for cell in range(arrays.cells.size):
            arrays.cells[cell]["mark"] = 0
    arrays.counts[ROUND] = new_stamp(arrays)


@inner
def send(arrays, crew, number, now):
    """Let an agent take the next step of its path if the cell is empty, or the agent there can be moved."""
    walker = arrays.walkers[number]
    if walker["moved"] or walker["at"] >= walker["n_path"]:
        return
    there = arrays.paths[number, walker["at"]]
    if _crosses(arrays, crew, walker["was"], there, now):
        return
    if arrays.yielding and arrays.entered[there] != arrays.counts[ROUND]:
        other = crew.occupant[there]
        if other != NOBODY and yields(arrays, other, number):
            _clear(arrays, crew, number, there, now)
    elif arrays.push and arrays.entered[there] != arrays.counts[ROUND]:
        other = crew.occupant[there]
        if other != NOBODY and _rests(arrays, other):
            _push(arrays, crew, other, number, now)
    if _is_empty(arrays, crew, there):
        _go(arrays, walker, there)


@inner
def _go(arrays, walker, there):
    walker["want"], walker["moved"] = there, True
    arrays.entered[there] = arrays.counts[ROUND]


@inner
def _rests(arrays, number):
    """Whether an agent is on its goal and can be pushed."""
    walker = arrays.walkers[number]
    return walker["asked"] and not walker["moved"] and walker["was"] == walker["goal"]


@inner
def _push(arrays, crew, number, pusher, now):
    """Move an agent to the first empty cell beside it; to the next cell of the pusher only if there is no other."""
    walker, at = arrays.walkers[number], arrays.walkers[pusher]["at"] + 1
    after = arrays.paths[pusher, at] if at < arrays.walkers[pusher]["n_path"] else NOBODY
    chosen = NOBODY
    for k in range(8):
        if (arrays.legal[walker["was"]] >> k) & 1:
            there = np.int32(walker["was"] + arrays.graph.offsets[k])
            if _is_empty(arrays, crew, there) and not _crosses(arrays, crew, walker["was"], there, now):
                if chosen in (NOBODY, after):
                    chosen = there
    if chosen != NOBODY:
        _go(arrays, walker, chosen)


@inner
def _clear(arrays, crew, number, there, now):
    """Move all agents between `there` and the nearest empty cell on by one cell, if all of them yield to `number`."""
    cells, queue, stamp = arrays.cells, arrays.closed, new_stamp(arrays)
    cells[arrays.walkers[number]["was"]]["mark"] = cells[there]["mark"] = stamp
    queue[0] = there
    done, used = 0, 1
    while done < used:
        cell = queue[done]
        done += 1
        for k in range(8):
            if (arrays.legal[cell] >> k) & 1 == 0:
                continue
            other = cell + arrays.graph.offsets[k]
            if cells[other]["mark"] == stamp or _crosses(arrays, crew, cell, other, now):
                continue
            cells[other]["mark"], cells[other]["parent"] = stamp, cell
            if _is_empty(arrays, crew, other):
                while other != there:
                    cell = cells[other]["parent"]
                    _go(arrays, arrays.walkers[crew.occupant[cell]], other)
                    other = cell
                return
            is_held = arrays.entered[other] == arrays.counts[ROUND]
            if not is_held and yields(arrays, crew.occupant[other], number) and used < queue.size:
                queue[used] = other
                used += 1


@inner
def _is_empty(arrays, crew, cell):
    """Whether `cell` is empty after the moves of this round so far."""
    if arrays.entered[cell] == arrays.counts[ROUND]:
        return False
    other = crew.occupant[cell]
    return other == NOBODY or arrays.walkers[other]["moved"]


@inner
def _crosses(arrays, crew, here, there, now):
    """Whether a step crosses a diagonal move of this round, or one that is still under way."""
    k = diagonal(arrays.graph.offsets, here, there)
    if k == 0:
        return False
    beside, across = corners(arrays.graph.offsets, here, k)
    for _ in range(2):
        other = crew.occupant[beside]
        if other != NOBODY:
            if arrays.walkers[other]["moved"] and arrays.walkers[other]["want"] == across:
                return True
            if is_under_way(crew.agents[other], across, now):
                return True
        beside, across = across, beside
    return False
