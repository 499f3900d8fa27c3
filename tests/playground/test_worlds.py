"""The worlds of workers: agents, crowds, the street, searches, and what they show of themselves."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the playground needs the extra [play]")

from playground.workers import Tried
from wayfolk.kernels.codes import NOWHERE
from wayfolk.playground import frames
from wayfolk.playground.insight import waits
from wayfolk.playground.messages import LookAt
from wayfolk.playground.scenes import SCENES, STREET, TOUR

CROSSING = {"map": {"name": "crossing"}, "agents": 30, "errand": "patrol"}
HEAD_ON = {
    "map": {"name": "one-corridor"}, "moves": "four", "errand": "one_shot", "algorithm": "lra",
    "journeys": [[10, 5, 29, 5], [22, 5, 3, 5]],
}  # fmt: skip


# --- reservations


@pytest.mark.parametrize("algorithm", ["whca", "cpra"])
def test_what_is_reserved_comes_true(algorithm):
    world = Tried(**CROSSING, algorithm=algorithm).go(1).world
    n_kept = 0
    for _ in range(25):
        promised = {agent: cell for agent, cell, ahead in world.ahead().tolist() if ahead == 1}
        answers = world.world.crew.answers
        on_its_way = np.flatnonzero(answers["at"] < answers["n_route"])  # the others plan anew now
        step = world.advance()
        moves = set(on_its_way.tolist()) - set(step.refused[:, 0].tolist())
        cells = world.now()[0].tolist()
        assert [agent for agent in moves if promised[agent] != cells[agent]] == []
        n_kept += len(moves)
    assert n_kept > 400


def test_no_two_agents_reserve_a_cell_for_the_same_step():
    rows = Tried(**CROSSING, algorithm="whca").go(9).world.ahead()
    assert rows[:, 2].max() > 8
    assert len(np.unique(rows[:, 1:], axis=0)) == len(rows)


def test_without_reservations_routes_are_shown():
    world = Tried(**CROSSING, algorithm="lra").go(2).world
    promised = {agent: cell for agent, cell, ahead in world.ahead().tolist() if ahead == 1}
    assert promised
    step = world.advance()
    cells, refused = world.now()[0].tolist(), set(step.refused[:, 0].tolist())
    assert {a for a, cell in promised.items() if cells[a] != cell} <= refused


def test_a_plan_is_what_is_ahead():
    world = Tried(map={"name": "warehouse"}, agents=20, algorithm="planners/lacam").go(3).world
    rows = world.ahead()
    assert (world.plan[world.at + rows[:, 2], rows[:, 0]] == rows[:, 1]).all()


# --- waits


def test_two_who_meet_in_a_corridor_wait_for_each_other():
    worker = Tried(**HEAD_ON)
    worker.guarded(worker.hear, LookAt(panel=0, waits=True))
    worker.go(40)
    worker.guarded(worker.hear, LookAt(panel=0, waits=True))
    told = worker.said("waits")[-1]
    assert sorted(map(sorted, told["pairs"])) == [[0, 1], [0, 1]]
    assert told["cycles"] == [[0, 1]]


def test_nobody_waits_at_the_beginning_or_with_another_goal():
    world = Tried(**HEAD_ON).go(40).world
    last = list(world.last)
    assert waits(world.grid, last[:5]) == {"pairs": [], "cycles": []}
    here = last[-1][0]
    turned = [*last[:-1], (here, np.array([last[-1][1][1], NOWHERE], np.int32))]
    assert waits(world.grid, turned)["pairs"] == []


# --- what algorithms show of themselves


def test_one_way_streets_are_told_and_again_after_a_wall():
    worker = Tried(map={"name": "empty"}, agents=10, errand="patrol", algorithm="far")
    first = worker.said("overlay")[-1]["moves"]
    worker.go(2)
    worker.do("block", cells=[[10, 10], [11, 10]])
    worker.go(2)
    worker.show()
    assert worker.said("overlay")[-1]["moves"] != first


def test_areas_and_messages_are_told_while_it_runs():
    (scene,) = [each["scene"] for each in SCENES if each["name"] == "Controllers that talk"]
    worker = Tried(**scene, algorithm="sdp", options={"hosts": 2, "record": True}).go(30)
    worker.show()
    heads = {head["title"]: head for head in worker.said("overlay")[-1]["layers"]["heads"]}
    assert heads["Areas"]["groups"] == [["room", 0], ["lane", 3]]
    assert heads["Messages"]["rows"] > 20


# --- terrain


def test_paths_go_around_dear_ground_and_jps_says_that_it_cannot():
    scene = {"map": {"name": "empty"}, "kind": "search", "start": [4, 10], "goal": [26, 10]}
    mud = [[x, y] for x in range(14, 17) for y in range(5, 16)]
    worker = Tried(**scene, algorithm="astar").go(0)
    assert [15, 10] in worker.world.panel()["search"]["path"]
    assert worker.do("terrain", cells=mud, cost=10) == ""
    worker.go(0)
    panel = worker.world.panel()
    assert not [place for place in panel["search"]["path"] if place in mud]
    assert panel["terrain"]
    jumping = Tried(**scene, algorithm="jps").go(0)
    before = jumping.world.track
    assert "terrain" in jumping.do("terrain", cells=mud, cost=10)
    assert jumping.world.track is before


def test_agents_stay_where_they_are_when_terrain_is_painted():
    worker = Tried(**CROSSING, algorithm="pibt").go(7)
    cells, goals = worker.world.now()
    assert worker.do("terrain", cells=[[16, 16], [16, 17]], cost=4) == ""
    assert worker.world.step == 7
    assert (worker.world.now()[0] == cells).all()
    assert (worker.world.now()[1] == goals).all()
    assert worker.world.grid.costs[16, 16] == 4
    assert len(worker.frames(frames.BEGIN)) == 2  # the page begins anew with them
    worker.go(3)
    assert worker.world.step == 10


# --- plans


def test_agents_on_a_plan_join_and_the_last_can_leave_again():
    worker = Tried(map={"name": "warehouse"}, agents=10, algorithm="planners/lacam").go(3)
    where = worker.world.now()[0]
    assert worker.do("add", count=2) == ""
    assert (worker.world.now()[0][:10] == where).all()
    assert worker.do("leave", agent=3)
    assert worker.do("leave", agent=11) == ""
    worker.go(2)
    assert len(worker.world.now()[0]) == 11
    assert worker.do("options", options={}) == ""
    assert worker.world.step == 5


# --- crowds


def bodies(worker):
    crowd = worker.world.crowd
    return crowd.active, crowd.places[crowd.active]


def test_a_crowd_walks_and_is_touched_while_it_does():
    worker = Tried(map={"name": "rooms"}, kind="crowd", agents=20, errand="patrol", algorithm="social_force").go(10)
    crowd = worker.world.crowd
    assert (np.hypot(*crowd.velocities.T) > 0.3).mean() > 0.8
    # a wall, but not where somebody stands
    x, y = (int(each) for each in crowd.places[5] // 0.5)
    assert worker.do("block", cells=[[x, y], [1, 1]]) == ""
    assert worker.world.grid.free[y, x]
    free = worker.world.grid.free
    assert worker.do("goal", agent=3, place=[2, 2]) == ""
    assert crowd.goals[3].tolist() == [1.25, 1.25]
    assert "wall" in worker.do("goal", agent=3, place=[0, 0])
    assert worker.do("add", count=5) == ""
    assert worker.do("leave", agent=4) == ""
    assert "99" in worker.do("leave", agent=99)
    worker.go(20)
    agents, places = bodies(worker)
    assert sorted(agents.tolist()) == [k for k in range(25) if k != 4]
    across, down = (places // 0.5).astype(int).T
    assert free[down, across].all()


def test_a_body_is_steered_and_put():
    worker = Tried(map={"name": "empty"}, kind="crowd", agents=3, errand="patrol", algorithm="social_force").go(1)
    crowd = worker.world.crowd
    goal = crowd.goals[1].copy()
    assert worker.do("put", agent=1, place=[10, 10]) == ""
    assert crowd.places[1].tolist() == [5.25, 5.25]
    worker.do("hold", agent=1)
    worker.do("move", agent=1, place=[14, 10])
    worker.go(40)
    assert abs(crowd.places[1] - [7.25, 5.25]).max() < 0.3
    worker.do("resume", agent=1)
    assert (crowd.goals[1] == goal).all()
    assert "steered" not in worker.do("terrain", cells=[[1, 1]])


def test_a_crowd_with_one_goal_each_ends_and_can_be_saved():
    journeys = [[3, 3, 8, 3], [3, 6, 8, 6]]
    worker = Tried(map={"name": "empty"}, kind="crowd", journeys=journeys, errand="one_shot", algorithm="orca").go(200)
    assert worker.world.arrived == 2
    assert worker.said("over")
    worker.guarded(worker.export, "html")
    assert b"<!doctype html>" in worker.frames(frames.FILE)[0]


# --- the street


def test_the_street_has_brains_and_signals_that_change():
    worker = Tried(map={"name": "empty"}, kind="crowd", street=STREET, seed=3, algorithm="orca")
    head = worker.said("begin")[0]["bodies"]
    assert {"walking", "waiting", "driving", "green", "red"} <= set(head["states"])
    assert {"pedestrian", "car"} <= set(head["kinds"])
    assert len(head["lamps"]) == 2
    lamps, states = set(), set()
    for _ in range(300):
        step = worker.world.advance()
        lamps |= set(step.lamps.tolist())
        states |= set(step.states.tolist())
        assert (np.diff(step.agents) > 0).all()
    names = head["states"]
    assert {names[code] for code in lamps} >= {"green", "orange", "red"}
    assert {names[code] for code in states} >= {"walking", "waiting"}
    assert worker.said("overlay")[0]["layers"]["heads"][0]["title"] == "Street"
    assert "street" in worker.do("block", cells=[[3, 3]])


# --- scenes


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene["name"])
def test_every_scene_is_well_formed(scene):
    from wayfolk.playground.algorithms import known
    from wayfolk.playground.maps import grid_of
    from wayfolk.playground.panel_scene import read_panel_scene

    for each in scene["algorithms"]:
        name, options = (each, {}) if isinstance(each, str) else (each["name"], each["options"])
        asked = read_panel_scene({**scene["scene"], "algorithm": name, "options": options})
        assert asked.entry().checked(dict(options)) == options
        assert known(name, asked.entry().family)
        grid_of(asked.map, asked.moves)


def test_the_tour_has_the_six_stops():
    stops = [SCENES[stop] for stop in TOUR]
    assert [stop["algorithms"][0] for stop in stops] == [
        "search/astar", "realtime/lrta", "controllers/whca", "controllers/direction_map", "planners/lacam", "crowds/orca",
    ]  # fmt: skip
    assert stops[0]["algorithms"][1] == "search/jps"
    assert "street" in stops[5]["scene"]
