"""Edits: which nodes searches back from goals have to look at again."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.kernels.edits import no_edits, with_changed_edges

pytestmark = pytest.mark.plain


def test_ends_of_lost_and_gained_edges_are_listed_in_order_of_time():
    whole = wf.Graph([0, 2, 3, 3], [1, 2, 2], [1.0, 1.0, 1.0]).graph
    less = wf.Graph([0, 1, 1, 1], [2], [1.0]).graph
    edits = with_changed_edges(with_changed_edges(no_edits(), whole, less), less, whole)
    rows = edits.list[: edits.counts[0]]
    assert rows["cell"].tolist() == [1, 2, 1, 2]
    assert rows["gained"].tolist() == [False, False, True, True]


def test_many_edits_find_room():
    rng = np.random.default_rng(1)
    states = wf.one_shot(wf.HexGrid(np.ones((20, 20), bool)), [(0, 0)], [(3, 3)]).states
    edits, before = no_edits(), states
    for cell in rng.choice(states.free_cells, 30, replace=False).tolist():
        after = before.with_blocked([cell])
        edits, before = with_changed_edges(edits, before.graph, after.graph), after
    assert edits.counts[0] > 60
    assert not edits.list["gained"].any()
