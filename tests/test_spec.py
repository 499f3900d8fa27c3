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
