"""MAPF-LNS2: pairs of colliding agents, its bookkeeping, giving up, and crowded maps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.algorithms.planners._sipp.fleet import FIRST, PAIRS, SUM
from wayfolk.algorithms.planners.lns2 import Lns2
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import lower_bound, sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.plan import from_paths
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.spots import steps_to

COLLISIONS = {"vertex", "swap", "crossing"}


def crowd(n_agents, side=20, walls=0.2, seed=0, moves="four"):
    """Agents with random starts and goals in a map with random walls."""
    grid = random_map(side, side, walls, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def pairs_of(plan, problem):
    """The pairs of agents that collide, as the judge sees it."""
    faults = check(plan, problem, limit=10**6)
    assert {fault.kind for fault in faults} <= COLLISIONS
    return {
        (one, other) for fault in faults for one in fault.agents for other in fault.agents if one < other
    }  # fmt: skip


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_pairs_never_rise_and_are_those_that_the_judge_finds(moves):
    problem = crowd(100, side=13, walls=0.1, moves=moves)
    task = begin_plan(problem, "lns2", seed=3)
    counts, last = task.fleet.counts, 10**9
    while not task.advance(2000).is_final:
        if not task.has_begun or counts[FIRST]:
            continue
        pairs = pairs_of(task.plan(), problem)
        assert len(pairs) <= last
        last = len(pairs)
    assert task.status is Status.SOLVED
    assert counts[PAIRS] == 0
    assert not task.fleet.runners["n"].any()
    assert check(task.result().plan, problem) == []


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
@pytest.mark.parametrize("order", ["shortest", "random"])
def test_the_sum_of_costs_is_kept(moves, order):
    problem = crowd(90, moves=moves)
    task = begin_plan(problem, "lns2", order=order)
    task.advance()
    assert task.status is Status.SOLVED
    assert sum_of_costs(task.result().plan, problem.goals) == task.fleet.counts[SUM]


def test_agents_near_their_goals_go_first_and_the_plan_is_better():
    problem = crowd(150, side=40, walls=0.1)
    ratios = [
        sum_of_costs(solve(problem, "lns2", order=order).plan, problem.goals) / lower_bound(problem)
        for order in ("shortest", "random")
    ]
    assert ratios[0] < ratios[1]
    assert ratios[0] < 1.1


@pytest.mark.plain
@given(small_problems(max_agents=4, max_side=4), st.integers(2, 4), st.integers(0, 9))
def test_small_plans_have_no_faults(problem, neighbourhood, seed):
    result = solve(problem, "lns2", neighbourhood=neighbourhood, patience=3, seed=seed)
    if result.is_solved:
        assert check(result.plan, problem) == []
    else:
        assert result.status is Status.GAVE_UP
        assert "still collide" in result.detail


def test_it_gives_up_where_agents_cannot_pass():
    problem = one_shot(parse_ascii("....", "four"), [(0, 0), (3, 0)], [(3, 0), (0, 0)])
    result = solve(problem, "lns2")
    assert result.status is Status.GAVE_UP
    assert result.detail == "1 pair of agents still collide, and further repairs do not help"
    assert result.counters.collisions == 1


def test_agents_let_others_pass_before_they_park():
    """The goal of agent 1, which is nearer, lies in the only way of agent 0."""
    problem = one_shot(parse_ascii("......\n@@.@@@\n@@.@@@", "four"), [(0, 0), (3, 0)], [(5, 0), (2, 0)])
    result = solve(problem, "lns2")
    assert result.is_solved
    assert check(result.plan, problem) == []


def test_any_portions_give_the_same_plan():
    problem = crowd(80, side=14)
    whole = solve(problem, "lns2", seed=5)
    task = begin_plan(problem, "lns2", seed=5)
    rng = np.random.default_rng(1)
    while not task.advance(int(rng.integers(1, 300))).is_final:
        pass
    assert np.array_equal(task.result().plan.cells, whole.plan.cells)
    assert task.result().counters == whole.counters


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_a_plan_with_collisions_is_repaired(moves):
    problem = crowd(60, moves=moves)
    ends = zip(problem.starts, problem.goals, strict=True)
    plan = from_paths(problem.grid, [descent(problem.grid, int(start), int(goal)) for start, goal in ends])
    n_pairs = len(pairs_of(plan, problem))
    assert n_pairs > 0
    task = Lns2(problem, 1, "shortest", 8, 1000, plan=plan)
    task.advance(1)
    assert task.given is plan
    while not task.has_begun:
        task.advance(7)
    assert task.fleet.counts[PAIRS] <= n_pairs
    task.advance()
    assert task.status is Status.SOLVED
    assert check(task.result().plan, problem) == []
    assert task.fleet.counts[SUM] == sum_of_costs(task.result().plan, problem.goals)


def descent(grid, start, goal):
    """A path with the fewest steps."""
    steps, path = steps_to(grid, goal), [start]
    while path[-1] != goal:
        here = path[-1]
        ways = [here + int(grid.offsets[k]) for k in range(8) if grid.legal[here] >> k & 1]
        path.append(min(ways, key=lambda there: steps[there]))
    return path
