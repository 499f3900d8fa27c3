"""The table of what many agents have learned against a dict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.algorithms.realtime import _hints as hints
from wayfolk.algorithms.realtime._hints import SparseHints, learn
from wayfolk.compile.jit import kernel
from wayfolk.kernels.table import EMPTY, copy_all

pytestmark = pytest.mark.plain
N_CELLS = 50


@kernel
def remember(kept, cell, value):
    learn(kept, cell, value)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, N_CELLS - 1), st.floats(0.5, 100.0)), max_size=60))
def test_remembers_for_each_owner_the_last_value(facts):
    table, used, model = hints.new_table(5), np.zeros(1, np.int64), {}
    for owner, cell, value in facts:
        if 2 * (used[0] + 1) > len(table):
            larger = hints.new_table(len(table))
            assert len(larger) == 2 * len(table)
            copy_all(table, larger)
            table = larger
        remember(SparseHints(table, used, owner, N_CELLS), cell, value)
        model[owner, cell] = value
    groups = {(owner, cell // hints.TOGETHER) for owner, cell in model}
    assert used[0] == len(groups) == (table["key"] != EMPTY).sum()
    for owner in range(4):
        for cell in range(N_CELLS):
            assert hints.recall(SparseHints(table, used, owner, N_CELLS), cell) == model.get((owner, cell), 0.0)
