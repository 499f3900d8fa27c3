"""Jump point search: best-first search over the cells where a shortest path has to turn, paused and resumed at will.

Harabor and Grastien, "Online graph pruning for pathfinding on grid maps", 2011; "The JPS pathfinding system", 2012.

Of all shortest paths between two cells, those are kept that go diagonally first and then straight. A cell entered by `way`
(0 to 7) is left only by the ways of a table, `WAYS[rule][way, legal moves]`: on in the same way, and where a wall makes a
detour necessary, round it. Which cells need that can be read from the byte of legal moves of a cell.

    expand(world, memory, queue, quest, cell, ways, here)    relax all that can be reached from `cell` by the `ways`
    remaining(world, quest, cell, x, y)                      a lower bound of the cost from `cell`, at (x, y), to the goal

are chosen by the type of the world: `jump_scan` looks along rows of bits, `jump_table` looks the distances up.

Finds    a cheapest path.
Keeps    g[cell] is the cost of the path that `parent` describes, each part of which is diagonal first, then straight.
         When FOUND is returned, no open cell has f < g[goal].
Why      a diagonal run itself is never opened where it has nothing to walk round: the straight runs that leave it are
         opened instead, at what it costs to reach them.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import DX, DY
from wayfolk.kernels import buckets
from wayfolk.kernels.jit import inner, kernel, specialise

RUNNING, FOUND, EXHAUSTED, QUEUE_FULL = range(4)
STAMP, EXPANDED, GENERATED, REOPENED, CLOSING = range(5)  # places in `counts`
CLOSED, NEW_SEARCH = 8, 16  # a mark is the number of the search times 16, plus 8 if closed, plus the way in
FUZZ = 1e-9  # differences smaller than this come from rounding
CELL = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)
EAST, SOUTH, WEST, NORTH, SOUTH_EAST, SOUTH_WEST, NORTH_WEST, NORTH_EAST = range(8)
ROW_WAY = np.array([EAST, EAST, WEST, WEST, EAST, WEST, WEST, EAST])  # the straight ways beside a diagonal one
COLUMN_WAY = np.array([SOUTH, SOUTH, NORTH, NORTH, SOUTH, SOUTH, NORTH, NORTH])
STEP_X, STEP_Y = np.array(DX), np.array(DY)


class JumpMemory(NamedTuple):
    """What one search knows of each cell; reused from query to query."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]


class Quest(NamedTuple):
    """Where to, and what the open list needs to sort by."""

    goal: int
    x: int
    y: int
    least: float
    per_unit: float
    diagonal: float


def new_memory(n_cells: int) -> JumpMemory:
    """Arrays for a world of `n_cells`."""
    return JumpMemory(np.zeros(n_cells, CELL), np.zeros(8, np.int64))


def _ways(cutting: bool) -> NDArray[np.uint8]:
    """`[way, legal]`: the ways that leave a cell entered by `way`, as bits; the natural ones and the forced ones."""
    made = np.zeros((8, 256), np.uint8)
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
        made[way, legal] = legal & sum(1 << number[step] for step in left)
    return made


def _natural() -> NDArray[np.uint8]:
    """The ways that leave a cell entered by `way` where nothing is in the way."""
    return np.array([1 << w if w < 4 else 1 << w | 1 << ROW_WAY[w] | 1 << COLUMN_WAY[w] for w in range(8)], np.uint8)


NATURAL = _natural()
WAYS = {cutting: _ways(cutting) for cutting in (False, True)}
FORCED = {cutting: (WAYS[cutting] & ~NATURAL[:, None]) > 0 for cutting in (False, True)}
"""`[way, legal]`: whether a cell entered by `way` is a jump point."""

_EXPAND: dict[type, Callable[..., Any]] = {}
_REMAINING: dict[type, Callable[..., Any]] = {}


