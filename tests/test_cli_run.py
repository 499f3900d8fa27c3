"""The verb `run`: what scripts read, exit codes, files, and mistakes."""

import json
from pathlib import Path

import pytest

from command import wayfolk

EXAMPLES = Path(__file__).parents[1] / "examples"
KEYS = [
    "scene",
    "algorithm",
    "status",
    "agents",
    "steps",
    "completion_rate",
    "completion_time",
    "completion_seconds",
    "travel_distance",
    "arrivals",
    "collisions",
    "seconds",
    "prepare_seconds",
    "planning_mean_us",
    "planning_p99_us",
    "planning_max_us",
    "step_p99_ms",
    "step_max_ms",
    "faults",
    "shared_goals",
    "waiting",
    "notes",
]
SCENE = """until = 80
[world]
map = "......"
[controller]
name = "lra"
options = { radius = 2 }
[[group]]
places = [[0, 0]]
goals = [[4, 0]]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.toml").write_text(SCENE)
    return tmp_path


def the_json(said):
    assert said.err == ""
    assert said.out.count("\n") == 1
    return json.loads(said.out)


def test_run_json(folder):
    said = wayfolk("run", "walk.toml", "--json")
    made = the_json(said)
    assert said.code == 0
    assert list(made) == KEYS
    assert (made["scene"], made["algorithm"], made["status"]) == ("walk", "lra", "solved")
    assert (made["agents"], made["steps"], made["arrivals"], made["faults"]) == (1, 4, 1, 0)
    assert (made["completion_rate"], made["completion_time"], made["travel_distance"]) == (1.0, 4.0, 4.0)
    assert 0 < made["planning_mean_us"] <= made["planning_max_us"]


def test_run_as_a_table_tells_the_notes(folder):
    (folder / "two.toml").write_text(SCENE.replace("[[0, 0]]", "[[0, 0], [5, 0]]"))
    said = wayfolk("run", "two.toml", "--until", "20")
    assert said.code == 1
    assert "completion rate     0.5000" in said.out
    assert "agents 0, 1 have the same goal (4, 0)" in said.out


def test_the_command_line_goes_before_the_file(folder):
    made = the_json(wayfolk("run", "walk.toml", "--with", "whca", "--opt", "window=4", "--until", "2", "--json"))
    assert (made["algorithm"], made["status"], made["steps"]) == ("whca", "out_of_budget", 2)
    (folder / "lots.toml").write_text(SCENE.replace("places = [[0, 0]]\ngoals = [[4, 0]]", "count = 1"))
    ways = {the_json(wayfolk("run", "lots.toml", "--seed", seed, "--json"))["travel_distance"] for seed in range(6)}
    assert len(ways) > 1


def test_a_replay_is_written(folder):
    assert wayfolk("run", "walk.toml", "--html", "walk.html").code == 0
    assert "<title>walk: LRA*</title>" in (folder / "walk.html").read_text()


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["nowhere.toml"], "nowhere.toml: cannot be read"),
        (["walk.toml", "--with", "wcha"], "did you mean 'whca'"),
        (["walk.toml", "--opt", "radios=2"], "no option 'radios': did you mean 'radius'"),
        (["walk.toml", "--opt", "seed=2"], "say --seed"),
        (["walk.toml", "--seconds", "0"], "seconds must be more than 0, not 0"),
        (["walk.toml", "--until", "-3"], "until must be more than 0, not -3"),
        (["walk.toml", "--seed", "-1"], "a seed must be 0 or more, not -1"),
        (["walk.toml", "--html", "no/where.html"], "no/where.html"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_2(folder, args, complaint):
    said = wayfolk("run", *args)
    assert said.code == 2
    assert said.out == ""
    assert complaint in said.err
    assert said.err.count("\n") == 1


def test_all_mistakes_of_a_file_are_told(folder):
    (folder / "bad.toml").write_text(SCENE.replace("until", "untill") + '[[event]]\nat = -1\ndo = "dance"\n')
    said = wayfolk("run", "bad.toml", "--json")
    assert said.code == 2
    assert said.err.split("\n")[:-1] == [
        "wayfolk: bad.toml, line 1: a scene has no key 'untill': did you mean 'until'?",
        "bad.toml, line 11: at must be at least 0, not -1",
        "bad.toml, line 12: do cannot be 'dance': choose one of block, free, join, leave, release, retask",
    ]


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_the_examples_are_played_as_they_are(file):
    made = the_json(wayfolk("run", file, "--seconds", "60", "--json"))
    assert made["status"] in ("solved", "out_of_budget")
    assert made["faults"] == 0
    assert made["waiting"] == []
