"""Moves: where an agent can go from a node, which places it visits there and on its way, and whom it meets on its way.

The functions are chosen by the class of the table of visits: here they are for points on a square grid, where a node is a
cell and its own place, and moves meet if they swap cells or cross; `node_visits` has those for everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wayfolk.algorithms.planners._sipp.traffic import NEVER, VisitTable, add_visit, movers, remove_visit
from wayfolk.compile.jit import specialise, spliced
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.crossing import corners

_SLOTS: dict[type, Callable[..., Any]] = {}
_TARGET: dict[type, Callable[..., Any]] = {}
_MEETINGS: dict[type, Callable[..., Any]] = {}
_N_PLACES: dict[type, Callable[..., Any]] = {}
_PLACE: dict[type, Callable[..., Any]] = {}
_ENTER: dict[type, Callable[..., Any]] = {}
_LEAVE: dict[type, Callable[..., Any]] = {}


def walks(
    kind: type,
    slots: Callable[..., Any],
    target: Callable[..., Any],
    meetings: Callable[..., Any],
    n_places: Callable[..., Any],
    place: Callable[..., Any],
    enter: Callable[..., Any],
    leave: Callable[..., Any],
) -> None:
    """Enter the functions of the tables of class `kind`: plain Python to be compiled."""
    _SLOTS[kind], _TARGET[kind], _MEETINGS[kind] = slots, target, meetings
    _N_PLACES[kind], _PLACE[kind] = n_places, place
    _ENTER[kind], _LEAVE[kind] = enter, leave


def slots(traffic: Any, node: Any) -> Any:
    """How many numbers the moves from `node` have, used or not."""
    return _SLOTS[type(traffic)](traffic, node)


def target(traffic: Any, cells: Any, offsets: Any, node: Any, k: Any) -> Any:
    """Where move `k` from `node` leads, or NOWHERE; `cells` and `offsets` are those of distances in steps."""
    return _TARGET[type(traffic)](traffic, cells, offsets, node, k)


def meetings(traffic: Any, is_hard: Any, offsets: Any, node: Any, k: Any, time: Any, until: Any) -> Any:
    """Whom an agent meets on its way, if it leaves `node` by move `k` and arrives at `time`.

    How many soft agents, whether a hard one, and the next time at which this may change. Nobody who is on the node now
    leaves it, and nobody comes there, before `until`.
    """
    return _MEETINGS[type(traffic)](traffic, is_hard, offsets, node, k, time, until)


def n_places(traffic: Any, node: Any) -> Any:
    """How many places a node has."""
    return _N_PLACES[type(traffic)](traffic, node)


def place(traffic: Any, node: Any, k: Any) -> Any:
    """Place number `k` of a node."""
    return _PLACE[type(traffic)](traffic, node, k)


def enter(traffic: Any, before: Any, node: Any, start: Any, end: Any, agent: Any) -> Any:
    """Enter all visits of a stop at `node` and of the move there from `before`, which is `node` at the start of a path.

    False, and no visit is there, if there is no room.
    """
    return _ENTER[type(traffic)](traffic, before, node, start, end, agent)


def leave(traffic: Any, before: Any, node: Any, start: Any, end: Any, agent: Any) -> Any:
    """Take away what `enter` has entered."""
    return _LEAVE[type(traffic)](traffic, before, node, start, end, agent)


specialise(slots, _SLOTS)
specialise(target, _TARGET)
specialise(meetings, _MEETINGS, spliced)
specialise(n_places, _N_PLACES)
specialise(place, _PLACE)
specialise(enter, _ENTER, spliced)
specialise(leave, _LEAVE, spliced)


def _cell_slots(traffic, cell):
    return 8


def _cell_target(traffic, cells, offsets, cell, k):
    if (cells[cell]["legal"] >> k) & 1:
        return cell + offsets[k]
    return NOWHERE


def _cell_meetings(traffic, is_hard, offsets, cell, k, time, until):
    """Swaps are possible at the end of the interval that is left only, crossings at any time."""
    n_soft, is_blocked = 0, False
    if time == until:
        n_soft, is_blocked = movers(traffic, is_hard, cell + offsets[k], cell, time)
    if k < 4:
        return n_soft, is_blocked, NEVER
    one, other = corners(offsets, cell, k)
    n_there, is_crossed = movers(traffic, is_hard, one, other, time)
    n_back, is_crossed_back = movers(traffic, is_hard, other, one, time)
    return n_soft + n_there + n_back, is_blocked or is_crossed or is_crossed_back, time + 1


def _cell_n_places(traffic, cell):
    return 1


def _cell_place(traffic, cell, k):
    return cell


def _enter_cell(traffic, before, cell, start, end, agent):
    return add_visit(traffic, cell, start, end, agent)


def _leave_cell(traffic, before, cell, start, end, agent):
    remove_visit(traffic, cell, start, agent)


walks(VisitTable, _cell_slots, _cell_target, _cell_meetings, _cell_n_places, _cell_place, _enter_cell, _leave_cell)
