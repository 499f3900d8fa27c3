"""A sweep's file is checked as a whole, and every complaint has its line."""

import tomllib

import pytest
from hypothesis import given, settings

from broken_toml import as_toml, broken, must_name_lines
from wayfolk.errors import BadInput
from wayfolk.experiments.sweeps.spec import read_spec

GOOD = """
name = "windows"

[[sweep]]
maps = [{make = "random", width = 16, height = 16, seed = [1, 2]}, "plain.map"]
moves = "four"
problems = [{kind = "random", agents = [4, 8]}, {kind = "scen", file = "{map}.scen", agents = 1}]
seeds = [3, 5]
repeats = 2
limits = {seconds = 5, steps = 100}
algorithms = [{name = "whca", options = {window = [8, 16]}}, "hca"]
"""
MAP = "type octile\nheight 2\nwidth 3\nmap\n...\n...\n"


def written(folder, text):
    (folder / "plain.map").write_text(MAP)
    (folder / "plain.scen").write_text("version 1\n0 plain.map 3 2 0 0 2 1 2.41\n")
    (folder / "sweep.toml").write_text(text)
    return folder / "sweep.toml"


def complaints(folder, text):
    with pytest.raises(BadInput) as caught:
        read_spec(written(folder, text))
    return str(caught.value).splitlines()


def test_every_list_is_swept(tmp_path):
    text = GOOD.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    spec = read_spec(written(tmp_path, text))
    jobs = list(spec.jobs())
    assert spec.n_jobs == len(jobs) == 3 * 2 * 3 * 2 * 2  # maps, agents, algorithms, seeds, repeats
    assert len({job.key for job in jobs}) == len(jobs)
    assert spec.algorithms == ["hca", "whca"]
    assert {job.options.get("window") for job in jobs} == {8, 16, None}
    assert all(job.limits == {"seconds": 5, "steps": 100} for job in jobs)


def test_maps_can_be_scaled(tmp_path):
    text = GOOD.replace(
        '"plain.map"]', '{make = "scaled", file = "*.map", width = [6, 9], height = 4, diagonal = 1.42}]'
    )
    text = text.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    maps = [job.map for job in read_spec(written(tmp_path, text)).jobs() if job.map["make"] == "scaled"]
    assert {one["width"] for one in maps} == {6, 9}
    assert all((one["file"], one["diagonal"]) == (str(tmp_path / "plain.map"), 1.42) for one in maps)
    assert all(len(one["digest"]) == 16 for one in maps)


def test_pairs_can_have_bounds(tmp_path):
    text = GOOD.replace('{kind = "random", agents = [4, 8]}', '{kind = "pairs", count = 3, least = [5, 9], most = 20}')
    text = text.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    problems = [job.problem for job in read_spec(written(tmp_path, text)).jobs()]
    assert {(one["least"], one["most"]) for one in problems} == {(5, 20), (9, 20)}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("width = 6", "widht = 6", 5, "did you mean 'width'"),
        ("width = 6", "width = 0", 5, "width must be a whole number from 1, not 0"),
        ("diagonal = 1.42", "diagonal = 3", 5, "diagonal must be a length from 1 to 2, not 3"),
        ('file = "plain.map", ', "", 5, "a scaled map needs `file`"),
        ('file = "plain.map"', 'file = "none.map"', 5, "there is no file none.map"),
        ("least = 5", "least = 21", 7, "least must not be more than most, as 21 and 20 are"),
        ("least = 5", 'least = "a"', 7, "least must be a number, not 'a'"),
        ("count = 3, ", "", 7, "a problem of the kind 'pairs' needs `count`: a whole number from 1"),
        ('{kind = "pairs", count = 3', '{kind = "scen", file = "plain.scen", agents = 1', 7, "needs a map from a file"),
    ],
)
def test_mistakes_about_scaled_maps_and_pairs(tmp_path, old, new, line, sentence):
    text = """
name = "scaled"

[[sweep]]
maps = [{make = "scaled", file = "plain.map", width = 6, height = 4, diagonal = 1.42}]
moves = "eight"
problems = [{kind = "pairs", count = 3, least = 5, most = 20}]
algorithms = ["astar"]
"""
    read_spec(written(tmp_path, text))
    assert old in text
    sentences = complaints(tmp_path, text.replace(old, new))
    assert any(f"sweep.toml, line {line}: " in one and sentence in one for one in sentences), sentences


