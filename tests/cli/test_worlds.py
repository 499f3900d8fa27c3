"""The verbs that move agents in worlds of all kinds and with bodies: solve, path, run, check, compare and advise."""

import json
from pathlib import Path

import pytest

from command import MAP, wayfolk
from wayfolk.files.plans import read_plan
from wayfolk.world.body import Body
from wayfolk.world.grid import Grid

ROADS = """roadmap:
  undirected: true
  vertices: {dock: [0, 0], hall: [4, 0], lift: [8, 0], end: [8, 4], side: [4, 3]}
  edges: [[dock, hall], [hall, lift], [lift, end], [hall, side]]
agents:
  - {name: a, start: dock, goal: end}
  - {name: b, start: side, goal: dock}
"""
VOXELS = "voxel 3 3 2\n0 0 0\n"
ORDERS = "release,pickup,delivery\n0,dock,lift\n2,side,dock\n"


@pytest.fixture(autouse=True)
def room(tmp_path, monkeypatch):
    """A folder to work in, with a roadmap, voxels and a map."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"roads.yaml": ROADS, "air.3dmap": VOXELS, "room.map": MAP, "orders.csv": ORDERS}.items():
        (tmp_path / name).write_text(text)


def answer(*words):
    said = wayfolk(*words, "--json")
    assert said.err == ""
    return said.code, json.loads(said.out)


def test_solve_on_a_roadmap_with_the_agents_of_the_file():
    words = (
        "solve",
        "roads.yaml",
        "--scen",
        "roads.yaml",
        "--with",
        "lra",
        "--save",
        "plan.json",
        "--html",
        "page.html",
    )
    code, result = answer(*words)
    assert (code, result["status"], result["agents"], result["faults"]) == (0, "solved", 2, 0)
    assert result["sum_of_costs"] >= result["lower_bound"] == 5
    plan, goals = read_plan("plan.json")
    assert plan.path(0)[0] == "dock"
    assert goals is not None
    assert answer("check", "plan.json") == (0, {"valid": True, "faults": []})
    assert "nodes" in Path("page.html").read_text()


def test_bodies_of_one_kind_and_of_several():
    code, result = answer(
        "solve", "roads.yaml", "--random", 2, "--radius", 0.5, "--speed", "1/2", "--with", "lra", "--save", "p.json"
    )
    assert (code, result["faults"]) == (0, 0)
    assert read_plan("p.json")[0].states.kinds == (Body(radius=0.5, speed=0.5),)
    Path("bodies.json").write_text('[{"size": 2}, {"agents": 2, "turns": true}]')
    for bodies in ("1:size=2,2:turns", "bodies.json"):
        words = (
            "solve",
            "room.map",
            "--random",
            4,
            "--speed",
            "1/2",
            "--bodies",
            bodies,
            "--with",
            "lra",
            "--save",
            "p.json",
        )
        assert wayfolk(*words, "--steps", 400).code in (0, 1)
        states = read_plan("p.json")[0].states
        assert states.kinds == (Body(size=2, speed=0.5), Body(turns=True, speed=0.5), Body(speed=0.5))


def test_a_scenario_of_a_map_with_larger_agents():
    Path("room.scen").write_text("version 1\n0 room.map 6 4 3 0 3 2 2\n")
    code, result = answer("solve", "room.map", "--scen", "room.scen", "--size", 2, "--with", "lra")
    assert (code, result["agents"], result["makespan"]) == (0, 1, 2)


@pytest.mark.parametrize(("world", "start", "goal", "path"), [
    ("roads.yaml", "dock", "end", ["dock", "hall", "lift", "end"]),
    ("air.3dmap", "1,0,0", "1,2,0", [[1, 0, 0], [1, 1, 0], [1, 2, 0]]),
])  # fmt: skip
def test_paths_by_names_and_by_three_numbers(world, start, goal, path):
    code, result = answer("path", world, "--from", start, "--to", goal, "--with", "dijkstra", "--html", "page.html")
    assert (code, result["path"]) == (0, path)
    assert "nodes" in Path("page.html").read_text()
    said = wayfolk("path", world, "--from", start, "--to", goal)
    assert said.out.splitlines()[-1] == " ".join(
        name if isinstance(name, str) else ",".join(map(str, name)) for name in path
    )


def test_a_path_for_a_larger_body_is_shown_at_its_size():
    code, result = answer("path", "room.map", "--from", "3,0", "--to", "3,2", "--size", 2, "--html", "page.html")
    assert (code, result["moves"]) == (0, 2)
    data = Path("page.html").read_text()
    assert '"shapes":[[1.86' in data
    said = wayfolk("path", "room.map", "--from", "0,0", "--to", "0,0", "--size", 2)
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_run_tasks_and_orders_on_a_roadmap():
    code, result = answer("run", "roads.yaml", "--random", 2, "--radius", 0.5, "--with", "lra", "--until", 60)
    assert (code, result["status"], result["faults"], result["agents"]) == (0, "ended", 0, 2)
    assert result["tasks"] > 0
    words = (
        "run",
        "roads.yaml",
        "--random",
        1,
        "--with",
        "lra",
        "--orders",
        "orders.csv",
        "--html",
        "day.html",
        "--until",
        90,
    )
    code, result = answer(*words)
    assert (code, result["orders_done"], result["faults"]) == (0, 2, 0)
    Path("stations.csv").write_text("name,place\nA,dock\n")
    Path("orders.csv").write_text("pickup,delivery\nA,end\n")
    code, result = answer(*words, "--stations", "stations.csv")
    assert (code, result["orders_done"]) == (0, 1)


def test_compare_and_advise_in_a_world():
    words = (
        "compare",
        "roads.yaml",
        "--agents",
        2,
        "--seeds",
        1,
        "--with",
        "lra",
        "--bodies",
        "1:radius=0.5",
        "--html",
        "c.html",
    )
    code, result = answer(*words)
    assert (code, result["map"], result["rows"][0]["faults"]) == (0, "roads", 0)
    code, result = answer("advise", "roads.yaml", "--agents", 2, "--radius", 0.5, "--seconds", 2, "--changing")
    assert code == 0
    assert {row["algorithm"] for row in result["rows"]} >= {"lra"}
    assert all(row["status"] != "refused" for row in result["rows"])


def test_algorithms_say_where_they_work():
    code, listed = 0, json.loads(wayfolk("list", "--json").out)
    assert code == 0
    assert {entry["name"]: entry["worlds"] for entry in listed}["lra"] == "any"
    assert "any body in any world]" in wayfolk("list", "controllers").out
    assert "\nfor any body in any world\n" in wayfolk("list", "lra").out
    assert "\nfor points in any world\n" in wayfolk("list", "dijkstra").out


def test_plans_of_other_tools_need_squares():
    Path("plan.csv").write_text("agent,step,x,y\n0,0,1,1\n")
    said = wayfolk("check", "plan.csv", "--map", "roads.yaml")
    assert (said.code, said.out) == (2, "")
    assert "plans of other tools are for maps of squares" in said.err


GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="l" for="edge" attr.name="length" attr.type="double"/><graph edgedefault="directed"><node id="a"/><node id="b"/>
<edge source="a" target="{end}"><data key="l">{length}</data></edge></graph></graphml>"""
NAV2 = "image: nix.pgm\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n"
WALLED = """levels:
  L1:
    vertices: [[0, 0, 0, a], [10, 0, 0, b], [0, 1, 0, ''], [10, 1, 0, '']]
    lanes: [[0, 1, {bidirectional: [4, true]}]]
    walls: [[2, 3]]
"""


