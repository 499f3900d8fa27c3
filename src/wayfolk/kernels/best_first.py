"""Best-first search on any graph: the kernel under A*, weighted A* and Dijkstra, paused and resumed at will.

The open list is a bucket queue, so that f is respected only to within the width of a bucket: a cell whose g improves
after it was closed is opened again, and when the goal comes up the rest of its bucket is searched for anything better.

Finds    a cheapest path if the guess never overestimates; one at most `weight` times as long with weight > 1.
Keeps    g[cell] is the cost of the path that `parent` describes. When FOUND is returned, no open cell has f < g[goal].
Why      stamps: a cell's `mark` is `stamp` for one seen in this search and `stamp + 1` once it is closed, so that a
         new search need not clear anything.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, cost, guess, slots, there
from wayfolk.kernels import buckets
from wayfolk.kernels.jit import inner, kernel

RUNNING, FOUND, EXHAUSTED, QUEUE_FULL = range(4)
STAMP, EXPANDED, GENERATED, REOPENED, CLOSING = range(5)  # places in `count`
FUZZ = 1e-9  # differences smaller than this come from rounding


CELL = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)


class Memory(NamedTuple):
    """What one search knows of each cell; reused from query to query."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]


def new_memory(n_cells: int) -> Memory:
    """Arrays for a world of `n_cells`."""
    return Memory(np.zeros(n_cells, CELL), np.zeros(8, np.int64))


@kernel
def seed(graph, memory, queue, start, goal):
    """Forget the last search and open `start`."""
    count = memory.counts
    if count[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        count[STAMP] = 0
    count[STAMP] += 2
    count[EXPANDED] = count[REOPENED] = count[CLOSING] = 0
    count[GENERATED] = 1
    first = memory.cells[start]
    first["g"], first["parent"], first["mark"] = 0.0, start, count[STAMP]
    buckets.clear(queue)
    buckets.push(queue, 0, start, 0.0, False)


@kernel
def advance(graph, memory, queue, start, goal, weight, kind, per_unit, falls, oldest_first, budget, events):
    """Expand up to `budget` cells; RUNNING, FOUND, EXHAUSTED or QUEUE_FULL.

    There are `per_unit` buckets to a unit of cost. Where f can fall along a path (`falls`: a weight above 1, or a guess
    that breaks the triangle rule) the lists are no ring but a row from f = 0 on, whose last one takes the rest, and the
    queue turns back when it must. Expanded cells are written to `events` while there is room.
    """
    cells, count = memory.cells, memory.counts
    stamp, expanded, generated = count[STAMP], count[EXPANDED], count[GENERATED]
    least = 0.0 if falls else weight * guess(graph, start, goal, kind)
    last = queue.lists.size - 1
    stop = expanded + budget
    outcome = RUNNING
    while True:
        if queue.counts[buckets.N_ENTRIES] == 0:
            outcome = FOUND if count[CLOSING] else EXHAUSTED
            break
        if buckets.settle(queue) >= count[CLOSING] > 0:
            outcome = FOUND
            break
        if expanded >= stop:
            break
        cell = buckets.peek(queue)
        node = cells[cell]
        edges = slots(graph, cell)
        if not buckets.has_room(queue, edges):
            outcome = QUEUE_FULL
            break
        entry = buckets.take(queue)
        here = queue.entries[entry]["g"]
        if here != node["g"] or node["mark"] != stamp:  # a better copy came before
            continue
        if cell == goal:
            count[CLOSING] = queue.counts[buckets.CURRENT] + 1  # from this bucket on nothing can be better
            continue
        if count[CLOSING] and here + weight * guess(graph, cell, goal, kind) >= cells[goal]["g"] - FUZZ:
            continue
        node["mark"] = stamp + 1
        if expanded < events.size:
            events[expanded] = cell
        expanded += 1
        for k in range(edges):
            other = there(graph, cell, k)
            if other == NOWHERE:
                continue
            reached = here + cost(graph, cell, k)
            child = cells[other]
            seen = child["mark"]
            if seen >= stamp:
                if reached >= child["g"] - FUZZ:
                    continue
                if seen != stamp:
                    count[REOPENED] += 1
            else:
                generated += 1
            child["g"], child["parent"], child["mark"] = reached, cell, stamp
            f = reached + weight * guess(graph, other, goal, kind)
            bucket = int((f - least) * per_unit + FUZZ)
            if falls:
                bucket = min(bucket, last)
                queue.counts[buckets.CURRENT] = min(queue.counts[buckets.CURRENT], bucket)
            buckets.push(queue, bucket, other, reached, oldest_first)
    count[EXPANDED], count[GENERATED] = expanded, generated
    if outcome == FOUND and falls:
        _reprice(graph, memory, start, goal)
    return outcome


@inner
def _reprice(graph, memory, start, goal):
    """Set g of the goal to what its path costs now: a cell on it may have been reached more cheaply since."""
    total = 0.0
    cell = goal
    while cell != start:
        before = memory.cells[cell]["parent"]
        cheapest = np.inf
        for k in range(slots(graph, before)):
            if there(graph, before, k) == cell:
                cheapest = min(cheapest, cost(graph, before, k))
        total += cheapest
        cell = before
    memory.cells[goal]["g"] = total


@kernel
def search(
    graph, memory, queue, start, goal, weight, kind, per_unit, falls, oldest_first, budget, events, is_new, path
):  # fmt: skip
    """`seed` if it is new, `advance`, and `trace` if the goal is found, in one call; the outcome and the path's length."""
    if is_new:
        seed(graph, memory, queue, start, goal)
    outcome = advance(graph, memory, queue, start, goal, weight, kind, per_unit, falls, oldest_first, budget, events)
    if outcome == FOUND:
        return outcome, trace(memory, start, goal, path)
    return outcome, 0


@kernel
def search_many(
    graph, memory, queue, starts, goals, weight, kind, per_unit, falls, oldest_first, first, costs, expanded, ends, path
):  # fmt: skip
    """Whole searches from number `first` on, while there is room; how many are done, and whether the queue is full.

    Paths are written one after another, each backwards; `ends[k]` is where number k ends in `path`.
    """
    for k in range(first, starts.size):
        used = ends[k - 1] if k else 0
        outcome, n = search(
            graph, memory, queue, starts[k], goals[k], weight, kind, per_unit, falls, oldest_first, 1 << 62, path[:0],
            True, path[used:],
        )  # fmt: skip
        if outcome == QUEUE_FULL or used + n > path.size:
            return k, outcome == QUEUE_FULL
        costs[k] = memory.cells[goals[k]]["g"] if outcome == FOUND else np.inf
        expanded[k] = memory.counts[EXPANDED]
        ends[k] = used + n
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
