"""Plan files of every world and body: what is written is read again, and files that make no sense are refused."""

import json

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.errors import BadPlan
from wayfolk.files.plans import read_plan, write_plan
from wayfolk.files.world_json import world_as_dict, world_from_dict
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.plan import Plan
from wayfolk.world.body import Body

pytestmark = pytest.mark.plain


def walked(problem, seed):
    """A plan of random moves."""
    rng, graph = np.random.default_rng(seed), problem.states.graph
    rows = [problem.starts]
    for _ in range(4):
        rows.append(
            np.array(
                [rng.choice([node, *graph.target[graph.first[node] : graph.first[node + 1]]]) for node in rows[-1]]
            )
        )
    return Plan(problem.states, np.array(rows, np.int32))


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("kind", twin.WORLDS)
def test_plans_are_read_as_they_were_written(kind, suffix, tmp_path):
    for number in range(8):
        problem = twin.drawn_problem(kind, number)
        plan = walked(problem, number)
        plan.save(tmp_path / f"plan{suffix}", problem.goals)
        again, goals = read_plan(tmp_path / f"plan{suffix}")
        # a kind that no agent has is not lost, so numbers of nodes stay what they were
        assert (again.cells == plan.cells).all()
        assert (goals == problem.goals).all()
        assert again.path(0) == plan.path(0)
        assert world_as_dict(again.states.world) == world_as_dict(problem.world)
        assert [str(fault) for fault in wf.check(again)] == [str(fault) for fault in wf.check(plan)]


def test_every_world_is_the_same_after_reading():
    costs = np.array([[1.0, 2.0], [3.0, 4.0]])
    worlds = [
        wf.Grid([[1, 1], [1, 0]], "four", costs=costs, links=[[1, 3], [3, 0]], name="m"),
        wf.HexGrid([[1, 1], [0, 1]], "flat", costs=costs, name="h"),
        wf.TriangleGrid([[1, 1], [0, 1]], name="t"),
        wf.Voxels(np.ones((2, 2, 3)), 6, name="v"),
        wf.Roadmap(
            {"a": (0, 0), ("b", 1): (1, 0), 3: (2, 0)},
            [wf.Lane("a", ("b", 1), one_way=True, length=2.5, speed=0.5), ("a", 3)],
            levels={"a": "L1", 3: "L2"},
            stations={"dock": ["a"]},
            name="r",
        ),
        wf.Roadmap(["a", "b"], [("a", "b")]),
        wf.Graph.from_grid(wf.Grid(np.ones((3, 3)))),
    ]
    for world in worlds:
        about = json.loads(json.dumps(world_as_dict(world)))
        again = world_from_dict(about)
        assert type(again) is type(world)
        assert world_as_dict(again) == world_as_dict(world)
        assert (
            (again.graph.legal == world.graph.legal).all()
            if isinstance(world, wf.Grid)
            else ((again.graph.target == world.graph.target).all() and (again.graph.weight == world.graph.weight).all())
        )


def test_an_agent_that_is_nowhere(tmp_path):
    problem = wf.one_shot(wf.HexGrid(np.ones((2, 2))), [(0, 0), (1, 1)], [(1, 0), (1, 1)])
    cells = np.array([problem.starts, [NOWHERE, problem.starts[1]]], np.int32)
    for suffix in (".json", ".npz"):
        write_plan(Plan(problem.states, cells), tmp_path / f"a{suffix}")
        assert (read_plan(tmp_path / f"a{suffix}")[0].cells == cells).all()


def content_of(tmp_path):
    problem = wf.one_shot(wf.Grid(np.ones((3, 4))), [(0, 0)], [(2, 1)], bodies=Body(size=2))
    Plan(problem.states, problem.starts[None]).save(tmp_path / "plan.json", problem.goals)
    return json.loads((tmp_path / "plan.json").read_text())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"bodies": []}, "the bodies should be a list of one body or more"),
        ({"bodies": [{"size": 2, "wings": 2}]}, "a body has size, radius, turns, speed, not"),
        ({"bodies": [{"size": 10**9}]}, "the size of a body is a whole number of cells from 1 to 64"),
        ({"bodies": [{"turns": 3}]}, "a body turns or not: true or false, not '3'"),
        ({"bodies": [{}]}, "points on a square grid have a 'map', not a 'world' and 'bodies'"),
        ({"world": 3}, "the world should be an object, not '3'"),
        ({"world": {"kind": "sphere"}}, "the kind of a world is grid, roadmap, graph, hexagons, triangles, voxels"),
        ({"world": {"kind": "hexagons"}}, "the hexagons says nothing about 'rows'"),
        ({"world": {"kind": "hexagons", "rows": ["..", "."], "layout": "flat", "name": ""}}, "row 1 of the map"),
        ({"world": {"kind": "graph", "names": [0], "first": [0, 1], "target": [7], "weight": [1], "tiled": False,
                    "positions": None}}, "an edge leads to node 7, of 1 nodes"),
        ({"world": {"kind": "roadmap", "name": "", "places": ["a"], "positions": None, "levels": [],
                    "lanes": [["a", "b", False, None, 1]], "stations": {}}}, "there is no place 'b'"),
        ({"kind_of": [4]}, "agent 0 has the body number '4', of 1 bodies"),
        ({"kind_of": []}, "'paths' and 'kind_of' should be lists with an item for each agent"),
        ({"paths": [[[9, 9]]]}, "agent 0, step 0: (9, 9) is outside the 4 x 3 map"),
        ({"paths": [[{"start": [0, 0]}]]}, "agent 0, step 0: \"{'start': [0, 0]}\" is no place"),
        ({"goals": [None]}, "the goal of agent 0 is nowhere"),
        ({"goals": [[0, 0], [1, 1]]}, "'goals' should be a list with 1 places"),
    ],
)  # fmt: skip
def test_files_that_make_no_sense_are_refused(change, sentence, tmp_path):
    content = content_of(tmp_path) | change
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(BadPlan) as error:
        read_plan(tmp_path / "bad.json")
    assert sentence in str(error.value)
    assert "bad.json" in str(error.value)


def test_numbers_of_nodes_are_checked(tmp_path):
    problem = wf.one_shot(wf.Grid(np.ones((3, 4))), [(0, 0)], [(2, 1)], bodies=Body(size=2))
    plan = Plan(problem.states, np.array([[10**6]], np.int32))
    write_plan(plan, tmp_path / "bad.npz")
    with pytest.raises(BadPlan, match="the array 'nodes' holds 1000000, of 30 nodes"):
        read_plan(tmp_path / "bad.npz")
