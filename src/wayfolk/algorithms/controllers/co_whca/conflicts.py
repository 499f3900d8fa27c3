"""Conflicts between ways: the earliest one is found, each of its agents is tried as owner, and the cheaper pair is kept."""

import numpy as np

from wayfolk.algorithms.controllers.co_whca.state import (
    AT,
    BEGIN,
    FIXED,
    FREE,
    IS_AGAIN,
    N_ACTIVE,
    N_CONFLICTS,
    SETTLED,
    SLOT,
    SPENT,
    STAGE,
    STAMP,
    UNTIL,
    begin_way,
    cell_at,
    copy_way,
    end_of,
    lay_track,
    reserve_way,
    reserve_window,
    stand,
    take_rest,
    undo_window,
)
from wayfolk.algorithms.controllers.whca import drop_way, search_window
from wayfolk.compile.jit import inner
from wayfolk.kernels import rra, space_time
from wayfolk.kernels.codes import FOUND, FULL, NOBODY
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.planning import SLICE
from wayfolk.kernels.reservations import holder, release

PATIENCE = 3  # lost conflicts in a round after which an agent reserves all of its way
MOST = 24  # lost conflicts in a round after which an agent stays
NO_SPACE = np.int64(2**62)  # in place of a slot: the tree of the search was full


@inner
def settle_conflicts(arrays, crew, order):
    """Resolve one conflict after another until none is left before the next round.

    False if the tree was full, or the round has paused: then it goes on with conflicts from the slot `counts[AT]` on.
    """
    counts, first = arrays.counts, arrays.counts[AT]
    while first < counts[UNTIL]:
        if counts[SPENT] >= SLICE:
            counts[AT] = first
            return False
        slot, one, other = _next_conflict(arrays, crew, first)
        if slot < arrays.counts[UNTIL]:
            arrays.counts[N_CONFLICTS] += 1
            first = _resolve(arrays, crew, slot, one, other)
        else:
            first = _clear_windows(arrays, crew, order)
    if first == NO_SPACE:
        counts[IS_AGAIN], counts[STAGE] = 1, BEGIN
    return first != NO_SPACE


@inner
def _next_conflict(arrays, crew, first):
    """The earliest slot from `first` on at which two agents collide, and these; the slot is UNTIL if there is none."""
    counts, until, n = arrays.counts, arrays.counts[UNTIL], arrays.counts[N_ACTIVE]
    counts[STAMP] += 1
    for k in range(n):
        _sit(arrays, arrays.active[k], first - 1)
    for slot in range(first, until):
        counts[STAMP] += 1
        for k in range(n):
            agent = arrays.active[k]
            other = _sit(arrays, agent, slot)
            if other != agent and _can_change(arrays, agent, other):
                return slot, agent, other
        for k in range(n):
            agent = arrays.active[k]
            here, there = cell_at(arrays, agent, slot - 1), cell_at(arrays, agent, slot)
            if here != there:
                other = _meets(arrays, crew, agent, here, there, slot)
                if other != agent and _can_change(arrays, agent, other):
                    return slot, agent, other
    return until, np.int32(0), np.int32(0)


@inner
def _can_change(arrays, one, other):
    return arrays.states[one]["rank"] != FIXED or arrays.states[other]["rank"] != FIXED


@inner
def _sit(arrays, agent, slot):
    """Note that `agent` is in its cell at `slot`, unless its way is over; who was noted there before, or `agent`."""
    if slot >= end_of(arrays, agent):
        return agent
    seat = arrays.seats[slot & 1, cell_at(arrays, agent, slot)]
    if seat["stamp"] == arrays.counts[STAMP]:
        return seat["agent"]
    seat["stamp"], seat["agent"] = arrays.counts[STAMP], agent
    return agent


@inner
def _meets(arrays, crew, agent, here, there, slot):
    """With whom `agent` swaps, or whose diagonal it crosses, when it moves at `slot`; itself if with none."""
    other = _who_was(arrays, there, slot)
    if other != NOBODY and cell_at(arrays, other, slot) == here:
        return other
    k = diagonal(crew.offsets, here, there)
    if k == 0:
        return agent
    beside, across = corners(crew.offsets, here, k)
    for _ in range(2):
        other = _who_was(arrays, beside, slot)
        if other != NOBODY and cell_at(arrays, other, slot) == across:
            return other
        beside, across = across, beside
    return agent


