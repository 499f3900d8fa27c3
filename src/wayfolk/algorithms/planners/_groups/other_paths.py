"""Where agents outside a group are at every step: forbidden for the group (hard), or to be avoided if it costs nothing.

A table holds the places of every such agent at every step until it stays on its goal: on a grid its cell, else those of its
node and of the move that led there. Of two that hold one place at one step only one is entered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.joint_moves import (
    JointCells,
    JointStates,
    clear,
    depart,
    enter,
    meeting,
    move_between,
)
from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels import reservations
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.occupancy import row_between
from wayfolk.kernels.reservations import Reservations, holder, reserve

NEVER = np.int32(2**31 - 1)


class OtherPaths(NamedTuple):
    """`parked[place]` is the step from which an agent stays there, `passed[place]` the last one at which one is there.

    On a grid, the place of a cell is the cell. Both are empty if there are no other agents. `last[0]` is the last step at
    which one of them moves.
    """

    table: Reservations
    parked: NDArray[np.int32]
    passed: NDArray[np.int32]
    last: NDArray[np.int64]


def no_paths() -> OtherPaths:
    """No other agents."""
    return OtherPaths(
        reservations.new_reservations(1), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int64)
    )


def other_paths_of(
    moves: JointCells | JointStates, paths: NDArray[np.int32], ends: NDArray[np.int32], agents: NDArray[np.int32]
) -> OtherPaths:
    """The paths `paths[agent, : ends[agent] + 1]` of `agents`."""
    if len(agents) == 0:
        return no_paths()
    n_places = len(moves.before) if isinstance(moves, JointCells) else len(moves.holder)
    traffic = OtherPaths(
        reservations.new_reservations(int(_count_places(moves, paths, ends, agents))),
        np.full(n_places, NEVER, np.int32),
        np.zeros(n_places, np.int32),
        np.array([ends[agents].max()], np.int64),
    )
    _reserve_all(moves, traffic, paths, ends, agents)
    return traffic


_N_PLACES: dict[type, Callable[..., Any]] = {}
_RESERVE: dict[type, Callable[..., Any]] = {}
_PARK: dict[type, Callable[..., Any]] = {}
_N_MEETINGS: dict[type, Callable[..., Any]] = {}
_IS_PASSED: dict[type, Callable[..., Any]] = {}


def n_places(moves: Any, here: Any, there: Any) -> Any:
    """How many places an agent holds when it moves from `here` to `there`."""
    return _N_PLACES[type(moves)](moves, here, there)


def reserve_move(moves: Any, traffic: Any, agent: Any, here: Any, there: Any, step: Any) -> Any:
    """Enter a move that ends at `step`; of the start, which is step 0, only the node."""
    return _RESERVE[type(moves)](moves, traffic, agent, here, there, step)


def park(moves: Any, traffic: Any, node: Any, step: Any) -> Any:
    """Enter an agent that stays on `node` from `step` on."""
    return _PARK[type(moves)](moves, traffic, node, step)


def n_meetings(moves: Any, traffic: Any, here: Any, there: Any, move: Any, step: Any) -> Any:
    """How many others a move from `here` that ends in `there` at `step` collides with; at most 3 are counted."""
    return _N_MEETINGS[type(moves)](moves, traffic, here, there, move, step)


def is_passed(moves: Any, traffic: Any, node: Any, step: Any) -> Any:
    """Whether an agent on `node` is in the way of others after `step`."""
    return _IS_PASSED[type(moves)](moves, traffic, node, step)


specialise(n_places, _N_PLACES)
specialise(reserve_move, _RESERVE)
specialise(park, _PARK)
specialise(n_meetings, _N_MEETINGS)
specialise(is_passed, _IS_PASSED)


@kernel
def _count_places(moves, paths, ends, agents):
    n = 0
    for agent in agents:
        for step in range(ends[agent] + 1):
            n += n_places(moves, paths[agent, max(step - 1, 0)], paths[agent, step])
    return n


@kernel
def _reserve_all(moves, traffic, paths, ends, agents):
    for agent in agents:
        for step in range(ends[agent] + 1):
            reserve_move(moves, traffic, agent, paths[agent, max(step - 1, 0)], paths[agent, step], step)
        park(moves, traffic, paths[agent, ends[agent]], ends[agent])


@kernel
def first_conflict(moves, paths, ends):
    """Two agents that collide, at the earliest step: (one, other); NOBODY if none do.

    An agent stays in the last node of its path, `paths[agent, ends[agent]]`.
    """
    one, other = NOBODY, NOBODY
    last = 0
    for agent in range(ends.size):
        last = max(last, ends[agent])
    for step in range(1, last + 1):
        for agent in range(ends.size):
            depart(moves, agent, paths[agent, min(step - 1, ends[agent])])
        for agent in range(ends.size):
            here, there = paths[agent, min(step - 1, ends[agent])], paths[agent, min(step, ends[agent])]
            meets = meeting(moves, here, there, move_between(moves, here, there))
            if meets != NOBODY:
                one, other = meets, agent
                break
            enter(moves, agent, here, there)
        for agent in range(ends.size):
            clear(moves, paths[agent, min(step - 1, ends[agent])], paths[agent, min(step, ends[agent])])
        if one != NOBODY:
            break
    return one, other


def _cell_n_places(moves, here, there):  # type: ignore[no-untyped-def]
    return 1


def _cell_reserve(moves, traffic, agent, here, there, step):  # type: ignore[no-untyped-def]
    reserve(traffic.table, there, step, agent)
    traffic.passed[there] = max(traffic.passed[there], step)


def _cell_park(moves, traffic, node, step):  # type: ignore[no-untyped-def]
    traffic.parked[node] = min(traffic.parked[node], step)


def _cell_meetings(moves, traffic, here, there, move, step):  # type: ignore[no-untyped-def]
    if traffic.parked.size == 0:
        return 0
    n = 0
    if traffic.parked[there] <= step or holder(traffic.table, there, step) != NOBODY:
        n += 1
    if here == there:
        return n
    n += _leads(traffic, there, here, step)
    if 4 <= move < 8:
        beside, across = corners(moves.offsets, here, move)
        n += _leads(traffic, beside, across, step) + _leads(traffic, across, beside, step)
    return n


@inner
def _leads(traffic, here, there, step):  # type: ignore[no-untyped-def]
    """1 if an agent moves from `here` to `there`, where it is at `step`, else 0."""
    who = holder(traffic.table, here, step - 1)
    if who != NOBODY and who == holder(traffic.table, there, step):
        return 1
    return 0


def _cell_is_passed(moves, traffic, node, step):  # type: ignore[no-untyped-def]
    return traffic.parked.size > 0 and traffic.passed[node] > step


def _state_n_places(moves, here, there):  # type: ignore[no-untyped-def]
    table, row = moves.occupancy, row_between(moves.occupancy, here, there)
    n = table.node_first[there + 1] - table.node_first[there]
    return n + table.move_first[row + 1] - table.move_first[row]


def _state_reserve(moves, traffic, agent, here, there, step):  # type: ignore[no-untyped-def]
    table, row = moves.occupancy, row_between(moves.occupancy, here, there)
    for k in range(table.node_first[there], table.node_first[there + 1]):
        place = table.node_places[k]
        reserve(traffic.table, place, step, agent)
        traffic.passed[place] = max(traffic.passed[place], step)
    if step > 0:
        for k in range(table.move_first[row], table.move_first[row + 1]):
            place = table.move_places[k]
            reserve(traffic.table, place, step, agent)
            traffic.passed[place] = max(traffic.passed[place], step)


def _state_park(moves, traffic, node, step):  # type: ignore[no-untyped-def]
    table, row = moves.occupancy, row_between(moves.occupancy, node, node)
    for k in range(table.node_first[node], table.node_first[node + 1]):
        traffic.parked[table.node_places[k]] = min(traffic.parked[table.node_places[k]], step)
    for k in range(table.move_first[row], table.move_first[row + 1]):
        traffic.parked[table.move_places[k]] = min(traffic.parked[table.move_places[k]], step + 1)


def _state_meetings(moves, traffic, here, there, move, step):  # type: ignore[no-untyped-def]
    if traffic.parked.size == 0:
        return 0
    n, table = 0, moves.occupancy
    for k in range(table.node_first[there], table.node_first[there + 1]):
        place = table.node_places[k]
        if traffic.parked[place] <= step or holder(traffic.table, place, step) != NOBODY:
            n = 1
            break
    for k in range(table.move_first[move], table.move_first[move + 1]):
        place = table.move_places[k]
        if traffic.parked[place] <= step or holder(traffic.table, place, step) != NOBODY:
            return n + 1
    return n


def _state_is_passed(moves, traffic, node, step):  # type: ignore[no-untyped-def]
    if traffic.parked.size == 0:
        return False
    table, row = moves.occupancy, row_between(moves.occupancy, node, node)
    last = np.int32(0)
    for k in range(table.node_first[node], table.node_first[node + 1]):
        last = max(last, traffic.passed[table.node_places[k]])
    for k in range(table.move_first[row], table.move_first[row + 1]):
        last = max(last, traffic.passed[table.move_places[k]])
    return last > step


_N_PLACES.update({JointCells: _cell_n_places, JointStates: _state_n_places})
_RESERVE.update({JointCells: _cell_reserve, JointStates: _state_reserve})
_PARK.update({JointCells: _cell_park, JointStates: _state_park})
_N_MEETINGS.update({JointCells: _cell_meetings, JointStates: _state_meetings})
_IS_PASSED.update({JointCells: _cell_is_passed, JointStates: _state_is_passed})
