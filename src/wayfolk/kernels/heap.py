"""A binary heap on arrays: the least `f` on top, the least `tie` among equals.

The heap is three arrays and a length that the caller keeps. An item may be in it several times; the caller drops
stale ones when they surface.

Keeps    key(parent) <= key(child) for every pair, where key = (f, tie).
"""

from wayfolk.kernels.jit import kernel


@kernel
def push(fs, ties, items, n, f, tie, item):
    """Put `item` in; the new length."""
    child = n
    while child > 0:
        parent = (child - 1) >> 1
        above = fs[parent]
        if above < f or (above == f and ties[parent] <= tie):
            break
        fs[child] = above
        ties[child] = ties[parent]
        items[child] = items[parent]
        child = parent
    fs[child] = f
    ties[child] = tie
    items[child] = item
    return n + 1


@kernel
def pop(fs, ties, items, n):
    """Take the top, which the caller has read, away; the new length."""
    n -= 1
    f, tie, item = fs[n], ties[n], items[n]
    hole = 0
    child = 1
    while child < n:
        if child + 1 < n:
            left, right = fs[child], fs[child + 1]
            if right < left or (right == left and ties[child + 1] < ties[child]):
                child += 1
        least = fs[child]
        if f < least or (f == least and tie <= ties[child]):
            break
        fs[hole] = least
        ties[hole] = ties[child]
        items[hole] = items[child]
        hole = child
        child = 2 * hole + 1
    fs[hole] = f
    ties[hole] = tie
    items[hole] = item
    return n
