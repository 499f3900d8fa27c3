"""The traffic of a lane: agents go one way, the one that came first has priority, and promises are kept.

In each tick agents move by priority inheritance with backtracking inside the lane: an agent prefers the neighbouring cell
that is nearest to the cells from which it can leave; one that stands in the way of an agent with priority moves on, or
into an empty cell further back. As all agents of a lane go the same way, they do not meet head-on.

Before a lane accepts an agent it simulates this traffic until the last agent that has been accepted is there, under the
assumption that nobody gets out. The simulated traffic is kept: agents follow it until something better comes up, which is
when an agent leaves. Traffic is replaced only by traffic in which all promises hold.

Invariants  no two agents are in one cell, and none change places. An agent that has been accepted for a cell and a time
            finds the cell empty, at that time and one tick before it, unless its room cancels that.
"""

import numpy as np

from wayfolk.algorithms.controllers.sdp.areas import steps_out
from wayfolk.algorithms.controllers.sdp.state import HORIZON
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE

SLACK = 24  # ticks by which an arrival may be put off
SHORTEST = 8  # ticks that are simulated at least
_UNDECIDED = NOBODY
_LEFT = np.int32(NOBODY - 1)  # has left the lane
_N = 5  # place of the number of choices, after five cells
_FAR = 1 << 30
_BROKEN, _MOVED, _STILL = range(3)


@inner
def member_of(lanes, lane, agent):
    """The member of `lane` that is `agent`, or NOBODY."""
    first = lanes.lanes[lane]["first"]
    for i in range(lanes.lanes[lane]["count"]):
        if lanes.members[lanes.queue[first + i]]["agent"] == agent:
            return lanes.queue[first + i]
    return NOBODY


@inner
def add_member(lanes, lane, agent, cell, enters, link, wants):
    """Put `agent` at the end of the queue of `lane`, to enter `cell` at the time `enters`; the new member."""
    row = lanes.lanes[lane]
    slot = row["first"]
    while lanes.members[slot]["used"]:
        slot += 1
    member = lanes.members[slot]
    member["agent"], member["enters"], member["cell"], member["link"] = agent, enters, cell, link
    member["wants"], member["goes"], member["used"], member["fixed"] = wants, NOWHERE, True, False
    member["first"], member["n"] = enters, 1
    lanes.traffic[slot, 0] = cell
    lanes.queue[row["first"] + row["count"]] = slot
    row["count"] += 1
    return slot


@inner
def remove_member(lanes, lane, slot):
    """Take a member out of the queue of `lane`."""
    row = lanes.lanes[lane]
    lanes.members[slot]["used"] = False
    at = row["first"]
    while lanes.queue[at] != slot:
        at += 1
    row["count"] -= 1
    for k in range(at, row["first"] + row["count"]):
        lanes.queue[k] = lanes.queue[k + 1]


@inner
def forget(lanes, lane, agent):
    """Drop the promise to an agent that does not come."""
    remove_member(lanes, lane, member_of(lanes, lane, agent))


@inner
def has_room(lanes, lane):
    """Whether there are fewer members than cells."""
    row = lanes.lanes[lane]
    return row["first"] + row["count"] < lanes.lanes[lane + 1]["first"]


@inner
def cell_at(lanes, slot, time):
    """Where a member is at `time` by the traffic that is kept, or NOWHERE before it enters."""
    member = lanes.members[slot]
    if time < member["first"]:
        return NOWHERE
    return lanes.traffic[slot, min(time - member["first"], member["n"] - 1)]


@inner
def first_empty(lanes, lane, cell, earliest, latest):
    """The first time from `earliest` to `latest` at which `cell` is empty, also one tick before it; 0 if there is none."""
    empty_since = earliest - 1
    for time in range(earliest - 1, latest + 1):
        if not _is_empty(lanes, lane, cell, time):
            empty_since = time + 1
        elif time > empty_since:
            return time
    return 0


@inner
def _is_empty(lanes, lane, cell, time):
    first = lanes.lanes[lane]["first"]
    n_there = 0
    for i in range(lanes.lanes[lane]["count"]):
        n_there += cell_at(lanes, lanes.queue[first + i], time) == cell
    return n_there == 0


@inner
def promise(lanes, lane, agent, cell, time, link, wants, now):
    """Accept `agent` into `cell` at `time`, if all promises still hold then; whether they do."""
    slot = add_member(lanes, lane, agent, cell, time, link, wants)
    if look_ahead(lanes, lane, now):
        keep(lanes, lane, now)
        return True
    remove_member(lanes, lane, slot)
    return False


@inner
def look_ahead(lanes, lane, now):
    """Simulate the traffic of `lane` from `now` on, into `ahead`; False if a promise would be broken."""
    row = lanes.lanes[lane]
    first, n = row["first"], row["count"]
    end = now + SHORTEST
    for i in range(n):
        slot = lanes.queue[first + i]
        member = lanes.members[slot]
        end = max(end, member["enters"] + 1)
        lanes.ahead[slot, 0] = NOWHERE
        if member["enters"] <= now:
            lanes.spots[member["cell"]]["occupant"] = slot
            lanes.ahead[slot, 0] = member["cell"]
    row["until"] = end = min(end, now + HORIZON)
    outcome, k = _MOVED, 0
    while outcome != _BROKEN and now + k < end:
        k += 1
        outcome = _tick(lanes, first, n, now, k)
        if outcome == _STILL:  # and stays so until somebody enters
            k = _skip(lanes, first, n, now, k, end)
    for at in range(first, lanes.lanes[lane + 1]["first"]):
        lanes.spots[lanes.cells[at]]["occupant"] = NOBODY
    return outcome != _BROKEN


