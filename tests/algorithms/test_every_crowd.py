"""Every file in algorithms/crowds/ keeps the contract of its family."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import DrawnByHypothesis
from wayfolk.algorithms import catalogue
from wayfolk.compile.jit import is_plain
from wayfolk.contracts.check import Case
from wayfolk.contracts.crowds import CHECKS
from wayfolk.crowds.crowd import Crowd
from wayfolk.world.grid import Grid

ENTRIES = catalogue.entries("crowds")


def pairs(drawn):
    """Each model with each check that applies to it."""
    cases = [Case(entry, {}) for entry in ENTRIES]
    drawn_pairs = [(case, check) for case in cases for check in CHECKS if check.drawn is drawn and check.applies(case)]
    return pytest.mark.parametrize(
        ("case", "check"), drawn_pairs, ids=[f"{a.name}-{b.run.__name__}" for a, b in drawn_pairs]
    )


@pairs(drawn=True)
@settings(max_examples=25)
@given(data=st.data())
def test_on_small_worlds(case, check, data):
    check.run(case, DrawnByHypothesis(data))


@pairs(drawn=False)
def test_contract(case, check):
    check.run(case)


def small_run(name):
    """Where six agents are after some steps."""
    free = np.ones((8, 12), np.bool_)
    free[2:6, 5] = False
    crowd = Crowd(Grid(free), name, cell=0.5, ways="flow", seed=5)
    crowd.add([(1, 1), (1, 2), (1, 3), (5, 1), (5, 2), (5, 3)], [(5, 2)] * 3 + [(1, 2)] * 3, radius=0.2)
    crowd.advance(12)
    return crowd.places.tolist()


@pytest.mark.skipif(is_plain(), reason="compares with plain Python")
def test_plain_python_moves_bodies_the_same_way():
    names = [entry.name for entry in ENTRIES]
    code = f"import json, test_every_crowd as t; print(json.dumps([t.small_run(name) for name in {names!r}]))"
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent), *sys.path])
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    for name, places in zip(names, json.loads(done.stdout), strict=True):
        assert np.array(places) == pytest.approx(np.array(small_run(name)), abs=1e-7), name


def test_the_models_of_the_issue_are_there():
    assert {entry.name for entry in ENTRIES} >= {"continuum", "flock", "flow_field", "orca", "social_force"}
