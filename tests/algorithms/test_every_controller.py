"""Every file in controllers/ keeps the contract of its family, and survives every event of a simulation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import DrawnByHypothesis
from wayfolk.algorithms import catalogue
from wayfolk.contracts.check import Case
from wayfolk.contracts.controllers import CHECKS

ENTRIES = catalogue.entries("controllers")


def pairs(drawn):
    """Each controller with each check that applies to it; what a COMPLETE one must keep, ours keep without that fact."""
    cases = [Case(entry, {}) for entry in ENTRIES]
    drawn_pairs = [(case, check) for case in cases for check in CHECKS if check.drawn is drawn and check.applies(case)]
    return pytest.mark.parametrize(
        ("case", "check"), drawn_pairs, ids=[f"{a.name}-{b.run.__name__}" for a, b in drawn_pairs]
    )


@pairs(drawn=True)
@given(data=st.data())
def test_on_small_worlds(case, check, data):
    check.run(case, DrawnByHypothesis(data))


@pairs(drawn=False)
def test_contract(case, check):
    check.run(case)


def test_all_but_one_seek_goals():
    """Those who do not are excused from arriving: nobody is by mistake."""
    assert [entry.name for entry in ENTRIES if not entry.facts.get("SEEKS_GOALS", True)] == ["greedy_direction_map"]
