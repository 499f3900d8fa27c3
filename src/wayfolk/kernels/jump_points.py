"""Jump point search: best-first search over the cells where a shortest path has to turn, which can be paused and resumed.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", 2011; "The JPS pathfinding system", 2012.

Of all shortest paths between two cells, those are kept that go diagonally first and then straight. A cell entered in
direction `way` (0 to 7) is left only in the directions of a table, `WAYS[rule][way, legal moves]`: straight on, and round
a wall where a wall makes a detour necessary. The byte of legal moves of a cell says which cells need that.

    expand(world, memory, queue, query, cell, ways, here)    relax all that can be reached from `cell` by `ways`
    remaining(world, query, cell, x, y)                      a lower bound of the cost from `cell` to the goal

are chosen by the type of the world: `jps/scan.py` scans rows of bits, `jps_plus/table.py` looks up distances.

Guarantees  a cheapest path.
Invariants  g[cell] is the cost of the path that `parent` describes, each part of which is diagonal first, then straight.
            When FOUND is returned, no open node has f < g[goal].
Diagonals   a cell inside a diagonal run without forced neighbours is never opened: the ends of the straight runs that
            leave it are opened instead, at the cost of reaching them.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels import buckets
from wayfolk.kernels.best_first import EXHAUSTED, FOUND, QUEUE_FULL, RUNNING, turn_round
from wayfolk.kernels.codes import DX, DY, EAST, NORTH, SOUTH, WEST

STAMP, EXPANDED, GENERATED, REOPENED, CLOSING = range(5)  # places in `counts`
CLOSED, NEW_SEARCH = 8, 16  # a mark is the number of the search times 16, plus 8 if closed, plus the way in
PER_UNIT = 1.0  # buckets for each straight step: runs are long, so equal values of f are rare
FUZZ = 1e-9  # differences smaller than this come from rounding
CELL = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)
ROW_WAY = np.array([EAST, EAST, WEST, WEST, EAST, WEST, WEST, EAST])  # the straight ways beside a diagonal one
COLUMN_WAY = np.array([SOUTH, SOUTH, NORTH, NORTH, SOUTH, SOUTH, NORTH, NORTH])
STEP_X, STEP_Y = np.array(DX), np.array(DY)


class JumpMemory(NamedTuple):
    """What one search knows of each cell; reused for the next query."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]


class JumpQuery(NamedTuple):
    """The goal, at (x, y), and the least f, at which the buckets of the open list begin."""

    goal: int
    x: int
    y: int
    least: float


def new_memory(n_cells: int) -> JumpMemory:
    """Arrays for a world of `n_cells`."""
    return JumpMemory(np.zeros(n_cells, CELL), np.zeros(8, np.int64))


def _ways(cutting: bool) -> NDArray[np.uint8]:
    """`[way, legal]`: the ways that leave a cell entered by `way`, as bits; the natural ones and the forced ones."""
    ways = np.zeros((8, 256), np.uint8)
    number = {(dx, dy): k for k, (dx, dy) in enumerate(zip(DX, DY, strict=True))}
    for way, legal in np.ndindex(8, 256):
        dx, dy = DX[way], DY[way]
        left = {(dx, dy)}
        if dx and dy:
            left |= {(dx, 0), (0, dy)}
            if cutting:  # round the corner that was passed on either side
                left |= {side for side, wall in (((-dx, dy), (-dx, 0)), ((dx, -dy), (0, -dy)))
                         if not legal >> number[wall] & 1}  # fmt: skip
        else:
            for side in ((dy, dx), (-dy, -dx)):
                ahead, behind = (side[0] + dx, side[1] + dy), (side[0] - dx, side[1] - dy)
                is_free = legal >> number[side] & 1
                if cutting and not is_free:
                    left |= {ahead}
                if not cutting and is_free and not legal >> number[behind] & 1:
                    left |= {side, ahead}
        ways[way, legal] = legal & sum(1 << number[step] for step in left)
    return ways


