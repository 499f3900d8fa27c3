"""Weighted A*: the bound that its result proves."""

import itertools

import pytest

from wayfolk.algorithms.paths import find_path
from wayfolk.world.generate import random_map


@pytest.mark.parametrize("weight", [0.5, 1.0, 1.5, 3.0])
def test_the_bound_is_proven(weight):
    grid = random_map(24, 24, 0.3, seed=5)
    ends = [grid.place(int(cell)) for cell in grid.free_cells[[0, 80, 160, 240]]]
    for start, goal in itertools.permutations(ends, 2):
        best, result = find_path(grid, start, goal), find_path(grid, start, goal, weight=weight)
        if best.is_solved:
            assert best.bound == 1.0
            assert result.bound == max(1.0, weight)
            assert best.cost - 1e-9 <= result.cost <= result.bound * best.cost + 1e-9
