"""What comes with the package: every command and reader takes it by name, and a file of that name comes first."""

import json

import numpy as np
import pytest

import wayfolk as wf
from command import wayfolk
from wayfolk.errors import BadInput, BadMap
from wayfolk.files import built_in
from wayfolk.files.maps import write_map


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", built_in.MAPS)
def test_a_map_is_read_by_its_name(name):
    grid = wf.read_map(name, "four")
    assert (grid.name, grid.moves.value) == (name, "four")
    assert len(grid.free_cells) > 100


def test_no_name_means_two_things():
    names = [*built_in.MAPS, *built_in.names_of("scenes")]
    assert len(set(names)) == len(names)
    assert len(built_in.names_of("scenes")) == 10


def test_a_scenario_is_read_by_its_name():
    grid = wf.read_map("rooms")
    assert wf.read_scen("rooms", grid, agents=40).n_agents == 40
    assert len(wf.read_queries("rooms", grid)) == 60


def test_a_scene_and_a_sweep_are_read_by_their_names():
    from wayfolk.experiments.sweeps.spec import read_spec

    assert wf.read_scene("re-tasking").name == "Change of orders"
    assert wf.read_scene("street").name == "A street with two crossings"
    assert read_spec("smoke").name == "smoke"


def test_a_file_of_that_name_comes_first(tmp_path):
    write_map(wf.Grid(np.ones((3, 4))), tmp_path / "rooms")
    assert wf.read_map("rooms").width == 4
    assert wf.read_map("maze").width == 41
    (tmp_path / "maze").mkdir()  # a folder is no map
    assert wf.read_map("maze").width == 41


def test_a_scene_names_its_map(tmp_path):
    (tmp_path / "scenes").mkdir()
    scene = tmp_path / "scenes" / "mine.toml"
    scene.write_text('[world]\nfile = "maze"\n[[group]]\ncount = 2\ngoals = [[1, 1], [3, 1]]\n')
    assert (wf.read_scene(scene).grid.name, wf.read_scene(scene).grid.width) == ("maze", 41)
    write_map(wf.Grid(np.ones((3, 5))), tmp_path / "scenes" / "maze")  # a file beside the scene comes first
    assert wf.read_scene(scene).grid.width == 5


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: wf.read_map("roms"), "no file roms here, and no built-in map of that name: did you mean 'rooms'?"),
        (lambda: wf.read_map("q"), "there is no file q here, and no built-in map of that name: choose one of crossing, "),
        (lambda: wf.read_scen("roms", wf.read_map("rooms")), "no built-in scenario of that name: did you mean 'rooms'?"),
        (lambda: wf.read_scene("re-task"), "no built-in scene of that name: did you mean 're-tasking'?"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_answered_with_the_nearest(call, sentence):
    with pytest.raises(BadInput) as error:
        call()
    assert sentence in str(error.value)


@pytest.mark.parametrize("file", ["rooms.map", "./rooms", "maps/rooms", "x" * 5000, "a\0b", ""])
def test_what_is_no_plain_name_is_a_file(file):
    with pytest.raises(BadMap, match="cannot be read"):
        wf.read_map(file)


@pytest.mark.parametrize("verb", ["run", "play"])
def test_verbs_for_scenes_and_maps_name_the_nearest_of_both(verb):
    said = wayfolk(verb, "changing-mpa", *(["--no-browser"] if verb == "play" else []))
    assert said.code == 2
    assert said.err.endswith("no built-in scene or map of that name: did you mean 'changing-map'?\n")


def test_maps_are_listed():
    rows = json.loads(wayfolk("maps", "list", "--json").out)
    assert [row["name"] for row in rows] == list(built_in.MAPS)
    assert [row["name"] for row in rows if row["scenario"]] == built_in.names_of("scenarios") == ["rooms"]
    assert (
        "rooms           32 x 32   Rooms with narrow doors (with a scenario, --scen rooms)"
        in wayfolk("maps", "list").out
    )
