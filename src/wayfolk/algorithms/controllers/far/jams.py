"""Agents that wait for each other: cycles are broken, and agents that stand in the way step aside and come back.

Each agent waits for at most one other, so the agents form a forest whose trees end in an agent that moves, in one that
stands, or in a cycle. A cycle never ends by itself: one of its agents makes way. So does an agent that stands: on its
goal, without a path, or beside its path to let another pass.

An agent makes way by going to the nearest free cell that is not on the path of the agent that asks. Where crowds leave no
way there, the outermost agent on it makes room first, or the one that asks backs off. The moves back are put on the
path, so that no search is needed; the agent stays until the other one has passed.

Invariants  an agent that has made way stays for REST steps before it does so again, then four times as long, and so on up
            to LONGEST_REST, so that two agents with one goal do not push each other for ever: the refused one looks for
            a way around. An agent that asked in vain asks again after RETRY steps, then after twice as long, up to
            LONGEST_RETRY.
Cost        time in proportion to the agents for all cycles together.
"""

import numpy as np

from wayfolk.algorithms.controllers.far import paths as far_paths
from wayfolk.algorithms.controllers.far.state import LOST, PLANNED, SEARCHER, STAMP, UNPLANNED
from wayfolk.algorithms.controllers.far.steps import hand_out, holder
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOBODY

LOOK = 64  # cells of a path that others keep clear of
AREA = 512  # cells that are looked at for one to step aside to
LONGEST_RETRY = 64.0
LONGEST_REST = 128.0
STAYS = 32.0  # steps after which an agent that made way comes back even if no agent has passed


@inner
def break_jams(arrays, crew, now, n_asked):
    """For each of the first `n_asked` in the order that waits: let another agent make way where that is needed."""
    members, order = arrays.members, arrays.order
    first = arrays.job[STAMP] + 1
    counted = False
    for k in range(n_asked):
        # follow the chain of waiting agents to one that does not wait, or was met before
        number = order[k]
        arrays.job[STAMP] += 1
        stamp = arrays.job[STAMP]
        while members[number]["waits_for"] != NOBODY and members[number]["seen"] < first:
            members[number]["seen"] = stamp
            number = members[number]["waits_for"]
        if members[number]["waits_for"] != NOBODY and members[number]["seen"] == stamp:
            if not counted:
                _count_followers(arrays)
                counted = True
            _break_circle(arrays, crew, now, number)
    for k in range(n_asked):
        number = order[k]
        member = members[number]
        other = member["waits_for"]
        if other == NOBODY:
            continue
        if not _stands(arrays, crew, other):
            member["stalled"] = not _is_ours(crew, other)
        elif now >= member["next_try"]:
            arrays.job[STAMP] += 1
            clear_of = arrays.job[STAMP]
            _mark_path(arrays, crew, number, clear_of, LOOK)
            member["stalled"] = not _get_past(arrays, crew, now, other, number, clear_of)
            if member["stalled"]:
                _try_later(member, now)


@inner
def _get_past(arrays, crew, now, number, guest, clear_of):
    """Let `number`, which stands, make way for `guest`; if it cannot, `guest` backs off to give it room."""
    wanted = arrays.members[guest]["goal"]
    if arrays.members[number]["goal"] == wanted and crew.agents[number]["here"] == wanted:  # it has as much right to it
        return False
    return (
        _make_way(arrays, crew, now, number, guest, clear_of, False, STAYS)
        or _make_way(arrays, crew, now, number, guest, clear_of, True, STAYS)
        or _make_way(arrays, crew, now, guest, number, clear_of, False, 0.0)
    )


@inner
def _try_later(member, now):
    member["next_try"] = now + member["retry"]
    member["retry"] = min(2.0 * member["retry"], LONGEST_RETRY)


@inner
def _is_ours(crew, number):
    agent = crew.agents[number]
    return agent["present"] and agent["ours"] and not agent["done"]


@inner
def _stands(arrays, crew, number):
    """Whether `number` will not go on by itself."""
    member = arrays.members[number]
    if not _is_ours(crew, number) or member["n_held"] > member["walked"]:
        return False
    rests = member["state"] == LOST or (member["state"] == PLANNED and member["n_left"] == 0)
    return rests or member["stalled"] or member["yields_to"] != NOBODY


@inner
def _count_followers(arrays):
    """Count the agents that wait for each one, directly or not, outside cycles."""
    members, line = arrays.members, arrays.trail
    for number in range(members.size):
        members[number]["followers"] = members[number]["n_before"] = 0
    for number in range(members.size):
        if members[number]["waits_for"] != NOBODY:
            members[members[number]["waits_for"]]["n_before"] += 1
    n, done = 0, 0
    for number in range(members.size):
        if members[number]["n_before"] == 0:
            line[n] = number
            n += 1
    while done < n:
        number = line[done]
        done += 1
        ahead = members[number]["waits_for"]
        if ahead != NOBODY:
            members[ahead]["followers"] += members[number]["followers"] + 1
            members[ahead]["n_before"] -= 1
            if members[ahead]["n_before"] == 0:
                line[n] = ahead
                n += 1


