"""The binary heap against heapq, also where items have places and keys change, and its invariants after every operation."""

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
NODE = np.dtype([("at", np.int32)])
CELLS = 12
DEEDS = st.lists(st.tuples(st.integers(0, CELLS - 1), st.none() | KEYS | st.tuples(LARGE, LARGE)), max_size=60)
# None takes the top away, or removes the cell
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


@given(DEEDS)
def test_with_places_it_agrees_with_a_table_of_keys(deeds):
    rows, nodes = np.zeros(CELLS, heap.ROW), np.zeros(CELLS, NODE)
    n, model = 0, {}
    for cell, key in deeds:
        if key is not None:
            n = heap.place(rows, nodes, n, cell, *key)
            model[cell] = key
        elif cell in model:
            n = heap.remove(rows, nodes, n, cell)
            del model[cell]
        assert n == len(model)
        assert {cell: (first, second) for first, second, cell in rows[:n].tolist()} == model
        assert [int(at) for at in nodes["at"]].count(0) == CELLS - n
        for spot, (*_, held) in enumerate(rows[:n].tolist()):
            assert nodes["at"][held] == spot + 1
            assert model[int(rows[(spot - 1) // 2 if spot else 0]["item"])] <= model[held]


def test_with_places_it_comes_out_in_order():
    rng = np.random.default_rng(1)
    rows, nodes = np.zeros(200, heap.ROW), np.zeros(200, NODE)
    n, keys = 0, [(int(a), int(b)) for a, b in rng.integers(0, 30, (200, 2))]
    for cell, key in enumerate(keys):
        n = heap.place(rows, nodes, n, cell, 99 - key[0], key[1])
    for cell, key in enumerate(keys):  # each gets another key
        n = heap.place(rows, nodes, n, cell, *key)
    out = []
    while n:
        first, second, cell = rows[0].tolist()
        out.append((first, second))
        n = heap.remove(rows, nodes, n, cell)
    assert out == sorted(keys)
