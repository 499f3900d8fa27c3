"""What planners do with problems that make no sense, cannot be solved, or do not fit into memory."""

import sys

import numpy as np
import pytest

from wayfolk import machine
from wayfolk.algorithms import catalogue
from wayfolk.errors import BadProblem, TooLarge
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid

PLANNERS = [entry.name for entry in catalogue.entries("planners")]
COMPLETE = [entry.name for entry in catalogue.entries("planners") if entry.facts.get("COMPLETE")]
every = pytest.mark.parametrize("name", PLANNERS)


@pytest.mark.plain
def test_two_agents_with_one_start_are_named():
    with pytest.raises(BadProblem, match=r"agents 0 and 1 share the start \(1, 1\)"):
        one_shot(Grid(np.ones((3, 3)), "four"), [(1, 1), (1, 1)], [(0, 0), (2, 2)])


@pytest.mark.plain
def test_more_agents_than_cells_share_a_start():
    grid = Grid(np.ones((2, 2)), "four")
    places = [(x, y) for y in range(2) for x in range(2)]
    with pytest.raises(BadProblem, match="share the start"):
        one_shot(grid, [*places, (0, 0)], [*places, (1, 1)])


@pytest.mark.plain
def test_a_goal_that_cannot_be_reached_is_named():
    grid = Grid(np.array([[1, 0, 1]]), "four")
    with pytest.raises(BadProblem, match=r"agent 0 cannot get from \(0, 0\) to its goal \(2, 0\)"):
        one_shot(grid, [(0, 0)], [(2, 0)])


@every
def test_a_deadline_of_zero_is_refused(name):
    problem = one_shot(Grid(np.ones((3, 3)), "four"), [(0, 0)], [(2, 2)])
    with pytest.raises(BadProblem, match="seconds must be more than 0, not 0"):
        solve(problem, name, seconds=0)


@every
def test_a_full_ring_rotates_or_the_planner_says_that_it_cannot(name):
    """Four agents on four cells, each with its goal one cell on: the only plan is that all move at once."""
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    problem = one_shot(Grid(np.ones((2, 2)), "four"), ring, ring[1:] + ring[:1])
    result = solve(problem, name, seconds=1000, first_plan=True)
    if name in COMPLETE:
        assert result.is_solved
    if result.is_solved:
        assert check(result.plan, problem) == []
    else:
        assert result.status in (Status.GAVE_UP, Status.PARTIAL, Status.OUT_OF_TIME)


@pytest.mark.parametrize("name", COMPLETE)
def test_a_full_map_on_which_two_must_swap_is_impossible(name):
    """Two cells, two agents who must change places."""
    problem = one_shot(Grid(np.ones((1, 2)), "four"), [(0, 0), (1, 0)], [(1, 0), (0, 0)])
    assert solve(problem, name, seconds=1000).status is Status.IMPOSSIBLE


@every
def test_without_memory_a_planner_stops_cleanly(name, monkeypatch):
    """A crowd with hardly any memory: a plan, or a status and a sentence, and no crash."""
    grid = random_map(32, 32, 0.15, seed=3, moves="four")
    starts, goals = draw_pairs(grid, 30, seed=3)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    solve(one_shot(grid, [(grid.place(starts[0]))], [grid.place(goals[0])]), name, seconds=1000, first_plan=True)
    for module in list(sys.modules.values()):
        if getattr(module, "available_bytes", None) is machine.available_bytes and module is not machine:
            monkeypatch.setattr(module, "available_bytes", lambda: 1 << 12)
    try:
        result = solve(problem, name, seconds=1000, first_plan=True)
    except TooLarge as error:
        sentence = str(error)
    else:
        sentence = result.detail
        if result.is_solved:
            assert check(result.plan, problem) == []
            return
        assert result.status is not Status.IMPOSSIBLE
    assert sentence
    assert "\n" not in sentence
