"""A table that grows a little at a time against a dict; and what an agent forgets when the goal moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.algorithms.paths import begin_path
from wayfolk.algorithms.realtime import _hints as hints
from wayfolk.algorithms.realtime._hints import MOVED, USED, GrowingHints, learn
from wayfolk.compile.jit import kernel
from wayfolk.kernels.graph import heuristic
from wayfolk.world.grid import Grid

pytestmark = pytest.mark.plain
N_CELLS = 50
NOTHING = np.zeros(0, hints.ENTRY)


@kernel
def remember(kept, cell, value):
    learn(kept, cell, value)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, N_CELLS - 1), st.floats(0.5, 100.0)), max_size=90))
def test_remembers_while_it_grows(facts):
    table, old, counts, model = hints.new_table(5), NOTHING, np.zeros(2, np.int64), {}
    for owner, cell, value in facts:
        if 2 * (counts[USED] + 1) > len(table):
            assert counts[MOVED] == len(old)  # the last move is over before the next one begins
            table, old, counts[MOVED] = hints.new_table(len(table)), table, 0
        remember(GrowingHints(table, old, counts, owner, N_CELLS), cell, value)
        model[owner, cell] = value
        assert hints.recall(GrowingHints(table, old, counts, owner, N_CELLS), cell) == value
    assert counts[USED] == len({(owner, cell // hints.TOGETHER) for owner, cell in model})
    for owner in range(10):
        for cell in range(N_CELLS):
            recalled = hints.recall(GrowingHints(table, old, counts, owner, N_CELLS), cell)
            assert recalled == model.get((owner, cell), 0.0)


@pytest.mark.parametrize("name", ["rtaa", "lss_lrta"])
def test_what_is_kept_for_another_goal_is_above_the_first_heuristic(name):
    """The search looks no further where something was learned: it must not find less there than the heuristic."""
    free = np.ones((20, 20), bool)
    free[4:16, 12] = free[4, 4:12] = free[15, 4:12] = False
    grid = Grid(free)
    agent = begin_path(grid, (10, 10), (18, 10), name, expansions=10)
    agent.advance(30)
    before = np.count_nonzero(agent.hints.values)
    agent.aim((18, 14))
    kept = np.flatnonzero(agent.hints.values)
    assert 0 < len(kept) < before  # some of it is forgotten
    assert all(agent.hints.values[cell] > heuristic(grid.graph, cell, agent.goal, agent.kind) for cell in kept)
