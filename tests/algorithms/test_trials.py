"""Repeated walks: they keep what they learned, and end when there is nothing left to learn."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.errors import BadInput, NotSupported, UnknownName
from wayfolk.problem.result import Status


@pytest.fixture
def cup():
    """A wall around the agent that is open on the side away from the goal."""
    free = np.ones((9, 11), bool)
    free[2, 3:8] = free[6, 3:8] = free[2:7, 7] = False
    return wf.Grid(free)


def test_what_each_trial_cost_is_recorded(cup):
    result = wf.trials(cup, (5, 4), (10, 4), "lrta")
    assert isinstance(result, wf.Trials)
    assert result.converged
    assert result.status is Status.SOLVED
    assert len(result) == len(result.costs) == len(result.learned) == len(result.expanded) > 2
    assert result.costs[0] > result.cost == result.costs[-1] == pytest.approx(wf.find_path(cup, (5, 4), (10, 4)).cost)
    assert result.learned[0] > 0 == result.learned[-1]
    assert (result.path[0], result.path[-1]) == ((5, 4), (10, 4))


def test_the_first_trial_is_the_walk_itself(cup):
    for name in ("lrta", "lrta_k", "lrta_ls_k", "p_lrta", "rtaa", "lss_lrta"):
        first = wf.find_path(cup, (5, 4), (10, 4), name)
        result = wf.trials(cup, (5, 4), (10, 4), name, most=1)
        assert (result.costs, result.expanded, result.path) == ([first.cost], [first.expanded], first.path)


def test_it_stops_after_so_many(cup):
    result = wf.trials(cup, (5, 4), (10, 4), "lrta", most=2)
    assert (len(result), result.converged) == (2, False)


def test_options_are_passed_on(cup):
    few, many = (wf.trials(cup, (5, 4), (10, 4), "p_lrta", beta=beta) for beta in (0, 50))
    assert many.options == {"beta": 50}
    assert len(many) < len(few)


def test_no_way_is_no_convergence():
    result = wf.trials(wf.Grid([[1, 0, 1]]), (0, 0), (2, 0), "lrta")
    assert (result.status, result.converged, result.path, result.cost) == (Status.IMPOSSIBLE, False, None, float("inf"))


def test_nothing_to_walk_is_nothing_to_learn():
    result = wf.trials(wf.Grid([[1]]), (0, 0), (0, 0), "lrta")
    assert (result.converged, result.costs) == (True, [0.0])


def test_works_on_graphs(cup):
    graph = wf.Graph.from_grid(cup)
    result = wf.trials(graph, (5, 4), (10, 4), "p_lrta")
    assert result.converged
    assert result.cost == pytest.approx(wf.find_path(cup, (5, 4), (10, 4)).cost)


@pytest.mark.parametrize("name", ["tba", "salient", "rta"])
def test_whoever_learns_nothing_is_refused(cup, name):
    with pytest.raises(NotSupported, match=f"{name} learns nothing"):
        wf.trials(cup, (5, 4), (10, 4), name)


def test_mistakes_are_named(cup):
    with pytest.raises(BadInput, match="most must be 1 or more, not 0"):
        wf.trials(cup, (5, 4), (10, 4), "lrta", most=0)
    with pytest.raises(UnknownName, match="which does not fit here"):
        wf.trials(cup, (5, 4), (10, 4), "astar")
    with pytest.raises(UnknownName, match="no option 'dept'"):
        wf.trials(cup, (5, 4), (10, 4), "lrta", dept=3)
