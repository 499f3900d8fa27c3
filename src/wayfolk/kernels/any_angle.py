"""What Theta* and its kin share: cells whose parent may be far away, and an open list in the exact order of f.

A cell's `mark` is `stamp` plus OPEN, CHECKED or CLOSED in the search under way and less if it has not been seen, so that
a new search need not clear anything.

Keeps    g[cell] is the length of the way over `parent`, each part of it a straight line (but see `lazy_theta`).
         A row of the heap counts if its cell is not closed and still has that g.
Why      a heap, and not the buckets of A*: paths are proved no longer than the best along the grid because cells leave
         in the order of f. Closed cells stay closed, as in the papers.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels import heap
from wayfolk.kernels.best_first import CELL, EXHAUSTED, FOUND, QUEUE_FULL, RUNNING
from wayfolk.kernels.jit import kernel

READY = 4  # an outcome like those of `best_first`: there is a cell to expand
OPEN, CHECKED, CLOSED = range(3)
STAMP, EXPANDED, GENERATED, SIGHTS, N_OPEN, CUTTING = range(6)  # places in `counts`
ROW = np.dtype([("f", np.float64), ("tie", np.float64), ("item", np.int32)], align=True)
RANGE = np.dtype([("low_x", np.int32), ("low_y", np.int32), ("high_x", np.int32), ("high_y", np.int32)], align=True)


class AngleMemory(NamedTuple):
    """What one search knows; reused from query to query. `ranges` is empty but for angle propagation."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]
    rows: NDArray[np.void]
    ranges: NDArray[np.void]


def new_memory(n_cells: int, n_ranges: int) -> AngleMemory:
    """Arrays for a world of `n_cells`."""
    return AngleMemory(np.zeros(n_cells, CELL), np.zeros(8, np.int64), np.zeros(1024, ROW), np.zeros(n_ranges, RANGE))


def grown(memory: AngleMemory) -> AngleMemory:
    """The same with room for twice as many open cells."""
    return memory._replace(rows=np.concatenate([memory.rows, np.zeros_like(memory.rows)]))


@kernel
def seed(memory, start, far):
    """Forget the last search and open `start`, which is `far` from the goal."""
    count = memory.counts
    if count[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        count[STAMP] = 0
    count[STAMP] += 3
    count[EXPANDED] = count[GENERATED] = count[SIGHTS] = count[N_OPEN] = 0
    enter(memory.cells, count, memory.rows, start, 0.0, start, far, OPEN)


@kernel
def enter(cells, count, rows, cell, g, parent, far, state):
    """Open `cell`, or open it anew; `far` is its distance from the goal. Among equals the longer way comes first."""
    node = cells[cell]
    if node["mark"] < count[STAMP]:
        count[GENERATED] += 1
    node["g"], node["parent"], node["mark"] = g, parent, count[STAMP] + state
    count[N_OPEN] = heap.push(rows, count[N_OPEN], g + far, -g, cell)


@kernel
def take(cells, count, rows, goal, stop, events):
    """Close the next cell, to be expanded: READY or why not, the cell, and what it was, OPEN or CHECKED.

    The goal is FOUND and stays open. Expanded cells are written to `events` while there is room.
    """
    while count[N_OPEN] > 0:
        cell = rows[0]["item"]
        state = cells[cell]["mark"] - count[STAMP]
        if state < CLOSED and cells[cell]["g"] == -rows[0]["tie"]:
            if cell == goal:
                return FOUND, cell, state
            if count[EXPANDED] >= stop:
                return RUNNING, cell, state
            if count[N_OPEN] + 8 > rows.size:
                return QUEUE_FULL, cell, state
            cells[cell]["mark"] = count[STAMP] + CLOSED
            if count[EXPANDED] < events.size:
                events[count[EXPANDED]] = cell
            count[EXPANDED] += 1
            count[N_OPEN] = heap.pop(rows, count[N_OPEN])
            return READY, cell, state
        count[N_OPEN] = heap.pop(rows, count[N_OPEN])
    return EXHAUSTED, goal, OPEN


@kernel
def trace(memory, start, goal, path):
    """Write the path backwards from `goal` to `path`; its number of cells, which may exceed the room there."""
    cell, n = goal, 0
    while True:
        if n < path.size:
            path[n] = cell
        n += 1
        if cell == start:
            return n
        cell = memory.cells[cell]["parent"]


@kernel
def straight(stride, one, other):
    """The distance between the centres of two cells."""
    y, to_y = one // stride, other // stride
    wide, tall = (other - to_y * stride) - (one - y * stride), to_y - y
    return math.sqrt(wide * wide + tall * tall)
