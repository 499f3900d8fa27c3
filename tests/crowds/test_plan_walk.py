"""Bodies with momentum walk plans, and the log says where they touch."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.crowds.plan_walk import walk_plan
from wayfolk.errors import BadInput
from wayfolk.problem.plan import Plan
from wayfolk.world.generate import draw_pairs, random_map


def solved(moves, agents, seed=1):
    grid = random_map(12, 12, 0.1, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return wf.solve(wf.one_shot(grid, grid.places(starts), grid.places(goals)), "lacam", expansions=2000).plan


@pytest.mark.parametrize(("moves", "radius"), [("four", 0.25), ("eight", 0.15)])
def test_a_legal_plan_is_walked_without_a_touch(moves, radius):
    plan = solved(moves, 20)
    run = walk_plan(plan, radius=radius)
    assert run.log == []
    assert np.isfinite(run.seconds)
    ends = (plan.grid.places(plan.cells[-1]) + 0.5).astype(np.float32)
    assert np.abs(run.trajectory.places[-1] - ends).max() < 0.1


@pytest.mark.plain
def test_the_log_says_where_bodies_touch():
    """Two agents swap, which is no legal plan."""
    grid = wf.Grid(np.ones((1, 2)), "four")
    here, there = grid.cells([(0, 0), (1, 0)]).tolist()
    run = walk_plan(Plan(grid, np.array([[here, there], [there, here]], np.int32)), radius=0.3, limit=5.0)
    assert run.log[0].agent == 0
    assert run.log[0].text.startswith("touches agent 1 at (")


@pytest.mark.plain
def test_slow_bodies_take_longer():
    grid = wf.Grid(np.ones((3, 3)), "four")
    plan = Plan(grid, grid.cells([(0, 0), (1, 0), (1, 1), (2, 1)])[:, None])
    quick, slow = (walk_plan(plan, acceleration=acceleration).seconds for acceleration in (20.0, 2.0))
    assert 3.0 <= quick < slow < 30.0


def test_mistakes_are_one_sentence():
    plan = Plan(wf.Grid(np.ones((2, 2))), np.full((2, 1), 5, np.int32))
    with pytest.raises(BadInput, match=r"radius must be below 0\.5, not 0\.7"):
        walk_plan(plan, radius=0.7)
    with pytest.raises(BadInput, match="acceleration must be above 0, not nan"):
        walk_plan(plan, acceleration=float("nan"))
