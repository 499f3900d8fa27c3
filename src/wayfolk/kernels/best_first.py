"""The one best-first loop: of A*, weighted A*, Dijkstra, jump point search and others; it can be paused and resumed.

What differs from search to search is chosen at compile time, by the class of a NamedTuple, the `rule`. A rule registers

    aim(rule, world, start, goal)                             what is worked out once for a query, a NamedTuple with `goal`
    room(rule, world, aim, cell)                              the most entries that expanding `cell` adds to the queue
    confirm(rule, world, memory, queue, aim, cell)            whether `cell` may be closed; if not, it is open again
    rest(rule, world, aim, cell)                              the least that a path from `cell` to the goal can cost
    expand(rule, world, memory, queue, aim, cell, here)       open what can be reached from `cell`
    final_cost(rule, world, memory, start, goal)              the cost of the path that was found
    write_path(rule, world, memory, start, goal, path)        write the cells of the path, if there is room; their number

and `Ordering`, below, is the rule of searches that read a world by `kernels/graph.py`.

The open list is a queue of `kernels/queues.py`. With buckets f is respected only to within the width of a bucket: a node
whose g improves after it was closed is opened again, and when the goal is reached the rest of its bucket is searched for a
better path.

Guarantees  a cheapest path if the heuristic never overestimates; one of at most `weight` times its cost with weight > 1.
Invariants  g[cell] is the cost of the path that `parent` describes. When FOUND is returned, no open node has f < g[goal].
Stamps      a cell's `mark` is at least `stamp` once it is generated in this search, and odd once it is closed, so that a
            new search need not clear anything.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import kernel, specialise, spliced
from wayfolk.kernels import buckets
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost
from wayfolk.kernels.queues import clear, final_rank, has_room, n_open, open_first, peek, settle, take

STAMP, EXPANDED, GENERATED, REOPENED, CLOSING = range(5)  # places in `counts`
CLOSED = 1  # bit of a mark
NEW_SEARCH = 16  # between the stamps of two searches: there is room for three more bits in a mark
FUZZ = 1e-9  # differences smaller than this come from rounding

CELL = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)


class SearchMemory(NamedTuple):
    """What one search knows of each cell; reused for the next query."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]


class Answers(NamedTuple):
    """Room for the answers to many queries: for each its cost, nodes expanded, and where its path ends in `path`."""

    costs: NDArray[np.float64]
    expanded: NDArray[np.int64]
    ends: NDArray[np.int64]
    path: NDArray[np.int32]


def new_memory(n_cells: int) -> SearchMemory:
    """Arrays for a world of `n_cells`."""
    return SearchMemory(np.zeros(n_cells, CELL), np.zeros(8, np.int64))


class Ordering(NamedTuple):
    """How the open list is ordered: by f = g + weight * heuristic, in `per_unit` buckets for each unit of cost.

    `kind` is the heuristic. Where f can fall along a path (`falls`: a weight above 1, or an inconsistent heuristic) the
    lists are not a ring but a row from f = 0 on, whose last one takes the rest, and the queue turns back when it must.
    Within a bucket the newest entry comes first, or the oldest.
    """

    weight: float
    kind: int
    per_unit: float
    falls: bool
    oldest_first: bool


class Aim(NamedTuple):
    """What a search on a graph is for: the goal, and the least f, at which the buckets of the open list begin."""

    goal: int
    least: float


_AIM: dict[type, Callable[..., Any]] = {}
_ROOM: dict[type, Callable[..., Any]] = {}
_CONFIRM: dict[type, Callable[..., Any]] = {}
_REST: dict[type, Callable[..., Any]] = {}
_EXPAND: dict[type, Callable[..., Any]] = {}
_FINAL_COST: dict[type, Callable[..., Any]] = {}
_WRITE_PATH: dict[type, Callable[..., Any]] = {}


def searching(
    rule: type,
    *,
    aim: Callable[..., Any],
    room: Callable[..., Any],
    confirm: Callable[..., Any],
    rest: Callable[..., Any],
    expand: Callable[..., Any],
    final_cost: Callable[..., Any],
    write_path: Callable[..., Any],
) -> None:
    """Register the functions, plain Python to be compiled, by which searches with a rule of the type `rule` work."""
    _AIM[rule], _ROOM[rule], _REST[rule], _EXPAND[rule] = aim, room, rest, expand
    _CONFIRM[rule] = confirm
    _FINAL_COST[rule], _WRITE_PATH[rule] = final_cost, write_path


