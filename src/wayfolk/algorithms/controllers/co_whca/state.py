"""The ways of the agents, slot by slot, and the windows that owners of conflicts reserve along them."""

import numpy as np

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.reservation_rules import NEVER
from wayfolk.kernels.reservations import holder, release, reserve

FREE, SETTLED, FIXED = range(3)  # ranks: the lower one loses a conflict, equal ones are both tried
STAMP, SLOT, BOUNDARY, UNTIL, N_ACTIVE, IS_AGAIN, N_CONFLICTS, STAGE, AT, SPENT = range(10)  # places in `counts`
BEGIN, PLAN, SETTLE = range(3)  # stages of a round; it is in the last two if it has paused
STATE = np.dtype(
    [
        ("began", np.int32),  # the slot at which its way begins
        ("goal", np.int32),
        ("owns", np.int32),  # the last slot of its windows
        ("until", np.int32),  # its way has no conflicts before this slot
        ("turn", np.int32),  # its place in the order of this round
        ("losses", np.int32),
        ("spent", np.int32),
        ("rank", np.uint8),
        ("is_stuck", np.bool_),  # no way was found in this round
    ],
    align=True,
)
SEAT = np.dtype([("stamp", np.int64), ("agent", np.int32)], align=True)


@inner
def cell_at(arrays, agent, slot):
    """The cell that `agent` holds at `slot`; after the end of its way, the last one."""
    k = slot - arrays.states[agent]["began"] + 1
    return arrays.track[agent, min(max(k, 0), arrays.track.shape[1] - 1)]


@inner
def lay_track(arrays, agent, slot):
    """Write the way of `agent`, which begins at `slot`, cell by cell to its track."""
    window, track = arrays.window, arrays.track[agent]
    cells, slots, n = window.cells[agent], window.slots[agent], window.n_way[agent]
    arrays.states[agent]["began"] = slot
    track[0] = cells[0]
    filled = 0
    for k in range(1, n):
        for t in range(slots[k - 1], slots[k]):
            filled = t - slot + 1
            if filled >= track.size:
                return
            track[filled] = cells[k]
    for k in range(filled + 1, track.size):
        track[k] = cells[n - 1]


@inner
def copy_way(from_cells, from_slots, n, cells, slots):
    """Copy the first `n` nodes of a way."""
    for k in range(n):
        cells[k], slots[k] = from_cells[k], from_slots[k]


@inner
def begin_way(cells, slots, here, slot):
    """Write the first two nodes of a way: it begins with the slot before it, so that others see who comes from where."""
    cells[0] = cells[1] = here
    slots[0], slots[1] = slot - 1, slot


@inner
def end_of(arrays, agent):
    """The slot at which the way of `agent` is over."""
    return arrays.window.slots[agent, arrays.window.n_way[agent] - 1]


@inner
def stand(arrays, agent, slot):
    """Let `agent` stay on the last cell of its way to the end of the window that begins at `slot`."""
    cells, slots, n = arrays.window.cells[agent], arrays.window.slots[agent], arrays.window.n_way[agent]
    end = slot + arrays.window.span
    if slots[n - 1] < end:
        cells[n], slots[n] = cells[n - 1], end
        arrays.window.n_way[agent] = n + 1
    lay_track(arrays, agent, slot)


@inner
def window_of(arrays, owner, conflict):
    """The first and the last slot that `owner` reserves around the slot `conflict`."""
    now, window = arrays.counts[SLOT], arrays.window
    end = min(now + window.span, end_of(arrays, owner))
    return max(now - 1, conflict - arrays.half), min(conflict + arrays.half, end - 1)


@inner
def reserve_window(arrays, owner, conflict, loser):
    """Reserve the way of `owner` around a conflict, wherever nobody but `loser` has; what is done is noted in `added`."""
    table, added = arrays.window.table, arrays.added
    first, last = window_of(arrays, owner, conflict)
    for t in range(first, last + 1):
        cell = cell_at(arrays, owner, t)
        who = holder(table, cell, t)
        added[t - first] = 1 if who == NOBODY else 2 if who == loser else 0
        if added[t - first] > 0:
            reserve(table, cell, t, owner)
    return last


@inner
def undo_window(arrays, owner, conflict, loser):
    """Take back what `reserve_window` has just done."""
    table, added = arrays.window.table, arrays.added
    first, last = window_of(arrays, owner, conflict)
    for t in range(first, last + 1):
        if added[t - first] == 1:
            release(table, cell_at(arrays, owner, t), t, owner)
        elif added[t - first] == 2:
            reserve(table, cell_at(arrays, owner, t), t, loser)


@inner
def reserve_way(arrays, agent, over):
    """Reserve all of the way of `agent` where nobody has, or, with `over`, whoever has."""
    table, slot = arrays.window.table, arrays.counts[SLOT]
    for t in range(slot - 1, slot + arrays.window.span):
        cell = cell_at(arrays, agent, t)
        if over or holder(table, cell, t) == NOBODY:
            reserve(table, cell, t, agent)


@inner
def take_rest(arrays, crew, agent, last):
    """Let what is left of the last way of `agent` be its way, with all moves that begin up to the slot `last`.

    False if the agent is not where it had planned to be, or a move is not legal any more; then it has no way.
    """
    window, slot, here = arrays.window, arrays.counts[SLOT], crew.agents[agent]["here"]
    cells, slots = window.cells[agent], window.slots[agent]
    old_cells, old_slots, n_old = arrays.last_cells[agent], arrays.last_slots[agent], arrays.last_n[agent]
    window.n_way[agent] = 0
    at = 1
    while at < n_old and (old_slots[at] != slot or old_cells[at] != here):
        at += 1
    if at >= n_old:
        return False
    begin_way(cells, slots, here, slot)
    n = 2
    while at + 1 < n_old and old_slots[at] <= last:
        at += 1
        if not _is_step(window.rules, cells[n - 1], old_cells[at]):
            return False
        cells[n], slots[n] = old_cells[at], old_slots[at]
        n += 1
    window.n_way[agent] = n
    return True


@inner
def _is_step(rules, here, there):
    """Whether an agent may wait, or a legal move leads from `here` to `there`, where no agent stays for good."""
    if rules.parked[there] != NEVER:
        return False
    if here == there:
        return True
    for k in range(8):
        if here + rules.offsets[k] == there:
            return (rules.legal[here] >> k) & 1 != 0
    return False
