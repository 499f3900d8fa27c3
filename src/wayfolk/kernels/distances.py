"""Distances in steps: breadth-first searches back from goals, which resume when a distance is needed.

`StepFields` holds a field for each of many goals: the number of steps to it from each free cell. Free cells are numbered
without gaps, since walls need no memory; such a number is a spot (`wayfolk.world.spots`). For agents that stay near their
paths a search does not visit the rest of the map.

Memory      2 bytes for each goal and spot where no distance exceeds 16 bits, else 4, and 4 for the queue of a field that is
            not filled at once. It is claimed when a field is begun. `new_fields` refuses jobs that cannot fit.
Invariants  a distance below `far` is exact from the moment it is stored: breadth-first search never corrects one.

Where moves have costs, or many goals share a bounded memory, distances are found by A* (`wayfolk.kernels.rra`): it leaves
out cells away from the path, but visits one in 39 ns, breadth-first search in 22 ns (random map of 256 x 256 cells, all of
them visited).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import backing, slots, there

UNREACHED = np.int32(2**31 - 1)
CELL = np.dtype([("legal", np.uint8), ("spot", np.int32)], align=True)
DONE, USED, FIRST = range(3)
"""Places in a queue: how many of its spots have been expanded, how many there are, and the first of them. A field that has
not begun has no spots yet, but its goal in the place of the first, and in that of DONE how many spots after it are its goal
too: a body that turns has reached a cell in every heading."""


class Spots(NamedTuple):
    """`near[spot, k]` are the spots from which a move leads to `spot`, the rest of the row is NOWHERE."""

    near: NDArray[np.int32]


def _slots(spots, spot):  # type: ignore[no-untyped-def]
    return spots.near.shape[1]


def _there(spots, spot, k):  # type: ignore[no-untyped-def]
    return spots.near[spot, k]


def _cost(spots, spot, k):  # type: ignore[no-untyped-def]
    return 1.0


def _heuristic(spots, spot, goal, kind):  # type: ignore[no-untyped-def]
    return 0.0


backing(Spots, _slots, _there, _cost, _heuristic)


class StepFields(NamedTuple):
    """`steps[k, spot]` is the distance to goal k, or `far`. Rows of fields that have not begun are zero.

    `cells` says which moves are legal, and gives the spots. There are few arrays, since kernels copy the tuple when they
    call each other: with two more, a large neighbourhood search takes 40 % longer.
    """

    near: NDArray[np.int32]
    cells: NDArray[np.void]
    offsets: NDArray[np.int32]
    steps: NDArray[Any]
    queue: NDArray[np.int32]
    far: int


@kernel
def restart(fields, k, goal):
    """Forget field `k` and begin again from the cell `goal`, which is all of its goal."""
    fields.steps[k, :] = 0
    fields.queue[k, FIRST] = fields.cells[goal]["spot"]
    fields.queue[k, DONE] = fields.queue[k, USED] = 0


@kernel
def steps_between(fields, k, cell):
    """The distance from `cell` to goal `k`, searching on if need be; UNREACHED where there is no way, and in walls."""
    spot = fields.cells[cell]["spot"]
    if spot == NOWHERE:
        return UNREACHED
    known = fields.steps[k, spot]
    if 0 < known < fields.far:
        return np.int32(known)
    return _resume(fields, k, spot)


@inner
def _resume(fields, k, wanted):
    """Search on until field `k` holds the distance of the spot `wanted`, or all is visited; that distance."""
    steps, queue = fields.steps[k], fields.queue[k]
    if queue[USED] == 0:
        queue[USED] = begin(steps, queue[FIRST:], queue[FIRST], queue[DONE] + 1, fields.far)
        queue[DONE] = 0
    spots = Spots(fields.near)
    queue[DONE], queue[USED] = grow(spots, steps, queue[FIRST:], queue[DONE], queue[USED], fields.far, wanted)
    return UNREACHED if steps[wanted] == fields.far else np.int32(steps[wanted])


@inner
def begin(steps, queue, goal, width, far):
    """Forget all distances but those of the `width` nodes from `goal` on, which are 0 and enter the queue; how many."""
    steps[:] = far
    for k in range(width):
        steps[goal + k] = 0
        queue[k] = goal + k
    return width


@inner
def grow(graph, steps, queue, done, used, far, wanted):
    """Search on until the distance of `wanted` is known, of all nodes if that is NOWHERE.

    `queue[done:used]` are nodes whose neighbours have not been visited. Returns the new `done` and `used`.
    """
    while done < used and (wanted == NOWHERE or steps[wanted] == far):
        node = queue[done]
        done += 1
        ahead = steps[node] + 1
        for k in range(slots(graph, node)):
            other = there(graph, node, k)
            if other != NOWHERE and steps[other] == far:
                steps[other] = ahead
                queue[used] = other
                used += 1
    return done, used


@kernel
def fill(graph, goals, widths, first, last, far, queue, steps):
    """Write the distances of all nodes to the goals from number `first` up to `last`; `far` if they are out of reach.

    Goal k is the `widths[k]` nodes from `goals[k]` on.
    """
    for k in range(first, last):
        n = begin(steps[k], queue, goals[k], widths[k], far)
        grow(graph, steps[k], queue, 0, n, far, NOWHERE)


@kernel
def fill_pairs(graph, starts, goals, part, queue, scratch, steps):
    """Write the distances between the starts and the goals of the pairs in `part`; all of `scratch` is UNREACHED."""
    for pair in part:
        queue[0], scratch[goals[pair]] = goals[pair], 0
        _, used = grow(graph, scratch, queue, 0, 1, UNREACHED, starts[pair])
        steps[pair] = scratch[starts[pair]]
        for k in range(used):
            scratch[queue[k]] = UNREACHED


@kernel
def label_components(legal, offsets, free_cells, labels, stack):
    """Number the connected parts from 1 in the order of their first cell; how many there are.

    `stack` has room for all free cells.
    """
    n_parts = 0
    for first in free_cells:
        if labels[first] != 0:
            continue
        n_parts += 1
        labels[first] = n_parts
        stack[0] = first
        n = 1
        while n > 0:
            n -= 1
            cell = stack[n]
            for k in range(8):
                if (legal[cell] >> k) & 1:
                    other = cell + offsets[k]
                    if labels[other] == 0:
                        labels[other] = n_parts
                        stack[n] = other
                        n += 1
    return n_parts