def _natural() -> NDArray[np.uint8]:
    """The ways that leave a cell entered by `way` where nothing is in the way."""
    return np.array([1 << w if w < 4 else 1 << w | 1 << ROW_WAY[w] | 1 << COLUMN_WAY[w] for w in range(8)], np.uint8)


NATURAL = _natural()
WAYS = {cutting: _ways(cutting) for cutting in (False, True)}
FORCED = {cutting: (WAYS[cutting] & ~NATURAL[:, None]) > 0 for cutting in (False, True)}
"""`[way, legal]`: whether a cell entered by `way` is a jump point."""

_EXPAND: dict[type, Callable[..., Any]] = {}
_REMAINING: dict[type, Callable[..., Any]] = {}


def expand(world: Any, memory: Any, queue: Any, query: Any, cell: Any, ways: Any, here: Any) -> Any:
    """Relax what can be reached from `cell`."""
    return _EXPAND[type(world)](world, memory, queue, query, cell, ways, here)


def remaining(world: Any, query: Any, cell: Any, x: Any, y: Any) -> Any:
    """A lower bound of the cost from `cell`, at (x, y), to the goal."""
    return _REMAINING[type(world)](world, query, cell, x, y)


specialise(expand, _EXPAND)
specialise(remaining, _REMAINING)


def jumping(kind: type, expand: Callable[..., Any], remaining: Callable[..., Any]) -> None:
    """Register the two functions, plain Python to be compiled, for worlds of the type `kind`."""
    _EXPAND[kind], _REMAINING[kind] = expand, remaining


@inner
def octile(world, query, x, y):
    """The cost from (x, y) to the goal on an empty map."""
    dx, dy = abs(x - query.x), abs(y - query.y)
    return max(dx, dy) + (world.diagonal - 1.0) * min(dx, dy)


@inner
def is_better(cells, stamp, cell, reached):
    """Whether `reached` is less than what is known of `cell`. Test it before `relax`: calls with arrays are costly."""
    return cells[cell]["mark"] < stamp or reached < cells[cell]["g"] - FUZZ


@inner
def relax(world, memory, queue, query, cell, x, y, reached, parent, way):
    """Open `cell` at (x, y), reached by `way` at a better cost than before."""
    node = memory.cells[cell]
    stamp = memory.counts[STAMP]
    if node["mark"] < stamp:
        memory.counts[GENERATED] += 1
    elif node["mark"] & CLOSED:
        memory.counts[REOPENED] += 1
    node["g"], node["parent"], node["mark"] = reached, parent, stamp + way
    f = reached + remaining(world, query, cell, x, y)
    buckets.push(queue, int((f - query.least) * PER_UNIT + FUZZ), cell, reached, False)


@inner
def _open_start(memory, queue, start):
    """Forget the last search and open `start`."""
    counts = memory.counts
    if counts[STAMP] > 2**31 - 4 * NEW_SEARCH:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        counts[STAMP] = 0
    counts[STAMP] += NEW_SEARCH
    counts[EXPANDED] = counts[REOPENED] = counts[CLOSING] = 0
    counts[GENERATED] = 1
    first = memory.cells[start]
    first["g"], first["parent"], first["mark"] = 0.0, start, counts[STAMP]
    buckets.clear(queue)
    buckets.push(queue, 0, start, 0.0, False)


