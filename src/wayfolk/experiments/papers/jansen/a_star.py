"""A* as the simulator has it: nodes expanded must be comparable with the printed numbers.

f = g + weight x h. Of equal f (to 1e-5) the larger g comes first. A closed cell is not opened again, also where a weight
above 1 makes f fall along a path. The expansion of the goal counts. `kernels/best_first.py` is faster, but orders nodes
only to within a bucket. The heap has four children to a row, unlike that of `kernels/heap.py`: among equal keys their order
decides which nodes are expanded, and the numbers were compared with this order.

Invariants  a cell is closed at most once in a search. `g` is the cost of the path that `parent` describes.
Stamps      a cell's `mark` is `stamp` once it is open in this search and `stamp + 1` once it is closed.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import DX, DY, EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE
from wayfolk.kernels.direction_map import UX, UY
from wayfolk.kernels.graph import MANHATTAN, OCTILE, cost

STAMP, EXPANDED = range(2)  # places in `counts`
PER_UNIT = 1e5  # f and g are compared in these parts of a unit
MOST_F, MOST_G = (1 << 32) - 1, (1 << 31) - 1  # in these parts; both fit into one key
FUZZ = 1e-9  # differences smaller than this come from rounding

NODE = np.dtype([("g", np.float64), ("h", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)
ENTRY = np.dtype([("key", np.int64), ("cell", np.int32)], align=True)


class SearchSpace(NamedTuple):
    """What a search writes to; `near[cell]` is the stamp of the last search in whose window the cell was."""

    nodes: NDArray[np.void]
    heap: NDArray[np.void]
    near: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_space(n_cells: int, room: int) -> SearchSpace:
    """Return the arrays for a world of `n_cells` and up to `room` entries of the open list."""
    return SearchSpace(
        np.zeros(n_cells, NODE), np.zeros(room, ENTRY), np.zeros(n_cells, np.int32), np.zeros(2, np.int64)
    )


class Sight(NamedTuple):
    """What one agent at `eye` plans with.

    Others nearer than `radius` (octile distance) are walls, except on the agent's own `goal`. `cells` are the vectors it
    knows, and moving against them costs four times `quarter`. With `half`, a step out of a cell that has no entry among
    them is free, and any other one gives the cell that it leads to an entry: (0, 0), if it has no vector. With `window`,
    vectors count only for steps that have both ends in it.
    """

    graph: Any
    occupant: NDArray[np.int32]
    cells: NDArray[np.void]
    eye: int
    goal: int
    radius: float
    quarter: float
    half: bool
    window: float


@inner
def seen_from(sight, eye, goal):
    """The same sight from another cell, on the way to another goal."""
    return Sight(
        graph=sight.graph,
        occupant=sight.occupant,
        cells=sight.cells,
        eye=eye,
        goal=goal,
        radius=sight.radius,
        quarter=sight.quarter,
        half=sight.half,
        window=sight.window,
    )


@inner
def octile(graph, one, other):
    """The octile distance of two cells, whatever terrain costs."""
    row, line = one // graph.stride, other // graph.stride
    dx, dy = abs(one - row * graph.stride - (other - line * graph.stride)), abs(row - line)
    return max(dx, dy) + (graph.lengths[4] - 1.0) * min(dx, dy)


@inner
def is_wall(sight, cell):
    """Whether an agent on `cell` is a wall to this one."""
    return (
        sight.occupant[cell] != NOBODY
        and cell != sight.goal
        and cell != sight.eye
        and octile(sight.graph, sight.eye, cell) < sight.radius
    )


@inner
def new_search(space):
    """Begin a search: nothing is open or closed."""
    counts = space.counts
    if counts[STAMP] > 2**31 - 8:
        for cell in range(space.nodes.size):
            space.nodes[cell]["mark"] = space.near[cell] = 0
        counts[STAMP] = 0
    counts[STAMP] += 2
    counts[EXPANDED] = 0


@inner
def find(space, sight, start, goal, weight, kind, regions, aim, centre):
    """Search from `start` to `goal`, or, if `aim` is not NOWHERE, to any cell of the region `aim` around `centre`.

    Returns the outcome and the cell reached. `kind` is the heuristic.
    """
    graph, nodes, heap, counts = sight.graph, space.nodes, space.heap, space.counts
    occupant, cells, near, quarter, half = sight.occupant, sight.cells, space.near, sight.quarter, sight.half
    is_wide = sight.window == 0.0
    new_search(space)
    stamp = counts[STAMP]
    if not is_wide:
        _mark_window(space, sight)
    target = goal if aim == NOWHERE else centre
    target_y = target // graph.stride
    target_x = target - target_y * graph.stride
    first = nodes[start]
    first["g"], first["h"], first["parent"], first["mark"] = 0.0, 0.0, start, stamp
    n = push(heap, 0, key_of(0.0, 0.0), start)
    expanded = 0
    while n > 0:
        cell = heap[0]["cell"]
        n = pop(heap, n)
        node = nodes[cell]
        if node["mark"] != stamp:
            continue
        node["mark"] = stamp + 1
        expanded += 1
        if (aim == NOWHERE and cell == goal) or (aim != NOWHERE and regions[cell] == aim):
            counts[EXPANDED] = expanded
            return FOUND, cell
        if n + 8 > heap.size:
            counts[EXPANDED] = expanded
            return FULL, cell
        here, bits = sight.cells[cell], graph.legal[cell]
        row = cell // graph.stride
        dx, dy = cell - row * graph.stride - target_x, row - target_y
        g, x, y, known = node["g"], here["x"], here["y"], here["known"]
        counts_here = quarter > 0.0 and (known > 0.0 or not half) and (is_wide or near[cell] == stamp)
        for k in range(8):
            if not (bits >> k) & 1:
                continue
            other = cell + graph.offsets[k]
            child = nodes[other]
            mark = child["mark"]
            if mark == stamp + 1 or (occupant[other] != NOBODY and is_wall(sight, other)):
                continue
            reached = g + cost(graph, cell, k)
            if counts_here and (is_wide or near[other] == stamp):
                ahead = cells[other]
                if half:
                    ahead["known"] = 1.0
                along = (x + ahead["x"]) * UX[k] + (y + ahead["y"]) * UY[k]
                reached += quarter * (known + ahead["known"] - along)
            if mark == stamp:
                if reached >= child["g"] - FUZZ:
                    continue
            else:
                child["mark"] = stamp
                child["h"] = weight * _guess(graph, abs(dx + DX[k]), abs(dy + DY[k]), kind)
            child["g"], child["parent"] = reached, cell
            n = push(heap, n, key_of(reached + child["h"], reached), other)
    counts[EXPANDED] = expanded
    return EXHAUSTED, start


@inner
def _guess(graph, dx, dy, kind):
    """What the heuristic says of a target that is so many columns and rows away."""
    if kind == OCTILE:
        return graph.cheapest * (max(dx, dy) + (graph.lengths[4] - 1.0) * min(dx, dy))
    if kind == MANHATTAN:
        return graph.cheapest * (dx + dy)
    return graph.cheapest * math.sqrt(dx * dx + dy * dy)


@inner
def trace(space, start, end, path, n):
    """Write the cells after `start` up to `end` to `path`, from place `n` on; the place after them, which may not exist."""
    length, cell = 0, end
    while cell != start:
        length += 1
        cell = space.nodes[cell]["parent"]
    cell = end
    for step in range(length - 1, -1, -1):
        if n + step < path.size:
            path[n + step] = cell
        cell = space.nodes[cell]["parent"]
    return n + length


@inner
def _mark_window(space, sight):
    """Mark the cells in the window around the agent."""
    graph, far = sight.graph, int(sight.window)
    row, column = sight.eye // graph.stride, sight.eye % graph.stride
    for y in range(max(row - far, 1), min(row + far + 1, graph.legal.size // graph.stride)):
        for x in range(max(column - far, 1), min(column + far + 1, graph.stride)):
            cell = y * graph.stride + x
            if octile(graph, sight.eye, cell) <= sight.window:
                space.near[cell] = space.counts[STAMP]


@inner
def key_of(f, g):
    """What the open list is ordered by: f, and of equal f the larger g first."""
    parts = np.int64(min(f * PER_UNIT + 0.5, MOST_F))
    return (parts << 31) - np.int64(min(g * PER_UNIT + 0.5, MOST_G))


@inner
def push(heap, n, key, cell):
    """Put an entry into the open list; the new length."""
    child = n
    while child > 0:
        parent = (child - 1) >> 2
        if heap[parent]["key"] <= key:
            break
        heap[child]["key"], heap[child]["cell"] = heap[parent]["key"], heap[parent]["cell"]
        child = parent
    heap[child]["key"], heap[child]["cell"] = key, cell
    return n + 1


@inner
def pop(heap, n):
    """Take the first entry of the open list away; the new length."""
    n -= 1
    key, cell = heap[n]["key"], heap[n]["cell"]
    hole, child = 0, 1
    while child < n:
        least, smallest = child, heap[child]["key"]
        for other in range(child + 1, min(child + 4, n)):
            if heap[other]["key"] < smallest:
                least, smallest = other, heap[other]["key"]
        if key <= smallest:
            break
        heap[hole]["key"], heap[hole]["cell"] = smallest, heap[least]["cell"]
        hole = least
        child = 4 * hole + 1
    heap[hole]["key"], heap[hole]["cell"] = key, cell
    return n
