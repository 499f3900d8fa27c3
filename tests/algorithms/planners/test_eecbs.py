"""EECBS keeps its bound, and the bound that it reports is honest."""

from time import perf_counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import body_reference as twin
from reference import TooManyStates, joint_optimum, small_problems
from wayfolk.algorithms.planners._cbs.search import ConflictSearch
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map

VARIANTS = [
    {},
    {"high_level": "ecbs", "repair": False},
    {"heuristic": "none", "bypass": False},
    {"prioritise": False, "heuristic": "dg"},
    {"rectangle": False, "corridor": False, "target": False},
]


def crowd(n_agents, side, seed=2):
    grid = random_map(side, side, 0.15, seed=seed)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@pytest.mark.plain
@given(data=st.data())
def test_costs_are_within_the_bound(data):
    moves = data.draw(st.sampled_from(["four", "eight"]))
    problem = data.draw(small_problems(3, moves=moves, max_side=4 if moves == "four" else 3))
    w = data.draw(st.sampled_from([1.0, 1.05, 1.2, 2.0]))
    try:
        best = joint_optimum(problem.grid, problem.starts, problem.goals, 1500)
    except TooManyStates:
        best = None
    assume(best is not None)
    for options in VARIANTS:
        result = solve(problem, "eecbs", expansions=400, w=w, **options)
        if not result.is_solved:
            assert result.status is Status.OUT_OF_BUDGET
            assert options != {}
            continue
        cost = sum_of_costs(result.plan, problem.goals)
        assert check(result.plan, problem) == []
        assert best <= cost <= w * best + 1e-9
        assert 1.0 <= result.bound <= w + 1e-9
        assert cost / result.bound <= best + 1e-9, "the lower bound is above the optimum"


def test_the_lower_bound_never_falls():
    task = begin_plan(crowd(40, 16), "eecbs", w=1.05)
    before = 0
    while not task.advance(1).is_final:
        if task.estimates:
            least = task._least_bound()
            assert least >= before
            before = least
    result = task.result()
    assert check(result.plan, task.problem) == []
    assert result.bound <= 1.05


def test_the_bound_holds_beside_cbs():
    problem = crowd(25, 16)
    best = sum_of_costs(solve(problem, "cbs").plan, problem.goals)
    for high_level in ("eecbs", "ecbs"):
        result = solve(problem, "eecbs", w=1.1, high_level=high_level)
        cost = sum_of_costs(result.plan, problem.goals)
        assert best <= cost <= 1.1 * best
        assert cost / result.bound <= best + 1e-9


@pytest.mark.plain
@pytest.mark.parametrize("portion", [1, 5])
def test_a_pause_changes_nothing(portion):
    problem = crowd(8, 8)
    whole = solve(problem, "eecbs")
    task = begin_plan(problem, "eecbs")
    while not task.advance(portion).is_final:
        pass
    assert np.array_equal(task.result().plan.cells, whole.plan.cells)
    assert task.result().bound == whole.bound


def test_repairs_beside_the_tree_save_nodes():
    problem = crowd(80, 16)
    alone = solve(problem, "eecbs", expansions=1500, w=1.2, repair=False)
    assert alone.status is Status.OUT_OF_BUDGET
    result = solve(problem, "eecbs", expansions=1500, w=1.2)
    assert result.is_solved
    assert check(result.plan, problem) == []
    cost = sum_of_costs(result.plan, problem.goals)
    assert lower_bound(problem) <= cost / result.bound + 1e-9
    assert 1.0 < result.bound <= 1.2


@pytest.mark.parametrize("portion", [1, 3])
def test_a_pause_during_repairs_changes_nothing(portion):
    problem = crowd(80, 16)
    whole = solve(problem, "eecbs", w=1.2)
    task = begin_plan(problem, "eecbs", w=1.2)
    while not task.advance(portion).is_final:
        task.until = perf_counter()  # each turn of the repairs is interrupted
    assert task.plan_repair is not None
    assert np.array_equal(task.result().plan.cells, whole.plan.cells)
    assert task.result().bound == whole.bound


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_the_bound_holds_in_any_world(kind, monkeypatch):
    monkeypatch.setattr(ConflictSearch, "_is_unsolvable", lambda self: False)  # no joint search beside the tree
    n_solved = 0
    for number in range(10):
        problem, best = twin.tiny_problem(kind, number)
        w = (1.0, 1.05, 1.2, 2.0)[number % 4]
        result = solve(problem, "eecbs", expansions=400, w=w)
        if not result.is_solved:
            assert result.status is Status.OUT_OF_BUDGET or best is None
            continue
        cost = sum_of_costs(result.plan, problem.goals)
        assert check(result.plan, problem) == []
        assert best <= cost <= w * best + 1e-9
        assert 1.0 <= result.bound <= w + 1e-9
        assert cost / result.bound <= best + 1e-9, "the lower bound is above the optimum"
        n_solved += 1
    assert n_solved > 3