def test_scenarios_are_found_by_the_name_of_the_map(tmp_path):
    text = GOOD.replace('{make = "random", width = 16, height = 16, seed = [1, 2]}, ', "")
    jobs = list(read_spec(written(tmp_path, text)).jobs())
    scenes = {job.problem["file"] for job in jobs if job.problem["kind"] == "scen"}
    assert scenes == {str(tmp_path / "plain.scen")}


def test_a_made_map_has_no_scenario(tmp_path):
    assert complaints(tmp_path, GOOD)[0].endswith("line 7: a scenario needs a map from a file")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ('"four"', '"five"', 6, "no move rule 'five'"),
        (
            "seeds = [3, 5]",
            "seeds = 0",
            8,
            "seeds must be a number of seeds from 1 to 1,000,000, or a list of whole numbers from 0, not 0",
        ),
        ("repeats = 2", "repeats = -1", 9, "repeats must be a whole number from 1 to 1,000,000, not -1"),
        ("seconds = 5", "secs = 5", 10, "[sweep.limits] has no key 'secs': did you mean 'seconds'?"),
        ("seconds = 5", "seconds = -5", 10, "must be a number above 0"),
        ('name = "whca"', 'name = "wcha"', 11, "did you mean 'whca'"),
        ("window =", "windov =", 11, "did you mean 'window'"),
        ("[8, 16]", '["a"]', 11, "window must be of type int"),
        ('"plain.map"', '"none.map"', 5, "there is no file none.map"),
        ('"plain.map"', '"none-*.map"', 5, "no file matches none-*.map"),
        ("width = 16", "widht = 16", 5, "did you mean 'width'"),
        ('make = "random"', 'make = "cave"', 5, "make cannot be 'cave'"),
        ('"{map}.scen"', '"{map}-1.scen"', 7, "there is no file plain-1.scen"),
        ("agents = [4, 8]", "agents = [4, 0]", 7, "agents must be a whole number from 1, not 0"),
        ('kind = "random", agents', 'kind = "tasks", agents', 7, "tasks never end"),
        ("repeats = 2", "repeat = 2", 9, "[sweep] has no key 'repeat': did you mean 'repeats'?"),
        ('"hca"]', "7]", 11, "an algorithm is a name or {name = ...}, not 7"),
        ('name = "whca"', "name = 7", 11, "name must be a text, not 7"),
        ("{window = [8, 16]}", "3", 11, "options must be a table, not 3"),
        ('maps = [{make = "random"', 'maps = [{make = 7, name = "random"', 5, "make must be one of"),
        ('"plain.map"]', "7]", 5, "a map is a file, or made by one of"),
        ('maps = [{make = "random", width = 16, ', 'maps = [{make = "random", ', 5, "a random map needs `width`"),
        ('kind = "random", agents', "kind = 7, agents", 7, "kind must be one of"),
        ('file = "{map}.scen"', "file = 7", 7, "file must be a text, not 7"),
        ("agents = [4, 8]", "agents = []", 7, "agents must not be an empty list"),
        ("agents = [4, 8]", "count = 8", 7, "a problem of the kind 'random' has no key 'count'"),
        ("agents = [4, 8]", "agents = [[4, 8]]", 7, "agents must be a whole number from 1, not '[4, 8]'"),
        ("limits = {seconds = 5, steps = 100}", "limits = 5", 10, "limits must be a table, not 5"),
        ('name = "windows"', "name = 5", 2, "name must be a text, not 5"),
        ("seeds = [3, 5]", "seeds = [3, true]", 8, "seeds must be a number of seeds"),
        ("seeds = [3, 5]", "seeds = 1_000_000_000_000", 8, "seeds must be a number of seeds"),
        ("seeds = [3, 5]", f"seeds = [{1 << 64}]", 8, "a whole number has at most 64 bits"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, old, new, line, sentence):
    text = GOOD.replace("seconds = 5, ", "") if "tasks" in new else GOOD
    assert old in text
    sentences = complaints(tmp_path, text.replace(old, new))
    assert any(f"sweep.toml, line {line}: " in one and sentence in one for one in sentences), sentences


