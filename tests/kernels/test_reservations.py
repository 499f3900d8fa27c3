"""Space-time reservations against a dict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from wayfolk.kernels import reservations
from wayfolk.kernels.reservations import NOBODY

pytestmark = pytest.mark.plain

CELLS, AGENTS = st.integers(1, 6), st.integers(0, 3)
SLOTS = st.sampled_from([-1, 0, 1, 2, 3, 2**31 - 2])  # whoever acts at slot 0 was somewhere at slot -1


class AgainstADict(RuleBasedStateMachine):
    """The model is {(cell, slot): agent}."""

    @initialize()
    def start(self):
        self.table = reservations.new_reservations(1)
        self.model = {}

    @rule(cell=CELLS, slot=SLOTS, agent=AGENTS)
    def reserve(self, cell, slot, agent):
        if len(self.model) == len(self.table.entries) - 1:  # one place must stay empty
            self.table = reservations.with_room(self.table, 1)
        reservations.reserve(self.table, cell, slot, agent)
        self.model[cell, slot] = agent

    @rule(cell=CELLS, slot=SLOTS, agent=AGENTS)
    def release(self, cell, slot, agent):
        reservations.release(self.table, cell, slot, agent)
        if self.model.get((cell, slot)) == agent:
            del self.model[cell, slot]

    @rule(more=st.integers(0, 40))
    def make_room(self, more):
        before = self.table
        self.table = reservations.with_room(self.table, more)
        assert len(self.table.entries) >= 2 * (len(self.model) + more)
        assert (self.table is before) == (len(before.entries) >= 2 * (len(self.model) + more))

    @invariant()
    def is_the_same(self):
        assert self.table.counts[0] == len(self.model)
        for cell in range(1, 7):
            for slot in (-1, 0, 1, 2, 3, 2**31 - 2):
                assert reservations.holder(self.table, cell, slot) == self.model.get((cell, slot), NOBODY)


TestAgainstADict = AgainstADict.TestCase
TestAgainstADict.settings = settings(max_examples=50)


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_lost_in_a_table_that_is_almost_full(seed):
    rng = np.random.default_rng(seed)
    table, model = reservations.new_reservations(1), {}
    for _ in range(1500):
        place = int(rng.integers(1, 40)), int(rng.integers(0, 3))
        if len(model) > 27 or rng.random() < 0.4:
            place = list(model)[rng.integers(len(model))] if model else place
            reservations.release(table, *place, 1)
            model.pop(place, None)
        else:
            reservations.reserve(table, *place, 1)
            model[place] = 1
    assert len(table.entries) == 32
    assert table.counts[0] == len(model)
    for cell in range(1, 40):
        for slot in range(3):
            assert (reservations.holder(table, cell, slot) == 1) == ((cell, slot) in model)


def test_somebody_else_cannot_give_it_back():
    table = reservations.new_reservations(4)
    reservations.reserve(table, 7, 3, 1)
    reservations.release(table, 7, 3, 2)
    assert reservations.holder(table, 7, 3) == 1
    reservations.release(table, 7, 3, 1)
    assert reservations.holder(table, 7, 3) == NOBODY


def test_a_table_used_window_after_window_stays_small():
    table = reservations.new_reservations(16)
    for slot in range(2000):
        for cell in range(1, 9):
            reservations.reserve(table, cell, slot, cell)
            reservations.release(table, cell, slot - 1, cell)
    assert table.counts[0] == 8
    assert np.count_nonzero(table.entries["key"]) == 8


@given(st.dictionaries(st.tuples(st.sampled_from([1, 2]), st.sampled_from([4, 5])), st.integers(0, 1)))
def test_a_swap_is_somebody_else_coming_the_other_way(held):
    table = reservations.new_reservations(4)
    for (cell, slot), agent in held.items():
        reservations.reserve(table, cell, slot, agent)
    comes = held.get((2, 4)) == 1 and held.get((1, 5)) == 1
    assert reservations.is_swap(table, 0, 1, 2, 5) == comes
