"""Diagrams of several agents together: a depth-first search for a plan, and the pruning of a pair of diagrams.

Invariants  `dive` enters a joint state once. `prune_pair` removes a node only if no plan of the two agents visits it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._cbs.moves import collide
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.table import digest, find_row, new_table, put, with_room

POSITION, N_ROWS, EXPANDED = range(3)  # places in `counts`
SOLVABLE, UNSOLVABLE = range(2)
_TRIES = 1 << 19
_REACHED, _SUPPORTED = 1, 2


class Dive(NamedTuple):
    """`charts[i]` are the first layer and the steps of the i-th diagram.

    `chosen[step * agents + i]` is the i-th node of a state, `kid` the number of its next kid to try. `rows` are the states
    entered, each with its step, and `table` a hash table of them.
    """

    charts: NDArray[np.int32]
    chosen: NDArray[np.int32]
    kid: NDArray[np.int32]
    rows: NDArray[np.int32]
    table: NDArray[np.void]
    counts: NDArray[np.int64]


def new_dive(charts: list[tuple[int, int]], n_rows: int = 1 << 8) -> Dive:
    """A search that has not begun, for diagrams that begin at these layers and have these numbers of steps."""
    n = len(charts)
    room = (max(cost for _, cost in charts) + 2) * n
    return Dive(
        np.array(charts, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros((n_rows, n + 1), np.int32),
        new_table(n_rows),
        np.zeros(3, np.int64),
    )


def deeper(dive: Dive) -> Dive:
    """The same search with room for twice as many states."""
    rows = np.concatenate([dive.rows, np.zeros_like(dive.rows)])
    return dive._replace(rows=rows, table=with_room(dive.table, len(rows)))


@kernel
def dive_on(diagrams, moves, dive, budget):
    """Enter up to `budget` states; FOUND: `chosen` has the plan. It returns now and then, RUNNING, without a new state."""
    n, count, chosen = dive.charts.shape[0], dive.counts, dive.chosen
    last = 0
    for i in range(n):
        last = max(last, dive.charts[i, 1])
        if count[N_ROWS] == 0:
            chosen[i] = diagrams.layers[dive.charts[i, 0]]
    if count[N_ROWS] == 0:
        dive.kid[0] = 0
        _enter(dive, 0)
    stop = count[EXPANDED] + budget
    for _ in range(_TRIES):
        at = count[POSITION]
        if at == last * n:
            return FOUND
        if count[EXPANDED] >= stop:
            return RUNNING
        if count[N_ROWS] == dive.rows.shape[0]:
            return FULL
        step = at // n
        i = at - step * n
        kid = NOWHERE
        if dive.kid[at] < diagrams.kids.shape[1]:
            kid = diagrams.kids[chosen[at], dive.kid[at]]
        if kid == NOWHERE:
            if at == 0:
                return EXHAUSTED
            count[POSITION] -= 1
            continue
        dive.kid[at] += 1
        if not diagrams.alive[kid] or _collides(diagrams.cells, moves, chosen, n, step, i, kid):
            continue
        chosen[at + n] = kid
        if i < n - 1 or _enter(dive, step + 1):
            count[POSITION] += 1
            dive.kid[at + 1] = 0
    return RUNNING


@inner
def _collides(cells, moves, chosen, n, step, i, kid):
    """Whether the i-th agent's move to `kid` collides with that of an agent before it."""
    here, there = cells[chosen[step * n + i]], cells[kid]
    j = 0
    while j < i and not collide(moves, here, there, cells[chosen[step * n + j]], cells[chosen[step * n + n + j]]):
        j += 1
    return j < i


@inner
def _enter(dive, step):
    """Note the state at `step`; False if it was entered before. There must be room."""
    n, row = dive.charts.shape[0], dive.counts[N_ROWS]
    for i in range(n):
        dive.rows[row, i] = dive.chosen[step * n + i]
    dive.rows[row, n] = step
    key = digest(dive.rows[row])
    at = find_row(dive.table, dive.rows, dive.rows[row], key)
    if dive.table[at]["key"] == key:
        return False
    put(dive.table, at, key, row)
    dive.counts[N_ROWS] += 1
    dive.counts[EXPANDED] += 1
    return True


@kernel
def n_pairs(diagrams, charts, stride):
    """How many pairs of nodes two diagrams have, over all steps; 0 if they are so far apart that no plans collide.

    That is found out on grids, whose `stride` is not 0.
    """
    total, near = 0, stride == 0
    last = max(charts[0, 1], charts[1, 1])
    for step in range(last + 1):
        a, a_end = _layer(diagrams, charts, 0, step)
        b, b_end = _layer(diagrams, charts, 1, step)
        total += (a_end - a) * (b_end - b)
        near = near or _are_near(diagrams.cells, a, a_end, b, b_end, stride)
    if near:
        return total
    return 0