def aim(rule: Any, world: Any, start: Any, goal: Any) -> Any:
    """What is worked out once for a query."""
    return _AIM[type(rule)](rule, world, start, goal)


def room(rule: Any, world: Any, aim: Any, cell: Any) -> Any:
    """The most entries that expanding `cell` adds to the queue."""
    return _ROOM[type(rule)](rule, world, aim, cell)


def confirm(rule: Any, world: Any, memory: Any, queue: Any, aim: Any, cell: Any) -> Any:
    """Whether `cell` may be closed; if not, it is open again."""
    return _CONFIRM[type(rule)](rule, world, memory, queue, aim, cell)


def rest(rule: Any, world: Any, aim: Any, cell: Any) -> Any:
    """The least that a path from `cell` to the goal can cost."""
    return _REST[type(rule)](rule, world, aim, cell)


def expand(rule: Any, world: Any, memory: Any, queue: Any, aim: Any, cell: Any, here: Any) -> Any:
    """Open what can be reached from `cell`."""
    return _EXPAND[type(rule)](rule, world, memory, queue, aim, cell, here)


def final_cost(rule: Any, world: Any, memory: Any, start: Any, goal: Any) -> Any:
    """The cost of the path that was found."""
    return _FINAL_COST[type(rule)](rule, world, memory, start, goal)


def write_path(rule: Any, world: Any, memory: Any, start: Any, goal: Any, path: Any) -> Any:
    """Write the cells of the path, if there is room; their number."""
    return _WRITE_PATH[type(rule)](rule, world, memory, start, goal, path)


specialise(aim, _AIM)
specialise(room, _ROOM)
specialise(confirm, _CONFIRM, spliced)
specialise(rest, _REST)
specialise(expand, _EXPAND, spliced)
specialise(final_cost, _FINAL_COST)
specialise(write_path, _WRITE_PATH)


@kernel
def open_start(memory, queue, start):
    """Forget the last search and open `start`."""
    count = memory.counts
    if count[STAMP] > 2**31 - 4 * NEW_SEARCH:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        count[STAMP] = 0
    count[STAMP] += NEW_SEARCH
    count[EXPANDED] = count[REOPENED] = count[CLOSING] = 0
    count[GENERATED] = 1
    first = memory.cells[start]
    first["g"], first["parent"], first["mark"] = 0.0, start, count[STAMP]
    clear(queue)
    open_first(queue, start)


@kernel
def advance(world, memory, queue, rule, start, goal, budget, events):
    """Expand up to `budget` cells; RUNNING, FOUND, EXHAUSTED or FULL.

    Expanded cells are written to `events` while there is room.
    """
    outcome = _advance(world, memory, queue, rule, aim(rule, world, start, goal), budget, events)
    if outcome == FOUND:
        memory.cells[goal]["g"] = final_cost(rule, world, memory, start, goal)
    return outcome


@spliced
def _advance(world, memory, queue, rule, query, budget, events):
    cells, counts = memory.cells, memory.counts
    stop = counts[EXPANDED] + budget
    while True:
        if n_open(queue) == 0:
            return FOUND if counts[CLOSING] else EXHAUSTED
        if settle(queue) >= counts[CLOSING] > 0:
            return FOUND
        if counts[EXPANDED] >= stop:
            return RUNNING
        if not has_room(queue, room(rule, world, query, peek(queue))):
            return FULL
        cell, here = take(queue, cells)
        node = cells[cell]
        if here != node["g"] or node["mark"] & CLOSED:  # a better copy came before
            continue
        if not confirm(rule, world, memory, queue, query, cell):
            continue
        if cell == query.goal:
            counts[CLOSING] = final_rank(queue)
            continue
        if counts[CLOSING] and here + rest(rule, world, query, cell) >= cells[query.goal]["g"] - FUZZ:
            continue
        if counts[EXPANDED] < events.size:
            events[counts[EXPANDED]] = cell
        counts[EXPANDED] += 1
        node["mark"] |= CLOSED
        expand(rule, world, memory, queue, query, cell, here)


