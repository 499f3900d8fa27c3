"""Which moves of discs come too near to each other: all pairs of straight moves, made in the same step at constant speeds.

Only neighbours are compared: time is cut so finely that no part of a move is much longer than most moves are, each part is
put into a bucket by its middle, and buckets are as wide as any two parts that come near can be apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.kernels.near_moves import N_PAIRS, find_near

Points = NDArray[np.float64]
Pairs = NDArray[np.int64]
MOST_PARTS = 64  # of a move
MOST_PAIRS = 1 << 25
NEAR = 1e-9  # discs whose distance is the sum of their radii up to this touch, and may


def near_pairs(begin: Points, end: Points, others: tuple[Points, Points] | None, reach: float) -> tuple[Pairs, Pairs]:
    """The rows of the first and of the other moves that come nearer than `reach`, in order, each pair once.

    A move leads from its row of `begin` to that of `end`; equal rows are somebody who stands there. Without `others`, the
    moves are compared with each other, and the first row of each pair is the smaller one.
    """
    begin2, end2 = (begin, end) if others is None else others
    if not len(begin) or not len(begin2):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    lengths = np.linalg.norm(np.concatenate([end - begin, end2 - begin2]), axis=1)
    moving = lengths[lengths > 0]
    usual = max(float(np.median(moving)) if len(moving) else 0.0, reach)
    n_parts = int(min(np.ceil(moving.max() / (2.0 * usual)), MOST_PARTS)) if len(moving) else 1
    found = [np.zeros((0, 2), np.int64)]
    for part in range(n_parts):
        early, late = part / n_parts, (part + 1) / n_parts
        ours = begin + early * (end - begin), begin + late * (end - begin)
        theirs = begin2 + early * (end2 - begin2), begin2 + late * (end2 - begin2)
        found.append(_near(*ours, *theirs, reach, others is None))
    pairs = np.unique(np.concatenate(found), axis=0) if n_parts > 1 else found[-1]
    return pairs[:, 0], pairs[:, 1]


def _near(a: Points, b: Points, c: Points, d: Points, reach: float, is_same: bool) -> Pairs:
    """The pairs of rows that come near, none of them twice."""
    ours, theirs = (a + b) / 2.0, (c + d) / 2.0
    longest = max(np.linalg.norm(b - a, axis=1).max(initial=0.0), np.linalg.norm(d - c, axis=1).max(initial=0.0))
    wide = longest + reach
    low = np.minimum(ours.min(0), theirs.min(0))
    buckets, buckets2 = (np.floor((middles - low) / wide).astype(np.int64) + 1 for middles in (ours, theirs))
    sizes = np.maximum(buckets.max(0), buckets2.max(0)) + 2
    keys2 = buckets2[:, 0]
    for axis in range(1, len(sizes)):
        keys2 = keys2 * sizes[axis] + buckets2[:, axis]
    order2 = np.argsort(keys2, kind="stable")
    pairs, counts = np.zeros((1 << 14, 2), np.int64), np.zeros(2, np.int64)
    while not find_near(
        begin=a, end=b, begin2=c, end2=d, buckets=buckets, keys2=keys2[order2], order2=order2, sizes=sizes,
        reach=reach - NEAR, is_same=is_same, pairs=pairs, counts=counts,
    ):  # fmt: skip
        if len(pairs) >= MOST_PAIRS:
            raise TooLarge(f"more than {MOST_PAIRS:,} pairs of moves come near each other: the radius is too large")
        pairs = np.concatenate([pairs, np.zeros_like(pairs)])
    return pairs[: counts[N_PAIRS]]
