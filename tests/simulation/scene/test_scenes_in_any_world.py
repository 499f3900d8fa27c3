"""Scenes in all worlds and with all bodies: what they do, and what is said about mistakes."""

import json
import shutil
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings

import wayfolk as wf
from broken_toml import as_toml, broken, must_name_lines
from command import wayfolk
from wayfolk.errors import BadInput, NotSupported
from wayfolk.files import built_in
from wayfolk.kernels.codes import ARRIVE, BLOCK, CLOSE, FREE, JOIN, MOVE, OPEN
from wayfolk.world.state_graph import StateGraph

SCENES = built_in.HOME / "scenes"
YARD = """
roadmap:
  undirected: true
  vertices: {dock: [0, 0], gate: [12, 0], shelf: [12, 9], park: [0, 9], far: [40, 0], hut: [50, 0]}
  edges: [[dock, gate], [gate, shelf], [shelf, park], [park, dock], [far, hut]]
"""
ROADS = """
until = 40
[world]
file = "yard.yaml"
[controller]
name = "lra"
[[group]]
places = ["dock"]
goals = ["shelf"]
radius = 0.5
"""
ROOM = """
until = 60
[world]
map = "......\\n......\\n......\\n......"
moves = "four"
[controller]
name = "lra"
[[group]]
places = [[0, 0]]
goals = [[4, 2]]
size = 2
"""
EVENTS = """
[[event]]
at = 1
do = "close"
lanes = [["dock", "gate"]]
[[event]]
at = 2
do = "retask"
agents = [0]
goal = "park"
[[event]]
at = 3
do = "join"
start = "gate"
goal = "shelf"
radius = 0.5
speed = "1/2"
"""


@pytest.fixture
def scene(tmp_path):
    """A function that reads a scene from its text, with a roadmap beside it."""
    (tmp_path / "yard.yaml").write_text(YARD)

    def read(text):
        file = tmp_path / "scene.toml"
        file.write_text(text)
        return wf.read_scene(file)

    return read


def faults(done):
    return wf.check_record(done.run.record)


def test_robots_take_the_long_way_while_a_lane_is_closed():
    scene = wf.read_scene("closed-lane")
    assert isinstance(scene.states, StateGraph)
    assert [str(body) for body in scene.kinds] == ["radius 0.8", "radius 0.4"]
    done = wf.run_scene(scene)
    record = done.run.record
    assert done.is_done
    assert faults(done) == []
    assert (len(record.of(CLOSE)), len(record.of(OPEN))) == (2, 2)
    moves = record.of(MOVE)
    cells = record.states.places(record.cell[moves])
    while_closed = [place for place, time in zip(cells, record.time[moves], strict=True) if 1 <= time < 20]
    assert "south" in while_closed
    with pytest.raises(NotSupported, match="points on square grids"):
        _ = scene.grid


def test_large_bodies_wait_for_the_large_door():
    done = wf.run_scene(wf.read_scene("two-sizes"))
    record = done.run.record
    assert done.is_done
    assert faults(done) == []
    assert (len(record.of(BLOCK)), len(record.of(FREE))) == (2, 2)
    tanks = [row for row in record.of(ARRIVE) if record.agent[row] < 2]
    assert min(record.time[tanks]) > 12
    assert sorted(map(str, done.scene.kinds)) == ["2 x 2", "point", "turns, speed 1/2"]


@pytest.mark.parametrize("name", ["closed-lane", "two-sizes"])
def test_they_are_played_by_name_on_the_command_line(name, tmp_path):
    said = wayfolk("run", name, "--json", "--html", tmp_path / "replay.html", "--save", tmp_path / "plan.json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["faults"] == 0
    assert (tmp_path / "replay.html").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("made", "place"),
    [
        ('make = "hexagons"\nwidth = 6\nheight = 5\nblocked = 0.1', [0, 0]),
        ('make = "triangles"\nwidth = 8\nheight = 5', [0, 0]),
        ('make = "voxels"\nwidth = 4\nheight = 4\nlevels = 2', [0, 0, 1]),
        ('file = "yard.yaml"', "dock"),
    ],
)
def test_random_agents_reach_their_goals_in_made_worlds(scene, made, place):
    count = 1 if "file" in made else 3
    done = wf.run_scene(scene(f'seed = 1\n[world]\n{made}\n[controller]\nname = "pibt"\n[[group]]\ncount = {count}'))
    assert done.is_done
    assert faults(done) == []
    done.scene.world.cell(tuple(place) if isinstance(place, list) else place)
    again = wf.run_scene(done.scene)
    assert np.array_equal(done.run.record.cell, again.run.record.cell)


def test_errands_without_end_and_patrols_on_a_roadmap(scene):
    text = ROADS.replace('goals = ["shelf"]', 'patrol = ["shelf", "park"]\nloops = 2')
    done = wf.run_scene(scene(text))
    record = done.run.record
    where = [record.states.place(node) for node in record.cell[record.of(ARRIVE)]]
    assert where == ["shelf", "park", "shelf", "park", "dock"]
    tasks = wf.run_scene(scene(ROADS.replace('goals = ["shelf"]', 'tasks = ["shelf", "park", "gate"]')))
    assert tasks.is_done
    assert tasks.service.tasks > 5


