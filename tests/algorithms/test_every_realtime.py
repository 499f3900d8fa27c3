"""Every file in realtime/ keeps the contract of its family: a new one is tested before its author writes a test."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import DrawnByHypothesis
from wayfolk.algorithms import catalogue
from wayfolk.contracts import adaptation, realtime
from wayfolk.contracts.check import Case

ENTRIES = catalogue.entries("realtime")
CASES = [Case(entry, options) for entry in ENTRIES for options in ({}, *realtime.FRUGAL.get(entry.name, []))]


def pairs(drawn):
    """Each case with each check that applies to it."""
    checks = [check for check in realtime.CHECKS + adaptation.CHECKS if check.drawn is drawn]
    chosen = [(case, check) for case in CASES for check in checks if check.applies(case)]
    return pytest.mark.parametrize(("case", "check"), chosen, ids=[f"{a.name}-{b.run.__name__}" for a, b in chosen])


@pairs(drawn=True)
@given(data=st.data())
@settings(max_examples=30)
def test_on_small_worlds(case, check, data):
    check.run(case, DrawnByHypothesis(data))


@pairs(drawn=False)
def test_contract(case, check):
    check.run(case)


def test_what_is_promised_is_not_promised_less():
    """Checks are left out by facts: these are the facts."""
    without = {fact: [entry.name for entry in ENTRIES if not entry.facts.get(fact)] for fact in ("ADAPTS", "COMPLETE")}
    assert without == {"ADAPTS": [], "COMPLETE": []}
    assert [entry.name for entry in ENTRIES if not entry.facts.get("LEARNS")] == ["rta", "salient", "tba"]
    converging = ["lrta", "lrta_k", "lrta_ls_k", "lss_lrta", "p_lrta", "rtaa"]
    assert [entry.name for entry in ENTRIES if entry.facts.get("CONVERGES")] == converging
    assert [entry.name for entry in ENTRIES if entry.facts.get("CONSISTENT")] == converging
    assert all(any(option.name == "watch" for option in entry.options) for entry in ENTRIES)
