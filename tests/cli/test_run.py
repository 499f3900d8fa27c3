"""The verb `run`: what scripts read, exit codes, files, and mistakes."""

import json
from pathlib import Path

import pytest

from command import wayfolk
from wayfolk import machine
from wayfolk.algorithms import task as tasks
from wayfolk.files import built_in

EXAMPLES = Path(__file__).parents[2] / "examples"
KEYS = [
    "scene",
    "algorithm",
    "status",
    "agents",
    "steps",
    "completion_rate",
    "completion_time",
    "completion_seconds",
    "tasks",
    "throughput",
    "waiting_share",
    "service_p50",
    "service_p90",
    "service_p99",
    "travel_distance",
    "arrivals",
    "refused_moves",
    "seconds",
    "prepare_seconds",
    "planning_mean_us",
    "planning_p99_us",
    "planning_max_us",
    "step_p50_ms",
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
    answer = the_json(said)
    assert said.code == 0
    assert list(answer) == KEYS
    assert (answer["scene"], answer["algorithm"], answer["status"]) == ("walk", "lra", "solved")
    assert (answer["agents"], answer["steps"], answer["arrivals"], answer["faults"]) == (1, 4, 1, 0)
    assert (answer["completion_rate"], answer["completion_time"], answer["travel_distance"]) == (1.0, 4.0, 4.0)
    assert 0 < answer["planning_mean_us"] <= answer["planning_max_us"]


def test_run_as_a_table_tells_the_notes(folder):
    (folder / "two.toml").write_text(SCENE.replace("[[0, 0]]", "[[0, 0], [5, 0]]"))
    said = wayfolk("run", "two.toml", "--until", "20")
    assert said.code == 1
    assert "completion rate     0.5000" in said.out
    assert "agents 0, 1 have the same goal (4, 0)" in said.out


def test_the_command_line_goes_before_the_file(folder):
    answer = the_json(wayfolk("run", "walk.toml", "--with", "whca", "--opt", "window=4", "--until", "2", "--json"))
    assert (answer["algorithm"], answer["status"], answer["steps"]) == ("whca", "out_of_budget", 2)
    (folder / "lots.toml").write_text(SCENE.replace("places = [[0, 0]]\ngoals = [[4, 0]]", "count = 1"))
    ways = {the_json(wayfolk("run", "lots.toml", "--seed", seed, "--json"))["travel_distance"] for seed in range(6)}
    assert len(ways) > 1


def test_a_replay_is_written(folder):
    assert wayfolk("run", "walk.toml", "--html", "walk.html").code == 0
    assert "<title>walk: LRA*</title>" in (folder / "walk.html").read_text()
    assert wayfolk("run", "walk.toml", "--with", "sdp", "--opt", "record=true", "--html", "walk.html").code == 0
    page = (folder / "walk.html").read_text()
    assert '"title":"Areas"' in page
    assert '"title":"Messages"' in page


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["nowhere.toml"], "nowhere.toml: cannot be read"),
        (["walk.toml", "--with", "wcha"], "did you mean 'whca'"),
        (["walk.toml", "--opt", "radios=2"], "no option 'radios': did you mean 'radius'"),
        (["walk.toml", "--opt", "seed=2"], "use --seed"),
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
        "bad.toml, line 11: at must be a number from 0, not -1",
        "bad.toml, line 12: do cannot be 'dance': choose one of block, close, free, join, leave, open, release, retask",
    ]


@pytest.mark.parametrize(
    "file", sorted([*EXAMPLES.glob("*.toml"), *(built_in.HOME / "scenes").glob("*.toml")]), ids=lambda file: file.stem
)
def test_the_examples_are_played_as_they_are(file):
    trust = ["--trust"] if file.stem == "shy" else []  # it has a brain in a Python file
    answer = the_json(wayfolk("run", file, "--seconds", "3600", "--json", *trust))
    assert answer["status"] in ("solved", "ended", "out_of_budget")
    assert answer["faults"] == 0
    assert answer.get("waiting", []) == []


STREET = """until = 12
[street]
map = '''
.....
>>x>>
.....
'''
[[spawn]]
brain = "pedestrian"
rate = 1.0
[[spawn]]
brain = "car"
rate = 0.3
"""


def test_a_street_is_run_shown_and_written(tmp_path):
    file = tmp_path / "street.toml"
    file.write_text(STREET)
    page = tmp_path / "street.html"
    for suffix in ("txt", "sqlite", "npz"):
        told = tmp_path / f"street.{suffix}"
        said = wayfolk("run", file, "--html", page, "--trajectory", told, "--seed", 3, "--json")
        assert said.code == 0
        assert told.stat().st_size > 1000
    answer = json.loads(said.out)
    assert answer["longest_overlap_steps"] <= 1
    assert answer["agents"] > 3
    assert "pedestrian" in page.read_text()
    said = wayfolk("run", file, "--until", 2)
    assert said.code == 0
    assert "against the signal" in said.out


def test_mistakes_about_a_street_are_one_sentence(tmp_path):
    file = tmp_path / "street.toml"
    file.write_text(STREET)
    for args, sentence in (
        (["--cluster", "local"], "a street runs in one process"),
        (["--with", "whca"], "whca"),
        (["--trajectory", tmp_path / "x.csv"], "the name of a trajectory ends in .txt, .sqlite, .npz"),
        (["--opt", "nothing=1"], "nothing"),
    ):
        said = wayfolk("run", file, *args)
        assert said.code == 2
        assert sentence in said.err
        assert said.err.count("\n") == 1
    file.write_text(STREET.replace(">>x>>", ">>x.>"))
    said = wayfolk("run", file)
    assert said.code == 2
    assert said.err.endswith("the road does not connect: the lane at (2, 1) leads to (3, 1), which is no road\n")
    other = tmp_path / "scene.toml"
    other.write_text(SCENE)
    said = wayfolk("run", other, "--trajectory", tmp_path / "x.txt")
    assert (said.code, said.err) == (2, "wayfolk: --trajectory is for scenes with a [street]\n")


@pytest.mark.parametrize("world", [("walk.toml",), ("rooms", "--random", 3, "--until", 100_000)])
def test_a_run_ends_at_the_limit_of_memory_and_says_so(world, folder, monkeypatch):
    monkeypatch.setattr(tasks, "is_memory_full", lambda: machine.available_bytes() < 2_000_000_000)
    monkeypatch.setattr(machine, "_free_bytes", lambda: 1 << 40)
    said = wayfolk("run", *world, "--memory", 1, "--json")
    assert said.code == 1
    assert "stopped at the limit of memory" in the_json(said)["notes"]
    if world[0] == "walk.toml":
        said = wayfolk("run", *world, "--memory", 3, "--json")
        assert (said.code, the_json(said)["status"]) == (0, "solved")
    assert wayfolk("run", *world, "--memory", 0).code == 2
