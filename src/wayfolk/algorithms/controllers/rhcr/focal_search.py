"""Focal search: the path of one agent through a window that costs at most a limit and has the fewest collisions.

The low level of ECBS (Barer et al. 2014): a search over cells and steps in the order of collisions, then of f. Nodes whose
f is above the limit are left out.

Invariants  a path costs at most the limit, and keeps the present set of reservations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.paths import (
    ARRIVES,
    ENOUGH,
    MOST_COST,
    SEARCHES,
    WAIT,
    RollingArrays,
    count_path,
    is_open,
    move_between,
    trace,
)
from wayfolk.compile.jit import inner
from wayfolk.kernels import heap, rra
from wayfolk.kernels.crossing import corners
from wayfolk.kernels.lazy import lazy_zeros

MOVES = 8  # bits
ROOM = 9 * ENOUGH + 1


class Others(NamedTuple):
    """`moved[step, cell]` has the number of the present search, and a bit for each move by which others leave the cell.

    `open` is the heap of the search; its items are rows of `nodes` of the window's arrays, and `hits` are their collisions.
    """

    moved: NDArray[np.int64]
    open: NDArray[np.void]
    hits: NDArray[np.int32]


def new_others(arrays: RollingArrays, steps: int) -> Others:
    """Room for windows of `steps` steps."""
    return Others(
        lazy_zeros((steps + 1, len(arrays.legal)), np.int64), np.zeros(ROOM, heap.ROW), np.zeros(ROOM, np.int32)
    )


@inner
def note_others(arrays, others, paths, agents, agent, last):
    """Begin a new search for `agent`: note the moves of all other `agents`."""
    arrays.counts[SEARCHES] += 1
    base = arrays.counts[SEARCHES] << MOVES
    for other in agents:
        if other == agent:
            continue
        for step in range(last):
            here, there = paths[other, step], paths[other, step + 1]
            if here != there:
                before = max(others.moved[step, here], base)
                others.moved[step, here] = before | (np.int64(1) << move_between(arrays.offsets, here, there))


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
        for k in range(9):
            if k < WAIT and not (arrays.legal[cell] >> k) & 1:
                continue
            there = cell if k == WAIT else cell + arrays.offsets[k]
            if not is_open(arrays, cell, there, k, step):
                continue
            left = 0 if been else rra.distance(searches, agent, there)
            if left == rra.UNREACHABLE:
                continue
            arrives = not arrays.stays and not been and there == goal and k != WAIT
            then = cost + (1 if not been and not (k == WAIT and cell == goal) else 0)
            visited = 1 if been or arrives else 0
            now = min(hits + _hits(arrays, others, cell, there, k, step), MOST_COST - 1)
            known = seen[visited, step + 1, there]
            if then + left > most or base <= known <= base + now:
                continue
            move = k + (ARRIVES if arrives else 0)
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


@inner
def _hits(arrays, others, cell, there, k, step):
    """How many others a move collides with."""
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
