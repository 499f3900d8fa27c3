"""Streets as scene files: read, run, and all mistakes of a file at once."""

from dataclasses import replace

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.files import built_in
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.simulation.scene.run import run_scene
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.scene.street_scene import StreetScene

EXAMPLE = built_in.HOME / "scenes" / "street.toml"
STREET = """until = 20
seed = 2

[street]
map = '''
.....
>>x>>
.....
'''

[[signal]]
settings = { green_seconds = 4.0, orange_seconds = 2.0, red_seconds = 6.0 }

[[spawn]]
brain = "pedestrian"
rate = 0.5

[[spawn]]
brain = "car"
rate = 0.2
"""


def written(folder, text):
    file = folder / "street.toml"
    file.write_text(text)
    return file


def test_the_example_is_read():
    scene = read_scene(EXAMPLE)
    assert scene.street_map.n_crossings == 2
    assert [spawn.kind for spawn in scene.spawns] == ["pedestrian", "hurried", "car", "bus"]
    assert [spawn.is_vehicle for spawn in scene.spawns] == [False, False, True, True]
    assert scene.signals[1].green_seconds == 12.0


def test_a_street_is_run_and_counted(tmp_path):
    done = run_scene(read_scene(written(tmp_path, STREET)))
    answer = done.as_dict()
    assert done.trajectory.n_frames == 401
    assert answer["agents"] == answer["arrived"] + answer["present"] > 3
    assert answer["longest_overlap_steps"] <= 1
    assert answer["crossed_against_signal"] == {}
    assert answer["notes"] == []


def test_an_exit_is_an_area(tmp_path):
    """Pedestrians come in at the left and leave as soon as they are in the area, each at the part that is nearest."""
    hall = """until = 40
[street]
cell = 1.0
map = '''
............
............
............
............
'''
[[spawn]]
brain = "pedestrian"
rate = 1.0
most = 12
area = [0, 0, 1, 4]
goal_area = [9, 0, 3, 4]
"""
    done = run_scene(read_scene(written(tmp_path, hall)))
    assert done.street.arrived == 12
    places = done.trajectory.places
    assert np.nanmax(places[..., 0]) < 9.1
    last = [places[~np.isnan(places[:, agent, 0]), agent][-1] for agent in range(12)]
    assert np.ptp([y for _, y in last]) > 1.5  # not all at one point


def test_the_junction_of_the_examples_is_played_without_a_fault():
    scene = read_scene(EXAMPLE.with_name("crossroads.toml"))
    assert [len(lane.junctions) for lane in scene.street_map.lanes] == [1] * 12
    answer = run_scene(replace(scene, until=40.0)).as_dict()
    assert answer["faults"] == 0
    assert answer["emergency_stops"] == 0
    assert set(answer["crossed_against_signal"]) <= {"hurried"}
    assert answer["arrived"] > 10


def test_one_pair_of_functions_serves_both_kinds_of_scenes(tmp_path):
    agents = '[world]\nmap = """\n...\n"""\n[[group]]\nplaces = [[0, 0]]\ngoals = [[2, 0]]\n'
    for text, kind in ((STREET, StreetScene), (agents, Scene)):
        scene = read_scene(written(tmp_path, text))
        assert type(scene) is kind
        told = []
        done = run_scene(replace(scene, until=3.0), tell=told.append)
        assert done.as_dict()["scene"] == scene.name
        assert 0 < told[-1].time <= 3.0  # what progress on a terminal shows


def test_the_seed_of_a_model_is_the_scenes_own(tmp_path):
    text = STREET.replace("[street]", "[street]\noptions = { seed = 3 }", 1)
    with pytest.raises(BadInput, match="the seed is the scene's own"):
        read_scene(written(tmp_path, text))


