"""The visits of agents whose states are nodes: an agent visits all places of its node, and those of its moves and waits.

A visit of a place of a node lasts from the agent's arrival to the last step in which it is there. A visit of a place of a
move lasts for the step of the move, which has the number of the agent's arrival; that of a place of a wait, from the step
after the arrival to the last one. So an agent keeps its distance on its way as on its nodes: no place has two visits at the
same time. Who walks into a node needs its places at that time, and those of the move; who stays there, also those of the
wait. Therefore a safe interval of a node is one in which nobody comes to one of its places or leaves it, and nobody visits
a place of the wait: wherever somebody does, the next interval begins. Those who are on the node themselves have visits of
its wait too; they are met already, and are not counted again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._sipp.moves import walks
from wayfolk.algorithms.planners._sipp.traffic import (
    LAST,
    NEVER,
    VisitTable,
    add_visit,
    arrivals,
    begun,
    intervals,
    last_left,
    later_arrivals,
    left,
    new_traffic,
    occupation,
    remove_visit,
)
from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.occupancy import Occupancy, degree, move_row, move_target, row_between


class NodeVisits(NamedTuple):
    """The visits of all places, as in a `VisitTable`, and the places of nodes, moves and waits, as in an `Occupancy`."""

    visits: NDArray[np.void]
    spans: NDArray[np.void]
    top: NDArray[np.int64]
    first: NDArray[np.int32]
    target: NDArray[np.int32]
    node_first: NDArray[np.int32]
    node_places: NDArray[np.int32]
    move_first: NDArray[np.int32]
    move_places: NDArray[np.int32]


def new_node_visits(occupancy: Occupancy, room: int) -> NodeVisits:
    """No visits, and room for `room` entries."""
    return NodeVisits(*new_traffic(occupancy.n_places, room), *occupancy[:-1])


@inlined
def of_places(traffic):
    """The visits alone."""
    return VisitTable(traffic.visits, traffic.spans, traffic.top)


@inlined
def _of_node(traffic, node):
    """The places of a node."""
    return traffic.node_places[traffic.node_first[node] : traffic.node_first[node + 1]]


@inlined
def of_row(traffic, row):
    """The places of the move or wait in a row."""
    return traffic.move_places[traffic.move_first[row] : traffic.move_first[row + 1]]


@inlined
def of_wait(traffic, node):
    """The places of a wait on a node."""
    return of_row(traffic, traffic.target.size + node)


def _occupation(traffic, is_hard, node, time):
    visits = of_places(traffic)
    n_soft, is_blocked, until = _held(visits, is_hard, _of_node(traffic, node), time)
    if not is_blocked:
        until = min(until, _next_passage(visits, _of_node(traffic, node), of_wait(traffic, node), time))
    return n_soft, is_blocked, until


@inner
def _held(visits, is_hard, places, time):
    """Who is in some of `places` at `time`; see `occupation`."""
    n_soft, blocked_until, change = 0, 0, NEVER
    for k in range(places.size):
        n, is_blocked, until = occupation(visits, is_hard, places[k], time)
        n_soft += n
        if is_blocked:
            blocked_until = max(blocked_until, until)
        change = min(change, until)
    if blocked_until > 0:
        return n_soft, True, blocked_until
    return n_soft, False, change


@inner
def _next_passage(visits, nodes, waits, time):
    """The first step after `time` in which somebody passes, who is in one of `waits` and not in `nodes`; or NEVER."""
    soonest = np.int64(NEVER)
    for k in range(waits.size):
        span = visits.spans[waits[k]]
        first, n = np.int64(span["first"]), begun(visits, waits[k], time)
        for j in range(first + n - 1, first - 1, -1):
            if visits.visits[j]["reach"] <= time:
                break
            if visits.visits[j]["end"] > time and _passes(visits, nodes, j):
                return np.int64(time + 1)
        for j in range(first + n, first + span["n"]):
            if visits.visits[j]["start"] >= soonest:
                break
            if _passes(visits, nodes, j):
                soonest = np.int64(visits.visits[j]["start"])
    return soonest


@inner
def _passes(visits, nodes, j):
    """Whether visit number `j`, of a place of the wait on a node with the places `nodes`, is not one of a wait there."""
    return not left(visits, nodes[0], visits.visits[j]["end"], visits.visits[j]["agent"])


def _arrivals(traffic, is_hard, node, time):
    visits, places, waits = of_places(traffic), _of_node(traffic, node), of_wait(traffic, node)
    n_soft, is_blocked = 0, False
    for k in range(places.size):
        n, is_hit = arrivals(visits, is_hard, places[k], time)
        n_soft, is_blocked = n_soft + n, is_blocked or is_hit
    for k in range(waits.size):
        n, is_hit = _passages(visits, is_hard, places, waits[k], time, time)
        n_soft, is_blocked = n_soft + n, is_blocked or is_hit
    return n_soft, is_blocked


def _later_arrivals(traffic, is_hard, node, time):
    visits, places, waits = of_places(traffic), _of_node(traffic, node), of_wait(traffic, node)
    n_soft, is_blocked = 0, False
    for k in range(places.size):
        n, is_hit = later_arrivals(visits, is_hard, places[k], time)
        n_soft, is_blocked = n_soft + n, is_blocked or is_hit
    for k in range(waits.size):
        n, is_hit = _passages(visits, is_hard, places, waits[k], time + 1, LAST)
        n_soft, is_blocked = n_soft + n, is_blocked or is_hit
    return n_soft, is_blocked


@inner
def _passages(visits, is_hard, nodes, wait, start, end):
    """How many soft agents pass the place `wait` between `start` and `end`, and whether a hard one does."""
    n_soft, is_blocked = 0, False
    first = np.int64(visits.spans[wait]["first"])
    for j in range(first + begun(visits, wait, end) - 1, first - 1, -1):
        visit = visits.visits[j]
        if visit["reach"] < start:
            break
        if visit["end"] >= start and _passes(visits, nodes, j):
            if is_hard[visit["agent"]]:
                is_blocked = True
            else:
                n_soft += 1
    return n_soft, is_blocked


def _last_left(traffic, is_hard, node):
    """Who arrives in the last step in which somebody is in a place of the wait does not wait in that step."""
    visits, places = of_places(traffic), _of_node(traffic, node)
    last, last_hard = np.int64(0), np.int64(0)
    for k in range(places.size):
        end, end_hard = last_left(visits, is_hard, places[k])
        last, last_hard = max(last, end), max(last_hard, end_hard)
    places = of_wait(traffic, node)
    for k in range(places.size):
        end, end_hard = last_left(visits, is_hard, places[k])
        last, last_hard = max(last, end - 1), max(last_hard, end_hard - 1)
    return last, last_hard


def _target(traffic, cells, offsets, node, k):
    return move_target(traffic, node, k)


def _meetings(traffic, is_hard, offsets, node, k, time, until):
    return _held(of_places(traffic), is_hard, of_row(traffic, move_row(traffic, node, k)), time)


def _n_places(traffic, node):
    return traffic.node_first[node + 1] - traffic.node_first[node]


def _place(traffic, node, k):
    return traffic.node_places[traffic.node_first[node] + k]


def _slots(traffic, node):
    return degree(traffic, node)


def _enter(traffic, before, node, start, end, agent):
    visits = of_places(traffic)
    if not _add(visits, _of_node(traffic, node), start, end, agent):
        return False
    is_there = True
    if end > start:
        is_there = _add(visits, of_wait(traffic, node), start + 1, end, agent)
    if is_there and before != node:
        is_there = _add(visits, of_row(traffic, row_between(traffic, before, node)), start, start, agent)
        if not is_there and end > start:
            _remove(visits, of_wait(traffic, node), start + 1, agent)
    if not is_there:
        _remove(visits, _of_node(traffic, node), start, agent)
    return is_there


def _leave(traffic, before, node, start, end, agent):
    visits = of_places(traffic)
    _remove(visits, _of_node(traffic, node), start, agent)
    if end > start:
        _remove(visits, of_wait(traffic, node), start + 1, agent)
    if before != node:
        _remove(visits, of_row(traffic, row_between(traffic, before, node)), start, agent)


@inner
def _add(visits, places, start, end, agent):
    """Enter a visit of each of `places`; False, and none is there, if there is no room."""
    for k in range(places.size):
        if not add_visit(visits, places[k], start, end, agent):
            _remove(visits, places[:k], start, agent)
            return False
    return True


@inner
def _remove(visits, places, start, agent):
    """Take away the visits of `places` that begin at `start`."""
    for k in range(places.size):
        remove_visit(visits, places[k], start, agent)


intervals(NodeVisits, _occupation, _arrivals, _later_arrivals, _last_left)
walks(NodeVisits, _slots, _target, _meetings, _n_places, _place, _enter, _leave)
