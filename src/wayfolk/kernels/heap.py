"""Binary heaps on arrays: the least `f` on top, the least `tie` among equals.

A heap is an array of rows (f, tie, item) and a length that the caller keeps. Numbers of rows are ROW, or FLOAT_ROW where
f is a sum of costs.

    push(rows, n, f, tie, item), pop(rows, n)
        An item may be in the heap several times; the caller drops stale ones when they surface.
    place(rows, nodes, n, item, f, tie), remove(rows, nodes, n, item)
        An item is in the heap once at most, and is found there: its key can be changed, and it can be removed. `nodes` is
        what the caller knows of each item; its field `at` is one more than the item's row, or 0 if it is not in the heap.

Invariants  key(parent) <= key(child) for every pair, where key = (f, tie). With `place` and `remove`,
            rows[nodes[item]["at"] - 1]["item"] == item for every item in the heap.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.queues import queueing

ROW = np.dtype([("f", np.int64), ("tie", np.int64), ("item", np.int32)], align=True)
FLOAT_ROW = np.dtype([("f", np.float64), ("tie", np.float64), ("item", np.int32)], align=True)


class HeapQueue(NamedTuple):
    """A heap of FLOAT_ROWs, of which counts[0] are used. `tie` is -g; or 1 where the g of an entry is that of its cell."""

    rows: NDArray[np.void]
    counts: NDArray[np.int64]


def new_heap_queue(n_rows: int) -> HeapQueue:
    """An empty heap with room for `n_rows`."""
    return HeapQueue(np.zeros(n_rows, FLOAT_ROW), np.zeros(1, np.int64))


def grown(queue: HeapQueue) -> HeapQueue:
    """The same with room for twice as many rows."""
    return queue._replace(rows=np.concatenate([queue.rows, np.zeros_like(queue.rows)]))


@kernel
def push(rows, n, f, tie, item):
    """Put `item` into the heap; the new length."""
    child = n
    while child > 0:
        parent = (child - 1) >> 1
        above = rows[parent]
        if above["f"] < f or (above["f"] == f and above["tie"] <= tie):
            break
        rows[child] = above
        child = parent
    _put(rows[child], f, tie, item)
    return n + 1


@kernel
def pop(rows, n):
    """Remove the top row, which the caller has read; the new length."""
    n -= 1
    f, tie, item = rows[n]["f"], rows[n]["tie"], rows[n]["item"]
    hole = 0
    child = 1
    while child < n:
        if child + 1 < n:
            left, right = rows[child], rows[child + 1]
            # without a branch: which child is less cannot be predicted
            child += (right["f"] < left["f"]) | ((right["f"] == left["f"]) & (right["tie"] < left["tie"]))
        least = rows[child]
        if f < least["f"] or (f == least["f"] and tie <= least["tie"]):
            break
        rows[hole] = least
        hole = child
        child = 2 * hole + 1
    _put(rows[hole], f, tie, item)
    return n


@kernel
def place(rows, nodes, n, item, f, tie):
    """Put `item` into the heap, or change its key if it is there; the new length."""
    hole = np.int64(nodes[item]["at"]) - 1
    if hole < 0:
        hole = n
        n += 1
    _sift(rows, nodes, n, hole, f, tie, item)
    return n


@kernel
def remove(rows, nodes, n, item):
    """Remove `item`, which is in the heap; the new length."""
    hole = np.int64(nodes[item]["at"]) - 1
    n -= 1
    if hole < n:  # the last row moves into the hole
        _sift(rows, nodes, n, hole, rows[n]["f"], rows[n]["tie"], np.int64(rows[n]["item"]))
    nodes[item]["at"] = 0
    return n


@inner
def _sift(rows, nodes, n, hole, f, tie, item):
    """Put a row into the heap of length `n`, in place of row `hole`: up or down from there, wherever its key belongs."""
    while hole > 0:
        parent = (hole - 1) >> 1
        above = rows[parent]
        if above["f"] < f or (above["f"] == f and above["tie"] <= tie):
            break
        rows[hole] = above
        nodes[above["item"]]["at"] = hole + 1
        hole = parent
    child = 2 * hole + 1
    while child < n:
        if child + 1 < n:
            left, right = rows[child], rows[child + 1]
            child += (right["f"] < left["f"]) | ((right["f"] == left["f"]) & (right["tie"] < left["tie"]))
        least = rows[child]
        if f < least["f"] or (f == least["f"] and tie <= least["tie"]):
            break
        rows[hole] = least
        nodes[least["item"]]["at"] = hole + 1
        hole = child
        child = 2 * hole + 1
    _put(rows[hole], f, tie, item)
    nodes[item]["at"] = hole + 1


@inner
def _put(row, f, tie, item):
    row["f"], row["tie"], row["item"] = f, tie, item


def _clear_heap(queue):
    queue.counts[0] = 0


def _open_first_row(queue, start):
    queue.counts[0] = push(queue.rows, 0, 0.0, 0.0, start)


def _n_rows(queue):
    return queue.counts[0]


def _rank_of_all(queue):
    return 1


def _has_rows(queue, more):
    return queue.counts[0] + more <= queue.rows.size


def _peek_row(queue):
    return queue.rows[0]["item"]


def _take_row(queue, cells):
    item, tie = queue.rows[0]["item"], queue.rows[0]["tie"]
    queue.counts[0] = pop(queue.rows, queue.counts[0])
    return item, -tie if tie <= 0.0 else cells[item]["g"]


queueing(
    HeapQueue,
    clear=_clear_heap,
    open_first=_open_first_row,
    n_open=_n_rows,
    settle=_rank_of_all,
    final_rank=_rank_of_all,
    has_room=_has_rows,
    peek=_peek_row,
    take=_take_row,
)
