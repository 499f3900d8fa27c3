"""MAPP: slidable agents arrive, the others stay and are named."""

import numpy as np
import pytest
from hypothesis import given

from reference import small_problems
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.plans import check
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid


def finished(problem, **options):
    """The task, once it has ended."""
    task = begin_plan(problem, "mapp", **options)
    while not task.advance(1000).is_final:
        pass
    return task


@pytest.mark.plain
@given(small_problems(max_agents=5))
def test_exactly_the_slidable_agents_arrive(problem):
    task = finished(problem)
    assert check(task.plan, problem, arrive=False) == []
    end = task.plan.cells[-1]
    assert (end == np.where(task.is_slidable, problem.goals, problem.starts)).all()
    assert (task.status is Status.SOLVED) == bool((end == problem.goals).all())


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_slidable_agents_of_a_crowd_arrive(moves):
    for seed in range(3):
        grid = random_map(32, 32, 0.05, seed=seed, moves=moves)
        starts, goals = draw_pairs(grid, 40, seed=seed)
        problem = Problem(grid, starts, goals[:, None])
        task = finished(problem)
        assert check(task.plan, problem, arrive=False) == []
        assert task.is_slidable.sum() > 10
        assert (task.plan.cells[-1] == np.where(task.is_slidable, goals, starts)).all()


@pytest.mark.plain
def test_a_corridor_has_no_alternate_path():
    grid = parse_ascii(".....", moves="four")
    result = solve(one_shot(grid, [(0, 0), (4, 0)], [(3, 0), (4, 0)]), "mapp")
    assert result.status is Status.PARTIAL
    assert result.detail == "1 of 2 agents are not slidable and stay at their starts: 0"


@pytest.mark.plain
def test_the_first_step_needs_an_empty_cell():
    grid = Grid(np.ones((3, 3)), "four")
    problem = one_shot(grid, [(0, 0), (1, 0), (0, 1)], [(2, 2), (1, 0), (0, 1)])
    assert solve(problem, "mapp").status is Status.PARTIAL


@pytest.mark.plain
def test_a_blank_is_brought_in_front_of_an_agent():
    """Two agents head on in a hall; their goals lie in niches that no path needs."""
    grid = parse_ascii("########\n.......#\n........\n#.......", moves="four")
    problem = one_shot(grid, [(1, 2), (6, 2)], [(7, 2), (0, 2)])
    result = solve(problem, "mapp")
    assert result.is_solved
    assert check(result.plan, problem) == []
