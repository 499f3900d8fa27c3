"""Cooperative JPS: alone it is JPS; among others it steps aside, waits, or gives up."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import dijkstra_costs, small_problems, step_cost
from wayfolk.algorithms.paths import find_path
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import rest_steps
from wayfolk.judge.plans import check
from wayfolk.kernels.jumps.paths import new_jumps
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid

ORDERS = ["given", "longest", "random"]
PUBLISHED = {"aside": False, "detours": 0, "retries": 0}


def places_of(result, agent):
    """Where the agent is, step by step."""
    return [result.plan.grid.place(cell) for cell in result.plan.cells[:, agent]]


@pytest.mark.plain
@given(small_problems(max_agents=5), st.booleans(), st.booleans(), st.integers(0, 2), st.sampled_from(ORDERS))
def test_plans_have_no_faults(problem, sideways, aside, detours, order):
    result = solve(problem, "cjps", sideways=sideways, aside=aside, detours=detours, order=order)
    if result.is_solved:
        assert check(result.plan, problem) == []
    else:
        assert result.status is Status.GAVE_UP
        assert "finds no way" in result.detail


@pytest.mark.plain
@given(small_problems(max_agents=1))
def test_alone_an_agent_takes_a_cheapest_path(problem):
    result = solve(problem, "cjps")
    cells = result.plan.cells[:, 0].tolist()
    costs = dijkstra_costs(problem.grid, int(problem.starts[0]))
    cost = sum(step_cost(problem.grid, one, other) for one, other in itertools.pairwise(cells))
    assert cost == pytest.approx(costs[int(problem.goals[0])])


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_alone_it_costs_as_much_as_astar_and_expands_less(moves):
    for seed in range(5):
        grid = random_map(60, 60, 0.15, seed=seed, moves=moves)
        (start,), (goal,) = (grid.places(cells) for cells in draw_pairs(grid, 1, seed=seed))
        result = solve(one_shot(grid, [start], [goal]), "cjps")
        peer = find_path(grid, tuple(start), tuple(goal), "astar")
        cells = result.plan.cells[:, 0].tolist()
        assert sum(step_cost(grid, *pair) for pair in itertools.pairwise(cells)) == pytest.approx(peer.cost)
        assert result.counters.expanded - result.plan.n_steps < peer.counters.expanded  # jump points alone


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_a_crowd_gets_a_legal_plan(moves):
    grid = random_map(32, 32, 0.1, seed=2, moves=moves)
    starts, goals = draw_pairs(grid, 40, seed=2)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    result = solve(problem, "cjps")
    assert result.is_solved
    assert check(result.plan, problem) == []


@pytest.mark.plain
def test_head_on_the_second_steps_aside_and_loses_no_time():
    grid = Grid(np.ones((3, 7)))
    problem = one_shot(grid, [(0, 1), (6, 1)], [(6, 1), (0, 1)])
    result = solve(problem, "cjps")
    assert places_of(result, 0) == [(x, 1) for x in range(7)]
    assert places_of(result, 1) == [(6, 1), (5, 1), (4, 1), (3, 0), (2, 1), (1, 1), (0, 1)]


@pytest.mark.plain
def test_without_side_way_moves_the_second_waits_at_a_crossing():
    grid = Grid(np.ones((5, 5)), "four")
    problem = one_shot(grid, [(0, 2), (2, 0)], [(4, 2), (2, 4)])
    waiting, evading = (solve(problem, "cjps", sideways=sideways) for sideways in (False, True))
    assert places_of(waiting, 1) == [(2, 0), (2, 1), (2, 1), (2, 2), (2, 3), (2, 4)]
    assert set(places_of(evading, 1)) != set(places_of(waiting, 1))
    for result in (waiting, evading):
        assert check(result.plan, problem) == []
        assert rest_steps(result.plan, problem.goals)[0] == 4


@pytest.mark.plain
def test_who_finds_no_path_plans_first_the_next_time():
    """The second one has to leave the corridor that the first would block for good."""
    grid = parse_ascii("....", moves="four")
    problem = one_shot(grid, [(0, 0), (1, 0)], [(2, 0), (3, 0)])
    blocked = one_shot(grid, [(1, 0), (0, 0)], [(2, 0), (3, 0)])
    assert solve(problem, "cjps", **PUBLISHED).is_solved
    result = solve(blocked, "cjps", retries=3)
    assert result.status is Status.GAVE_UP
    assert result.counters.restarts == 3
    corner = parse_ascii(
        """
        ....
        #.##
    """,
        moves="four",
    )
    problem = one_shot(corner, [(1, 1), (0, 0)], [(1, 0), (3, 0)])
    assert solve(problem, "cjps", **PUBLISHED).status is Status.GAVE_UP
    result = solve(problem, "cjps", retries=1)
    assert check(result.plan, problem) == []
    assert result.counters.restarts == 1


@pytest.mark.plain
def test_a_detour_avoids_the_cell_where_nobody_gets_past():
    """The first one stands in the door on the short way; the second one takes the long way, if it may search again."""
    grid = parse_ascii(
        """
        .....
        .###.
        .....
    """,
        moves="four",
    )
    problem = one_shot(grid, [(1, 0), (0, 0)], [(2, 0), (4, 0)])
    assert solve(problem, "cjps", **PUBLISHED).status is Status.GAVE_UP
    result = solve(problem, "cjps", **PUBLISHED | {"detours": 1})
    assert check(result.plan, problem) == []
    assert result.counters.replans == 1
    assert places_of(result, 1) == [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (3, 2), (4, 2), (4, 1), (4, 0)]


def test_cells_that_one_agent_avoids_are_open_to_the_next():
    grid = parse_ascii(
        """
        .....
        .###.
        .....
        .....
    """,
        moves="four",
    )
    problem = one_shot(grid, [(1, 0), (0, 0), (0, 3)], [(2, 0), (4, 0), (3, 0)])
    result = solve(problem, "cjps", retries=0, detours=2)
    task = begin_plan(problem, "cjps", retries=0, detours=2)
    while not task.advance(1).is_final:
        pass
    assert check(result.plan, problem) == []
    assert (task.result().plan.cells == result.plan.cells).all()
    assert task.jumps.stops.tolist() == new_jumps(task.legal, grid.offsets, grid.diagonal).stops.tolist()


@pytest.mark.plain
def test_who_cannot_wait_stands_aside():
    """The second one is on its goal, where the first one passes: it makes room and comes back, if it may."""
    grid = parse_ascii(
        """
        .....
        ##.##
    """,
        moves="four",
    )
    problem = one_shot(grid, [(0, 0), (2, 0)], [(4, 0), (2, 0)])
    assert solve(problem, "cjps", **PUBLISHED).status is Status.GAVE_UP
    result = solve(problem, "cjps", **PUBLISHED | {"aside": True})
    assert check(result.plan, problem) == []
    assert places_of(result, 1) == [(2, 0), (2, 0), (2, 1), (2, 0), (2, 0)]


def test_the_order_decides_who_goes_straight():
    grid = Grid(np.ones((5, 5)), "four")
    problem = one_shot(grid, [(0, 2), (2, 0)], [(4, 2), (2, 4)])
    arrivals = {
        tuple(
            rest_steps(solve(problem, "cjps", order="random", seed=seed, sideways=False).plan, problem.goals).tolist()
        )
        for seed in range(8)
    }
    assert arrivals == {(4, 5), (5, 4)}


def test_a_budget_is_spent_exactly_and_pauses_change_nothing():
    grid = random_map(32, 32, 0.1, seed=3)
    starts, goals = draw_pairs(grid, 20, seed=3)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    whole = solve(problem, "cjps")
    task = begin_plan(problem, "cjps")
    n_pauses = 0
    while not task.advance(2).is_final:
        n_pauses += 1
        assert task.counters.expanded == 2 * n_pauses
    assert n_pauses > 20
    assert (task.result().plan.cells == whole.plan.cells).all()
    assert task.counters == whole.counters