@inner
def _who_was(arrays, cell, slot):
    """Who was in `cell` one slot before `slot`, which is being looked at."""
    seat = arrays.seats[(slot - 1) & 1, cell]
    return seat["agent"] if seat["stamp"] == arrays.counts[STAMP] - 1 else NOBODY


@inner
def _resolve(arrays, crew, slot, one, other):
    """Let one of two agents own their conflict at `slot`, and the other plan again; the first slot that has changed."""
    states = arrays.states
    if states[one]["rank"] != states[other]["rank"]:
        owner, loser = (one, other) if states[one]["rank"] > states[other]["rank"] else (other, one)
        code = _try(arrays, crew, 0, slot, owner, loser)
        if code == FULL:
            return NO_SPACE
        return _decide(arrays, crew, 0, slot, owner, loser) if code == FOUND else fall_back(arrays, crew, loser)
    codes = (_try(arrays, crew, 0, slot, one, other), _try(arrays, crew, 1, slot, other, one))
    if codes[0] == FULL or codes[1] == FULL:
        return NO_SPACE
    has_way = (codes[0] == FOUND, codes[1] == FOUND)
    if not has_way[0] and not has_way[1]:
        return fall_back(arrays, crew, one if states[one]["turn"] > states[other]["turn"] else other)
    if has_way[0] and (not has_way[1] or _is_better(arrays, crew, slot, one, other)):
        return _decide(arrays, crew, 0, slot, one, other)
    return _decide(arrays, crew, 1, slot, other, one)


@inner
def _try(arrays, crew, number, slot, owner, loser):
    """Search a way of `loser` around the window of `owner`; the outcome. The way is written to trial `number`."""
    cells, slots = arrays.trial_cells[number], arrays.trial_slots[number]
    reserve_window(arrays, owner, slot, loser)
    begin_way(cells, slots, crew.agents[loser]["here"], arrays.counts[SLOT])
    arrays.trial_n[number], code = extend_way(arrays, crew, loser, cells, slots, 2)
    undo_window(arrays, owner, slot, loser)
    return code


@inner
def extend_way(arrays, crew, agent, cells, slots, n):
    """Search on from the last of `n` nodes to the end of the window; the number of nodes then, and the outcome."""
    window = arrays.window
    end = arrays.counts[SLOT] + window.span
    code, spent = search_window(window, agent, crew.agents[agent]["goal"], cells[n - 1], slots[n - 1], end)
    arrays.states[agent]["spent"] += spent
    arrays.counts[SPENT] += spent
    if code == FOUND:
        n += space_time.trace(window.nodes, cells[n - 1 :], slots[n - 1 :]) - 1
    return n, code


@inner
def _is_better(arrays, crew, slot, one, other):
    """Whether `one` should own: by trial 0, in which `other` has planned again, compared with trial 1."""
    agents, window = crew.agents, arrays.window
    rests = (agents[one]["here"] == agents[one]["goal"], agents[other]["here"] == agents[other]["goal"])
    if rests[0] != rests[1]:
        if agents[one]["goal"] == agents[other]["goal"]:
            return rests[0]
        if rests[0] and not _passes(arrays, other, slot, 0):
            return False
        if rests[1] and not _passes(arrays, one, slot, 1):
            return True
    costs = (
        _cost(arrays, one, agents[one]["goal"], window.cells[one], window.slots[one], window.n_way[one])
        + _cost(arrays, other, agents[other]["goal"], arrays.trial_cells[0], arrays.trial_slots[0], arrays.trial_n[0]),
        _cost(arrays, other, agents[other]["goal"], window.cells[other], window.slots[other], window.n_way[other])
        + _cost(arrays, one, agents[one]["goal"], arrays.trial_cells[1], arrays.trial_slots[1], arrays.trial_n[1]),
    )
    if costs[0] != costs[1]:
        return costs[0] < costs[1]
    n_free = (_free_neighbours(arrays, crew, one), _free_neighbours(arrays, crew, other))
    if n_free[0] != n_free[1]:
        return n_free[0] < n_free[1]
    return arrays.states[one]["turn"] < arrays.states[other]["turn"]


@inner
def _passes(arrays, agent, slot, number):
    """Whether trial `number` brings `agent` at least as near to its goal as it was to be at the conflict at `slot`."""
    searches = arrays.window.searches
    end = arrays.trial_cells[number, arrays.trial_n[number] - 1]
    return rra.distance(searches, agent, end) <= rra.distance(searches, agent, cell_at(arrays, agent, slot))