def test_a_body_that_turns_begins_in_a_heading_and_has_arrived_in_any(scene):
    text = ROOM.replace("[[0, 0]]", '[[0, 0, "N"]]').replace("size = 2", "turns = true")
    done = wf.run_scene(scene(text))
    assert done.scene.states.place(done.run.record.starts[0]) == (0, 0, "N")
    assert done.is_done
    assert done.ending.completion_rate == 1.0
    stays = wf.run_scene(scene(text.replace("[[4, 2]]", "[[0, 0]]")))
    assert stays.is_done
    assert not stays.run.record.of(MOVE).size


def test_who_joins_has_a_body_of_its_own(scene):
    done = wf.run_scene(scene(ROADS + EVENTS))
    assert done.is_done
    assert faults(done) == []
    (row,) = done.run.record.of(JOIN)
    assert (
        str(done.scene.kinds[done.run.record.states.kind_of(int(done.run.record.cell[row]))]) == "radius 0.5, speed 1/2"
    )


def test_large_bodies_that_are_drawn_do_not_overlap(scene):
    drawn = scene(ROOM.replace("places = [[0, 0]]\ngoals = [[4, 2]]", "count = 2\narea = [0, 0, 6, 4]"))
    problem, _ = drawn.written_out
    assert not problem.states.clashes(problem.starts)
    assert not problem.states.clashes(problem.goals)


@pytest.mark.parametrize(
    ("text", "old", "new", "complaint"),
    [
        (ROADS, '"dock"', '"dok"', "line 8: there is no place and no station 'dok'"),
        (ROADS, '"dock"', "[1, 2]", "line 8: "),
        (ROADS, 'goals = ["shelf"]', 'goals = ["hut"]',
         "line 9: there is no way from dock to hut, and no event opens one"),
        (ROADS, "radius = 0.5", "radius = -1", "line 10: radius must be a number from 0, not -1"),
        (ROADS, "radius = 0.5", "size = 2", "line 10: a body with a size needs a square grid"),
        (ROADS, "radius = 0.5", "turns = true", "line 10: a body with a heading needs a square grid"),
        (ROADS, "radius = 0.5", "speed = 0.4", "line 10: the speed of a body is 1, 1/2, 1/3 and so on"),
        (ROADS, "radius = 0.5", 'speed = "slow"', "line 10: the speed of a body is a number, not 'slow'"),
        (ROADS, "radius = 0.5", "goal_area = [0, 0, 1, 1]", "line 10: give goals or goal_area, not both"),
        (ROADS, 'places = ["dock"]', "count = 1\narea = [0, 0, 1, 1]", "line 9: area is a part of a map of squares"),
        (ROADS, 'places = ["dock"]', "count = 9", "line 8: 9 agents do not fit: there is room for 3 of them"),
        (ROADS, "until = 40", "until = 40\nvision = 3", "line 3: vision is for points on maps of squares"),
        (ROADS, "until = 40", 'model = "distance"', "line 2: the model distance is for points on maps of squares"),
        (ROADS, '"yard.yaml"', '"yard.yaml"\nmoves = "four"', "line 5: moves is for maps of squares, not for Roadmap"),
        (ROADS, '"lra"', '"far"', "line 6: far works for points on square grids only"),
        (ROADS, '"yard.yaml"', '"gone.yaml"', "line 4: there is no file gone.yaml"),
        (ROADS, 'file = "yard.yaml"', 'make = "voxels"\nwidth = 3', "line 3: a world of voxels needs `height`"),
        (ROADS, 'file = "yard.yaml"', 'make = "hexagons"\nwidth = 3\nheight = 3\nlevels = 2',
         "line 7: [world] has no key 'levels'"),
        (
            ROADS, 'file = "yard.yaml"', 'make = "voxels"\nwidth = 100000\nheight = 100000\nlevels = 100000',
            "line 4: a map of 100000 x 10000000000 cells is larger than",
        ),
        (ROADS + EVENTS, '["dock", "gate"]', '["dock", "shelf"]', "line 15: no lane leads from 'dock' to 'shelf'"),
        (ROADS + EVENTS, '["dock", "gate"]', '["dock", "moon"]', "line 15: there is no place and no station 'moon'"),
        (ROADS + EVENTS, '["dock", "gate"]', '["dock"]', "line 15: lanes should hold a lane [from, to]"),
        (ROADS + EVENTS, 'lanes = [["dock", "gate"]]', "",
         "line 12: to close needs `lanes`: a list of lanes [from, to]"),
        (ROADS + EVENTS, 'do = "close"\nlanes = [["dock", "gate"]]', 'do = "block"\nplaces = ["dock"]',
         "line 15: cells of this world cannot be blocked or freed: close and open its lanes"),
        (ROADS + EVENTS, "radius = 0.5\nspeed", "size = 2\nspeed", "line 26: a body with a size needs a square grid"),
        (ROOM, "size = 2", "radius = 0.5", "line 11: a body on a grid has a size, not the radius 0.5"),
        (ROOM, "size = 2", "size = 65", "line 11: size must be a whole number of cells from 1 to 64, not 65"),
        (ROOM, "[[0, 0]]", "[[5, 3]]", "line 9: (5, 3) of places has no room for the body 2 x 2"),
        (ROOM, "[[0, 0]]", "[[9, 9]]", "line 9: "),
        (ROOM, "[[0, 0]]", '["dock"]', "line 9: there is no place and no station 'dock'"),
        (ROOM, "[[0, 0]]", '[[0, 0, "N"]]', "line 9: (0, 0, 'N') has a heading, which is for bodies that turn"),
        (ROOM, "[[0, 0]]", "[[0, 0], [1, 1]]", "line 9: agents overlap at their starts (0, 0) and (1, 1)"),
        (ROOM, "[[4, 2]]", "[[5, 3]]", "line 10: (5, 3) of goals has no room for the body 2 x 2"),
        (ROOM, "size = 2", '[[event]]\nat = 1\ndo = "close"\nlanes = [[[0, 0], [1, 0]]]',
         "line 14: this world has no lanes"),
        (ROOM, "size = 2", 'size = 2\n[[event]]\nat = 1\ndo = "open"\nlanes = [[[0, 0], [1, 0]]]',
         "line 15: this world has no lanes"),
        (ROOM, "[[0, 0]]\ngoals = [[4, 2]]\nsize = 2", '["dock"]',
         "line 9: places should hold a place [x, y] on this map"),
    ],
)  # fmt: skip
def test_mistakes_name_line_and_offender(scene, text, old, new, complaint):
    assert old in text
    with pytest.raises(BadInput) as caught:
        scene(text.replace(old, new, 1))
    sentences = str(caught.value).split("\n")
    assert any(line.split("scene.toml, ")[1].startswith(complaint) for line in sentences), sentences


