"""The heap with removal against a sorted list, and its invariants after every operation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.kernels import indexed_heap

pytestmark = pytest.mark.plain

NODE = np.dtype([("at", np.int32)])
CELLS = 12
KEYS = st.tuples(st.integers(-3, 3), st.integers(-2, 2)) | st.tuples(*[st.integers(-(2**62), 2**62)] * 2)
DEEDS = st.lists(st.tuples(st.integers(0, CELLS - 1), st.none() | KEYS), max_size=60)  # None removes the cell


@given(DEEDS)
def test_agrees_with_a_sorted_list(deeds):
    rows, nodes = np.zeros(CELLS, indexed_heap.ROW), np.zeros(CELLS, NODE)
    n, model = 0, {}
    for cell, key in deeds:
        if key is not None:
            n = indexed_heap.place(rows, nodes, n, cell, True, *key)
            model[cell] = key
        elif cell in model:
            n = indexed_heap.place(rows, nodes, n, cell, False, 0, 0)
            del model[cell]
        assert n == len(model)
        assert {cell: (first, second) for first, second, cell in rows[:n].tolist()} == model
        assert [int(at) for at in nodes["at"]].count(0) == CELLS - n
        for spot, (*_, held) in enumerate(rows[:n].tolist()):
            assert nodes["at"][held] == spot + 1
            assert model[int(rows[(spot - 1) // 2 if spot else 0]["cell"])] <= model[held]


def test_comes_out_in_order():
    rng = np.random.default_rng(1)
    rows, nodes = np.zeros(200, indexed_heap.ROW), np.zeros(200, NODE)
    n, keys = 0, [(int(a), int(b)) for a, b in rng.integers(0, 30, (200, 2))]
    for cell, key in enumerate(keys):
        n = indexed_heap.place(rows, nodes, n, cell, True, 99 - key[0], key[1])
    for cell, key in enumerate(keys):  # each gets another key
        n = indexed_heap.place(rows, nodes, n, cell, True, *key)
    out = []
    while n:
        first, second, cell = rows[0].tolist()
        out.append((first, second))
        n = indexed_heap.place(rows, nodes, n, cell, False, 0, 0)
    assert out == sorted(keys)
