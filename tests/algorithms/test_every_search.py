"""Every file in search/ keeps the contract of its family: a new one is tested before its author writes a test."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import DrawnByHypothesis
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.batch import find_many
from wayfolk.algorithms.paths import begin_path
from wayfolk.contracts.check import Case, moves_of
from wayfolk.contracts.search import CHECKS
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries

CASES = [Case(entry, {}) for entry in catalogue.entries("search")]
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@every
@pytest.mark.parametrize("check", [check for check in CHECKS if check.drawn], ids=lambda check: check.run.__name__)
@given(data=st.data())
def test_on_small_worlds(case, check, data):
    assert check.applies(case)
    check.run(case, DrawnByHypothesis(data))


@every
@pytest.mark.parametrize("check", [check for check in CHECKS if not check.drawn], ids=lambda check: check.run.__name__)
def test_contract(case, check):
    assert check.applies(case)
    check.run(case)


@every
def test_meets_every_published_optimum(case, movingai):
    """The rows of movingai/single and movingai/sdp whose ends are free; the README there says which are wrong.

    All rows for searches that answer lists of queries, every 40th for the others: WAYFOLK_EVERY_ROW=1 asks for all.
    """
    entry = case.entry
    if not entry.facts.get("OPTIMAL") or "eight" not in [m.value for m in moves_of(entry)]:
        pytest.skip("does not promise optimal paths without corner cutting")
    wrong, step = {}, 1
    for file in sorted([*(movingai / "single").glob("*.map"), *(movingai / "sdp").glob("*.map")]):
        grid = read_map(file)
        rows = read_queries(f"{file}.scen", grid)
        task = begin_path(grid, rows.starts[0], rows.starts[0], entry.name)
        step = 1 if hasattr(task, "batch") or "WAYFOLK_EVERY_ROW" in os.environ else 40
        lengths = rows.lengths[::step]
        lengths = np.where((lengths == 0) & (rows.starts[::step] != rows.goals[::step]), np.inf, lengths)
        costs = find_many(grid, rows.starts[::step], rows.goals[::step], entry.name, threads=1).costs
        misses = ~np.isclose(costs, lengths, rtol=0, atol=0.006)
        if misses.any():
            wrong[file.stem] = int(misses.sum())
    # some lengths of battleground are below the true optimum on its map
    assert wrong == {"battleground": 55 if step == 1 else 1}
