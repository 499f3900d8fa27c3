"""Worlds of the playground that are no plain maps: roadmap, hexagons, bodies of two sizes; in a worker and on the page."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the playground needs the extra [play]")

from playground.pages import choose, until
from playground.workers import Tried
from wayfolk.judge.records import check_record
from wayfolk.playground.node_worlds import WORLDS
from wayfolk.playground.scenes import SCENES
from wayfolk.world.grid import Grid

PRESETS = {each["scene"]["world"]: each["name"] for each in SCENES if "world" in each["scene"]}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("errand", ["one_shot", "patrol", "tasks"])
def test_agents_move_by_the_rules(world, errand):
    worker = Tried(map={"name": "empty"}, world=world, agents=6, errand=errand, algorithm="lra", seed=3).go(12)
    assert worker.said("refused", "failed") == []
    (head,) = worker.said("begin")
    states = worker.world.states
    assert head["nodes"]["count"] == states.n_cells
    assert len(head["nodes"]["kindOf"]) == head["agents"] == 6
    assert ("picture" in head["nodes"]) == (not isinstance(states.world, Grid))
    assert check_record(worker.world.world.record()) == []
    assert len(np.unique(worker.world.cells)) == 6


def test_each_world_is_in_the_list_of_scenes():
    assert set(PRESETS) == set(WORLDS)


def test_what_the_page_cannot_change_is_said():
    worker = Tried(map={"name": "empty"}, world="hexagons", agents=3, errand="patrol", algorithm="lra").go(2)
    for do, rest in (
        ("block", {"cells": ((1, 1),)}),
        ("goal", {"place": (1, 1)}),
        ("terrain", {"cells": ((1, 1),)}),
        ("add", {}),
    ):
        assert "maps of squares only" in worker.do(do, **rest)
    assert worker.do("hold", agent=1) == ""
    before = worker.world.cells.copy()
    assert worker.go(5).world.cells[1] == before[1]
    assert worker.do("leave", agent=0) == ""


def test_unknown_worlds_and_algorithms_that_do_not_fit_are_refused():
    assert "no world 'moon'" in Tried(map={"name": "empty"}, world="moon", algorithm="lra").said("refused")[0]["why"]
    crowd = Tried(map={"name": "empty"}, world="roads", agents=2, algorithm="planners/lacam")
    assert "does not work in this world" in crowd.said("refused")[0]["why"]


@pytest.mark.parametrize("world", WORLDS)
def test_the_page_shows_them_moving(page, world):
    choose(page, PRESETS[world])
    first = page.evaluate("wayfolk.places()")
    until(page, "wayfolk.time() > 5")
    shown = page.evaluate("wayfolk.places()")
    assert len({tuple(np.round(place, 3)) for place in shown}) == len(shown) == page.evaluate("wayfolk.agents()")
    assert shown != first
    if world != "bodies":
        until(page, "wayfolk.pictureIsDrawn()")
    names = page.evaluate("[...document.querySelectorAll('#algorithm-0 option')].map((option) => option.value)")
    assert "controllers/lra" in names
    assert "crowds/orca" not in names
    assert not [name for name in names if name.startswith("planners/")]
    choose(page, "A jam")
    names = page.evaluate("[...document.querySelectorAll('#algorithm-0 option')].map((option) => option.value)")
    assert "planners/lacam" in names
