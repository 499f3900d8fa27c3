"""Best-first search on any graph: the kernel of A*, weighted A* and Dijkstra, which can be paused and resumed.

The open list is a bucket queue, so that f is respected only to within the width of a bucket: a node whose g improves
after it was closed is opened again, and when the goal is reached the rest of its bucket is searched for a better path.

Guarantees  a cheapest path if the heuristic never overestimates; one of at most `weight` times its cost with weight > 1.
Invariants  g[cell] is the cost of the path that `parent` describes. When FOUND is returned, no open node has f < g[goal].
Stamps      a cell's `mark` is `stamp` once it is generated in this search and `stamp + 1` once it is closed, so that a
            new search need not clear anything.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import buckets
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost

RUNNING, FOUND, EXHAUSTED, QUEUE_FULL = range(4)
STAMP, EXPANDED, GENERATED, REOPENED, CLOSING = range(5)  # places in `count`
FUZZ = 1e-9  # differences smaller than this come from rounding


CELL = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)


class Memory(NamedTuple):
    """What one search knows of each cell; reused for the next query."""

    cells: NDArray[np.void]
    counts: NDArray[np.int64]


class Answers(NamedTuple):
    """Room for the answers to many queries: for each its cost, nodes expanded, and where its path ends in `path`."""

    costs: NDArray[np.float64]
    expanded: NDArray[np.int64]
    ends: NDArray[np.int64]
    path: NDArray[np.int32]


def new_memory(n_cells: int) -> Memory:
    """Arrays for a world of `n_cells`."""
    return Memory(np.zeros(n_cells, CELL), np.zeros(8, np.int64))


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


@kernel
def open_start(memory, queue, start):
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
def advance(graph, memory, queue, ordering, start, goal, budget, events):
    """Expand up to `budget` cells; RUNNING, FOUND, EXHAUSTED or QUEUE_FULL.

    Expanded cells are written to `events` while there is room.
    """
    cells, count = memory.cells, memory.counts
    weight, kind, per_unit, falls, oldest_first = ordering
    stamp, expanded, generated = count[STAMP], count[EXPANDED], count[GENERATED]
    least = 0.0 if falls else weight * heuristic(graph, start, goal, kind)
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
        if count[CLOSING] and here + weight * heuristic(graph, cell, goal, kind) >= cells[goal]["g"] - FUZZ:
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
            f = reached + weight * heuristic(graph, other, goal, kind)
            bucket = int((f - least) * per_unit + FUZZ)
            if falls:
                bucket = min(bucket, last)
                queue.counts[buckets.CURRENT] = min(queue.counts[buckets.CURRENT], bucket)
            buckets.push(queue, bucket, other, reached, oldest_first)
    count[EXPANDED], count[GENERATED] = expanded, generated
    if outcome == FOUND and falls:
        # a cell on the path may have been reached at a lower cost since
        cells[goal]["g"] = cost_back(graph, memory, start, goal)
    return outcome


@inner
def cost_back(graph, memory, start, goal):
    """The cost of the path that `parent` describes from `start` to `goal`."""
    total = 0.0
    cell = goal
    while cell != start:
        before = memory.cells[cell]["parent"]
        total += edge_cost(graph, before, cell)
        cell = before
    return total


@kernel
def search(graph, memory, queue, ordering, start, goal, budget, events, is_new, path):
    """`open_start` if it is new, `advance`, and `trace` if the goal is found, in one call.

    Returns the outcome, the number of cells of the path, its cost, and the nodes expanded, generated and reopened.
    """
    if is_new:
        open_start(memory, queue, start)
    outcome = advance(graph, memory, queue, ordering, start, goal, budget, events)
    n, total, counts = 0, np.inf, memory.counts
    if outcome == FOUND:
        n, total = trace(memory, start, goal, path), memory.cells[goal]["g"]
        turn_round(path, n)
    return outcome, n, total, counts[EXPANDED], counts[GENERATED], counts[REOPENED]


@kernel
def search_many(graph, memory, queue, ordering, starts, goals, first, answers):
    """Whole searches from query `first` on, while there is room; how many are done, and whether the queue is full.

    Paths are written one after another; `answers.ends[k]` is where that of query k ends.
    """
    path, ends = answers.path, answers.ends
    for k in range(first, starts.size):
        used = ends[k - 1] if k else 0
        outcome, n, total, expanded, _, _ = search(
            graph,
            memory,
            queue,
            ordering,
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


@inner
def turn_round(path, n):
    """Reverse the first `n` cells of `path` in place, if there are so many."""
    if n <= path.size:
        for k in range(n // 2):
            path[k], path[n - 1 - k] = path[n - 1 - k], path[k]
