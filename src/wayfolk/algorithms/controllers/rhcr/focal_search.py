"""Focal search: the path of one agent through a window that costs at most a limit and has the fewest collisions.

The low level of ECBS (Barer et al. 2014): a search over cells and steps in the order of collisions, then of f. Nodes whose
f is above the limit are left out.

Invariants  a path costs at most the limit, and keeps the present set of reservations.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.paths import (
    MOST_COST,
    count_path,
    trace,
)
from wayfolk.algorithms.controllers.rhcr.rolling import AnyRolling
from wayfolk.algorithms.controllers.rhcr.rolling_cells import RollingArrays, move_between
from wayfolk.algorithms.controllers.rhcr.rolling_moves import (
    ENOUGH,
    SEARCHES,
    WAIT,
    is_home,
    is_open,
    move_to,
    n_moves,
    pointer,
)
from wayfolk.algorithms.controllers.rhcr.rolling_nodes import RollingStates
from wayfolk.compile.jit import inner, specialise
from wayfolk.kernels import heap, rra
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.kernels.occupancy import move_row

MOVES = 8  # bits


class Others(NamedTuple):
    """`moved[step, cell]` has the number of the present search, and a bit for each move by which others leave the cell.

    On a graph of states it is empty: moves are counted by their places, as nodes are.
    `open` is the heap of the search; its items are rows of `nodes` of the window's arrays, and `hits` are their collisions.
    """

    moved: NDArray[np.int64]
    open: NDArray[np.void]
    hits: NDArray[np.int32]


def new_others(arrays: AnyRolling, steps: int) -> Others:
    """Room for windows of `steps` steps."""
    shape = (steps + 1, len(arrays.legal)) if isinstance(arrays, RollingArrays) else (0, 0)
    room = len(arrays.nodes)
    return Others(lazy_zeros(shape, np.int64), np.zeros(room, heap.ROW), np.zeros(room, np.int32))


@inner
def note_others(arrays, others, paths, agents, agent, last):
    """Begin a new search for `agent`: note the moves of all other `agents`."""
    arrays.counts[SEARCHES] += 1
    for other in agents:
        if other != agent:
            note_moves(arrays, others, paths, other, last)


@inner
def find_focal_path(arrays, others, paths, agent, goal, last, most):
    """Plan a path of `agent` that costs at most `most` and has the fewest collisions; whether there is one.

    The moves of the others are noted. Where there is none, the path does not change.
    """
    searches, nodes, seen = arrays.searches, arrays.nodes, arrays.seen
    base = arrays.counts[SEARCHES] * MOST_COST
    count_path(arrays, paths, agent, 0, last, -1)
    start = paths[agent, 0]
    n_nodes = _add(arrays, others, 0, start, step=0, been=0, cost=0, hits=0, move=WAIT)
    n_open = heap.push(others.open, 0, np.int64(0), np.int64(0), np.int32(0))
    n_expanded, found = 0, False
    while n_open > 0:
        item = np.int64(others.open[0]["item"])
        n_open = heap.pop(others.open, n_open)
        node, hits = nodes[item], np.int64(others.hits[item])
        cell, step, been, cost = np.int64(node["cell"]), np.int64(node["step"]), np.int64(node["been"]), node["cost"]
        if seen[been, step, cell] != base + hits:
            continue  # a path with fewer collisions has come here
        if step == last:
            found = True
            trace(arrays, paths, agent, cell, 0, last, been)
            break
        if n_expanded == ENOUGH:
            break
        n_expanded += 1
        for k in range(n_moves(arrays, cell)):
            there = move_to(arrays, cell, k)
            if there == NOWHERE or not is_open(arrays, cell, there, k, step):
                continue
            left = 0 if been else rra.distance(searches, agent, there)
            if left == rra.UNREACHABLE:
                continue
            arrives = not arrays.stays and not been and there != cell and is_home(arrays, there, goal)
            then = cost + (1 if not been and not (there == cell and is_home(arrays, cell, goal)) else 0)
            visited = 1 if been or arrives else 0
            now = min(hits + n_hits(arrays, others, cell, there, k, step), MOST_COST - 1)
            known = seen[visited, step + 1, there]
            if then + left > most or base <= known <= base + now:
                continue
            move = pointer(arrays, cell, k, arrives)
            n_nodes = _add(arrays, others, n_nodes, there, step=step + 1, been=visited, cost=then, hits=now, move=move)
            tie = ((np.int64(then) + left) << 16) - step
            n_open = heap.push(others.open, n_open, np.int64(now), tie, np.int32(n_nodes - 1))
    arrays.spent[agent] += n_expanded
    count_path(arrays, paths, agent, 0, last, 1)
    return found


@inner
def _add(arrays, others, n_nodes, cell, step, been, cost, hits, move):
    """Add a node; how many there are."""
    node = arrays.nodes[n_nodes]
    node["cell"], node["step"], node["been"], node["cost"] = cell, step, been, cost
    others.hits[n_nodes] = hits
    arrays.seen[been, step, cell] = arrays.counts[SEARCHES] * MOST_COST + hits
    arrays.moves[been, step, cell] = move
    return n_nodes + 1


def _grid_note_moves(arrays, others, paths, other, last):
    base = arrays.counts[SEARCHES] << MOVES
    for step in range(last):
        here, there = paths[other, step], paths[other, step + 1]
        if here != there:
            before = max(others.moved[step, here], base)
            others.moved[step, here] = before | (np.int64(1) << move_between(arrays.offsets, here, there))


def _state_note_moves(arrays, others, paths, other, last):
    pass


def _grid_n_hits(arrays, others, cell, there, k, step):
    n = np.int64(arrays.used[step + 1, there])
    if k == WAIT:
        return n
    n += _leaves(arrays, others, there, k ^ 2, step)
    if k >= 4:
        beside, across = corners(arrays.offsets, cell, k)
        n += _leaves(arrays, others, beside, move_between(arrays.offsets, beside, across), step)
        n += _leaves(arrays, others, across, move_between(arrays.offsets, across, beside), step)
    return n


@inner
def _leaves(arrays, others, cell, k, step):
    """1 if another agent leaves `cell` by move `k` after `step`, else 0."""
    moved = others.moved[step, cell]
    return (moved >> k) & 1 if moved >= arrays.counts[SEARCHES] << MOVES else np.int64(0)


def _state_n_hits(arrays, others, node, there, k, step):
    table, n = arrays.occupancy, np.int64(0)
    row = move_row(table, node, k)
    for at in range(table.node_first[there], table.node_first[there + 1]):
        n += arrays.used[step + 1, table.node_places[at]]
    for at in range(table.move_first[row], table.move_first[row + 1]):
        n += arrays.used[step + 1, table.move_places[at]]
    return n


_NOTE_MOVES: dict[type, Callable[..., Any]] = {RollingArrays: _grid_note_moves, RollingStates: _state_note_moves}
_N_HITS: dict[type, Callable[..., Any]] = {RollingArrays: _grid_n_hits, RollingStates: _state_n_hits}


def note_moves(arrays: Any, others: Any, paths: Any, other: Any, last: Any) -> Any:
    """Note the moves of one other agent."""
    return _NOTE_MOVES[type(arrays)](arrays, others, paths, other, last)


def n_hits(arrays: Any, others: Any, cell: Any, there: Any, k: Any, step: Any) -> Any:
    """How many others a move collides with; on a graph of states, in how many places."""
    return _N_HITS[type(arrays)](arrays, others, cell, there, k, step)


specialise(note_moves, _NOTE_MOVES)
specialise(n_hits, _N_HITS)
