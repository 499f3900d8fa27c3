"""Every optimal planner finds the least sum of costs, and so agrees with brute force and with every other one.

Every complete planner finds a plan wherever brute force does.

The worlds are up to 4 x 4 with 2 to 5 agents, under all move rules, some without a plan. WAYFOLK_WORLDS=10000 tries more.
"""

import pytest

from reference import N_WORLDS, TooManyStates, joint_optimum, picture
from tiny_worlds import tiny_problem
from wayfolk.algorithms import catalogue
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import solve

OPTIMAL = [entry for entry in catalogue.entries("planners") if entry.facts.get("OPTIMAL")]
COMPLETE = [entry for entry in catalogue.entries("planners") if entry.facts.get("COMPLETE") and entry not in OPTIMAL]


def test_brute_force_is_right():
    """Compared with the slower one, which is written from the rules alone."""
    n_without = 0
    for number in range(min(N_WORLDS, 900) // 4):
        problem, best = tiny_problem(number + 1_000_000, 3)
        try:
            expected = joint_optimum(problem.grid, problem.starts, problem.goals, 100)
        except TooManyStates:
            continue
        n_without += best is None
        assert best == expected, picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())
    assert n_without > 0


@pytest.mark.parametrize("entry", OPTIMAL, ids=lambda entry: entry.name)
def test_plans_are_optimal(entry):
    """One that is not COMPLETE may run out of time, if it is seldom."""
    limit = None if entry.facts.get("COMPLETE") else 100
    n_solvable = n_solved = 0
    for number in range(N_WORLDS):
        problem, best = tiny_problem(number)
        if best is None and limit is not None and number % 10:
            continue
        result = solve(problem, entry, seconds=limit)
        drawn = f"world {number}\n{picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())}"
        n_solvable += best is not None
        if result.status is Status.OUT_OF_TIME:
            continue
        assert result.is_solved == (best is not None), drawn
        if result.is_solved:
            n_solved += 1
            assert check(result.plan, problem) == [], drawn
            assert sum_of_costs(result.plan, problem.goals) == best, drawn
        else:
            assert result.status is Status.IMPOSSIBLE or not entry.facts.get("COMPLETE"), drawn
    assert n_solved >= 0.95 * n_solvable > 0


@pytest.mark.parametrize("entry", COMPLETE, ids=lambda entry: entry.name)
def test_every_world_with_a_plan_is_solved(entry):
    n_solvable = 0
    for number in range(N_WORLDS):
        problem, best = tiny_problem(number)
        if best is None:
            continue
        n_solvable += 1
        result = solve(problem, entry)
        drawn = f"world {number}\n{picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())}"
        assert result.is_solved, f"{result.status}, {result.detail}, {drawn}"
        assert check(result.plan, problem) == [], drawn
        assert sum_of_costs(result.plan, problem.goals) >= best, drawn
    assert n_solvable > 0.5 * N_WORLDS
