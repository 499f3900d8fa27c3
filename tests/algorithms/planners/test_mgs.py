"""MGS: plans whatever the size of groups may be, and what is proven of their costs."""

import pytest

from reference import N_WORLDS, picture
from tiny_worlds import tiny_problem
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map


def crowd(n_agents, seed, moves="four"):
    grid = random_map(20, 20, 0.15, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_bound_holds_and_no_plan_is_missed(size):
    n_worse = 0
    for number in range(N_WORLDS):
        problem, best = tiny_problem(number)
        result = solve(problem, "mgs", size=size)
        drawn = f"world {number}\n{picture(problem.grid, problem.starts.tolist(), problem.goals.tolist())}"
        assert result.status is (Status.IMPOSSIBLE if best is None else Status.SOLVED), drawn
        if best is not None:
            assert check(result.plan, problem) == [], drawn
            cost = sum_of_costs(result.plan, problem.goals)
            assert best <= cost <= result.bound * best + 1e-9 or cost == best == 0, drawn
            n_worse += cost > best
    assert n_worse > 0 or N_WORLDS < 300


def test_with_groups_of_any_size_it_is_optimal():
    problem = crowd(14, seed=1)
    task = begin_plan(problem, "mgs", size=14)
    while not task.advance(5000).is_final:
        pass
    assert task.result().bound == 1.0
    assert sum_of_costs(task.result().plan, problem.goals) == sum_of_costs(solve(problem, "od_id").plan, problem.goals)


def test_a_group_that_plans_around_the_others_is_not_merged():
    n_small = n_plans = 0
    for seed in range(4):
        task = begin_plan(crowd(30, seed), "mgs", size=1)
        while not task.advance(5000).is_final:
            pass
        assert task.status is Status.SOLVED
        n_small += sum(len(group.agents) == 1 for group in task.groups)
        n_plans += sum(group.cost > group.least for group in task.groups if len(group.agents) == 1)
    assert n_small > 60
    assert n_plans > 0


@pytest.mark.plain
def test_groups_are_merged_beyond_the_size_if_there_is_no_other_way():
    """One of them has to enter the niche and come back, which it does not do unless they plan together."""
    grid = parse_ascii("#.#\n...", moves="four")
    problem = one_shot(grid, [(0, 1), (2, 1)], [(2, 1), (0, 1)])
    task = begin_plan(problem, "mgs", size=1)
    while not task.advance(100).is_final:
        pass
    assert check(task.result().plan, problem) == []
    assert sum_of_costs(task.result().plan, problem.goals) >= 7
