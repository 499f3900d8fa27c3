"""The frame of Theta* and its variants: cells whose parent may be far away, and an open list in the exact order of f.

What differs between the variants is what a cell can see. Each has a NamedTuple of its own, the `sight`, with three
functions that `seeing` registers and that are chosen at compile time:

    is_confirmed(sight, parent, cell)                    whether `cell`, which leaves the open list, keeps its parent
    is_in_sight(sight, parent, other, wide, tall)        whether `other`, (wide, tall) from `parent`, may take it over
    pass_on(sight, parent, other, wide, tall)            called when `other` has got a new parent

A cell's `mark` is `stamp` plus OPEN, CHECKED or CLOSED in the present search and less if it has not been generated, so that
a new search need not clear anything.

Invariants  g[cell] is the length of the path over `parent`, each part of which is a straight line (but see `lazy_theta`).
            A row of the heap is valid if its cell is not closed and still has that g.
Open list   a heap, not the buckets of A*: paths are proved no longer than the best along the grid because cells leave in
            the order of f. Closed cells stay closed, as in the papers. With `counts[IS_QUEUE]` cells leave in the order in
            which they were generated.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels import heap
from wayfolk.kernels.best_first import CELL, EXHAUSTED, FOUND, QUEUE_FULL, RUNNING
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.kernels.graph import there

READY = 4  # an outcome like those of `best_first`: there is a cell to expand
OPEN, CHECKED, CLOSED = range(3)
STAMP, EXPANDED, GENERATED, SIGHTS, N_OPEN, IS_QUEUE = range(6)  # places in `counts`
ROW = np.dtype([("f", np.float64), ("tie", np.float64), ("item", np.int32)], align=True)
RANGE = np.dtype([("low_x", np.int32), ("low_y", np.int32), ("high_x", np.int32), ("high_y", np.int32)], align=True)


class AngleMemory(NamedTuple):
    """What one search knows; reused for the next query. `ranges` is empty except for angle propagation."""

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


_IS_CONFIRMED: dict[type, Callable[..., Any]] = {}
_IS_IN_SIGHT: dict[type, Callable[..., Any]] = {}
_PASS_ON: dict[type, Callable[..., Any]] = {}


def seeing(
    kind: type, is_confirmed: Callable[..., Any], is_in_sight: Callable[..., Any], pass_on: Callable[..., Any]
) -> None:
    """Register the three functions, plain Python to be compiled, for sights of the type `kind`."""
    _IS_CONFIRMED[kind], _IS_IN_SIGHT[kind], _PASS_ON[kind] = is_confirmed, is_in_sight, pass_on


def is_confirmed(sight: Any, parent: Any, cell: Any) -> Any:
    """Whether `cell`, which leaves the open list, keeps its parent; if not, it is opened again with another."""
    return _IS_CONFIRMED[type(sight)](sight, parent, cell)


def is_in_sight(sight: Any, parent: Any, other: Any, wide: Any, tall: Any) -> Any:
    """Whether `other`, which lies (wide, tall) from `parent`, may take it as its parent."""
    return _IS_IN_SIGHT[type(sight)](sight, parent, other, wide, tall)


def pass_on(sight: Any, parent: Any, other: Any, wide: Any, tall: Any) -> Any:
    """`other` has the new parent `parent`, (wide, tall) away."""
    return _PASS_ON[type(sight)](sight, parent, other, wide, tall)


specialise(is_confirmed, _IS_CONFIRMED)
specialise(is_in_sight, _IS_IN_SIGHT)
specialise(pass_on, _PASS_ON)


@kernel
def search(graph, sight, memory, start, goal, budget, events, is_new, path):
    """Expand up to `budget` cells; the outcome, and how many cells the path has."""
    cells, count, rows, stride = memory.cells, memory.counts, memory.rows, graph.stride
    if is_new:
        open_start(memory, start, straight(stride, start, goal))
    goal_y = goal // stride
    goal_x = goal - goal_y * stride
    stop = count[EXPANDED] + budget
    while True:
        outcome, cell, state = take(cells, count, rows, goal, stop, events)
        if state == OPEN and outcome in (READY, FOUND) and not is_confirmed(sight, cells[cell]["parent"], cell):
            _open_again(graph, memory, goal, outcome, cell)
            continue
        if outcome == FOUND:
            return outcome, trace(memory, start, goal, path)
        if outcome != READY:
            return outcome, 0
        here, parent = cells[cell]["g"], cells[cell]["parent"]
        before = cells[parent]["g"]
        y, parent_y = cell // stride, parent // stride
        x, parent_x = cell - y * stride, parent - parent_y * stride
        for k in range(8):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == count[STAMP] + CLOSED:
                continue
            known = cells[other]["g"] if cells[other]["mark"] >= count[STAMP] else math.inf
            wide, tall = x + DX[k] - parent_x, y + DY[k] - parent_y
            reached, source = before + math.sqrt(wide * wide + tall * tall), parent  # path 2 of the paper
            if reached >= known:
                continue
            if not is_in_sight(sight, parent, other, wide, tall):
                wide, tall = DX[k], DY[k]
                reached, source = here + math.sqrt(wide * wide + tall * tall), cell  # path 1
            if reached < known:
                far_x, far_y = x + DX[k] - goal_x, y + DY[k] - goal_y
                enter(cells, count, rows, other, reached, source, math.sqrt(far_x * far_x + far_y * far_y), OPEN)
                pass_on(sight, source, other, wide, tall)


@inner
def _open_again(graph, memory, goal, outcome, cell):
    """Open `cell`, which its parent does not see, with its best closed neighbour as parent."""
    cells, count, rows = memory.cells, memory.counts, memory.rows
    parent, reached = cell, math.inf
    for k in range(8):
        other = there(graph, cell, k)
        if other != NOWHERE and cells[other]["mark"] == count[STAMP] + CLOSED:
            over = cells[other]["g"] + math.sqrt(DX[k] * DX[k] + DY[k] * DY[k])
            if over < reached:
                reached, parent = over, other
    if outcome == READY:
        count[EXPANDED] -= 1
    else:
        count[N_OPEN] = heap.pop(rows, count[N_OPEN])
    enter(cells, count, rows, cell, reached, parent, straight(graph.stride, cell, goal), CHECKED)


@inner
def open_start(memory, start, far):
    """Forget the last search and open `start`, which is `far` from the goal."""
    count = memory.counts
    if count[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        count[STAMP] = 0
    count[STAMP] += 3
    count[EXPANDED] = count[GENERATED] = count[SIGHTS] = count[N_OPEN] = 0
    enter(memory.cells, count, memory.rows, start, 0.0, start, far, OPEN)


@inner
def enter(cells, count, rows, cell, g, parent, far, state):
    """Open `cell`, or open it again; `far` is its distance from the goal. Among equals the longer path comes first.

    In a queue a cell that is open keeps its place.
    """
    node = cells[cell]
    is_first = node["mark"] < count[STAMP]
    if is_first:
        count[GENERATED] += 1
    node["g"], node["parent"], node["mark"] = g, parent, count[STAMP] + state
    if count[IS_QUEUE] == 0:
        count[N_OPEN] = heap.push(rows, count[N_OPEN], g + far, -g, cell)
    elif is_first:
        count[N_OPEN] = heap.push(rows, count[N_OPEN], np.float64(count[GENERATED]), -g, cell)


@inner
def take(cells, count, rows, goal, stop, events):
    """Close the next cell, to be expanded: READY or why not, the cell, and what it was, OPEN or CHECKED.

    If it is the goal, that is FOUND and stays open. Expanded cells are written to `events` while there is room.
    """
    while count[N_OPEN] > 0:
        cell = rows[0]["item"]
        state = cells[cell]["mark"] - count[STAMP]
        if state < CLOSED and (count[IS_QUEUE] != 0 or cells[cell]["g"] == -rows[0]["tie"]):
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


@inner
def straight(stride, one, other):
    """The distance between the centres of two cells."""
    y, to_y = one // stride, other // stride
    wide, tall = (other - to_y * stride) - (one - y * stride), to_y - y
    return math.sqrt(wide * wide + tall * tall)
