"""Times for a path among reservations: side-way moves and waits where it collides.

Renukamurthy, "Improving spatially distributed multiagent pathfinding using Cooperative JPS", 2016, section 4.1.3.
p is the cell before the collision cell c, and d the direction from p to c.

    case 1   c is entered by a straight move: move to a cell beside c, c + (-d_y, d_x) or c + (d_y, -d_x), then on along the
             path. Where no diagonal leads there, over the cell beside p, and if need be the cell beside c + d.
    case 2   by a diagonal one: over (c_x, p_y) and (c_x + d_x, c_y), or over (p_x, c_y) and (c_x, c_y + d_y).
    case 3   no side-way move is possible: wait at p.
    case 4   nor can one wait at p: wait at the last cell before it where that is possible, and shift the rest.

Before case 4, and where an agent at the end of its path has to make room, `aside` adds one that Renukamurthy does not have:
step onto any free neighbour of p, and return when that is possible.

Guarantees  nothing: neither times for every path that has some, nor the earliest ones.
Invariants  every move is legal by the given bits, and enters no cell that another agent holds, swaps with none and crosses
            none on a diagonal. A side-way move ends on the path, at or after c.
Cost        each cell of the path is reached at each slot at most once, and the effort is bounded (`most`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, NOWHERE, RUNNING
from wayfolk.kernels.reservation_rules import WAIT, Rules, is_free_for_good, is_open
from wayfolk.kernels.reservations import Reservations

EFFORT = 16  # moves and waits that are usually tried at most for each node there may be
N_NODES, TRIED, ROOM, FURTHEST = range(4)  # places in `counts`; the last is the furthest place that was reached
_PATIENCE = 4  # waits beside the path
_ASIDE = 8  # more than the nodes that leaving the path adds


class Timing(NamedTuple):
    """Whose path it is, and when: `agent` acts first at `slot`, and no reservation is later than `last`.

    `stays`: it must be able to stand on the last cell for good. `sideways`: it may leave its path to evade a collision.
    `aside`: where it cannot wait either, it may stand beside its path for a while. `most`: moves and waits that are tried.
    """

    agent: int
    slot: int
    last: int
    most: int
    stays: bool
    sideways: bool
    aside: bool


class Evading(NamedTuple):
    """Memory: for each node of the timed path its place on the path, for each place the last slot it was reached at."""

    places: NDArray[np.int32]
    reached: NDArray[np.int32]
    counts: NDArray[np.int64]


class Course(NamedTuple):
    """A path that gets its times, what decides them, and where the nodes go: a cell and a slot each."""

    rules: Rules
    table: Reservations
    evading: Evading
    timing: Timing
    path: NDArray[np.int32]
    cells: NDArray[np.int32]
    slots: NDArray[np.int32]


def new_evading(room: int) -> Evading:
    """Memory for paths and timed paths of up to `room` cells."""
    return Evading(np.zeros(room, np.int32), np.zeros(room, np.int32), np.zeros(4, np.int64))


@kernel
def timed_path(rules, table, evading, timing, path, n_path, cells, slots):
    """Write the first `n_path` cells of `path` with times, as `space_time.trace` does; the number of nodes.

    It is 0 if no times are found, or none that fit into the arrays with 8 nodes to spare.
    """
    course = Course(rules, table, evading, timing, path[:n_path], cells, slots)
    begin_times(course)
    return evading.counts[N_NODES] if advance_times(course, np.int64(2**62)) == FOUND else 0


@kernel
def begin_times(course):
    """Begin at the first cell of the path."""
    counts, places, reached = course.evading.counts, course.evading.places, course.evading.reached
    counts[N_NODES] = counts[TRIED] = counts[FURTHEST] = 0
    counts[ROOM] = min(course.cells.size, course.slots.size, places.size)
    if 0 < course.path.size <= min(counts[ROOM], reached.size):
        for place in range(course.path.size):
            reached[place] = course.timing.slot - 1
        counts[N_NODES] = _add(course, 0, course.path[0], course.timing.slot, 0)


@kernel
def advance_times(course, budget):
    """Make up to `budget` moves or waits of the timed path; RUNNING, FOUND (`counts[N_NODES]` are it) or EXHAUSTED."""
    rules, timing, evading, cells, slots = course.rules, course.timing, course.evading, course.cells, course.slots
    counts = evading.counts
    n, room, stop = counts[N_NODES], counts[ROOM], counts[TRIED] + budget
    while n > 0:
        slot, cell = slots[n - 1], cells[n - 1]
        is_last = evading.places[n - 1] == course.path.size - 1
        if is_last and (not timing.stays or is_free_for_good(rules, cell, slot)):
            counts[N_NODES] = n
            return FOUND
        if n + _ASIDE > room or counts[TRIED] >= timing.most:
            return EXHAUSTED
        if counts[TRIED] >= stop:
            counts[N_NODES] = n
            return RUNNING
        counts[TRIED] += 1
        longer = 0 if is_last else _go_on(course, n)
        if longer == 0 and timing.aside:
            longer = _stand_aside(course, n)
        n = longer if longer > 0 else _wait(course, n)
    return EXHAUSTED


@inner
def _go_on(course, n):
    """Make the next move of the path, or evade what is in its way; the new length, 0 if neither is possible."""
    rules, table, timing = course.rules, course.table, course.timing
    place, slot, cell = course.evading.places[n - 1], course.slots[n - 1], course.cells[n - 1]
    there = course.path[place + 1]
    k = _direction(rules.offsets, cell, there)
    if is_open(rules, table, timing.agent, cell, there, k, slot):
        then = slot + rules.lasts[k]
        return _add(course, n, there, then, place + 1) if then > course.evading.reached[place + 1] else 0
    if not timing.sideways:
        return 0
    for turn in range(2):
        if k >= 4:  # first the horizontal part of the diagonal or the vertical one: one of k - 4 and k - 3 is even
            longer = _evade(course, n, (k - 4 + (k + turn) % 2) % 4, k, WAIT, 1)
        else:
            side = (k + 1) % 4 if turn == 0 else (k + 3) % 4
            slant = 4 + k if turn == 0 else 4 + side
            if rules.legal[cell] >> slant & 1:
                longer = _evade(course, n, slant, WAIT, WAIT, 1)
            else:
                longer = _evade(course, n, side, k, k, 2)
        if longer > 0:
            return longer
    return 0


@inner
def _evade(course, n, first, second, third, n_back):
    """Make these moves (WAIT: none) until the path can be rejoined, beyond the collision cell or, after `n_back`, at it.

    Returns the new length, 0 if it cannot be rejoined.
    """
    place = course.evading.places[n - 1]
    for ahead in (2, 1):
        longer = n
        for number, k in enumerate((first, second, third)):
            if k == WAIT or (ahead == 1 and number == n_back):
                break
            longer = _step(course, longer, k)
            if longer == 0:
                break
            if ahead == 2 or number == n_back - 1:
                rejoined = _rejoin(course, longer, place + ahead)
                if rejoined > 0:
                    return rejoined
    return 0


@inner
def _step(course, n, k):
    """Make move `k`, or wait, beside the path; the new length, 0 if it is not legal or not open."""
    rules, cell, slot = course.rules, course.cells[n - 1], course.slots[n - 1]
    if k != WAIT and not rules.legal[cell] >> k & 1:
        return 0
    there = cell if k == WAIT else cell + rules.offsets[k]
    if not is_open(rules, course.table, course.timing.agent, cell, there, k, slot):
        return 0
    course.cells[n], course.slots[n], course.evading.places[n] = there, slot + rules.lasts[k], NOWHERE
    return n + 1


@inner
def _rejoin(course, n, place):
    """Return to `place` of the path, if that is here, or one legal and open move away; the new length, or 0."""
    rules, cell, slot = course.rules, course.cells[n - 1], course.slots[n - 1]
    if place >= course.path.size:
        return 0
    there, reached = course.path[place], course.evading.reached[place]
    if there == cell:
        return _add(course, n - 1, cell, slot, place) if slot > reached else 0
    k = _direction(rules.offsets, cell, there)
    if k == WAIT or not rules.legal[cell] >> k & 1 or slot + rules.lasts[k] <= reached:
        return 0
    if not is_open(rules, course.table, course.timing.agent, cell, there, k, slot):
        return 0
    return _add(course, n, there, slot + rules.lasts[k], place)


@inner
def _wait(course, n):
    """Wait at the last cell of the path where that is possible and new, and drop what came after; the new length, or 0."""
    rules, evading = course.rules, course.evading
    while n > 0:
        place, slot, cell = evading.places[n - 1], course.slots[n - 1], course.cells[n - 1]
        then = slot + rules.lasts[WAIT]
        is_new = slot <= course.timing.last and then > evading.reached[place]
        if is_new and is_open(rules, course.table, course.timing.agent, cell, cell, WAIT, slot):
            return _add(course, n, cell, then, place)
        n -= 1
        while n > 0 and evading.places[n - 1] == NOWHERE:  # a cell beside the path
            n -= 1
    return 0


@inner
def _stand_aside(course, n):
    """Where one cannot wait, step onto a free neighbour, wait there if need be, and come back; the new length, or 0."""
    rules, table, agent = course.rules, course.table, course.timing.agent
    place, slot, cell = course.evading.places[n - 1], course.slots[n - 1], course.cells[n - 1]
    if slot > course.timing.last or is_open(rules, table, agent, cell, cell, WAIT, slot):
        return 0
    for k in range(8):
        longer = _step(course, n, k)
        for _ in range(_PATIENCE):
            if longer == 0:
                break
            for ahead in (1, 0):
                rejoined = _rejoin(course, longer, place + ahead)
                if rejoined > 0:
                    return rejoined
            longer = _step(course, longer, WAIT)
    return 0


@inner
def _add(course, n, cell, slot, place):
    """Let node `n` be a cell of the path; the new length."""
    evading = course.evading
    course.cells[n], course.slots[n], evading.places[n] = cell, slot, place
    evading.reached[place] = slot
    evading.counts[FURTHEST] = max(evading.counts[FURTHEST], place)
    return n + 1


@inner
def _direction(offsets, cell, there):
    """The number of the move from `cell` to `there`, WAIT if there is none."""
    for k in range(8):
        if cell + offsets[k] == there:
            return k
    return WAIT
