"""BCP: the first in order is never disturbed, the others wait, step aside or go around."""

import numpy as np
import pytest

from wayfolk.algorithms.planners.bcp import biased
from wayfolk.errors import BadInput
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import rest_steps
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map


def crossroads():
    grid = parse_ascii(
        """
        ##.##
        ##.##
        .....
        ##.##
        ##.##
    """,
        moves="four",
    )
    return one_shot(grid, [(0, 2), (2, 0)], [(4, 2), (2, 4)])


@pytest.mark.plain
def test_the_lesser_one_waits_at_a_crossing():
    problem = crossroads()
    result = solve(problem, "bcp")
    assert check(result.plan, problem) == []
    assert rest_steps(result.plan, problem.goals).tolist() == [4, 5]


def test_the_order_says_who_waits():
    problem = crossroads()
    plans = [solve(problem, "bcp", order="random", seed=seed).plan for seed in range(8)]
    arrivals = {tuple(rest_steps(plan, problem.goals).tolist()) for plan in plans}
    assert arrivals == {(4, 5), (5, 4)}


def test_biased_for_good_it_can_only_go_around():
    """There is no way around the crossing, and waiting does not make it cheaper."""
    result = solve(crossroads(), "bcp", at="place", passes=50)
    assert result.status is Status.GAVE_UP
    assert "50 passes" in result.detail
    grid = parse_ascii("....\n....\n....", moves="four")
    head_on = one_shot(grid, [(0, 1), (3, 1)], [(3, 1), (0, 1)])
    result = solve(head_on, "bcp", at="place")
    assert check(result.plan, head_on) == []
    assert rest_steps(result.plan, head_on.goals).tolist() == [3, 5]


@pytest.mark.plain
def test_who_stands_on_its_goal_steps_aside():
    grid = parse_ascii(
        """
        .....
        ##.##
    """,
        moves="four",
    )
    problem = one_shot(grid, [(0, 0), (2, 1)], [(4, 0), (2, 0)])
    result = solve(problem, "bcp")
    assert check(result.plan, problem) == []
    assert rest_steps(result.plan, problem.goals)[0] == 4


def test_the_first_in_order_walks_a_shortest_way_and_costs_only_rise_for_others():
    grid = random_map(20, 20, 0.1, seed=5)
    starts, goals = draw_pairs(grid, 60, seed=5)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    task = begin_plan(problem, "bcp")
    alone = None
    while not task.advance(200).is_final:
        alone = task.paths[0] if alone is None else alone
        assert alone is None or np.array_equal(task.paths[0], alone)
    assert task.status is Status.SOLVED
    assert check(task.result().plan, problem) == []
    assert task.tables[0].counts[0] == 0
    assert sum(int(table.counts[0]) for table in task.tables) > 0


def collisions(grid, *paths):
    """Rows (agent, place, step) of paths of the same length, agent 0 first in rank."""
    cells = np.stack([grid.cells(path) for path in paths], 1)
    owners, rows = np.zeros((2, grid.n_cells), biased.OWNER), np.zeros(9, biased.COLLISION)
    owners["step"] = 2**31 - 1
    n = biased.collide(cells, grid.offsets, np.arange(len(paths), dtype=np.int32), owners, rows)
    return [(agent, grid.place(cell), step) for agent, cell, step in rows[:n].tolist()]


@pytest.mark.plain
def test_every_kind_of_collision_is_found_and_charged_to_the_lesser_one():
    grid = random_map(4, 4, 0.0)
    same = collisions(grid, [(0, 0), (1, 0)], [(2, 0), (1, 0)], [(1, 1), (1, 0)])
    assert same == [(1, (1, 0), 1), (2, (1, 0), 1)]
    assert collisions(grid, [(0, 0), (1, 0)], [(1, 0), (0, 0)]) == [(1, (0, 0), 1)]
    assert collisions(grid, [(0, 0), (1, 1)], [(1, 0), (0, 1)]) == [(1, (0, 1), 1)]
    assert collisions(grid, [(1, 0), (0, 1)], [(1, 1), (0, 0)]) == [(1, (0, 0), 1)]
    assert collisions(grid, [(0, 0), (1, 0)], [(1, 0), (2, 0)]) == []


@pytest.mark.parametrize(("option", "value"), [("bias", 0.0), ("bias", 1e9), ("passes", 0)])
def test_bad_options_are_named(option, value):
    with pytest.raises(BadInput, match=option):
        begin_plan(crossroads(), "bcp", **{option: value})
