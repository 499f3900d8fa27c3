"""The layer of a replay that shows who did not arrive."""

from __future__ import annotations

import numpy as np

from wayfolk.judge.blockage import KINDS_OF_BLOCKAGE, why
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import from_paths
from wayfolk.problem.problem import one_shot
from wayfolk.replay import replay_html, track_of_plan
from wayfolk.replay.blockages import TITLE, blocked_layers
from wayfolk.world.grid import Grid

GRID = Grid(np.ones((2, 8)), "four")


def test_the_end_of_a_plan_has_a_mark_for_each_agent_that_did_not_arrive() -> None:
    lane = Grid(np.array([[True] * 8, [False] * 7 + [True]]), "four")
    places = [(1, 0), (2, 0), (0, 0), (7, 1)]
    plan = from_paths(lane, [lane.cells([place] * 31) for place in places])
    problem = one_shot(lane, places, [(5, 0), (0, 0), (4, 0), (7, 1)])
    (layer,) = blocked_layers(why(plan, problem), plan)
    assert (layer.title, layer.time.tolist()) == (TITLE, [30.0] * 3)
    assert [KINDS_OF_BLOCKAGE[kind] for kind in layer.kind] == ["cycle"] * 3
    assert list(zip(layer.agent.tolist(), layer.receiver.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 0)]
    assert layer.cell.tolist() == [lane.cell(places[agent]) for agent in (1, 0, 0)]
    assert TITLE in replay_html([track_of_plan(plan, problem.goals, layers=(layer,))], "")


def test_an_agent_that_waits_for_nobody_has_a_mark_of_its_own() -> None:
    plan = from_paths(GRID, [GRID.cells([(0, 0)] * 31)])
    (layer,) = blocked_layers(why(plan, one_shot(GRID, [(0, 0)], [(7, 0)])), plan)
    assert (layer.agent.tolist(), layer.receiver.tolist(), layer.cell.tolist()) == ([0], [0], [NOWHERE])


def test_a_plan_in_which_all_arrive_has_no_such_layer() -> None:
    plan = from_paths(GRID, [GRID.cells([(0, 0), (1, 0)])])
    assert blocked_layers(why(plan, one_shot(GRID, [(0, 0)], [(1, 0)])), plan) == ()
