"""Every file in planners/ is held to its facts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import TooManyStates, all_plans_solvable, joint_optimum, small_problems, steps_from
from wayfolk import catalogue
from wayfolk.check import check
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.generate import random_map
from wayfolk.metrics import sum_of_costs
from wayfolk.problem import one_shot, patrol
from wayfolk.result import Status
from wayfolk.run import begin_plan, solve

ENTRIES = catalogue.entries("planners")
every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)


@every
@given(data=st.data())
def test_holds_its_facts(entry, data):
    problem = data.draw(small_problems())
    before = problem.starts.copy(), problem.routes.copy()
    result = solve(problem, entry.name, seconds=20)
    assert (problem.starts == before[0]).all()
    assert (problem.routes == before[1]).all()
    if result.is_solved:
        assert check(result.plan, problem) == []
    else:
        assert result.plan is None or check(result.plan, problem, arrive=False) == []
        assert result.status in (Status.GAVE_UP, Status.IMPOSSIBLE, Status.OUT_OF_TIME)
    if not (entry.facts.get("OPTIMAL") or entry.facts.get("COMPLETE")) and result.status is not Status.IMPOSSIBLE:
        return
    try:
        solvable = all_plans_solvable(problem.grid, problem.starts, problem.goals)
    except TooManyStates:
        return
    if entry.facts.get("COMPLETE"):
        assert result.is_solved == solvable
    if result.status is Status.IMPOSSIBLE:
        assert not solvable
    if entry.facts.get("OPTIMAL") and result.is_solved:
        assert sum_of_costs(result.plan, problem.goals) == joint_optimum(problem.grid, problem.starts, problem.goals)


@every
@given(data=st.data())
def test_one_agent_takes_a_shortest_way(entry, data):
    problem = data.draw(small_problems(max_agents=1))
    result = solve(problem, entry.name)
    assert result.is_solved
    assert result.plan.n_steps == steps_from(problem.grid, int(problem.starts[0]))[int(problem.goals[0])]


@every
@given(data=st.data())
def test_paused_and_resumed_gives_the_same(entry, data):
    problem = data.draw(small_problems())
    whole = solve(problem, entry.name)
    task = begin_plan(problem, entry.name)
    while not task.advance(3).is_final:
        pass
    assert task.status is whole.status
    if whole.is_solved:
        assert (task.result().plan.cells == whole.plan.cells).all()


def crowd(agents, seed=0, moves="four"):
    from wayfolk.generate import draw_pairs

    grid = random_map(24, 24, 0.15, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@every
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_same_seed_same_plan_in_a_crowd(entry, moves):
    problem = crowd(40, moves=moves)
    one, two = (solve(problem, entry.name, seed=7, seconds=60) for _ in range(2))
    assert one.is_solved
    assert check(one.plan, problem) == []
    assert np.array_equal(one.plan.cells, two.plan.cells)
    assert one.counters == two.counters


@every
def test_a_budget_and_a_deadline_are_kept(entry):
    problem = crowd(60, seed=1)
    assert solve(problem, entry.name, expansions=5).status is Status.OUT_OF_BUDGET
    solve(problem, entry.name, seconds=60)  # compiled
    assert solve(problem, entry.name, seconds=1e-9).status is Status.OUT_OF_TIME


@every
def test_patrols_are_refused(entry):
    with pytest.raises(NotSupported):
        begin_plan(patrol(random_map(10, 10, 0.0), agents=3, loops=2), entry.name)


@every
def test_two_agents_with_one_goal_are_refused(entry):
    problem = one_shot(random_map(6, 6, 0.0), [(0, 0), (5, 0)], [(5, 5), (5, 5)])
    with pytest.raises(BadProblem, match=r"agents 0, 1 share the goal \(5, 5\)"):
        solve(problem, entry.name)
