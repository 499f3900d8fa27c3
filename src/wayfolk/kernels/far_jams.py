"""Agents that wait for each other: circles are broken, and whoever stands in the way steps aside and comes back.

Everybody waits for at most one other, so who waits for whom is a forest whose trees end in an agent that moves, in one
that stands, or in a circle. A circle never dissolves by itself: one of it makes way. So does an agent that stands: on its
goal, without a way, or beside its path to let another pass.

To make way is to go to the nearest free cell that is not on the path of the one who asks. Where crowds leave no way
there, the outermost agent on it makes room first, or the one who asks backs off. The moves back are put on the path, so
that nothing is searched; the agent stays until the other one has passed.

Keeps    an agent that has made way stays for REST steps before it does so again, then four times as long, and so on up
         to LONGEST_REST, so that two who want the same place do not push each other for ever: whoever is refused looks
         for a way around. Who asked in vain asks again after RETRY steps, then after twice as long, up to LONGEST_RETRY.
Takes    time in proportion to the agents for all circles together.
"""

import numpy as np

from wayfolk.kernels import far_paths
from wayfolk.kernels.crew import NOBODY
from wayfolk.kernels.far import hand_out, holder
from wayfolk.kernels.far_state import LOST, PLANNED, SEARCHER, STAMP, UNPLANNED
from wayfolk.kernels.jit import inner

LOOK = 64  # cells of a path that others keep clear of
AREA = 512  # cells that are looked at for one to step aside to
LONGEST_RETRY = 64.0
LONGEST_REST = 128.0
STAYS = 32.0  # steps after which one who made way comes back even if nobody passed


@inner
def break_jams(mind, crew, now, n_asked):
    """For those of the first `n_asked` in the order who wait: let somebody make way, if that is what it takes."""
    members, order = mind.members, mind.order
    first = mind.job[STAMP] + 1
    counted = False
    for k in range(n_asked):
        # walk along those who wait until somebody does not, or was met before
        number = order[k]
        mind.job[STAMP] += 1
        stamp = mind.job[STAMP]
        while members[number]["waits_for"] != NOBODY and members[number]["seen"] < first:
            members[number]["seen"] = stamp
            number = members[number]["waits_for"]
        if members[number]["waits_for"] != NOBODY and members[number]["seen"] == stamp:
            if not counted:
                _count_followers(mind)
                counted = True
            _break_circle(mind, crew, now, number)
    for k in range(n_asked):
        number = order[k]
        member = members[number]
        other = member["waits_for"]
        if other == NOBODY:
            continue
        if not _stands(mind, crew, other):
            member["stalled"] = not _is_ours(crew, other)
        elif now >= member["next_try"]:
            mind.job[STAMP] += 1
            clear_of = mind.job[STAMP]
            _mark_path(mind, crew, number, clear_of, LOOK)
            member["stalled"] = not _get_past(mind, crew, now, other, number, clear_of)
            if member["stalled"]:
                _try_later(member, now)