@settings(max_examples=80)
@given(data=broken(tomllib.loads(ROADS + EVENTS)))
def test_a_roadmap_scene_with_mistakes(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    (folder / "yard.yaml").write_text(YARD)
    (folder / "roads.toml").write_text(as_toml(data), encoding="utf-8")
    must_name_lines(wf.read_scene, folder / "roads.toml")


@settings(max_examples=80)
@given(data=broken(tomllib.loads((SCENES / "two-sizes.toml").read_text())))
def test_a_scene_of_bodies_with_mistakes(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "bodies.toml"
    file.write_text(as_toml(data), encoding="utf-8")
    must_name_lines(wf.read_scene, file)


def test_files_that_the_world_names_lie_beside_it(tmp_path):
    """The image of a Nav2 map that a scene names must be in the folder of that map."""
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "site.yaml").write_text(
        "image: ../secret.pgm\nresolution: 0.1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.6\nfree_thresh: 0.2\n"
    )
    (tmp_path / "secret.pgm").write_bytes(b"P5 1 1 255 \xff")
    (tmp_path / "scene.toml").write_text('[world]\nfile = "maps/site.yaml"\n[[group]]\ncount = 1\n')
    with pytest.raises(BadInput, match=r"line 2: .*outside the folder"):
        wf.read_scene(tmp_path / "scene.toml")


def test_a_closed_lane_scene_is_read_from_another_folder(tmp_path):
    for name in ("closed-lane.toml", "closed-lane.yaml"):
        shutil.copy(SCENES / name, tmp_path / name)
    assert wf.read_scene(tmp_path / "closed-lane.toml").world.n_cells == 8


@pytest.mark.parametrize("name", ["closed-lane", "two-sizes"])
def test_the_playground_refuses_them_in_a_sentence(name):
    said = wayfolk("play", name, "--no-browser")
    assert said.code == 2
    assert said.err == (
        "wayfolk: the playground takes scenes of points on maps of squares: `wayfolk run` runs this one\n"
    )


def test_a_street_on_a_roadmap_is_refused_with_its_line(tmp_path):
    (tmp_path / "yard.yaml").write_text(YARD)
    (tmp_path / "street.toml").write_text('[street]\nfile = "yard.yaml"\n[[spawn]]\nbrain = "pedestrian"\nrate = 1\n')
    with pytest.raises(BadInput, match="line 2: "):
        wf.read_scene(tmp_path / "street.toml")


def test_blocked_cells_stop_bodies_that_would_cover_them(scene):
    """A body whose start is blocked later cannot be sent there, and one that stands on a cell keeps it."""
    event = '[[event]]\nat = 1\ndo = "block"\nplaces = [[0, 0], [5, 3]]\n'
    late = event + '[[event]]\nat = 9\ndo = "retask"\nagents = [0]\ngoal = [4, 2]\n'
    with pytest.raises(BadInput, match=r"\(4, 2\) of goal has no room for the body 2 x 2 at time 9"):
        scene(ROOM.replace("[[4, 2]]", "[[0, 2]]") + late)
    done = wf.run_scene(scene(ROOM.replace("[[4, 2]]", "[[0, 0]]") + event))
    assert [done.scene.world.place(cell) for cell in done.run.record.cell[done.run.record.of(BLOCK)]] == [(5, 3)]
    assert done.notes == ["block at (0, 0) has been waiting since time 1"]
