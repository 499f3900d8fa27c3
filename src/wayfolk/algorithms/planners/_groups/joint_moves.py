"""The moves of a group in one step: what each node's moves are, and which of them collide.

Points on a grid (`JointCells`) collide in a cell, by a swap, or where diagonals cross. In any other world (`JointStates`)
two agents collide if a place would be held twice: by the nodes after the step, or by the moves and waits of the step.
Agents that have not moved yet do not count, since an agent may follow another.

A move has two numbers. `k` counts the moves of a node: up to `n_moves` they lead elsewhere, and larger ones stay. `move` is
that by which collisions are found.

Invariants  between two uses nobody is entered in `before`, `after` and `holder`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, specialise, spliced
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.occupancy import Occupancy, row_between
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph


class JointCells(NamedTuple):
    """Points on a grid: for each cell, the agent that was there before the step, and the one that will be there."""

    offsets: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]


class JointStates(NamedTuple):
    """Agents in any world: for each place, the agent that holds it after the step or during it.

    A node whose `stand_of` is the goal is that goal. No node has more than `most_moves` moves.
    """

    occupancy: Occupancy
    stand_of: NDArray[np.int32]
    holder: NDArray[np.int32]
    most_moves: int


def moves_of(states: Grid | StateGraph) -> JointCells | JointStates:
    """The moves of agents on these nodes, nobody entered."""
    nobody = np.full(states.n_cells, NOBODY, np.int32)
    if isinstance(states, Grid):
        return JointCells(states.offsets, nobody, nobody.copy())
    table = states.occupancy
    holder = np.full(table.n_places, NOBODY, np.int32)
    return JointStates(table, states.stand_of, holder, int(np.diff(table.first).max(initial=0)))


_STAND: dict[type, Callable[..., Any]] = {}
_MOST_MOVES: dict[type, Callable[..., Any]] = {}
_N_MOVES: dict[type, Callable[..., Any]] = {}
_TARGET: dict[type, Callable[..., Any]] = {}
_MOVE_NUMBER: dict[type, Callable[..., Any]] = {}
_MOVE_BETWEEN: dict[type, Callable[..., Any]] = {}
_DEPART: dict[type, Callable[..., Any]] = {}
_ENTER: dict[type, Callable[..., Any]] = {}
_CLEAR: dict[type, Callable[..., Any]] = {}
_MEETING: dict[type, Callable[..., Any]] = {}


def stand(moves: Any, node: Any) -> Any:
    """The node that stands for the goal that `node` is: agents on any node with this stand have reached it."""
    return _STAND[type(moves)](moves, node)


def most_moves(moves: Any) -> Any:
    """No node has more moves."""
    return _MOST_MOVES[type(moves)](moves)


def n_moves(moves: Any, here: Any) -> Any:
    """How many numbers the moves of a node have, used or not."""
    return _N_MOVES[type(moves)](moves, here)


def target(moves: Any, fields: Any, here: Any, k: Any) -> Any:
    """Where move `k` of a node leads, NOWHERE if there is none; `n_moves` and more stay."""
    return _TARGET[type(moves)](moves, fields, here, k)


def move_number(moves: Any, here: Any, k: Any) -> Any:
    """The number of move `k` by which its collisions are found."""
    return _MOVE_NUMBER[type(moves)](moves, here, k)


def move_between(moves: Any, here: Any, there: Any) -> Any:
    """The same for the move from `here` to `there`, which is a legal one."""
    return _MOVE_BETWEEN[type(moves)](moves, here, there)


def depart(moves: Any, agent: Any, here: Any) -> Any:
    """Enter where an agent is before the step."""
    return _DEPART[type(moves)](moves, agent, here)


def enter(moves: Any, agent: Any, here: Any, there: Any) -> Any:
    """Let an agent have moved from `here` to `there`."""
    return _ENTER[type(moves)](moves, agent, here, there)


def clear(moves: Any, here: Any, there: Any) -> Any:
    """Forget who was `here`, and who has moved from `here` to `there`."""
    return _CLEAR[type(moves)](moves, here, there)


def meeting(moves: Any, here: Any, there: Any, move: Any) -> Any:
    """An agent whose move collides with a move from `here` to `there`; NOBODY if none does."""
    return _MEETING[type(moves)](moves, here, there, move)


specialise(stand, _STAND)
specialise(most_moves, _MOST_MOVES)
specialise(n_moves, _N_MOVES)
specialise(target, _TARGET, spliced)
specialise(move_number, _MOVE_NUMBER)
specialise(move_between, _MOVE_BETWEEN)
specialise(depart, _DEPART)
specialise(enter, _ENTER)
specialise(clear, _CLEAR)
specialise(meeting, _MEETING)


def _cell_stand(moves, node):  # type: ignore[no-untyped-def]
    return node


def _cell_most_moves(moves):  # type: ignore[no-untyped-def]
    return 8


def _cell_n_moves(moves, here):  # type: ignore[no-untyped-def]
    return 8


def _cell_target(moves, fields, here, k):  # type: ignore[no-untyped-def]
    if k >= 8:
        return np.int64(here)
    if (fields.cells[here]["legal"] >> k) & 1:
        return np.int64(here + moves.offsets[k])
    return np.int64(NOWHERE)


def _cell_move_number(moves, here, k):  # type: ignore[no-untyped-def]
    return k


def _cell_move_between(moves, here, there):  # type: ignore[no-untyped-def]
    return diagonal(moves.offsets, here, there)


def _cell_depart(moves, agent, here):  # type: ignore[no-untyped-def]
    moves.before[here] = agent


def _cell_enter(moves, agent, here, there):  # type: ignore[no-untyped-def]
    moves.after[there] = agent


def _cell_clear(moves, here, there):  # type: ignore[no-untyped-def]
    moves.before[here] = moves.after[there] = NOBODY


def _cell_meeting(moves, here, there, move):  # type: ignore[no-untyped-def]
    who = moves.after[there]
    if who == NOBODY and here != there:
        who = _from_to(moves, there, here)
        if who == NOBODY and 4 <= move < 8:
            beside, across = corners(moves.offsets, here, move)
            who = _from_to(moves, beside, across)
            if who == NOBODY:
                who = _from_to(moves, across, beside)
    return who


@inner
def _from_to(moves, here, there):  # type: ignore[no-untyped-def]
    """The agent that has moved from `here` to `there`, or NOBODY."""
    who = moves.before[here]
    return who if who != NOBODY and who == moves.after[there] else NOBODY


def _state_stand(moves, node):  # type: ignore[no-untyped-def]
    return moves.stand_of[node]


def _state_most_moves(moves):  # type: ignore[no-untyped-def]
    return moves.most_moves


def _state_n_moves(moves, here):  # type: ignore[no-untyped-def]
    return moves.occupancy.first[here + 1] - moves.occupancy.first[here]


def _state_target(moves, fields, here, k):  # type: ignore[no-untyped-def]
    edge = moves.occupancy.first[here] + k
    return np.int64(moves.occupancy.target[edge]) if edge < moves.occupancy.first[here + 1] else np.int64(here)


def _state_move_number(moves, here, k):  # type: ignore[no-untyped-def]
    edge = np.int64(moves.occupancy.first[here] + k)
    return edge if edge < moves.occupancy.first[here + 1] else np.int64(moves.occupancy.target.size + here)


def _state_move_between(moves, here, there):  # type: ignore[no-untyped-def]
    return row_between(moves.occupancy, here, there)


def _state_depart(moves, agent, here):  # type: ignore[no-untyped-def]
    pass


def _state_enter(moves, agent, here, there):  # type: ignore[no-untyped-def]
    _let_hold(moves, agent, here, there)


def _state_clear(moves, here, there):  # type: ignore[no-untyped-def]
    _let_hold(moves, NOBODY, here, there)


@inner
def _let_hold(moves, agent, here, there):  # type: ignore[no-untyped-def]
    """Let an agent hold the places of the node `there`, and of the move that leads to it."""
    table, row = moves.occupancy, row_between(moves.occupancy, here, there)
    for k in range(table.node_first[there], table.node_first[there + 1]):
        moves.holder[table.node_places[k]] = agent
    for k in range(table.move_first[row], table.move_first[row + 1]):
        moves.holder[table.move_places[k]] = agent


def _state_meeting(moves, here, there, move):  # type: ignore[no-untyped-def]
    table = moves.occupancy
    for k in range(table.node_first[there], table.node_first[there + 1]):
        if moves.holder[table.node_places[k]] != NOBODY:
            return moves.holder[table.node_places[k]]
    for k in range(table.move_first[move], table.move_first[move + 1]):
        if moves.holder[table.move_places[k]] != NOBODY:
            return moves.holder[table.move_places[k]]
    return NOBODY


_STAND.update({JointCells: _cell_stand, JointStates: _state_stand})
_MOST_MOVES.update({JointCells: _cell_most_moves, JointStates: _state_most_moves})
_N_MOVES.update({JointCells: _cell_n_moves, JointStates: _state_n_moves})
_TARGET.update({JointCells: _cell_target, JointStates: _state_target})
_MOVE_NUMBER.update({JointCells: _cell_move_number, JointStates: _state_move_number})
_MOVE_BETWEEN.update({JointCells: _cell_move_between, JointStates: _state_move_between})
_DEPART.update({JointCells: _cell_depart, JointStates: _state_depart})
_ENTER.update({JointCells: _cell_enter, JointStates: _state_enter})
_CLEAR.update({JointCells: _cell_clear, JointStates: _state_clear})
_MEETING.update({JointCells: _cell_meeting, JointStates: _state_meeting})