@pytest.mark.parametrize(
    ("name", "text", "words", "said"),
    [
        ("w.yaml", WALLED, ["--random", 1, "--radius", 2], "w: there is no room for the start of agent 0, radius 2"),
        ("w.yaml", WALLED, ["--scen", "a.csv"],
         "a.csv, line 2: agent 0 starts at a, where there is no room for its radius of 3"),
        ("roads.yaml", ROADS, ["--scen", "b.csv"], "b.csv, line 3: agents 0 and 1 overlap at their starts dock and hall"),
        ("g.graphml", GRAPHML.format(end="b", length=-1), ["--random", 1],
         "g.graphml, line 3: the edge from a to b has the length '-1.0': it must be a number 0 or more"),
        ("g.graphml", GRAPHML.format(end="c", length=1), ["--random", 1],
         "g.graphml, line 3: the edge from a to c leads to c, and there is no such node"),
        ("n.yaml", NAV2, ["--random", 1], "n.yaml, line 1: there is no image nix.pgm beside it"),
        ("l.lif", '{"metaInformation": {"lifVersion": "2.0"}, "layouts": []}', ["--random", 1],
         "l.lif, line 1: this is LIF 2.0, and only versions 1.x can be read"),
        ("room.map", MAP, ["--scen", "c.csv"],
         "c.csv, line 2: agent 0 starts at (4, 2), where there is no room for its size of 3 x 3"),
        ("roads.yaml", ROADS, ["--random", 2, "--size", 2], "roads: a body with a size needs a square grid"),
        ("room.map", MAP, ["--random", 2, "--radius", 1], "room: a body on a grid has a size, not the radius 1"),
        ("room.map", MAP, ["--random", 2, "--bodies", "3:size=2"], "--bodies is for 3 agents, and there are 2"),
        ("room.map", MAP, ["--random", 2, "--bodies", "1:big=2"], "--bodies: '1:big=2' is not like 10:size=2"),
        ("room.map", MAP, ["--random", 2, "--bodies", "x.json"], "x.json: "),
        ("room.map", MAP, ["--random", 2, "--speed", "2/3"], "the speed of a body is 1, 1/2, 1/3"),
        ("roads.yaml", ROADS, ["--scen", "room.scen"], "room.scen: a .scen file is for maps of squares"),
        ("p.wkt", "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0))", ["--random", 1], "p.wkt: agents do not move on polygons"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(name, text, words, said):
    Path(name).write_text(text)
    Path("a.csv").write_text("start,goal,radius\na,b,3\n")
    Path("b.csv").write_text("start,goal,radius\ndock,end,3\nhall,dock,2\n")
    Path("c.csv").write_text("start,goal,size\n4 2,0 0,3\n")
    got = wayfolk("solve", name, *words, "--with", "lra")
    assert (got.code, got.out) == (2, "")
    assert got.err.startswith(f"wayfolk: {said}")
    assert got.err.count("\n") == 1


def test_a_grid_with_bodies_of_one_cell_stays_plain():
    code, result = answer("solve", "room.map", "--random", 2, "--size", 1, "--with", "lra", "--save", "p.json")
    assert (code, result["status"]) == (0, "solved")
    assert isinstance(read_plan("p.json")[0].states, Grid)