def test_all_mistakes_are_told_at_once(tmp_path):
    text = GOOD.replace('"four"', '"five"').replace("[8, 16]", '["a"]').replace("repeats = 2", "repeats = 0")
    assert len(complaints(tmp_path, text)) == 4  # and the scenario of the made map


def test_what_is_not_toml_is_named(tmp_path):
    assert complaints(tmp_path, "name = \n")[0].startswith(f"{tmp_path}/sweep.toml, line 1: not TOML")
    assert "no block [[sweep]]" in complaints(tmp_path, "name = 'x'")[0]
    with pytest.raises(BadInput, match="cannot be read"):
        read_spec(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read as text"):
        read_spec(tmp_path / "bytes.toml")


def test_a_map_that_does_not_parse_is_named(tmp_path):
    file = written(tmp_path, GOOD)
    (tmp_path / "plain.map").write_text(MAP.replace("...\n...", "..x\n..."))
    with pytest.raises(BadInput, match=r"line 5: .*plain\.map, line 5"):
        read_spec(file)


def test_keys_in_several_lines_are_complained_about_in_their_own(tmp_path):
    text = """
[[sweep]]
maps = [
    "plain.map",
    # a comment
    {make = "rooms", width = 9, height = "x"},
]
problems = [{kind = "pairs", count = 3}]
algorithms = [
    "astar",  # a comment with "astra"
    "astra",
]
"""
    written(tmp_path, text)
    assert complaints(tmp_path, text) == [
        f"{tmp_path}/sweep.toml, line 6: height must be a whole number from 1, not 'x'",
        f"{tmp_path}/sweep.toml, line 11: there is no algorithm 'astra': did you mean 'astar'?",
    ]


def test_keys_of_jobs_stay_as_they_are(tmp_path):
    """A store made by an earlier version is not run again."""
    text = """
[[sweep]]
maps = [{make = "rooms", width = 9, height = 9, size = 3}, "plain.map"]
moves = "four"
problems = [{kind = "patrol", agents = 2}, {kind = "pairs", count = 3, least = 1}]
limits = {seconds = 5, until = 9.5}
algorithms = ["lra"]
"""
    keys = [job.key for job in read_spec(written(tmp_path, text)).jobs()]
    assert keys == ["26aade0e07de303ae811", "dc9e0f24c5cd4c56ce94", "bc16a1186fdc4bebf068", "7dba0e851a9fecbd081f"]


def test_the_smoke_sweep_is_in_order():
    spec = read_spec("smoke")
    assert spec.n_jobs == 204


@settings(max_examples=400)
@given(data=broken(tomllib.loads(GOOD)))
def test_whatever_the_file_holds_the_answer_is_a_sweep_or_sentences_with_lines(tmp_path_factory, data):
    file = written(tmp_path_factory.getbasetemp(), as_toml(data))
    must_name_lines(read_spec, file)


def test_the_key_of_a_whole_number_for_a_real_option_stays_as_it_is(tmp_path):
    text = """
name = "weights"
[[sweep]]
maps = [{make = "random", width = 24, height = 24, blocked = 0.15, seed = [1]}]
problems = [{kind = "pairs", count = 3}]
algorithms = [{name = "astar", options = {weight = [2, 1.5]}}]
"""
    keys = [job.key for job in read_spec(written(tmp_path, text)).jobs()]
    assert keys == ["4e0ec9cbc41a11a86ddd", "4a01e500c44dcda2af2a"]


@pytest.mark.parametrize(
    "algorithm",
    [
        '"trap:begin"',
        '{name = "sdp", options = {cluster = "tcp://127.0.0.1:9"}}',
        '{name = "lns", options = {first = "trap:begin"}}',
    ],
)
def test_a_sweep_runs_code_only_if_it_is_trusted(tmp_path, monkeypatch, algorithm):
    """The module leaves a mark when it is imported."""
    (tmp_path / "trap.py").write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)
    good = GOOD.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    told = complaints(tmp_path, good.replace('"hca"]', f"{algorithm}]"))
    assert len(told) == 1
    assert "line 11: " in told[0]
    assert told[0].endswith("would run code: give --trust, or trust=True, if you trust the file")
    assert not (tmp_path / "mark").exists()