@inner
def _advance(world, memory, queue, query, start, budget, events):
    """Expand up to `budget` cells; RUNNING, FOUND, EXHAUSTED or QUEUE_FULL."""
    cells, counts, goal = memory.cells, memory.counts, query.goal
    stamp = counts[STAMP]
    stop = counts[EXPANDED] + budget
    most = 16 * (world.legal.size // world.stride + world.stride)  # entries that one expansion can make
    while True:
        if queue.counts[buckets.N_ENTRIES] == 0:
            return FOUND if counts[CLOSING] else EXHAUSTED
        if buckets.settle(queue) >= counts[CLOSING] > 0:
            return FOUND
        if counts[EXPANDED] >= stop:
            return RUNNING
        if not buckets.has_room(queue, most):
            return QUEUE_FULL
        entry = queue.entries[buckets.take(queue)]
        cell, here = entry["item"], entry["g"]
        node = cells[cell]
        if here != node["g"] or node["mark"] & CLOSED:  # a better copy came before
            continue
        if cell == goal:
            counts[CLOSING] = queue.counts[buckets.CURRENT] + 1  # from this bucket on nothing can be better
            continue
        if cell == start:
            ways = world.legal[cell]
        else:
            ways = world.ways[node["mark"] - stamp, world.legal[cell]]
        node["mark"] |= CLOSED
        if counts[EXPANDED] < events.size:
            events[counts[EXPANDED]] = cell
        counts[EXPANDED] += 1
        expand(world, memory, queue, query, cell, ways, here)


@kernel
def search(world, memory, queue, start, goal, budget, events, is_new, path):
    """Begin if it is new, expand up to `budget` cells, and trace the path if the goal is found.

    Returns the outcome, the number of cells of the path, its cost, and the nodes expanded, generated and reopened.
    """
    y, start_y = goal // world.stride, start // world.stride
    x, start_x = goal - y * world.stride, start - start_y * world.stride
    query = JumpQuery(goal, x, y, remaining(world, JumpQuery(goal, x, y, 0.0), start, start_x, start_y))
    if is_new:
        _open_start(memory, queue, start)
    outcome = _advance(world, memory, queue, query, start, budget, events)
    n, total, counts = 0, math.inf, memory.counts
    if outcome == FOUND:
        n, total = trace(world, memory, start, goal, path), memory.cells[goal]["g"]
        turn_round(path, n)
    return outcome, n, total, counts[EXPANDED], counts[GENERATED], counts[REOPENED]


@kernel
def estimate(world, goal, cells, values):
    """Write lower bounds of the costs from `cells` to `goal` to `values`."""
    y = goal // world.stride
    query = JumpQuery(goal, goal - y * world.stride, y, 0.0)
    for k in range(cells.size):
        row = cells[k] // world.stride
        values[k] = remaining(world, query, cells[k], cells[k] - row * world.stride, row)


@kernel
def trace(world, memory, start, goal, path):
    """Write all cells of the path backwards from `goal` to `path`; their number, which may exceed the room there."""
    stride = world.stride
    cell, n = goal, 0
    while cell != start:
        parent = memory.cells[cell]["parent"]
        y, parent_y = cell // stride, parent // stride
        dx = (parent - parent_y * stride) - (cell - y * stride)
        dy = parent_y - y
        straight = abs(dx) - abs(dy)  # the straight part comes last, so here it is first
        step_x = 1 if dx > 0 else -1 if dx < 0 else 0
        step_y = stride if dy > 0 else -stride if dy < 0 else 0
        for k in range(max(abs(dx), abs(dy))):
            if n < path.size:
                path[n] = cell
            n += 1
            if k >= abs(straight):
                cell += step_x + step_y
            elif straight > 0:
                cell += step_x
            else:
                cell += step_y
    if n < path.size:
        path[n] = start
    return n + 1


@kernel
def search_many(world, memory, queue, starts, goals, first, answers):
    """Whole searches from query `first` on, while there is room; how many are done, and whether the queue is full.

    Paths are written one after another; `answers.ends[k]` is where that of query k ends.
    """
    path, ends = answers.path, answers.ends
    for k in range(first, starts.size):
        used = ends[k - 1] if k else 0
        outcome, n, total, expanded, _, _ = search(
            world,
            memory,
            queue,
            start=starts[k],
            goal=goals[k],
            budget=1 << 62,
            events=path[:0],
            is_new=True,
            path=path[used:],
        )
        if outcome == QUEUE_FULL or used + n > path.size:
            return k, outcome == QUEUE_FULL
        answers.costs[k], answers.expanded[k], ends[k] = total, expanded, used + n
    return starts.size, False
