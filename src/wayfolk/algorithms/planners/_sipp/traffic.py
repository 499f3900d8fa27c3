"""Traffic: which agents are in a place, and from when to when.

Each place has a list of visits, sorted by their first step. The times between visits are the safe intervals of SIPP. Adding
or removing a path changes the lists of its places only. While plans still have collisions, visits of a place may overlap.

For points on a square grid, the places are the cells, and `moves` knows which moves meet. Elsewhere an agent visits all
places of its node, and those of its moves and waits (`node_visits`). Safe intervals are those of a node: `occupation`,
`arrivals`, `later_arrivals` and `last_left` are chosen by the class of the table.

A visit lasts from its `start` to its `end`, both included; an agent that rests on its goal stays until LAST. `reach` is
the latest end of this and all earlier visits of the place: whoever looks for the visits at some time walks back from the
last one that has begun, and stops where `reach` says that all earlier ones are over.

Invariants  the starts of a place's visits never fall, and `reach` is the maximum of all ends up to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise

NEVER = 1 << 30
LAST = NEVER - 1
"""The last step of all: agents rest on their goals until then."""
VISIT = np.dtype([("start", np.int32), ("end", np.int32), ("reach", np.int32), ("agent", np.int32)], align=True)
SPAN = np.dtype([("first", np.int32), ("n", np.int32), ("room", np.int32)], align=True)
SMALLEST = 4  # visits that a place has room for at first


class VisitTable(NamedTuple):
    """The visits of all places in one array; `spans[place]` says where those of a place are, `top[0]` are in use."""

    visits: NDArray[np.void]
    spans: NDArray[np.void]
    top: NDArray[np.int64]


def new_traffic(n_places: int, room: int) -> VisitTable:
    """No visits, and room for `room` entries."""
    return VisitTable(np.zeros(max(room, SMALLEST), VISIT), np.zeros(n_places, SPAN), np.zeros(1, np.int64))


def with_more_visits(traffic: Any) -> Any:
    """The same visits, with twice the room."""
    visits = np.zeros(2 * len(traffic.visits), VISIT)
    visits[: len(traffic.visits)] = traffic.visits
    return traffic._replace(visits=visits)


_OCCUPATION: dict[type, Callable[..., Any]] = {}
_ARRIVALS: dict[type, Callable[..., Any]] = {}
_LATER_ARRIVALS: dict[type, Callable[..., Any]] = {}
_LAST_LEFT: dict[type, Callable[..., Any]] = {}


def intervals(
    kind: type,
    occupation: Callable[..., Any],
    arrivals: Callable[..., Any],
    later_arrivals: Callable[..., Any],
    last_left: Callable[..., Any],
) -> None:
    """Enter the functions by which searches read tables of the class `kind`: plain Python to be compiled."""
    _OCCUPATION[kind], _ARRIVALS[kind] = occupation, arrivals
    _LATER_ARRIVALS[kind], _LAST_LEFT[kind] = later_arrivals, last_left


def occupation(traffic: Any, is_hard: Any, node: Any, time: Any) -> Any:
    """Who is on `node` at `time`: the soft visits, whether there is a hard one, and when the first of this changes.

    `is_hard[agent]` says whether visits of an agent are hard. With a hard visit, the time returned is its end or later.
    An agent that is on the node without a hard visit can stay there until that time, and meets nobody else.
    """
    return _OCCUPATION[type(traffic)](traffic, is_hard, node, time)


def arrivals(traffic: Any, is_hard: Any, node: Any, time: Any) -> Any:
    """How many soft visits an agent meets at `time` if it has been on `node` before and stays, and whether a hard one."""
    return _ARRIVALS[type(traffic)](traffic, is_hard, node, time)


def later_arrivals(traffic: Any, is_hard: Any, node: Any, time: Any) -> Any:
    """How many soft visits an agent meets that is on `node` from `time` on for ever, and whether a hard one."""
    return _LATER_ARRIVALS[type(traffic)](traffic, is_hard, node, time)


def last_left(traffic: Any, is_hard: Any, node: Any) -> Any:
    """The first step from which an agent can be on `node` for ever and meet nobody, and the same for hard visits only."""
    return _LAST_LEFT[type(traffic)](traffic, is_hard, node)


specialise(occupation, _OCCUPATION)
specialise(arrivals, _ARRIVALS)
specialise(later_arrivals, _LATER_ARRIVALS)
specialise(last_left, _LAST_LEFT)


@inner
def begun(traffic, place, time):
    """How many visits of `place` begin at `time` or earlier."""
    span = traffic.spans[place]
    first, low, high = span["first"], 0, np.int64(span["n"])
    while low < high:
        middle = (low + high) >> 1
        if traffic.visits[first + middle]["start"] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def add_visit(traffic, place, start, end, agent):
    """Enter a visit; False, and nothing is changed, if there is no room."""
    span, visits = traffic.spans[place], traffic.visits
    if span["n"] == span["room"]:
        room = max(SMALLEST, 2 * span["room"])
        if traffic.top[0] + room > visits.size:
            return False
        for k in range(span["n"]):
            visits[traffic.top[0] + k] = visits[span["first"] + k]
        span["first"], span["room"] = traffic.top[0], room
        traffic.top[0] += room
    at = span["first"] + begun(traffic, place, start)
    after = span["first"] + span["n"]
    span["n"] += 1
    for k in range(after, at, -1):
        visits[k] = visits[k - 1]
    visit = visits[at]
    visit["start"], visit["end"], visit["agent"], visit["reach"] = start, end, agent, end
    if at > span["first"]:
        visit["reach"] = max(end, visits[at - 1]["reach"])
    for k in range(at + 1, after + 1):
        if visits[k]["reach"] >= end:
            break
        visits[k]["reach"] = end
    return True


@inner
def remove_visit(traffic, place, start, agent):
    """Take away the visit of `agent` that begins at `start`."""
    span, visits = traffic.spans[place], traffic.visits
    first = span["first"]
    at = first + begun(traffic, place, start) - 1
    while visits[at]["agent"] != agent:
        at -= 1
    span["n"] -= 1
    after = first + span["n"]
    for k in range(at, after):
        visits[k] = visits[k + 1]
    for k in range(at, after):
        reach = visits[k]["end"] if k == first else max(visits[k]["end"], visits[k - 1]["reach"])
        if reach == visits[k]["reach"]:
            break
        visits[k]["reach"] = reach


def _occupation(traffic, is_hard, place, time):
    visits, first = traffic.visits, traffic.spans[place]["first"]
    n = begun(traffic, place, time)
    n_soft, blocked_until = 0, 0
    change = NEVER if n == traffic.spans[place]["n"] else np.int64(visits[first + n]["start"])
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


def _arrivals(traffic, is_hard, place, time):
    visits, first = traffic.visits, traffic.spans[place]["first"]
    n_soft, blocked = 0, False
    for k in range(first + begun(traffic, place, time) - 1, first - 1, -1):
        if visits[k]["start"] != time:
            break
        if is_hard[visits[k]["agent"]]:
            blocked = True
        else:
            n_soft += 1
    return n_soft, blocked


def _later_arrivals(traffic, is_hard, place, time):
    visits, span = traffic.visits, traffic.spans[place]
    n_soft, blocked = 0, False
    for k in range(span["first"] + begun(traffic, place, time), span["first"] + span["n"]):
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
def left(traffic, place, time, agent):
    """Whether a visit of `agent` to `place` ends at `time`."""
    visits, first = traffic.visits, traffic.spans[place]["first"]
    for k in range(first + begun(traffic, place, time) - 1, first - 1, -1):
        if visits[k]["reach"] < time:
            break
        if visits[k]["end"] == time and visits[k]["agent"] == agent:
            return True
    return False


def _last_left(traffic, is_hard, place):
    visits, span = traffic.visits, traffic.spans[place]
    last, last_hard = 0, 0
    for k in range(span["first"], span["first"] + span["n"]):
        end = visits[k]["end"] + 1
        last = max(last, end)
        if is_hard[visits[k]["agent"]]:
            last_hard = max(last_hard, end)
    return last, last_hard


intervals(VisitTable, _occupation, _arrivals, _later_arrivals, _last_left)
