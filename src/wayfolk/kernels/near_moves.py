"""Which of many straight moves come near each other, if all are made in the same time at constant speeds."""

import numpy as np

from wayfolk.compile.jit import inner, kernel

N_PAIRS, ROW = range(2)  # places in `counts`


@kernel
def find_near(begin, end, begin2, end2, buckets, keys2, order2, sizes, reach, is_same, pairs, counts):
    """Write pairs of rows of the two lists that come nearer than `reach` to `pairs`; False if there is no more room.

    `buckets[row]` is the bucket of a row of the first list; `keys2` are those of the second list as sorted numbers, and
    `order2` its rows in this order. Rows are compared if their buckets are the same or beside each other. If the lists are
    the same, each pair is found once, and no row with itself. Goes on at counts[ROW].
    """
    n_axes = begin.shape[1]
    n_beside = 3**n_axes
    while counts[ROW] < begin.shape[0]:
        row = counts[ROW]
        before = counts[N_PAIRS]
        for beside in range(n_beside):
            key, rest = np.int64(0), beside
            for axis in range(n_axes):
                key = key * sizes[axis] + buckets[row, axis] + rest % 3 - 1
                rest //= 3
            k = _first(keys2, key)
            while k < keys2.size and keys2[k] == key:
                other = order2[k]
                k += 1
                if is_same and other <= row:
                    continue
                if _distance(begin[row], end[row], begin2[other], end2[other]) < reach:
                    if counts[N_PAIRS] == pairs.shape[0]:
                        counts[N_PAIRS] = before
                        return False
                    pairs[counts[N_PAIRS], 0], pairs[counts[N_PAIRS], 1] = row, other
                    counts[N_PAIRS] += 1
        counts[ROW] += 1
    return True


@inner
def _first(keys, key):
    """Where the first of the sorted `keys` is that is not below `key`."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _distance(begin, end, begin2, end2):
    """The least distance between the two while they move."""
    square = along = 0.0
    for axis in range(begin.size):
        apart = begin[axis] - begin2[axis]
        change = (end[axis] - begin[axis]) - (end2[axis] - begin2[axis])
        square += change * change
        along -= apart * change
    when = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    least = 0.0
    for axis in range(begin.size):
        apart = begin[axis] - begin2[axis]
        change = (end[axis] - begin[axis]) - (end2[axis] - begin2[axis])
        least += (apart + when * change) ** 2
    return np.sqrt(least)
