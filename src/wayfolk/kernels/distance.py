"""Distances in steps on a grid: connected parts, one field, and many fields computed only as far as needed.

A field holds, for one goal, the number of steps from each cell. `Fields` keeps one for each of many goals as a
breadth-first search that resumes when the distance of a cell is needed that it has not reached: for agents that stay near
their paths it does not visit the rest of the map. The arrays are allocated without being written, so memory is used for
visited cells only.

Invariants  a stored distance is exact from the moment it is stored: breadth-first search never corrects one.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel
from wayfolk.errors import TooLarge
from wayfolk.machine import available_bytes, n_cores

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid

UNREACHED = np.int32(2**31 - 1)
_DONE, _USED = 0, 1
"""Places in `spans`: how much of the queue has been expanded, and filled. A field that has not begun has 0 as its second
number, and its goal as the first: so making many fields touches no memory."""


class Fields(NamedTuple):
    """`steps[k, cell]` is 1 + the distance from `cell` to goal k, 0 where the search has not been."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    steps: NDArray[Any]
    queue: NDArray[np.int32]
    spans: NDArray[np.int64]


def new_fields(grid: Grid, goals: NDArray[np.int32], max_bytes: int | None = None) -> Fields:
    """A field for each of `goals`, not grown yet; refuses jobs that could outgrow `max_bytes` (or the machine)."""
    n_free = len(grid.free_cells)
    kind = np.int16 if n_free < np.iinfo(np.int16).max else np.int32
    need = len(goals) * n_free * (np.dtype(kind).itemsize + 4)
    limit = available_bytes() if max_bytes is None else max_bytes
    if need > limit:
        raise TooLarge(
            f"distance fields for {len(goals)} goals could need {need / 1e9:.1f} GB, {limit / 1e9:.1f} GB are free"
        )
    fields = Fields(
        grid.legal,
        grid.offsets,
        np.zeros((len(goals), grid.n_cells), kind),
        np.zeros((len(goals), n_free), np.int32),
        np.zeros((len(goals), 2), np.int64),
    )
    fields.spans[:, _DONE] = goals
    return fields


def grow_all(fields: Fields) -> None:
    """Grow every field to the whole map, on all cores."""
    with ThreadPoolExecutor(n_cores()) as pool:
        list(pool.map(lambda k: _grow(fields, k, UNREACHED), range(len(fields.spans))))


def steps_to(grid: Grid, goal: int) -> NDArray[np.int32]:
    """The number of steps from each cell to `goal`; UNREACHED where there is no way."""
    steps = np.full(grid.n_cells, UNREACHED, np.int32)
    _flood(grid.legal, grid.offsets, goal, steps, np.empty(len(grid.free_cells), np.int32))
    return steps


def fewest_steps(grid: Grid, starts: NDArray[np.int32], goals: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of steps from each start to its goal, on all cores; UNREACHED where there is no way."""
    steps = np.full(len(starts), UNREACHED, np.int32)
    parts = np.array_split(np.arange(len(starts)), n_cores())

    def work(part: NDArray[np.intp]) -> None:
        seen, queue = np.zeros(grid.n_cells, np.int32), np.empty(len(grid.free_cells), np.int32)
        away = np.empty(len(grid.free_cells), np.int32)
        _pairs(
            legal=grid.legal, offsets=grid.offsets, starts=starts, goals=goals, part=part,
            seen=seen, queue=queue, away=away, steps=steps,
        )  # fmt: skip

    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(work, parts))
    return steps


@kernel
def restart(fields, k, goal):
    """Forget field `k` and begin again from `goal`."""
    if fields.spans[k, _USED] > 0:
        fields.steps[k, :] = 0
    fields.spans[k, _DONE] = goal
    fields.spans[k, _USED] = 0


@kernel
def steps_between(fields, k, cell):
    """The distance from `cell` to goal `k`, growing the field if need be; UNREACHED where there is no way."""
    known = fields.steps[k, cell]
    if known > 0:
        return np.int32(known - 1)
    return _grow(fields, k, cell)


@kernel
def _grow(fields, k, wanted):
    """Resume the search of field `k` until it stores `wanted`, which may be UNREACHED for all there is."""
    steps, queue = fields.steps[k], fields.queue[k]
    done, used = fields.spans[k, _DONE], fields.spans[k, _USED]
    if used == 0:
        steps[done], queue[0] = 1, done
        done, used = np.int64(0), np.int64(1)
    while done < used and (wanted == UNREACHED or steps[wanted] == 0):
        cell = queue[done]
        done += 1
        ahead = steps[cell] + 1
        legal = fields.legal[cell]
        for k_move in range(8):
            if (legal >> k_move) & 1:
                other = cell + fields.offsets[k_move]
                if steps[other] == 0:
                    steps[other] = ahead
                    queue[used] = other
                    used += 1
    fields.spans[k, _DONE], fields.spans[k, _USED] = done, used
    if wanted == UNREACHED or steps[wanted] == 0:
        return UNREACHED
    return np.int32(steps[wanted] - 1)


@kernel
def _flood(legal, offsets, source, steps, queue):
    steps[source] = 0
    queue[0] = source
    done, used = 0, 1
    while done < used:
        cell = queue[done]
        done += 1
        for k in range(8):
            if (legal[cell] >> k) & 1:
                other = cell + offsets[k]
                if steps[other] == UNREACHED:
                    steps[other] = steps[cell] + 1
                    queue[used] = other
                    used += 1


@kernel
def _pairs(legal, offsets, starts, goals, part, seen, queue, away, steps):
    """Breadth-first from each goal until its start is met; `seen` holds the number of the search, counted from 1."""
    for stamp, pair in enumerate(part):
        queue[0], away[0] = goals[pair], 0
        seen[goals[pair]] = stamp + 1
        done, used = 0, 1
        while done < used:
            cell = queue[done]
            if cell == starts[pair]:
                steps[pair] = away[done]
                break
            for k in range(8):
                if (legal[cell] >> k) & 1:
                    other = cell + offsets[k]
                    if seen[other] != stamp + 1:
                        seen[other] = stamp + 1
                        queue[used], away[used] = other, away[done] + 1
                        used += 1
            done += 1


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
