"""The moves of BMAA*: everybody takes a step in turn, if nobody is in the way or whoever is can be moved out of it.

Keeps    no two of the steps handed out in a round lead to one cell, swap two agents or cross, and nobody is moved twice.
"""

import numpy as np

from wayfolk.kernels.bmaa_search import ROUND, STAMP, new_stamp, yields
from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.jit import inner

SOON = 1e-9


@inner
def begin_round(mind):
    """A stamp for the cells that are entered from now on; before the numbers run out all begin anew."""
    if mind.counts[STAMP] > 2**30:
        mind.counts[STAMP] = 0
        mind.entered[:] = 0
        for cell in range(mind.cells.size):
            mind.cells[cell]["mark"] = 0
    mind.counts[ROUND] = new_stamp(mind)


@inner
def send(mind, crew, number, now):
    """Let one agent take the next step of its path if nobody is in the way, or can be pushed out of it."""
    walker = mind.walkers[number]
    if walker["moved"] or walker["at"] >= walker["n_path"]:
        return
    there = mind.paths[number, walker["at"]]
    if _crosses(mind, crew, walker["was"], there, now):
        return
    if mind.yielding and mind.entered[there] != mind.counts[ROUND]:
        other = crew.occupant[there]
        if other != NOBODY and yields(mind, other, number):
            _clear(mind, crew, number, there, now)
    elif mind.push and mind.entered[there] != mind.counts[ROUND]:
        other = crew.occupant[there]
        if other != NOBODY and _rests(mind, other):
            _push(mind, crew, other, number, now)
    if _is_empty(mind, crew, there):
        _go(mind, walker, there)


@inner
def _go(mind, walker, there):
    walker["want"], walker["moved"] = there, True
    mind.entered[there] = mind.counts[ROUND]


@inner
def _rests(mind, number):
    """Whether an agent stands on its goal and can be told to go."""
    walker = mind.walkers[number]
    return walker["asked"] and not walker["moved"] and walker["was"] == walker["goal"]


@inner
def _push(mind, crew, number, pusher, now):
    """Send an agent to the first cell beside it that is empty; where the pusher goes next only if there is no other."""
    walker, at = mind.walkers[number], mind.walkers[pusher]["at"] + 1
    after = mind.paths[pusher, at] if at < mind.walkers[pusher]["n_path"] else NOBODY
    chosen = NOBODY
    for k in range(8):
        if (mind.legal[walker["was"]] >> k) & 1:
            there = np.int32(walker["was"] + mind.graph.offsets[k])
            if _is_empty(mind, crew, there) and not _crosses(mind, crew, walker["was"], there, now):
                if chosen in (NOBODY, after):
                    chosen = there
    if chosen != NOBODY:
        _go(mind, walker, chosen)


@inner
def _clear(mind, crew, number, there, now):
    """Let everybody between `there` and the nearest empty cell go one cell on, if all of them yield to the agent."""
    cells, queue, stamp = mind.cells, mind.closed, new_stamp(mind)
    cells[mind.walkers[number]["was"]]["mark"] = cells[there]["mark"] = stamp
    queue[0] = there
    done, used = 0, 1
    while done < used:
        cell = queue[done]
        done += 1
        for k in range(8):
            if (mind.legal[cell] >> k) & 1 == 0:
                continue
            other = cell + mind.graph.offsets[k]
            if cells[other]["mark"] == stamp or _crosses(mind, crew, cell, other, now):
                continue
            cells[other]["mark"], cells[other]["parent"] = stamp, cell
            if _is_empty(mind, crew, other):
                while other != there:
                    cell = cells[other]["parent"]
                    _go(mind, mind.walkers[crew.occupant[cell]], other)
                    other = cell
                return
            is_held = mind.entered[other] == mind.counts[ROUND]
            if not is_held and yields(mind, crew.occupant[other], number) and used < queue.size:
                queue[used] = other
                used += 1


@inner
def _is_empty(mind, crew, cell):
    """Whether nobody is in `cell` by now, after those who have moved in this round."""
    if mind.entered[cell] == mind.counts[ROUND]:
        return False
    other = crew.occupant[cell]
    return other == NOBODY or mind.walkers[other]["moved"]


@inner
def _crosses(mind, crew, here, there, now):
    """Whether a step crosses a diagonal that is being walked."""
    offsets = mind.graph.offsets
    for k in range(4, 8):
        if here + offsets[k] != there:
            continue
        beside = here + offsets[k - 4]
        across = there - offsets[k - 4]
        for _ in range(2):
            other = crew.occupant[beside]
            if other != NOBODY:
                if mind.walkers[other]["moved"] and mind.walkers[other]["want"] == across:
                    return True
                if crew.agents[other]["came"] == across and crew.agents[other]["ready"] > now + SOON:
                    return True
            beside, across = across, beside
    return False