def test_a_map_may_be_a_file(tmp_path):
    (tmp_path / "road.map").write_text("type octile\nheight 3\nwidth 5\nmap\n.....\n>>x>>\n.....\n")
    text = STREET.replace("map = '''\n.....\n>>x>>\n.....\n'''", 'file = "road.map"')
    assert read_scene(written(tmp_path, text)).street_map.n_crossings == 1


def test_a_brain_may_be_a_file_beside_the_scene(tmp_path):
    (tmp_path / "dog.py").write_text(
        "from wayfolk.crowds.brains import Brain, State\n\n\n"
        "class Dog(Brain):\n    first = 'running'\n    running = State(2.0)\n"
    )
    file = written(tmp_path, STREET.replace('"pedestrian"', '"dog.py"'))
    with pytest.raises(
        BadInput, match=r"line 15: 'dog\.py' would run code: give --trust, or trust=True, if you trust the"
    ):
        read_scene(file)
    scene = read_scene(file, trust=True)
    assert scene.spawns[0].kind == "dog"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (">>x>>", ">>x.>", "the road does not connect: the lane at (2, 1) leads to (3, 1), which is no road"),
        (">>x>>", ".>>>.", "the road at (1, 1) does not connect to the edge of the map"),
        ('"car"', '"kar"', "line 19: there is no brain 'kar': did you mean 'car'?"),
        ("rate = 0.5", "rate = -1", "rate must be a number above 0, not -1"),
        ("rate = 0.5", "", "[[spawn]] needs `rate`"),
        ('brain = "car"', "", "[[spawn]] needs `brain`"),
        ("rate = 0.5", "rate = 0.5\nradius = 0.0", "radius must be a number above 0, at most 10, not 0.0"),
        ("rate = 0.5", "rate = 0.5\nspeed = nan", "speed must be a number above 0, at most 50, not nan"),
        ("rate = 0.5", "rate = 0.5\ngoals = [[0, 1]]", "the goal (0, 1) of a pedestrian is not on a pavement"),
        ("rate = 0.5", "rate = 0.5\ngoal_area = [0, 1, 1, 1]", "goal_area [0, 1, 1, 1] holds no pavement"),
        ("rate = 0.5", "rate = 0.5\nradius = 1.6", "a pedestrian of radius 1.6 m does not fit a cell of 3 m"),
        ("rate = 0.2", "rate = 0.2\ngoals = [[0, 0]]", "vehicles follow their lanes: they have no goals"),
        ("rate = 0.2", "rate = 0.2\nplaces = [[1, 1]]", "no lane begins at (1, 1)"),
        ("rate = 0.2", "rate = 0.2\nvehicle = false", "the brain car senses 'can_stop', which is not offered here"),
        ("rate = 0.2", "rate = 0.2\nsettings = { size = 1 }", "the brain car has no setting 'size'"),
        ("[[signal]]", "[[signal]]\ncrossing = [0, 0]", "there is no crossing at (0, 0)"),
        ("[[signal]]", '[[signal]]\nbrain = "car"\n[[signal]]', "the signal car has a state 'driving'"),
        ("[street]", '[street]\nmodel = "orka"', "did you mean 'orca'?"),
        ("[street]", "[street]\nstep = 3.0", "a step of a street lasts 0.005 to 0.2 seconds"),
        ("[street]", '[street]\nfile = "x.map"', "give map or file, not both"),
        ("until", "untill", "a scene has no key 'untill': did you mean 'until'?"),
    ],
)
def test_a_mistake_is_one_sentence(tmp_path, old, new, sentence):
    with pytest.raises(BadInput) as caught:
        read_scene(written(tmp_path, STREET.replace(old, new, 1)))
    assert sentence in str(caught.value)


@pytest.mark.plain
def test_all_mistakes_are_told_at_once(tmp_path):
    with pytest.raises(BadInput) as caught:
        read_scene(written(tmp_path, STREET.replace("rate = 0.5", "rate = 0").replace('"car"', '"kar"')))
    assert str(caught.value).count("\n") == 1
