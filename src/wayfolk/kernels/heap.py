"""A binary heap on an array: the least `f` on top, the least `tie` among equals.

The heap is an array of rows (f, tie, item) and a length that the caller keeps. An item may be in it several times; the
caller drops stale ones when they surface.

Invariants  key(parent) <= key(child) for every pair, where key = (f, tie).
"""

import numpy as np

from wayfolk.compile.jit import inner, kernel

ROW = np.dtype([("f", np.int64), ("tie", np.int64), ("item", np.int32)], align=True)


@kernel
def push(rows, n, f, tie, item):
    """Put `item` in; the new length."""
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
    """Take the top, which the caller has read, away; the new length."""
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


@inner
def _put(row, f, tie, item):
    row["f"], row["tie"], row["item"] = f, tie, item