@inner
def _cost(arrays, agent, goal, cells, slots, n):
    """The slots of a way that are not spent on the goal, and the distance that is left after it."""
    cost = np.int64(rra.distance(arrays.window.searches, agent, cells[n - 1]))
    for k in range(2, n):
        if cells[k] != goal or cells[k - 1] != goal:
            cost += slots[k] - slots[k - 1]
    return cost


@inner
def _free_neighbours(arrays, crew, agent):
    """How many cells `agent` could move to that are empty now."""
    here, rules = crew.agents[agent]["here"], arrays.window.rules
    n = 0
    for k in range(8):
        if (rules.legal[here] >> k) & 1 and crew.occupant[here + rules.offsets[k]] == NOBODY:
            n += 1
    return n


@inner
def _decide(arrays, crew, number, slot, owner, loser):
    """Reserve the window of `owner`; let trial `number` be the way of `loser`. The first slot that has changed."""
    last = reserve_window(arrays, owner, slot, loser)
    arrays.states[owner]["owns"] = max(arrays.states[owner]["owns"], last)
    return _change_way(
        arrays, crew, loser, arrays.trial_cells[number], arrays.trial_slots[number], arrays.trial_n[number]
    )


@inner
def _change_way(arrays, crew, agent, cells, slots, n):
    """Give `agent` another way, and release what is not on it; the first slot at which it differs."""
    window, state, track, slot = arrays.window, arrays.states[agent], arrays.track[agent], arrays.counts[SLOT]
    if state["losses"] == MOST:
        return fall_back(arrays, crew, agent)
    before = arrays.scratch
    for k in range(track.size):
        before[k] = track[k]
    copy_way(cells, slots, n, window.cells[agent], window.slots[agent])
    window.n_way[agent] = n
    lay_track(arrays, agent, slot)
    first = track.size
    for k in range(track.size - 1, -1, -1):
        if before[k] != track[k]:
            first = k
            release(window.table, before[k], slot - 1 + k, agent)
    state["owns"] = min(state["owns"], slot - 2 + first)
    state["losses"] += 1
    if state["rank"] == FREE and state["losses"] > PATIENCE:
        state["rank"] = SETTLED
    if state["rank"] == SETTLED:
        reserve_way(arrays, agent, False)
    return max(slot, slot - 1 + first)


@inner
def fall_back(arrays, crew, agent):
    """Let `agent` go on as it had planned before this round, as far as that is without conflicts, and then stay.

    It plans again after its first move. The others have to plan around it. The first slot that has changed.
    """
    window, slot, state = arrays.window, arrays.counts[SLOT], arrays.states[agent]
    drop_way(window, agent)
    if not take_rest(arrays, crew, agent, arrays.last_states[agent]["until"] - 1):
        begin_way(window.cells[agent], window.slots[agent], crew.agents[agent]["here"], slot)
        window.n_way[agent] = 2
    stand(arrays, agent, slot)
    reserve_way(arrays, agent, True)
    state["rank"], state["owns"], state["is_stuck"] = FIXED, 0, True
    return slot


@inner
def _clear_windows(arrays, crew, order):
    """Let those whose ways lead through the windows of others plan again; the first slot that has changed, or UNTIL."""
    slot, changed = arrays.counts[SLOT], arrays.counts[UNTIL]
    for agent in order:
        if not _is_in_window(arrays, agent):
            continue
        cells, slots = arrays.trial_cells[0], arrays.trial_slots[0]
        begin_way(cells, slots, crew.agents[agent]["here"], slot)
        n, code = extend_way(arrays, crew, agent, cells, slots, 2)
        if code == FULL:
            return NO_SPACE
        if code == FOUND:
            first = _change_way(arrays, crew, agent, cells, slots, n)
        else:
            first = fall_back(arrays, crew, agent)
        changed = min(changed, first)
    return changed


@inner
def _is_in_window(arrays, agent):
    """Whether `agent` enters a cell that another one of its rank or above has reserved."""
    states, slot = arrays.states, arrays.counts[SLOT]
    if states[agent]["rank"] == FIXED:
        return False
    for t in range(slot, slot + arrays.window.span):
        who = holder(arrays.window.table, cell_at(arrays, agent, t), t)
        if who != NOBODY and who != agent and states[who]["rank"] >= states[agent]["rank"]:
            return True
    return False
