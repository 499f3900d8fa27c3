"""Every file in planners/ keeps the contract of its family."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import DrawnByHypothesis
from wayfolk.algorithms import catalogue
from wayfolk.contracts.check import Case
from wayfolk.contracts.planners import CHECKS

PARTLY = {"mapp": "only slidable agents arrive"}
"""Planners that do not keep what only COMPLETE ones promise, and why."""

every = pytest.mark.parametrize(
    "case", [Case(entry, {}) for entry in catalogue.entries("planners")], ids=lambda case: case.name
)


@every
@pytest.mark.parametrize("check", [check for check in CHECKS if check.drawn], ids=lambda check: check.run.__name__)
@given(data=st.data())
def test_on_small_worlds(case, check, data):
    if check.needs == "COMPLETE" and case.name in PARTLY:
        pytest.skip(PARTLY[case.name])
    check.run(case, DrawnByHypothesis(data))


@every
@pytest.mark.parametrize("check", [check for check in CHECKS if not check.drawn], ids=lambda check: check.run.__name__)
def test_contract(case, check):
    """All that a COMPLETE one must keep, ours keep without that promise."""
    if not check.applies(case):
        pytest.skip("this is no promise of its facts")
    if check.needs == "COMPLETE" and case.name in PARTLY:
        pytest.skip(PARTLY[case.name])
    check.run(case)
