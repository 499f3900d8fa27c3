"""Parallel moves: legal, never later, without detours, and crossing diagonals keep their order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk.algorithms.planners._parallel import moves_of, parallelised, plan_of, without_detours
from wayfolk.algorithms.planners._pebbles import MOVE, N_MOVES
from wayfolk.judge.metrics import rest_steps
from wayfolk.judge.plans import check
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import one_shot
from wayfolk.simulation.solving import begin_plan
from wayfolk.world.grid import Grid
from wayfolk.world.voxels import Voxels


def one_by_one(grid, starts, moves):
    """The plan in which every move, or every ring, takes a step of its own."""
    rows = [np.array(starts)]
    for move in moves:
        if not move["joined"]:
            rows.append(rows[-1].copy())
        rows[-1][move["agent"]] = move["there"]
    return Plan(grid, np.array(rows, np.int32))


@pytest.mark.plain
@given(small_problems(max_agents=4), st.booleans())
def test_a_log_of_moves_becomes_a_shorter_legal_plan(problem, blocks):
    task = begin_plan(problem, "push_and_rotate", blocks=blocks)
    while not task.advance(1000).is_final:
        pass
    moves = task.pebbles.log[: task.pebbles.counts[N_MOVES]]
    slow = one_by_one(problem.grid, problem.starts, moves)
    assert check(slow, problem, arrive=False) == []
    for plan in (plan_of(problem.grid, problem.starts, moves), parallelised(slow)):
        assert check(plan, problem, arrive=False) == []
        assert (plan.cells[-1] == slow.cells[-1]).all()
        assert plan.n_steps <= slow.n_steps
        ends = slow.cells[-1]
        assert (rest_steps(plan, ends) <= rest_steps(slow, ends)).all()


@pytest.mark.plain
@given(small_problems(max_agents=4))
def test_a_parallel_plan_stays_as_long(problem):
    task = begin_plan(problem, "push_and_rotate")
    while not task.advance(1000).is_final:
        pass
    if task.plan is not None:
        again = parallelised(task.plan)
        assert again.n_steps <= task.plan.n_steps
        assert len(moves_of(again)) <= len(moves_of(task.plan))


@pytest.mark.plain
def test_a_detour_is_removed_unless_somebody_passes():
    grid = Grid(np.ones((2, 4)), "four")
    cell = grid.cell
    away = [(0, cell((1, 0)), cell((1, 1)), 0), (0, cell((1, 1)), cell((1, 0)), 0)]
    passing = [(1, cell((0, 0)), cell((1, 0)), 0), (1, cell((1, 0)), cell((2, 0)), 0)]
    starts = np.array([cell((1, 0)), cell((0, 0))], np.int32)
    assert len(without_detours(np.array(away, MOVE), starts, grid.n_cells)) == 0
    moves = np.array([away[0], *passing, away[1]], MOVE)
    assert len(without_detours(moves, starts, grid.n_cells)) == 4
    plan = plan_of(grid, starts, moves)
    assert plan.path(0) == [(1, 0), (1, 1), (1, 0)]
    assert plan.path(1) == [(0, 0), (1, 0), (2, 0)]


@pytest.mark.plain
def test_crossing_diagonals_do_not_move_together():
    grid = Grid(np.ones((2, 2)), "eight")
    cell = grid.cell
    starts = np.array([cell((0, 0)), cell((1, 0))], np.int32)
    moves = np.array([(0, cell((0, 0)), cell((1, 1)), 0), (1, cell((1, 0)), cell((0, 1)), 0)], MOVE)
    plan = plan_of(grid, starts, moves)
    assert plan.n_steps == 2
    assert check(plan) == []


@pytest.mark.plain
def test_a_full_ring_rotates_in_one_step():
    grid = Grid(np.ones((2, 2)), "four")
    ring = [grid.cell(place) for place in [(0, 0), (1, 0), (1, 1), (0, 1)]]
    plan = Plan(grid, np.array([ring, ring[1:] + ring[:1]], np.int32))
    moves = moves_of(plan)
    assert moves["joined"].tolist() == [0, 1, 1, 1]
    assert (parallelised(plan).cells == plan.cells).all()


@pytest.mark.plain
def test_moves_that_meet_in_the_middle_keep_their_order_in_any_world():
    """Two agents cross the same cube of voxels, one after the other; where nothing crosses they go together."""
    world = Voxels(np.ones((2, 2, 2)), 26)
    ends = [((0, 0, 0), (1, 1, 1)), ((1, 0, 0), (0, 1, 1))]
    for middle, n_steps in ((True, 2), (False, 1)):
        pairs = ends if middle else [ends[0], ((1, 0, 0), (1, 1, 0))]
        problem = one_shot(world, [start for start, _ in pairs], [goal for _, goal in pairs])
        moves = np.zeros(2, MOVE)
        moves["agent"], moves["here"], moves["there"] = [0, 1], problem.starts, problem.goals
        plan = plan_of(problem.states, problem.starts, moves)
        assert plan.n_steps == n_steps
        assert check(plan, problem) == []
        assert (parallelised(plan).cells == plan.cells).all()