@inner
def _layer(diagrams, charts, i, step):
    """The first node of a layer and the one after its last; the agent stays in its last one."""
    at = charts[i, 0] + min(step, charts[i, 1])
    return diagrams.layers[at], diagrams.layers[at + 1]


@inner
def _are_near(cells, a, a_end, b, b_end, stride):
    """Whether the boxes around the cells of two layers are less than two cells apart."""
    a_left, a_right, a_top, a_bottom = _box(cells, a, a_end, stride)
    b_left, b_right, b_top, b_bottom = _box(cells, b, b_end, stride)
    return max(a_left - b_right, b_left - a_right) < 2 and max(a_top - b_bottom, b_top - a_bottom) < 2


@inner
def _box(cells, first, end, stride):
    left, right, top, bottom = stride, 0, np.int32(2**30), 0
    for node in range(first, end):
        y = cells[node] // stride
        x = cells[node] - y * stride
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    return left, right, top, bottom


@kernel
def prune_pair(diagrams, moves, charts, pairs):
    """Remove nodes of two diagrams that no plan of both visits: SOLVABLE with how many, or UNSOLVABLE.

    `pairs` has a place for each pair of nodes of the same step: forward, pairs that can be reached; then backward, those
    from which the end can be reached.
    """
    last = max(charts[0, 1], charts[1, 1])
    pairs[:] = 0
    pairs[0] = _REACHED
    base = 0
    for step in range(last):
        base = _sweep(diagrams, moves, charts, pairs, step, base, True)
    a, a_end = _layer(diagrams, charts, 0, last)
    b, b_end = _layer(diagrams, charts, 1, last)
    n_ends = 0
    for end in range(base, base + (a_end - a) * (b_end - b)):
        if pairs[end] != 0:
            pairs[end] |= _SUPPORTED
            n_ends += 1
    if n_ends == 0:
        return UNSOLVABLE, 0
    for step in range(last - 1, -1, -1):
        a, a_end = _layer(diagrams, charts, 0, step)
        b, b_end = _layer(diagrams, charts, 1, step)
        base -= (a_end - a) * (b_end - b)
        _sweep(diagrams, moves, charts, pairs, step, base, False)
    n_removed = 0
    for step in range(last + 1):
        a, a_end = _layer(diagrams, charts, 0, step)
        b, b_end = _layer(diagrams, charts, 1, step)
        width = b_end - b
        if step <= charts[0, 1]:
            for node in range(a, a_end):
                n_removed += _remove(diagrams, node, pairs, base + (node - a) * width, 1, width)
        if step <= charts[1, 1]:
            for node in range(b, b_end):
                n_removed += _remove(diagrams, node, pairs, base + node - b, width, a_end - a)
        base += (a_end - a) * width
    return SOLVABLE, n_removed


@inner
def _remove(diagrams, node, pairs, first, stride, n):
    """Remove `node`, unless one of its `n` pairs, from `first` on, is supported; 1 if it is removed, else 0."""
    for k in range(n):
        if pairs[first + k * stride] & _SUPPORTED:
            return 0
    if not diagrams.alive[node]:
        return 0
    diagrams.alive[node] = False
    return 1


@inner
def _sweep(diagrams, moves, charts, pairs, step, base, forward):
    """Mark pairs of the next layer as reached, or those of this one as supported; where the next layer begins."""
    a, a_end = _layer(diagrams, charts, 0, step)
    b, b_end = _layer(diagrams, charts, 1, step)
    a_next, _ = _layer(diagrams, charts, 0, step + 1)
    b_next, b_next_end = _layer(diagrams, charts, 1, step + 1)
    width, width_next = b_end - b, b_next_end - b_next
    base_next = base + (a_end - a) * width
    cells, kids, alive = diagrams.cells, diagrams.kids, diagrams.alive
    for one in range(a, a_end):
        for other in range(b, b_end):
            pair = base + (one - a) * width + other - b
            if pairs[pair] == 0:
                continue
            for j in range(kids.shape[1]):
                kid = kids[one, j]
                if kid == NOWHERE:
                    break
                if not alive[kid]:
                    continue
                for k in range(kids.shape[1]):
                    other_kid = kids[other, k]
                    if other_kid == NOWHERE:
                        break
                    to = base_next + (kid - a_next) * width_next + other_kid - b_next
                    if not alive[other_kid] or (forward and pairs[to] > 0):
                        continue
                    if not forward and pairs[to] & _SUPPORTED == 0:
                        continue
                    if collide(moves, cells[one], cells[kid], cells[other], cells[other_kid]):
                        continue
                    if forward:
                        pairs[to] = _REACHED
                    else:
                        pairs[pair] |= _SUPPORTED
    return base_next
