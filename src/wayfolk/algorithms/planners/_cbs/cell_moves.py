"""The moves of points on a square grid: two are in conflict in one cell, along one edge, or across each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._cbs.corridors import may_be_in_corridor, split_corridor
from wayfolk.algorithms.planners._cbs.moves import MoveFunctions, enter_moves
from wayfolk.algorithms.planners._cbs.rectangles import split_rectangle
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.crossing import corners, diagonal


class CbsCells(NamedTuple):
    """A byte of legal moves for each cell, and where they lead; the number of a step is the cell where it ends."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]


def _n_moves(moves, node):
    return 9


def _target(moves, node, k):
    if k == 8:
        return np.int64(node)
    return np.int64(node + moves.offsets[k]) if (moves.legal[node] >> k) & 1 else np.int64(NOWHERE)


def _is_home(moves, node, goal):
    return node == goal


def _stay(moves, node):
    return np.int64(node)


def _step_by(moves, node, k, there):
    return np.int64(there)


def _step_between(moves, here, there):
    return np.int64(there)


def _span(moves, step):
    return step, step + 1


def _place_at(moves, k):
    return k


def _lag(moves, place):
    return 0


def _entry(moves, agent, j):
    return agent


def _agent_of(moves, number):
    return number


def _applies(moves, origin, here, there):
    return origin == here


def _scope(moves, goal):
    return np.int64(NOWHERE)


def _has_opposites(moves, here, there):
    return here != there


def _crossed(moves, here, there):
    k = diagonal(moves.offsets, here, there)
    if k == 0:
        return np.int64(NOWHERE), np.int64(NOWHERE)
    one, two = corners(moves.offsets, here, k)
    return np.int64(one), np.int64(two)


def _collide(moves, here, there, here2, there2):
    if there == there2:
        return True
    if here == there or here2 == there2:
        return False
    if here == there2 and there == here2:
        return True
    k = diagonal(moves.offsets, here, there)
    if k == 0:
        return False
    beside, across = corners(moves.offsets, here, k)
    return (here2 == beside and there2 == across) or (here2 == across and there2 == beside)


def _has_words(moves):
    return False


def _node_size(moves):
    return 2


def _has_move(moves, mdd, at, k):
    return (mdd[at + 1] >> k) & 1 == 1


def _most_moves(moves):
    return 9


def _most_places(moves):
    return 1


def _is_in_corridor(moves, s, row):
    return may_be_in_corridor(s, row)


def _corridor(moves, s, node, row):
    return split_corridor(s, node, row)


def _rectangle(moves, s, row, below):
    return split_rectangle(s, row, below)


enter_moves(
    CbsCells,
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
