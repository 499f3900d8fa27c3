"""What a prompt, a log and a debugger show of large things is short."""

from dataclasses import replace

import numpy as np
import pytest

import wayfolk as wf

SIDE = 512
MOST = 250  # characters


def grid():
    return wf.generate.random_map(SIDE, SIDE, 0.1, seed=1)


def problem():
    small = wf.Grid(np.ones((60, 60)), "four")
    places = [(x, y) for x in range(60) for y in range(20)]
    return wf.one_shot(small, places, [(x, y + 30) for x, y in places])


def plan():
    return wf.Plan(problem().grid, np.tile(problem().starts, (300, 1)))


def record():
    return wf.simulate(wf.tasks(wf.Grid(np.ones((30, 30))), 200, seed=1), "lra", until=20).record


def crowd_of_bodies():
    bodies = [wf.Body(speed=1 / (1 + k % 16), turns=k > 16) for k in range(40)]
    places = [(2 * x, 2 * y) for x in range(20) for y in range(2)]
    return wf.one_shot(wf.Grid(np.ones((40, 40))), places, [(x, y + 20) for x, y in places], bodies=bodies)


LARGE = {
    "grid": grid,
    "graph": lambda: wf.Graph.from_grid(grid()),
    "problem": problem,
    "tasks": lambda: wf.tasks(grid(), 2000, seed=1),
    "plan": plan,
    "record": record,
    "path": lambda: wf.find_path(grid(), (0, 0), (511, 511)),
    "many": lambda: wf.find_many(grid(), [(0, 0)] * 300, [(500, 500)] * 300),
    "trace": lambda: wf.watch_path(wf.read_map("rooms"), (2, 2), (29, 29), "astar"),
    "search": lambda: wf.begin_path(grid(), (0, 0), (511, 511)),
    "finder": lambda: wf.finder(grid()),
    "simulation": lambda: wf.Simulation(problem(), "lra"),
    "run": lambda: wf.simulate(problem(), "lra", until=2),
    "scene": lambda: wf.read_scene("not-ours"),
    "played scene": lambda: wf.run_scene(wf.read_scene("changing-map")),
    "played street": lambda: wf.run_scene(replace(wf.read_scene("street"), until=1.0)),
    "street": lambda: wf.read_scene("street"),
    "paper map": lambda: wf.paper_map("jansen-c"),
    "queries": lambda: wf.read_queries("rooms", wf.read_map("rooms")),
    "dependencies": lambda: wf.dependencies(plan()),
    "crowd": lambda: wf.Crowd(wf.Grid(np.ones((60, 60)))),
    "space": lambda: wf.Space(grid()),
    "hexagons": lambda: wf.HexGrid(np.ones((200, 200))),
    "triangles": lambda: wf.TriangleGrid(np.ones((200, 200))),
    "voxels": lambda: wf.Voxels(np.ones((30, 30, 30))),
    "roadmap": lambda: wf.Roadmap({k: (k, 0) for k in range(3000)}, [(k, k + 1) for k in range(2999)]),
    "mesh": lambda: wf.Navmesh.from_grid(wf.Grid(np.ones((200, 200)))),
    "bodies": crowd_of_bodies,
    "states": lambda: crowd_of_bodies().states,
}


@pytest.mark.parametrize("name", LARGE)
def test_a_large_thing_has_a_short_text(name):
    thing = LARGE[name]()
    for text in (str(thing), repr(thing)):
        assert 0 < len(text) <= MOST, text[:500]


def test_a_small_map_is_drawn():
    drawn = "..@.\n....\n@..."
    assert str(wf.parse_ascii(drawn)) == drawn
    assert str(wf.Grid(np.ones((64, 64)))).count("\n") == 63
    assert str(wf.Grid(np.ones((2, 65)))) == "Grid(65 x 2, 130 free, eight)"
