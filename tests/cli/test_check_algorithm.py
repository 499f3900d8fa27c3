"""The verb `check-algorithm`: what it prints of checks that do not hold; tests/test_docs.py runs it on algorithms."""

import pytest

from command import wayfolk
from wayfolk import contracts
from wayfolk.contracts import CheckResult
from wayfolk.contracts.check import Broken, expect_no_faults
from wayfolk.judge.plans import Fault

FAULTS = [Fault("vertex", 7, (2, 5), ((3, 1),)), Fault("swap", 9, (0, 1), ((0, 0), (1, 0)))]


@pytest.mark.parametrize(
    ("n_broken", "sentence"),
    [(0, "all that is promised holds"), (1, "1 of 3 checks does not hold"), (2, "2 of 3 checks do not hold")],
)
def test_it_counts_in_good_english(n_broken, sentence, monkeypatch):
    verdicts = [CheckResult(f"check {k}", k >= n_broken, "why" * (k < n_broken)) for k in range(3)]
    monkeypatch.setattr(contracts, "run_checks", lambda entry: iter(verdicts))
    said = wayfolk("check-algorithm", "astar")
    assert (said.code, said.out.splitlines()[-1]) == (int(n_broken > 0), sentence)


def test_it_says_which_fault():
    with pytest.raises(Broken) as broken:
        expect_no_faults(FAULTS, "the plan")
    assert str(broken.value) == "the plan is not legal: step 7: agents 2 and 5 share (3, 1) (and 1 more)"
    with pytest.raises(Broken, match=r"share \(3, 1\)$"):
        expect_no_faults(FAULTS[:1], "the plan")
    expect_no_faults([], "the plan")
