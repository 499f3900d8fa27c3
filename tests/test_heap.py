"""The binary heap against heapq, and its invariant after every operation."""

import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.kernels import heap

pytestmark = pytest.mark.plain

KEYS = st.tuples(st.integers(-3, 3), st.integers(-2, 2))  # few, so that many are equal
PUSHES_AND_POPS = st.lists(st.none() | KEYS, max_size=60)  # None takes the top away


class Twin:
    """Our heap and heapq's, side by side; every item is another number."""

    def __init__(self, room, kind=np.int64):
        self.fs, self.ties, self.items = np.zeros(room, kind), np.zeros(room, kind), np.zeros(room, np.int32)
        self.n, self.keys, self.model = 0, {}, []
        self.fresh = itertools.count()

    def push(self, key):
        item = next(self.fresh)
        self.keys[item] = key
        self.n = heap.push(self.fs, self.ties, self.items, self.n, *key, item)
        heapq.heappush(self.model, key)

    def pop(self):
        key, item = (self.fs[0], self.ties[0]), int(self.items[0])
        assert key == heapq.heappop(self.model)
        assert self.keys.pop(item) == key  # it comes out once, with the key it went in with
        self.n = heap.pop(self.fs, self.ties, self.items, self.n)

    def check(self):
        assert self.n == len(self.model)
        keys = list(zip(self.fs[: self.n], self.ties[: self.n], strict=True))
        assert all(keys[(child - 1) // 2] <= keys[child] for child in range(1, self.n))


@given(PUSHES_AND_POPS, st.sampled_from([np.int64, np.float64]))
def test_comes_out_as_from_heapq_and_stays_a_heap(operations, kind):
    twin = Twin(60, kind)
    for key in operations:
        if key is not None:
            twin.push(key)
        elif twin.n > 0:
            twin.pop()
        twin.check()
    while twin.n > 0:
        twin.pop()
        twin.check()


@given(st.lists(st.floats(allow_nan=False), max_size=40))
def test_sorts_any_floats(values):
    twin = Twin(40, np.float64)
    for value in values:
        twin.push((value, -value))
    taken = []
    while twin.n > 0:
        taken.append(float(twin.fs[0]))
        twin.pop()
    assert taken == sorted(values)


def test_the_lesser_tie_wins_among_equals():
    twin = Twin(3)
    for tie in (5, -7, 0):
        twin.push((1, tie))
    order = []
    while twin.n > 0:
        order.append(int(twin.ties[0]))
        twin.pop()
    assert order == [-7, 0, 5]
