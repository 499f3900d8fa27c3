"""Traffic: which agents are in a cell, and from when to when.

Each cell has a list of visits, sorted by their first step. The times between visits are the safe intervals of SIPP. Adding
or removing a path changes the lists of its cells only. While plans still have collisions, visits of a cell may overlap.

A visit lasts from its `start` to its `end`, both included; an agent that rests on its goal stays until LAST. `reach` is
the latest end of this and all earlier visits of the cell: whoever looks for the visits at some time walks back from the
last one that has begun, and stops where `reach` says that all earlier ones are over.

Invariants  the starts of a cell's visits never fall, and `reach` is the maximum of all ends up to it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner

NEVER = 1 << 30
LAST = NEVER - 1
"""The last step of all: agents rest on their goals until then."""
VISIT = np.dtype([("start", np.int32), ("end", np.int32), ("reach", np.int32), ("agent", np.int32)], align=True)
SPAN = np.dtype([("first", np.int32), ("n", np.int32), ("room", np.int32)], align=True)
SMALLEST = 4  # visits that a cell has room for at first


class VisitTable(NamedTuple):
    """The visits of all cells in one array; `spans[cell]` says where those of a cell are. `top[0]` entries are in use."""

    visits: NDArray[np.void]
    spans: NDArray[np.void]
    top: NDArray[np.int64]


def new_traffic(n_cells: int, room: int) -> VisitTable:
    """No visits, and room for `room` entries."""
    return VisitTable(np.zeros(max(room, SMALLEST), VISIT), np.zeros(n_cells, SPAN), np.zeros(1, np.int64))


def with_more_visits(traffic: VisitTable) -> VisitTable:
    """The same visits, with twice the room."""
    visits = np.zeros(2 * len(traffic.visits), VISIT)
    visits[: len(traffic.visits)] = traffic.visits
    return traffic._replace(visits=visits)


@inner
def begun(traffic, cell, time):
    """How many visits of `cell` begin at `time` or earlier."""
    span = traffic.spans[cell]
    first, low, high = span["first"], 0, np.int64(span["n"])
    while low < high:
        middle = (low + high) >> 1
        if traffic.visits[first + middle]["start"] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def add_visit(traffic, cell, start, end, agent):
    """Enter a visit; False, and nothing is changed, if there is no room."""
    span, visits = traffic.spans[cell], traffic.visits
    if span["n"] == span["room"]:
        room = max(SMALLEST, 2 * span["room"])
        if traffic.top[0] + room > visits.size:
            return False
        for k in range(span["n"]):
            visits[traffic.top[0] + k] = visits[span["first"] + k]
        span["first"], span["room"] = traffic.top[0], room
        traffic.top[0] += room
    place = span["first"] + begun(traffic, cell, start)
    after = span["first"] + span["n"]
    span["n"] += 1
    for k in range(after, place, -1):
        visits[k] = visits[k - 1]
    visit = visits[place]
    visit["start"], visit["end"], visit["agent"], visit["reach"] = start, end, agent, end
    if place > span["first"]:
        visit["reach"] = max(end, visits[place - 1]["reach"])
    for k in range(place + 1, after + 1):
        if visits[k]["reach"] >= end:
            break
        visits[k]["reach"] = end
    return True


@inner
def remove_visit(traffic, cell, start, agent):
    """Take away the visit of `agent` that begins at `start`."""
    span, visits = traffic.spans[cell], traffic.visits
    first = span["first"]
    place = first + begun(traffic, cell, start) - 1
    while visits[place]["agent"] != agent:
        place -= 1
    span["n"] -= 1
    after = first + span["n"]
    for k in range(place, after):
        visits[k] = visits[k + 1]
    for k in range(place, after):
        reach = visits[k]["end"] if k == first else max(visits[k]["end"], visits[k - 1]["reach"])
        if reach == visits[k]["reach"]:
            break
        visits[k]["reach"] = reach


@inner
def occupation(traffic, is_hard, cell, time):
    """Who is in `cell` at `time`: the soft visits, whether there is a hard one, and when the first of this changes.

    `is_hard[agent]` says whether visits of an agent are hard. With a hard visit, the time returned is its end or later.
    """
    visits, first = traffic.visits, traffic.spans[cell]["first"]
    n = begun(traffic, cell, time)
    n_soft, blocked_until = 0, 0
    change = NEVER if n == traffic.spans[cell]["n"] else np.int64(visits[first + n]["start"])
    for k in range(first + n - 1, first - 1, -1):
        visit = visits[k]
        if visit["reach"] < time:
            break
        if visit["end"] >= time:
            if is_hard[visit["agent"]]:
                blocked_until = max(blocked_until, visit["end"] + 1)
            else:
                n_soft += 1
                change = min(change, visit["end"] + 1)
    if blocked_until > 0:
        return n_soft, True, blocked_until
    return n_soft, False, change


@inner
def arrivals(traffic, is_hard, cell, time):
    """How many soft visits of `cell` begin at `time`, and whether a hard one does."""
    visits, first = traffic.visits, traffic.spans[cell]["first"]
    n_soft, blocked = 0, False
    for k in range(first + begun(traffic, cell, time) - 1, first - 1, -1):
        if visits[k]["start"] != time:
            break
        if is_hard[visits[k]["agent"]]:
            blocked = True
        else:
            n_soft += 1
    return n_soft, blocked


@inner
def later_arrivals(traffic, is_hard, cell, time):
    """How many soft visits of `cell` begin after `time`, and whether a hard one does."""
    visits, span = traffic.visits, traffic.spans[cell]
    n_soft, blocked = 0, False
    for k in range(span["first"] + begun(traffic, cell, time), span["first"] + span["n"]):
        if is_hard[visits[k]["agent"]]:
            blocked = True
        else:
            n_soft += 1
    return n_soft, blocked


@inner
def movers(traffic, is_hard, here, there, time):
    """How many soft agents move from `here` to `there`, where they are at `time`, and whether a hard one does."""
    visits, first = traffic.visits, traffic.spans[there]["first"]
    n_soft, blocked = 0, False
    for k in range(first + begun(traffic, there, time) - 1, first - 1, -1):
        if visits[k]["start"] != time:
            break
        if left(traffic, here, time - 1, visits[k]["agent"]):
            if is_hard[visits[k]["agent"]]:
                blocked = True
            else:
                n_soft += 1
    return n_soft, blocked


@inner
def left(traffic, cell, time, agent):
    """Whether a visit of `agent` to `cell` ends at `time`."""
    visits, first = traffic.visits, traffic.spans[cell]["first"]
    for k in range(first + begun(traffic, cell, time) - 1, first - 1, -1):
        if visits[k]["reach"] < time:
            break
        if visits[k]["end"] == time and visits[k]["agent"] == agent:
            return True
    return False


@inner
def last_left(traffic, is_hard, cell):
    """The first step after all visits of `cell`, and after all hard ones; 0 if there are none."""
    visits, span = traffic.visits, traffic.spans[cell]
    last, last_hard = 0, 0
    for k in range(span["first"], span["first"] + span["n"]):
        end = visits[k]["end"] + 1
        last = max(last, end)
        if is_hard[visits[k]["agent"]]:
            last_hard = max(last_hard, end)
    return last, last_hard