@kernel
def search(world, memory, queue, rule, start, goal, budget, events, is_new, path):
    """`open_start` if it is new, `advance`, and write the path if the goal is found, in one call.

    Returns the outcome, the number of cells of the path, its cost, and the nodes expanded, generated and reopened.
    """
    if is_new:
        open_start(memory, queue, start)
    outcome = advance(world, memory, queue, rule, start, goal, budget, events)
    n, total, counts = 0, np.inf, memory.counts
    if outcome == FOUND:
        n, total = write_path(rule, world, memory, start, goal, path), memory.cells[goal]["g"]
    return outcome, n, total, counts[EXPANDED], counts[GENERATED], counts[REOPENED]


@kernel
def write(world, memory, queue, rule, start, goal, path):
    """Write the path from `start` to `goal`, which was found, to `path`, where there is room for it."""
    write_path(rule, world, memory, start, goal, path)


@kernel
def search_many(world, memory, queue, rule, starts, goals, first, answers):
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
            rule,
            start=starts[k],
            goal=goals[k],
            budget=1 << 62,
            events=path[:0],
            is_new=True,
            path=path[used:],
        )
        if outcome == FULL or used + n > path.size:
            return k, outcome == FULL
        answers.costs[k], answers.expanded[k], ends[k] = total, expanded, used + n
    return starts.size, False


@kernel
def trace(memory, start, goal, path):
    """Write the path backwards from `goal` to `path`; its number of cells, which may exceed the room there."""
    cell = goal
    n = 0
    while True:
        if n < path.size:
            path[n] = cell
        n += 1
        if cell == start:
            return n
        cell = memory.cells[cell]["parent"]


def _aim(rule, world, start, goal):
    return Aim(goal, 0.0 if rule.falls else rule.weight * heuristic(world, start, goal, rule.kind))


def _room(rule, world, aim, cell):
    return slots(world, cell)


def always(rule, world, memory, queue, aim, cell):
    """For `confirm`: cells are closed as they come."""
    return True


def _rest(rule, world, aim, cell):
    return rule.weight * heuristic(world, cell, aim.goal, rule.kind)


def _expand(rule, world, memory, queue, aim, cell, here):
    cells, stamp = memory.cells, memory.counts[STAMP]
    last = queue.lists.size - 1
    n_new, n_reopened = 0, 0
    for k in range(slots(world, cell)):
        other = there(world, cell, k)
        if other == NOWHERE:
            continue
        reached = here + cost(world, cell, k)
        child = cells[other]
        seen = child["mark"]
        if seen >= stamp:
            if reached >= child["g"] - FUZZ:
                continue
            n_reopened += seen & CLOSED
        else:
            n_new += 1
        child["g"], child["parent"], child["mark"] = reached, cell, stamp
        f = reached + rule.weight * heuristic(world, other, aim.goal, rule.kind)
        bucket = int((f - aim.least) * rule.per_unit + FUZZ)
        if rule.falls:
            bucket = min(bucket, last)
            queue.counts[buckets.CURRENT] = min(queue.counts[buckets.CURRENT], bucket)
        buckets.push(queue, bucket, other, reached, rule.oldest_first)
    memory.counts[GENERATED] += n_new
    memory.counts[REOPENED] += n_reopened


def _final_cost(rule, world, memory, start, goal):
    """The cost of the path: if f can fall, a cell on it may have been reached at a lower cost since."""
    if not rule.falls:
        return memory.cells[goal]["g"]
    total = 0.0
    cell = goal
    while cell != start:
        before = memory.cells[cell]["parent"]
        total += edge_cost(world, before, cell)
        cell = before
    return total


def write_parents(rule, world, memory, start, goal, path):
    """For `write_path`: each cell follows its parent."""
    n = trace(memory, start, goal, path)
    if n <= path.size:
        for k in range(n // 2):
            path[k], path[n - 1 - k] = path[n - 1 - k], path[k]
    return n


searching(
    Ordering,
    aim=_aim,
    room=_room,
    confirm=always,
    rest=_rest,
    expand=_expand,
    final_cost=_final_cost,
    write_path=write_parents,
)
