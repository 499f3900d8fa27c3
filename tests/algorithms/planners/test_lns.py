"""MAPF-LNS: any plan becomes better, never worse, and stays legal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.algorithms.planners._sipp.fleet import SUM
from wayfolk.algorithms.planners.lns.improvement import Improvement
from wayfolk.errors import BadInput, BadProblem, UnknownName
from wayfolk.judge.metrics import lower_bound, makespan, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.spots import filled_fields, steps_to


def crowd(n_agents, side=20, walls=0.15, seed=0, moves="four"):
    """Agents with random starts and goals in a map with random walls."""
    grid = random_map(side, side, walls, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_costs_fall_and_plans_stay_legal(moves):
    problem = crowd(80, moves=moves)
    task = begin_plan(problem, "lns", seed=1)
    while not task.has_plan:
        task.advance(10_000)
    costs = []
    for _ in range(12):
        plan = task.result().plan
        assert check(plan, problem) == []
        costs.append(sum_of_costs(plan, problem.goals))
        task.advance(3000)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    fleet = task.improvement.fleet
    assert fleet.counts[SUM] == sum_of_costs(task.result().plan, problem.goals)
    assert fleet.runners["delay"].sum() == fleet.counts[SUM] - lower_bound(problem)


def test_plans_of_controllers_are_improved():
    problem = crowd(60)
    plan = solve(problem, "pibt").plan
    task = Improvement(problem, plan, seed=2)
    assert task.result().plan is plan
    task.advance(100_000)
    better = task.result().plan
    assert check(better, problem) == []
    assert sum_of_costs(better, problem.goals) < sum_of_costs(plan, problem.goals)


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_distances_that_are_known_lead_to_the_same_plan_as_those_that_are_searched(moves):
    problem = crowd(60, moves=moves)
    plan = solve(problem, "pibt").plan
    steps = np.array([steps_to(problem.grid, int(goal))[problem.grid.free_cells] for goal in problem.goals])
    known = filled_fields(problem.grid, np.minimum(steps, np.iinfo(np.uint16).max).astype(np.uint16))
    tasks = [Improvement(problem, plan, seed=2, fields=fields) for fields in (None, known)]
    for task in tasks:
        task.advance(50_000)
    one, other = (task.result().plan.cells for task in tasks)
    assert np.array_equal(one, other)
    grown = tasks[0].fleet.fields.steps
    assert (grown == known.steps)[grown != known.far].all()


def test_waits_are_read_and_removed():
    """An agent that waits, goes to and fro and waits on its goal at the end."""
    problem = one_shot(random_map(5, 5, 0.0, moves="four"), [(0, 0)], [(3, 0)])
    cells = problem.grid.cells([(x, 0) for x in (0, 0, 1, 0, 1, 2, 2, 3, 2, 3, 3, 3)])[:, None]
    task = Improvement(problem, Plan(problem.grid, cells))
    assert task.advance(1000) is Status.SOLVED
    result = task.result()
    assert result.plan.n_steps == 3
    assert result.bound == 1.0


@pytest.mark.plain
@given(small_problems(max_agents=4, max_side=4), st.integers(2, 4))
def test_small_plans_have_no_faults(problem, neighbourhood):
    result = solve(problem, "lns", neighbourhood=neighbourhood, expansions=200)
    if result.is_solved:
        assert check(result.plan, problem) == []
        assert (result.bound == 1.0) == (sum_of_costs(result.plan, problem.goals) == lower_bound(problem))


def test_any_portions_give_the_same_plan():
    problem = crowd(60)
    plans = []
    for seed in range(2):
        task, rng, left = begin_plan(problem, "lns", seed=5), np.random.default_rng(seed), 60_000
        while left > 0:
            portion = min(left, int(rng.integers(1, 4000)))
            task.advance(portion)
            left -= portion - task.unspent
        plans.append(task.result().plan.cells)
    assert np.array_equal(*plans)


def test_bad_first_plans_are_refused():
    problem = crowd(5)
    with pytest.raises(BadInput, match="another planner, not from lns itself"):
        begin_plan(problem, "lns", first="lns")
    with pytest.raises(UnknownName, match="pibt"):
        begin_plan(problem, "lns", first="pibt")
    plan = solve(problem, "lns2").plan
    with pytest.raises(BadProblem, match="brings all agents"):
        Improvement(problem, Plan(problem.grid, plan.cells[:-1]))
    with pytest.raises(BadProblem, match="brings all agents"):
        Improvement(problem, Plan(problem.grid, plan.cells[:, 1:]))


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_the_makespan_never_rises_and_becomes_less(moves):
    problem = crowd(90, moves=moves)
    task = begin_plan(problem, "lns", seed=1, objective="makespan")
    spans = []
    for _ in range(30):
        status = task.advance(10_000)
        if task.has_plan:
            plan = task.result().plan
            assert check(plan, problem) == []
            spans.append(makespan(plan, problem.goals))
        if status.is_final:
            break
    assert spans == sorted(spans, reverse=True)
    assert spans[-1] < spans[0]
    least = max(
        int(steps_to(problem.grid, int(goal))[start]) for start, goal in zip(problem.starts, problem.goals, strict=True)
    )
    assert spans[-1] >= least
    assert (task.result().bound == 1.0) == (spans[-1] == least)
