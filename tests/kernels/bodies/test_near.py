"""Who is near is what a comparison of all pairs finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.algorithms.crowds.orca.planes import _nearest
from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.arrays import larger, new_bodies
from wayfolk.kernels.bodies.near import PRESENT, X, Y, new_near, sort, span, window


@kernel
def list_near(near, row, reach, found):
    """The rows within reach of a row."""
    n = 0
    x, y = near.rows[row, X], near.rows[row, Y]
    first_line, last_line, first_column, last_column = window(near, x, y, reach)
    for line in range(first_line, last_line + 1):
        begin, end = span(near, line, first_column, last_column)
        for other in range(begin, end):
            if (near.rows[other, X] - x) ** 2 + (near.rows[other, Y] - y) ** 2 <= reach * reach:
                found[n] = other
                n += 1
    return n


@kernel
def list_nearest(near, row, limit, found, squares):
    """The nearest rows."""
    return _nearest(near, row, limit, found, squares)


def scattered(n, seed, spread):
    rng = np.random.default_rng(seed)
    bodies = new_bodies(n)
    bodies.places[:] = rng.normal(0, spread, (n, 2))
    bodies.is_active[:] = rng.random(n) < 0.8
    return bodies


@pytest.mark.plain
@settings(max_examples=25)
@given(
    n=st.integers(1, 60), seed=st.integers(0, 10**6), spread=st.sampled_from([0.0, 1.0, 50.0]), side=st.floats(0.1, 5)
)
def test_those_within_reach(n, seed, spread, side):
    bodies, near = scattered(n, seed, spread), new_near(n)
    sort(bodies, n, side, near)
    active = np.flatnonzero(bodies.is_active)
    assert near.shape[PRESENT] == len(active)
    assert sorted(near.agents[: len(active)].tolist()) == active.tolist()
    found = np.zeros(n, np.int32)
    for row in range(len(active)):
        there = near.agents[found[: list_near(near, row, 1.5, found)]]
        apart = ((bodies.places[active] - bodies.places[near.agents[row]]) ** 2).sum(1)
        assert sorted(there.tolist()) == active[apart <= 1.5 * 1.5].tolist()


@pytest.mark.plain
@settings(max_examples=25)
@given(n=st.integers(2, 60), seed=st.integers(0, 10**6), k=st.integers(1, 8))
def test_the_nearest_few(n, seed, k):
    bodies, near = scattered(n, seed, 2.0), new_near(n)
    bodies.is_active[:] = True
    sort(bodies, n, 0.7, near)
    found, squares = np.zeros(k, np.int32), np.zeros(k)
    for row in range(n):
        m = list_nearest(near, row, 9.0, found, squares)
        apart = ((near.rows[:n, :2] - near.rows[row, :2]) ** 2).sum(1)
        apart[row] = np.inf
        assert squares[:m] == pytest.approx(np.sort(apart[apart < 9.0])[:k])


@pytest.mark.plain
def test_nobody_and_larger_arrays():
    bodies, near = new_bodies(4), new_near(4)
    sort(bodies, 4, 1.0, near)
    assert near.shape[PRESENT] == 0
    bodies.places[2] = (5.0, 6.0)
    assert larger(bodies, 9).places[2].tolist() == [5.0, 6.0]