@inner
def _skip(lanes, first, n, now, k, end):
    """Copy the traffic of tick `k` until shortly before the next agent enters; the tick that is done then."""
    stop = end
    for i in range(n):
        enters = lanes.members[lanes.queue[first + i]]["enters"]
        if enters > now + k:
            stop = min(stop, enters - 2)
    stop = max(stop - now, k)
    for i in range(n):
        slot = lanes.queue[first + i]
        for later in range(k + 1, stop + 1):
            lanes.ahead[slot, later] = lanes.ahead[slot, k]
    return stop


@inner
def keep(lanes, lane, now):
    """Let the traffic that has just been simulated be the one that agents follow."""
    row = lanes.lanes[lane]
    end = row["until"]
    for i in range(row["count"]):
        slot = lanes.queue[row["first"] + i]
        member = lanes.members[slot]
        begin = max(now, member["enters"])
        for time in range(begin, end + 1):
            lanes.traffic[slot, time - begin] = lanes.ahead[slot, time - now]
        member["first"], member["n"] = begin, end - begin + 1
    row["kept"] = end


@inner
def _tick(lanes, first, n, now, k):
    """Simulate the tick that ends at the time `now` + `k`; whether a promise is broken, and whether somebody moves."""
    lanes.counts[0] += 1
    stamp = lanes.counts[0]
    time = now + k
    for i in range(n):
        slot = lanes.queue[first + i]
        member = lanes.members[slot]
        before = lanes.ahead[slot, k - 1]
        member["next"] = _UNDECIDED
        if member["enters"] >= time:
            if member["enters"] <= time + 1:  # its cell is left empty for it
                lanes.spots[member["cell"]]["claim"] = stamp
                if member["enters"] == time and lanes.spots[member["cell"]]["occupant"] != NOBODY:
                    return _BROKEN
        elif before == _LEFT or (k == 1 and member["goes"] != NOWHERE):
            member["next"] = _LEFT
        elif member["fixed"]:
            member["next"] = before
            lanes.spots[before]["claim"] = stamp
    for i in range(n):
        slot = lanes.queue[first + i]
        if lanes.members[slot]["enters"] < time and lanes.members[slot]["next"] == _UNDECIDED:
            _push(lanes, slot, k, stamp)
    outcome = _STILL
    for i in range(n):
        slot = lanes.queue[first + i]
        if lanes.ahead[slot, k - 1] < _LEFT:
            lanes.spots[lanes.ahead[slot, k - 1]]["occupant"] = NOBODY
    for i in range(n):
        slot = lanes.queue[first + i]
        member = lanes.members[slot]
        there = NOWHERE
        if member["enters"] < time:
            there = member["next"]
        elif member["enters"] == time:
            there = member["cell"]
        if there != lanes.ahead[slot, k - 1]:
            outcome = _MOVED
        lanes.ahead[slot, k] = there
        if there < _LEFT:
            lanes.spots[there]["occupant"] = slot
    return outcome


@inner
def _push(lanes, slot, k, stamp):
    """Decide where a member goes, and those whom it displaces."""
    depth = 0
    lanes.stack[0] = slot
    lanes.members[slot]["tried"] = 0
    while True:
        pushing = lanes.stack[depth]
        member = lanes.members[pushing]
        here = lanes.ahead[pushing, k - 1]
        row = member["wants"] + lanes.place[here]
        pushed = NOBODY
        while member["tried"] < lanes.choices[row, _N] and pushed == NOBODY:
            there = lanes.choices[row, member["tried"]]
            member["tried"] += 1
            if lanes.spots[there]["claim"] == stamp:
                continue
            other = lanes.spots[there]["occupant"]
            if other != NOBODY and other != pushing:
                if lanes.members[other]["next"] == here:
                    continue
                if lanes.members[other]["next"] == _UNDECIDED:
                    pushed = other
            lanes.spots[there]["claim"] = stamp
            member["next"] = there
            if pushed == NOBODY:
                return
        if pushed != NOBODY:
            depth += 1
            lanes.stack[depth] = pushed
            lanes.members[pushed]["tried"] = 0
            continue
        lanes.spots[here]["claim"] = stamp
        member["next"] = here
        if depth == 0:
            return
        depth -= 1
        lanes.members[lanes.stack[depth]]["next"] = _UNDECIDED


@kernel
def order_choices(areas, inside, offsets, depth, cells, first_cell, choices):
    """For each link out of a lane and each cell of the lane, list the cells around: the nearest to the way out first.

    The cell itself comes before others as near. Behind the last way out come those that are least deep in the lane.
    """
    for link in range(areas.links.size):
        lane = areas.links[link]["from_area"] - areas.n_rooms
        if lane < 0:
            continue
        for k in range(first_cell[lane], first_cell[lane + 1]):
            here = cells[k]
            row = choices[areas.links[link]["steps"] + areas.place[here]]
            n = 0
            for move in range(5):
                if move > 0 and not (inside[here] >> (move - 1)) & 1:
                    continue
                there = here if move == 0 else here + offsets[move - 1]
                at = n
                while at > 0 and _value(areas, depth, link, row[at - 1]) > _value(areas, depth, link, there):
                    row[at] = row[at - 1]
                    at -= 1
                row[at] = there
                n += 1
            row[_N] = n


@inner
def _value(areas, depth, link, cell):
    steps = steps_out(areas, cell, link)
    return _FAR + depth[cell] if steps == NOWHERE else np.int64(steps)