@inner
def _break_circle(arrays, crew, now, number):
    """Let one agent of the cycle that `number` is in make way for the agent that waits for it."""
    members = arrays.members
    if now < members[number]["next_try"]:
        return
    # no agent goes to a cell that another of them needs soon
    arrays.job[STAMP] += 1
    clear_of = arrays.job[STAMP]
    best = before = number
    while True:
        ahead = members[before]["waits_for"]
        _mark_path(arrays, crew, before, clear_of, arrays.reservation)
        if _is_better(arrays, crew, ahead, best):
            best = ahead
        if ahead == number:
            break
        before = ahead
    before = best
    while members[before]["waits_for"] != best:
        before = members[before]["waits_for"]
    for through in (False, True):
        ahead = best
        while True:
            if _make_way(arrays, crew, now, ahead, before, clear_of, through, STAYS):
                return
            before = ahead
            ahead = members[ahead]["waits_for"]
            if ahead == best:
                break
    before = number
    while True:
        _try_later(members[before], now)
        members[before]["stalled"] = True
        before = members[before]["waits_for"]
        if before == number:
            break


@inner
def _is_better(arrays, crew, one, other):
    """Whether `one` should make way rather than `other`: more agents wait for it, or else it has more room."""
    more = arrays.members[one]["followers"] - arrays.members[other]["followers"]
    if more == 0:
        more = _room(arrays, crew, one) - _room(arrays, crew, other)
    return more > 0 or (more == 0 and one < other)


@inner
def _room(arrays, crew, number):
    """The number of free cells beside `number`."""
    here = crew.agents[number]["here"]
    n = 0
    for k in range(8):
        if (arrays.ground[here] >> k) & 1 and holder(arrays, crew, here + arrays.graph.offsets[k]) == NOBODY:
            n += 1
    return n


@inner
def _mark_path(arrays, crew, number, stamp, n):
    """Mark the next `n` cells of the path of `number` by `stamp`."""
    member = arrays.members[number]
    n = min(n, member["n_left"])
    far_paths.read(arrays.stacks, member, n, arrays.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += arrays.graph.offsets[arrays.moves[k]]
        arrays.spots[cell]["kept"] = stamp


@inner
def _moves_to(arrays, crew, number, wanted):
    """The number of moves of its path, LOOK at most, until `number` is at `wanted`; `reservation` if it never is."""
    member = arrays.members[number]
    n = min(LOOK, member["n_left"])
    far_paths.read(arrays.stacks, member, n, arrays.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += arrays.graph.offsets[arrays.moves[k]]
        if cell == wanted:
            return k + 1
    return arrays.reservation


@inner
def _can_be_moved(arrays, crew, now, number):
    """Whether `number` stands, and its rest since it last made way is over."""
    member = arrays.members[number]
    if not _is_ours(crew, number) or member["n_held"] > member["walked"] or arrays.job[SEARCHER] == number:
        return False
    return member["own"] == crew.agents[number]["here"] and now >= member["rests_until"]


@inner
def _make_way(arrays, crew, now, number, guest, clear_of, through, stays):
    """Let `number` make way for `guest`; with `through`, the way may lead over other standing agents.

    Then the last of these makes room first.
    """
    spots, offsets = arrays.spots, arrays.graph.offsets
    if not _can_be_moved(arrays, crew, now, number):
        return False
    arrays.job[STAMP] += 1
    stamp = arrays.job[STAMP]
    trail = arrays.trail
    trail[0] = crew.agents[number]["here"]
    spots[trail[0]]["seen"] = stamp
    n, done = 1, 0
    while done < n:
        cell = trail[done]
        done += 1
        for k in range(8):
            if (arrays.ground[cell] >> k) & 1 == 0:
                continue
            other = cell + offsets[k]
            if spots[other]["seen"] == stamp:
                continue
            who = holder(arrays, crew, other)
            if who != NOBODY:
                is_passable = through and who != guest and crew.occupant[other] == who
                if not (is_passable and _can_be_moved(arrays, crew, now, who)):
                    continue
            spots[other]["seen"] = stamp
            spots[other]["came"] = cell
            if who == NOBODY and spots[other]["kept"] != clear_of:
                return _step_aside(arrays, crew, now, other, guest, stays)
            if n < min(AREA, trail.size):
                trail[n] = other
                n += 1
    return False


@inner
def _step_aside(arrays, crew, now, refuge, guest, stays):
    """Send the last agent on the way to `refuge` there, to stay for `stays` steps; False if that is too far."""
    members, spots, held = arrays.members, arrays.spots, arrays.held
    n = 0
    cell = refuge
    while crew.occupant[cell] == NOBODY:
        n += 1
        cell = spots[cell]["came"]
    if n > held.shape[1]:
        return False
    number = crew.occupant[cell]
    member, host = members[number], members[guest]
    if member["state"] == PLANNED and member["n_left"] > member["main"]:  # on a detour already: plan anew later
        far_paths.clear(arrays.stacks, member)
        member["state"] = UNPLANNED
    member["main"] = member["n_left"]
    cell = refuge
    for k in range(n - 1, -1, -1):
        held[number, k] = cell
        spots[cell]["owner"] = number
        cell = spots[cell]["came"]
    if member["state"] == PLANNED:
        for k in range(n):
            there = held[number, k]
            far_paths.push(arrays.stacks, member, far_paths.move_between(arrays.graph.offsets, there, cell))
            cell = there
    member["n_held"], member["walked"], member["fleeing"] = n, 0, True
    member["waits_for"], member["stalled"] = NOBODY, False
    member["waits_since"] = np.inf
    member["rests_until"] = now + member["rest"]
    member["rest"] = min(4.0 * member["rest"], LONGEST_REST)
    far = _moves_to(arrays, crew, guest, crew.agents[number]["here"])
    member["yields_to"], member["host_plan"], member["host_left"] = guest, host["plan"], host["n_left"] - far
    member["yields_until"] = now + stays + (2.0 * far if stays > 0.0 else 0.0)
    hand_out(arrays, crew, number)
    return True
