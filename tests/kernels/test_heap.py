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
LARGE = st.integers(-(2**62), 2**62)
PUSHES_AND_POPS = st.lists(st.none() | KEYS, max_size=60)  # None takes the top away


class Twin:
    """Our heap and heapq's, side by side; every item is another number."""

    def __init__(self, room):
        self.rows = np.zeros(room, heap.ROW)
        self.n, self.keys, self.model = 0, {}, []
        self.fresh = itertools.count()

    def push(self, key):
        item = next(self.fresh)
        self.keys[item] = key
        self.n = heap.push(self.rows, self.n, *key, item)
        heapq.heappush(self.model, key)

    def pop(self):
        *key, item = self.rows[0].tolist()
        key = tuple(key)
        assert key == heapq.heappop(self.model)
        assert self.keys.pop(item) == key  # it comes out once, with the key it went in with
        self.n = heap.pop(self.rows, self.n)
        return key

    def check(self):
        assert self.n == len(self.model)
        keys = [(f, tie) for f, tie, _ in self.rows[: self.n].tolist()]
        assert all(keys[(child - 1) // 2] <= keys[child] for child in range(1, self.n))


@given(PUSHES_AND_POPS)
def test_comes_out_as_from_heapq_and_stays_a_heap(operations):
    twin = Twin(60)
    for key in operations:
        if key is not None:
            twin.push(key)
        elif twin.n > 0:
            twin.pop()
        twin.check()
    while twin.n > 0:
        twin.pop()
        twin.check()


@given(st.lists(st.tuples(LARGE, LARGE), max_size=40))
def test_sorts_by_f_and_then_by_tie(keys):
    twin = Twin(40)
    for key in keys:
        twin.push(key)
    assert [twin.pop() for _ in keys] == sorted(keys)
