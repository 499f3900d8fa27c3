"""The moves of all other agents: bodies on grids, and points or bodies in other worlds. Conflicts are places held twice."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._cbs.mdd import WORD_BITS
from wayfolk.algorithms.planners._cbs.moves import MoveFunctions, enter_moves, span, step_between
from wayfolk.algorithms.planners._cbs.tables import DONE, check_memory
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.state_graph import StateGraph


class CbsStates(NamedTuple):
    """The edges of a graph of states, and the places that steps hold.

    The number of a step is that of its edge; to stay on a node is `target.size + node`. A step holds the places
    `places[begins[step] : begins[step + 1]]` in order: those of the node where it ends, which are below `n_lasting`, and
    those of the move. A goal is reached on each node with its `stand_of`. `bits` is the logarithm of the most places of a
    step, rounded up.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    begins: NDArray[np.int64]
    places: NDArray[np.int32]
    stand_of: NDArray[np.int32]
    n_places: int
    n_lasting: int
    most_moves: int
    bits: int


def state_moves(states: StateGraph) -> CbsStates:
    """The moves in a graph of states."""
    table = states.occupancy
    ends = np.concatenate([table.target, np.arange(states.n_cells, dtype=np.int32)])
    n_held, n_moving = np.diff(table.node_first)[ends].astype(np.int64), np.diff(table.move_first)
    check_memory(16 * int(n_held.sum() + n_moving.sum()))
    begins = np.concatenate([[0], np.cumsum(n_held + n_moving)])
    places = np.empty(int(begins[-1]), np.int32)
    places[_rows(begins[:-1], n_held)] = table.node_places[_rows(table.node_first[ends].astype(np.int64), n_held)]
    places[_rows(begins[:-1] + n_held, n_moving)] = table.move_places
    n_lasting = int(table.node_places.max(initial=-1)) + 1
    assert not table.move_places.size or table.move_places.min() >= n_lasting
    return CbsStates(
        first=table.first.copy(),
        target=table.target.copy(),
        begins=begins,
        places=places,
        stand_of=states.stand_of.copy(),
        n_places=table.n_places,
        n_lasting=n_lasting,
        most_moves=int(np.diff(table.first).max(initial=0)) + 1,
        bits=int(np.diff(begins).max(initial=1) - 1).bit_length(),
    )


def _rows(begins: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from `begins` on, as many as `counts` says, one list after another."""
    rows: NDArray[np.int64] = np.repeat(begins - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return rows


def _n_moves(moves, node):
    return np.int64(moves.first[node + 1] - moves.first[node] + 1)


def _target(moves, node, k):
    edge = moves.first[node] + k
    return np.int64(moves.target[edge]) if edge < moves.first[node + 1] else np.int64(node)


def _is_home(moves, node, goal):
    return moves.stand_of[node] == goal


def _stay(moves, node):
    return np.int64(moves.target.size + node)


def _step_by(moves, node, k, there):
    edge = np.int64(moves.first[node] + k)
    return edge if edge < moves.first[node + 1] else np.int64(moves.target.size + node)


def _step_between(moves, here, there):
    if here == there:
        return np.int64(moves.target.size + here)
    edge = np.int64(moves.first[here])
    while moves.target[edge] != there:
        edge += 1
    return edge


def _span(moves, step):
    return np.int64(moves.begins[step]), np.int64(moves.begins[step + 1])


def _place_at(moves, k):
    return np.int64(moves.places[k])


def _lag(moves, place):
    return 0 if place < moves.n_lasting else 1


def _entry(moves, agent, j):
    return (np.int64(agent) << moves.bits) | j


def _agent_of(moves, number):
    return np.int64(number) >> moves.bits


def _applies(moves, origin, here, there):
    return moves.stand_of[there] == origin


def _scope(moves, goal):
    return np.int64(goal)


def _has_opposites(moves, here, there):
    return False


def _crossed(moves, here, there):
    return np.int64(NOWHERE), np.int64(NOWHERE)


def _collide(moves, here, there, here2, there2):
    a, a_end = span(moves, step_between(moves, here, there))
    b, b_end = span(moves, step_between(moves, here2, there2))
    while a < a_end and b < b_end:
        if moves.places[a] == moves.places[b]:
            return True
        if moves.places[a] < moves.places[b]:
            a += 1
        else:
            b += 1
    return False


def _has_words(moves):
    return True


def _node_size(moves):
    return 2 + (moves.most_moves + WORD_BITS - 1) // WORD_BITS


def _has_move(moves, mdd, at, k):
    return (mdd[at + 2 + k // WORD_BITS] >> (k % WORD_BITS)) & 1 == 1


def _most_moves(moves):
    return moves.most_moves


def _most_places(moves):
    return 1 << moves.bits


def _is_in_corridor(moves, s, row):
    return False


def _corridor(moves, s, node, row):
    return DONE


def _rectangle(moves, s, row, below):
    return np.int64(3)


enter_moves(
    CbsStates,
    MoveFunctions(
        n_moves=_n_moves,
        target=_target,
        is_home=_is_home,
        stay=_stay,
        step_by=_step_by,
        step_between=_step_between,
        span=_span,
        place_at=_place_at,
        lag=_lag,
        entry=_entry,
        agent_of=_agent_of,
        applies=_applies,
        scope=_scope,
        has_opposites=_has_opposites,
        crossed=_crossed,
        collide=_collide,
        has_words=_has_words,
        node_size=_node_size,
        has_move=_has_move,
        most_moves=_most_moves,
        most_places=_most_places,
        is_in_corridor=_is_in_corridor,
        corridor=_corridor,
        rectangle=_rectangle,
    ),
)
