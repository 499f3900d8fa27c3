"""A binary heap in which every cell is at most once, and can be found: its key can be changed, and it can be removed.

The heap is an array of rows (first, second, cell) and a length that the caller keeps; the least (first, second) is on
top. `nodes` is whatever the caller knows of each cell: its field `at` is one more than the row of the cell, or 0.

Invariants  key(parent) <= key(child) for every pair, and rows[nodes[cell]["at"] - 1]["cell"] == cell for every cell in
            it.
"""

import numpy as np

from wayfolk.compile.jit import kernel

ROW = np.dtype([("first", np.int64), ("second", np.int64), ("cell", np.int32)], align=True)


@kernel
def place(rows, nodes, n, cell, is_in, first, second):
    """See to it that `cell` is in with the given key, or, if it is there, that it is not; the new length."""
    hole = np.int64(nodes[cell]["at"]) - 1
    moved = cell
    if not is_in:  # the last one moves into the hole
        n -= 1
        moved, first, second = np.int64(rows[n]["cell"]), rows[n]["first"], rows[n]["second"]
    elif hole < 0:
        hole = n
        n += 1
    while hole > 0:
        parent = (hole - 1) >> 1
        above = rows[parent]
        if above["first"] < first or (above["first"] == first and above["second"] <= second):
            break
        rows[hole] = above
        nodes[above["cell"]]["at"] = hole + 1
        hole = parent
    child = 2 * hole + 1
    while child < n:
        if child + 1 < n:
            one, two = rows[child], rows[child + 1]
            if two["first"] < one["first"] or (two["first"] == one["first"] and two["second"] < one["second"]):
                child += 1
        least = rows[child]
        if first < least["first"] or (first == least["first"] and second <= least["second"]):
            break
        rows[hole] = least
        nodes[least["cell"]]["at"] = hole + 1
        hole = child
        child = 2 * hole + 1
    row = rows[hole]
    row["first"], row["second"], row["cell"] = first, second, moved
    nodes[moved]["at"] = hole + 1
    nodes[cell]["at"] = (hole + 1) * is_in
    return n
