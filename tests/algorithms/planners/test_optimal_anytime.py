"""OA: a first plan at once, better ones later, and at the end one of least sum of costs."""

import pytest

from reference import N_WORLDS, picture
from tiny_worlds import tiny_problem
from wayfolk.algorithms.planners._groups import search
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map


def crowd(n_agents, seed=0, moves="four"):
    grid = random_map(20, 20, 0.15, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def test_it_ends_with_the_least_sum_of_costs():
    n_improved = 0
    for number in range(N_WORLDS):
        problem, best = tiny_problem(number)
        drawn = f"world {number}\n{picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())}"
        task = begin_plan(problem, "optimal_anytime")
        first = None
        while not task.advance(1000).is_final:
            if task.has_plan and first is None:
                first = sum_of_costs(task.result().plan, problem.goals)
        if best is None:
            assert task.status is Status.IMPOSSIBLE, drawn
            continue
        result = task.result()
        assert (result.status, result.bound) == (Status.SOLVED, 1.0), drawn
        assert check(result.plan, problem) == [], drawn
        assert sum_of_costs(result.plan, problem.goals) == best, drawn
        n_improved += first is not None and first > best
    assert n_improved > 0


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_costs_never_rise_and_bounds_never_fall(moves):
    problem = crowd(30, moves=moves)
    task = begin_plan(problem, "optimal_anytime")
    costs, proven = [], []
    for _ in range(40):
        if task.advance(2000).is_final:
            break
        if task.has_plan:
            result = task.result()
            costs.append(sum_of_costs(result.plan, problem.goals))
            proven.append(costs[-1] / result.bound)
    assert costs == sorted(costs, reverse=True)
    assert proven == sorted(proven)
    assert len(costs) > 1


def test_it_returns_with_the_first_plan():
    problem = crowd(30)
    result = solve(problem, "optimal_anytime")
    assert result.is_solved
    assert result.bound > 1.0
    task = begin_plan(problem, "optimal_anytime")
    task.advance()
    assert task.has_plan
    assert task.status is Status.RUNNING
    assert task.unspent > 0


def test_memory_that_is_full_leaves_the_best_plan(monkeypatch):
    problem = crowd(40, seed=2)
    task = begin_plan(problem, "optimal_anytime")
    task.advance()
    assert task.has_plan
    monkeypatch.setattr(search, "available_bytes", lambda: 1 << 16)
    while not task.advance(5000).is_final:
        pass
    result = task.result()
    assert result.is_solved
    assert "memory is full" in result.detail
    assert result.bound > 1.0
    assert check(result.plan, problem) == []
