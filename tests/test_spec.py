"""A sweep's file is checked as a whole, and every complaint has its line."""

import pytest

from wayfolk.errors import BadInput
from wayfolk.experiments.spec import read_spec

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
    cells = list(spec.cells())
    assert spec.n_cells == len(cells) == 3 * 2 * 3 * 2 * 2  # maps, agents, algorithms, seeds, repeats
    assert len({cell.key for cell in cells}) == len(cells)
    assert spec.algorithms == ["hca", "whca"]
    assert {cell.options.get("window") for cell in cells} == {8, 16, None}
    assert all(cell.limits == {"seconds": 5, "steps": 100} for cell in cells)


def test_maps_can_be_scaled(tmp_path):
    text = GOOD.replace(
        '"plain.map"]', '{make = "scaled", file = "*.map", width = [6, 9], height = 4, diagonal = 1.42}]'
    )
    text = text.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    maps = [cell.map for cell in read_spec(written(tmp_path, text)).cells() if cell.map["make"] == "scaled"]
    assert {one["width"] for one in maps} == {6, 9}
    assert all((one["file"], one["diagonal"]) == (str(tmp_path / "plain.map"), 1.42) for one in maps)
    assert all(len(one["digest"]) == 16 for one in maps)


def test_pairs_can_have_bounds(tmp_path):
    text = GOOD.replace('{kind = "random", agents = [4, 8]}', '{kind = "pairs", count = 3, least = [5, 9], most = 20}')
    text = text.replace(', {kind = "scen", file = "{map}.scen", agents = 1}', "")
    problems = [cell.problem for cell in read_spec(written(tmp_path, text)).cells()]
    assert {(one["least"], one["most"]) for one in problems} == {(5, 20), (9, 20)}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("width = 6", "widht = 6", 5, "did you mean 'width'"),
        ("width = 6", "width = 0", 5, "width must be a whole number above 0"),
        ("diagonal = 1.42", "diagonal = 3", 5, "a diagonal must be from 1 to 2 long"),
        ('file = "plain.map", ', "", 5, "a scaled map needs the `file`"),
        ('file = "plain.map"', 'file = "none.map"', 5, "there is no file none.map"),
        ("least = 5", "least = 21", 7, "numbers in this order, not [21, 20]"),
        ("least = 5", 'least = "a"', 7, "numbers in this order"),
        ("count = 3, ", "", 7, "count must be a whole number above 0"),
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
    found = complaints(tmp_path, text.replace(old, new))
    assert any(f"sweep.toml, line {line}: " in one and sentence in one for one in found), found


def test_scenarios_are_found_by_the_name_of_the_map(tmp_path):
    text = GOOD.replace('{make = "random", width = 16, height = 16, seed = [1, 2]}, ', "")
    cells = list(read_spec(written(tmp_path, text)).cells())
    scenes = {cell.problem["file"] for cell in cells if cell.problem["kind"] == "scen"}
    assert scenes == {str(tmp_path / "plain.scen")}


def test_a_made_map_has_no_scenario(tmp_path):
    assert complaints(tmp_path, GOOD)[0].endswith("line 7: a scenario needs a map from a file")


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ('"four"', '"five"', 6, "no move rule 'five'"),
        ("seeds = [3, 5]", "seeds = 0", 8, "seeds are"),
        ("repeats = 2", "repeats = -1", 9, "repeats must be 1 or more"),
        ("seconds = 5", "secs = 5", 10, "no limit 'secs': did you mean 'seconds'"),
        ("seconds = 5", "seconds = -5", 10, "must be more than 0"),
        ('name = "whca"', 'name = "wcha"', 11, "did you mean 'whca'"),
        ("window =", "windov =", 11, "did you mean 'window'"),
        ("[8, 16]", '["a"]', 11, "window must be of type int"),
        ('"plain.map"', '"none.map"', 5, "there is no file none.map"),
        ('"plain.map"', '"none-*.map"', 5, "no file matches none-*.map"),
        ("width = 16", "widht = 16", 5, "did you mean 'width'"),
        ('make = "random"', 'make = "cave"', 5, "made by one of"),
        ('"{map}.scen"', '"{map}-1.scen"', 7, "there is no file plain-1.scen"),
        ("agents = [4, 8]", "agents = [4, 0]", 7, "agents must be a whole number above 0"),
        ('kind = "random", agents', 'kind = "tasks", agents', 7, "tasks never end"),
        ("repeats = 2", "repeat = 2", 9, "did you mean 'repeats'"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, old, new, line, sentence):
    text = GOOD.replace("seconds = 5, ", "") if "tasks" in new else GOOD
    assert old in text
    found = complaints(tmp_path, text.replace(old, new))
    assert any(f"sweep.toml, line {line}: " in one and sentence in one for one in found), found


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


def test_the_smoke_sweep_is_in_order():
    spec = read_spec("benchmarks/smoke.toml")
    assert spec.n_cells == 204
