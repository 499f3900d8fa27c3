"""Who collides with whom: the agents that a path meets on its nodes and on its way.

Invariants  with `COUNTING`, `n` of an agent is the number of agents that it collides with, and PAIRS half their sum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wayfolk.algorithms.planners._sipp.fleet import COUNTING, PAIRS, SEEN, last_step
from wayfolk.algorithms.planners._sipp.moves import n_places, place
from wayfolk.algorithms.planners._sipp.node_visits import NodeVisits, of_row, of_wait
from wayfolk.algorithms.planners._sipp.traffic import LAST, VisitTable, begun, left
from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.occupancy import row_between


@inner
def count_pairs(fleet, agent, row, sign):
    """Add the agents that the path in `row` collides with to the count of pairs (`sign` 1), or subtract them (-1)."""
    if fleet.counts[COUNTING]:
        n = meet(fleet, agent, row)
        for k in range(n):
            fleet.runners[fleet.met[k]]["n"] += sign
        fleet.runners[agent]["n"] += sign * n
        fleet.counts[PAIRS] += sign * n


@inner
def meet(fleet, agent, row):
    """Write the agents that the path of `agent` in `row` collides with to `met`; how many there are."""
    fleet.counts[SEEN] += 1
    fleet.runners[agent]["seen"] = fleet.counts[SEEN]
    n = 0
    for k in range(fleet.sizes[row]):
        node, start, end = fleet.paths[row, k]["cell"], fleet.paths[row, k]["start"], last_step(fleet, row, k)
        for j in range(n_places(fleet.visits, node)):
            n = meet_visitors(fleet, place(fleet.visits, node, j), start, end, n)
        following = node if end == LAST else fleet.paths[row, k + 1]["cell"]
        n = meet_on_way(fleet.visits, fleet, node, start, end, following, n)
    return n


@spliced
def meet_visitors(fleet, place, start, end, n):
    """Add the agents that are in `place` between `start` and `end` to the `n` in `met`; the new number."""
    visits, spans = fleet.visits.visits, fleet.visits.spans
    first = spans[place]["first"]
    for j in range(first + begun(VisitTable(visits, spans, fleet.visits.top), place, end) - 1, first - 1, -1):
        if visits[j]["reach"] < start:
            break
        if visits[j]["end"] >= start:
            n = note_met(fleet, visits[j]["agent"], n)
    return n


@inner
def meet_movers(fleet, here, there, time, n):
    """Add the agents that move from `here` to `there`, where they are at `time`, to the `n` in `met`; the new number."""
    table = fleet.visits
    first = table.spans[there]["first"]
    for j in range(first + begun(table, there, time) - 1, first - 1, -1):
        visit = table.visits[j]
        if visit["start"] != time:
            break
        if left(table, here, time - 1, visit["agent"]):
            n = note_met(fleet, visit["agent"], n)
    return n


@inner
def note_met(fleet, agent, n):
    """Add `agent` to the `n` in `met`, unless it is one of them; the new number."""
    runner = fleet.runners[agent]
    if runner["seen"] != fleet.counts[SEEN]:
        runner["seen"] = fleet.counts[SEEN]
        fleet.met[n] = agent
        n += 1
    return n


_MEET_ON_WAY: dict[type, Callable[..., Any]] = {}
_MEET_ON_MOVE: dict[type, Callable[..., Any]] = {}


def meet_on_way(traffic: Any, fleet: Any, node: Any, start: Any, end: Any, following: Any, n: Any) -> Any:
    """Add those to the `n` in `met` that an agent meets while it waits on `node`, and then moves to the node `following`.

    It is on `node` from `start` to `end`. The new number.
    """
    return _MEET_ON_WAY[type(traffic)](traffic, fleet, node, start, end, following, n)


def meet_on_move(traffic: Any, fleet: Any, here: Any, there: Any, time: Any, n: Any) -> Any:
    """Add those to the `n` in `met` that an agent meets on its way from `here` to `there`, where it is at `time`.

    On grids those with whom it swaps cells. The new number.
    """
    return _MEET_ON_MOVE[type(traffic)](traffic, fleet, here, there, time, n)


specialise(meet_on_way, _MEET_ON_WAY, spliced)
specialise(meet_on_move, _MEET_ON_MOVE, spliced)


def _meet_between_cells(traffic, fleet, cell, start, end, following, n):
    if end == LAST:
        return n
    offsets = fleet.fields.offsets
    n = meet_movers(fleet, following, cell, end + 1, n)
    move = diagonal(offsets, cell, following)
    if move > 0:
        one, other = corners(offsets, cell, move)
        n = meet_movers(fleet, one, other, end + 1, n)
        n = meet_movers(fleet, other, one, end + 1, n)
    return n


def _meet_between_nodes(traffic, fleet, node, start, end, following, n):
    places = of_wait(traffic, node)
    if end > start:
        for k in range(places.size):
            n = meet_visitors(fleet, places[k], start + 1, end, n)
    return n if end == LAST else meet_on_move(traffic, fleet, node, following, end + 1, n)


def _meet_on_swap(traffic, fleet, here, there, time, n):
    return meet_movers(fleet, there, here, time, n)


def _meet_on_row(traffic, fleet, here, there, time, n):
    places = of_row(traffic, row_between(traffic, here, there))
    for k in range(places.size):
        n = meet_visitors(fleet, places[k], time, time, n)
    return n


_MEET_ON_WAY[VisitTable], _MEET_ON_WAY[NodeVisits] = _meet_between_cells, _meet_between_nodes
_MEET_ON_MOVE[VisitTable], _MEET_ON_MOVE[NodeVisits] = _meet_on_swap, _meet_on_row