def expand(world: Any, memory: Any, queue: Any, quest: Any, cell: Any, ways: Any, here: Any) -> Any:
    """Relax what can be reached from `cell`."""
    return _EXPAND[type(world)](world, memory, queue, quest, cell, ways, here)


def remaining(world: Any, quest: Any, cell: Any, x: Any, y: Any) -> Any:
    """A lower bound of the cost from `cell`, at (x, y), to the goal."""
    return _REMAINING[type(world)](world, quest, cell, x, y)


specialise(expand, _EXPAND)
specialise(remaining, _REMAINING)


def jumping(kind: type, expand: Callable[..., Any], remaining: Callable[..., Any]) -> None:
    """Register the two functions, plain Python to be compiled, for worlds of the type `kind`."""
    _EXPAND[kind], _REMAINING[kind] = expand, remaining


@inner
def octile(quest, x, y):
    """The cost from (x, y) to the goal if nothing were in the way."""
    dx, dy = abs(x - quest.x), abs(y - quest.y)
    return max(dx, dy) + (quest.diagonal - 1.0) * min(dx, dy)


@inner
def is_better(cells, stamp, cell, reached):
    """Whether `reached` is less than what is known of `cell`. To be asked before `relax`, as calls with arrays are dear."""
    return cells[cell]["mark"] < stamp or reached < cells[cell]["g"] - FUZZ


@inner
def relax(world, memory, queue, quest, cell, x, y, reached, parent, way):
    """Open `cell` at (x, y), reached by `way` at a better cost than before."""
    node = memory.cells[cell]
    stamp = memory.counts[STAMP]
    if node["mark"] < stamp:
        memory.counts[GENERATED] += 1
    elif node["mark"] & CLOSED:
        memory.counts[REOPENED] += 1
    node["g"], node["parent"], node["mark"] = reached, parent, stamp + way
    f = reached + remaining(world, quest, cell, x, y)
    buckets.push(queue, int((f - quest.least) * quest.per_unit + FUZZ), cell, reached, False)


@inner
def _seed(memory, queue, start):
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
def _advance(world, memory, queue, quest, start, budget, events):
    """Expand up to `budget` cells; RUNNING, FOUND, EXHAUSTED or QUEUE_FULL."""
    cells, counts, goal = memory.cells, memory.counts, quest.goal
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
        expand(world, memory, queue, quest, cell, ways, here)


@kernel
def search(world, memory, queue, start, goal, per_unit, diagonal, budget, events, is_new, path):
    """Begin if it is new, expand up to `budget` cells, trace if the goal is found; the outcome and the path's length."""
    y, start_y = goal // world.stride, start // world.stride
    x, start_x = goal - y * world.stride, start - start_y * world.stride
    least = remaining(world, Quest(goal, x, y, 0.0, per_unit, diagonal), start, start_x, start_y)
    quest = Quest(goal, x, y, least, per_unit, diagonal)
    if is_new:
        _seed(memory, queue, start)
    outcome = _advance(world, memory, queue, quest, start, budget, events)
    if outcome == FOUND:
        return outcome, trace(world, memory, start, goal, path)
    return outcome, 0


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
def search_many(world, memory, queue, starts, goals, per_unit, diagonal, first, costs, expanded, ends, path):
    """Whole searches from number `first` on, while there is room; how many are done, and whether the queue is full.

    Paths are written one after another, each backwards; `ends[k]` is where number k ends in `path`.
    """
    for k in range(first, starts.size):
        used = ends[k - 1] if k else 0
        outcome, n = search(
            world, memory, queue, starts[k], goals[k], per_unit, diagonal, 1 << 62, path[:0], True, path[used:]
        )  # fmt: skip
        if outcome == QUEUE_FULL or used + n > path.size:
            return k, outcome == QUEUE_FULL
        costs[k] = memory.cells[goals[k]]["g"] if outcome == FOUND else math.inf
        expanded[k] = memory.counts[EXPANDED]
        ends[k] = used + n
    return starts.size, False