@inner
def _get_past(mind, crew, now, number, guest, clear_of):
    """Let `number`, who stands, make way for `guest`; if it cannot, `guest` backs off to give it room for that."""
    wanted = mind.members[guest]["goal"]
    if mind.members[number]["goal"] == wanted and crew.agents[number]["here"] == wanted:  # it has as much right to it
        return False
    return (
        _make_way(mind, crew, now, number, guest, clear_of, False, STAYS)
        or _make_way(mind, crew, now, number, guest, clear_of, True, STAYS)
        or _make_way(mind, crew, now, guest, number, clear_of, False, 0.0)
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
def _stands(mind, crew, number):
    """Whether `number` will not go on by itself."""
    member = mind.members[number]
    if not _is_ours(crew, number) or member["n_held"] > member["walked"]:
        return False
    rests = member["state"] == LOST or (member["state"] == PLANNED and member["n_left"] == 0)
    return rests or member["stalled"] or member["yields_to"] != NOBODY


@inner
def _count_followers(mind):
    """How many agents wait for each one, directly or not, without going round in circles."""
    members, line = mind.members, mind.trail
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
def _break_circle(mind, crew, now, number):
    """One of the circle that `number` is in makes way for the one who waits for it."""
    members = mind.members
    if now < members[number]["next_try"]:
        return
    # nobody goes to where another of them wants to be soon
    mind.job[STAMP] += 1
    clear_of = mind.job[STAMP]
    best = before = number
    while True:
        ahead = members[before]["waits_for"]
        _mark_path(mind, crew, before, clear_of, mind.reservation)
        if _is_better(mind, crew, ahead, best):
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
            if _make_way(mind, crew, now, ahead, before, clear_of, through, STAYS):
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
def _is_better(mind, crew, one, other):
    """Whether `one` should make way rather than `other`: more wait for it, then it has more room."""
    more = mind.members[one]["followers"] - mind.members[other]["followers"]
    if more == 0:
        more = _room(mind, crew, one) - _room(mind, crew, other)
    return more > 0 or (more == 0 and one < other)


@inner
def _room(mind, crew, number):
    """How many cells beside `number` are free."""
    here = crew.agents[number]["here"]
    n = 0
    for k in range(8):
        if (mind.ground[here] >> k) & 1 and holder(mind, crew, here + mind.graph.offsets[k]) == NOBODY:
            n += 1
    return n


@inner
def _mark_path(mind, crew, number, stamp, n):
    """Mark the next `n` cells of the path of `number` by `stamp`."""
    member = mind.members[number]
    n = min(n, member["n_left"])
    far_paths.read(mind.stacks, member, n, mind.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += mind.graph.offsets[mind.moves[k]]
        mind.spots[cell]["kept"] = stamp


@inner
def _moves_to(mind, crew, number, wanted):
    """After how many moves of its path, LOOK at most, `number` is at `wanted`; `reservation` if it never is."""
    member = mind.members[number]
    n = min(LOOK, member["n_left"])
    far_paths.read(mind.stacks, member, n, mind.moves)
    cell = crew.agents[number]["here"]
    for k in range(n):
        cell += mind.graph.offsets[mind.moves[k]]
        if cell == wanted:
            return k + 1
    return mind.reservation


@inner
def _can_be_moved(mind, crew, now, number):
    """Whether `number` stands, and has not been pushed about too much lately."""
    member = mind.members[number]
    if not _is_ours(crew, number) or member["n_held"] > member["walked"] or mind.job[SEARCHER] == number:
        return False
    return member["own"] == crew.agents[number]["here"] and now >= member["rests_until"]


@inner
def _make_way(mind, crew, now, number, guest, clear_of, through, stays):
    """Let `number` make way for `guest`, or, `through` others who stand, the last of them make room for it."""
    spots, offsets = mind.spots, mind.graph.offsets
    if not _can_be_moved(mind, crew, now, number):
        return False
    mind.job[STAMP] += 1
    stamp = mind.job[STAMP]
    trail = mind.trail
    trail[0] = crew.agents[number]["here"]
    spots[trail[0]]["seen"] = stamp
    n, done = 1, 0
    while done < n:
        cell = trail[done]
        done += 1
        for k in range(8):
            if (mind.ground[cell] >> k) & 1 == 0:
                continue
            other = cell + offsets[k]
            if spots[other]["seen"] == stamp:
                continue
            who = holder(mind, crew, other)
            if who != NOBODY:
                is_passable = through and who != guest and crew.occupant[other] == who
                if not (is_passable and _can_be_moved(mind, crew, now, who)):
                    continue
            spots[other]["seen"] = stamp
            spots[other]["came"] = cell
            if who == NOBODY and spots[other]["kept"] != clear_of:
                return _step_aside(mind, crew, now, other, guest, stays)
            if n < min(AREA, trail.size):
                trail[n] = other
                n += 1
    return False


@inner
def _step_aside(mind, crew, now, refuge, guest, stays):
    """The last agent on the way that leads to `refuge` goes there, and `stays` for a while; False if that is too far."""
    members, spots, held = mind.members, mind.spots, mind.held
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
        far_paths.clear(mind.stacks, member)
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
            far_paths.push(mind.stacks, member, far_paths.move_between(mind.graph.offsets, there, cell))
            cell = there
    member["n_held"], member["walked"], member["fleeing"] = n, 0, True
    member["waits_for"], member["stalled"] = NOBODY, False
    member["waits_since"] = np.inf
    member["rests_until"] = now + member["rest"]
    member["rest"] = min(4.0 * member["rest"], LONGEST_REST)
    far = _moves_to(mind, crew, guest, crew.agents[number]["here"])
    member["yields_to"], member["host_plan"], member["host_left"] = guest, host["plan"], host["n_left"] - far
    member["yields_until"] = now + stays + (2.0 * far if stays > 0.0 else 0.0)
    hand_out(mind, crew, number)
    return True
