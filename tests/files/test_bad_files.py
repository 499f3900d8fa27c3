"""Every reader answers a wrong file with one sentence: the file as named, the line, the offender."""

import io
import json
import os
import struct
import sys
import time
import tracemalloc
import zipfile
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wayfolk.errors import BadInput, BadMap, BadPlan, BadScenario, Missing, WayfolkError
from wayfolk.files.maps import parse_ascii, read_map, write_map
from wayfolk.files.plans import read_plan, write_plan
from wayfolk.files.scenarios import read_queries, read_scen
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import MAX_CELLS, Grid

GRID = Grid(parse_ascii("....#\n.##..\n.....").free, name="room")
MAP = "type octile\nheight 3\nwidth 5\nmap\n....@\n.@@..\n.....\n"
CORNERS = "type octile-corner\nheight 3\nwidth 3\nmap\n001\n001\n001\nGGO\nGgO\nOOO\n"
SCEN = "version 1\n0 room.map 5 3 0 0 4 2 4.8\n1 room.map 5 3 3 0 0 2 5.2\n"


def sentence(caught, file, *words):
    """The message, which must be one line that begins with the file as it was given and holds all `words`."""
    text = str(caught.value)
    assert text.startswith(str(file)), text
    assert "\n" not in text
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"
    return text


READERS = [
    pytest.param(read_map, "a.map", BadMap, id="map"),
    pytest.param(read_map, "a.txt", BadMap, id="drawing"),
    pytest.param(read_map, "a.png", BadMap, id="image"),
    pytest.param(lambda file: read_scen(file, GRID), "a.scen", BadScenario, id="scen"),
    pytest.param(lambda file: read_queries(file, GRID), "a.scen", BadScenario, id="queries"),
    pytest.param(read_plan, "a.json", BadPlan, id="plan"),
    pytest.param(read_plan, "a.npz", BadPlan, id="arrays"),
]


@pytest.mark.parametrize(("read", "name", "error"), READERS)
def test_what_the_system_objects_to(tmp_path, monkeypatch, read, name, error):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as caught:
        read(name)
    sentence(caught, name + ":", "No such file")
    (tmp_path / name).mkdir()
    with pytest.raises(error) as caught:
        read(name)
    sentence(caught, name + ":", "directory")
    with pytest.raises(error) as caught:
        read("nul\0" + name)
    sentence(caught, "nul\0", "null")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize(("read", "name", "error"), READERS)
def test_a_file_without_rights(tmp_path, read, name, error):
    (tmp_path / name).write_bytes(b"x")
    (tmp_path / name).chmod(0)
    with pytest.raises(error) as caught:
        read(tmp_path / name)
    sentence(caught, tmp_path / name, "Permission denied")


@pytest.mark.parametrize(("read", "name", "error"), READERS)
def test_an_empty_file(tmp_path, read, name, error):
    (tmp_path / name).touch()
    with pytest.raises(error) as caught:
        read(tmp_path / name)
    sentence(caught, tmp_path / name, "empty")


@pytest.mark.parametrize(("read", "name", "error"), READERS)
def test_binary_garbage(tmp_path, read, name, error):
    (tmp_path / name).write_bytes(np.random.default_rng(1).bytes(5000))
    with pytest.raises(error) as caught:
        read(tmp_path / name)
    assert len(sentence(caught, tmp_path / name)) < len(str(tmp_path)) + 150


def test_writing_where_nothing_can_be_written(tmp_path):
    for file in (tmp_path / "no" / "a.map", tmp_path):
        with pytest.raises(BadMap) as caught:
            write_map(GRID, file)
        sentence(caught, file, "cannot be written", "directory")
    assert not list(tmp_path.iterdir())


BAD_MAPS = {
    "no type": (MAP.replace("type octile\n", ""), "line 1", "height 3"),
    "unknown type": (MAP.replace("octile", "hexile"), "line 1", "type hexile"),
    "no height": (MAP.replace("height 3\n", ""), "line 3", "'map'"),
    "two heights": (MAP.replace("width 5", "height 5"), "line 3", "height 5"),
    "zero height": (MAP.replace("height 3", "height 0"), "line 2", "height", "'0'"),
    "negative width": (MAP.replace("width 5", "width -5"), "line 3", "width", "'-5'"),
    "height in words": (MAP.replace("height 3", "height three"), "line 2", "height", "'three'"),
    "height nan": (MAP.replace("height 3", "height nan"), "line 2", "'nan'"),
    "height 3.0": (MAP.replace("height 3", "height 3.0"), "line 2", "'3.0'"),
    "height missing its number": (MAP.replace("height 3", "height"), "line 2", "'height'"),
    "huge height": (MAP.replace("height 3", "height 999999999"), "line 2", "999999999", str(MAX_CELLS)),
    "endless height": (MAP.replace("height 3", "height " + "9" * 5000), "line 2", "999...'"),
    "huge product": (MAP.replace("height 3", "height 99999999"), "line 3", "5 x 99999999", str(MAX_CELLS)),
    "more height than file": (MAP.replace("height 3", "height 50000000"), "line 8", "3 of its 50000000 rows"),
    "no map line": (MAP.replace("map\n", ""), "line 4", "....@"),
    "header only": ("type octile\nheight 3\nwidth 5\nmap\n", "line 5", "0 of its 3 rows"),
    "half a header": ("type octile\nheight 3", "line 3", "''"),
    "row missing": (MAP.replace(".....\n", ""), "line 7", "2 of its 3 rows"),
    "row too many": (MAP + ".....\n", "line 8", "4 rows", "3"),
    "row too short": (MAP.replace(".@@..", ".@@."), "line 6", "4 characters", "5"),
    "row too long": (MAP.replace(".@@..", ".@@..."), "line 6", "6 characters", "5"),
    "blank row": (MAP.replace(".@@..", ""), "line 6", "0 characters"),
    "cut in a row": (MAP[:-3], "line 7", "3 characters"),
    "bad letter": (MAP.replace(".@@..", ".@x.."), "line 6, column 3", "'x'"),
    "slope in a flat map": (MAP.replace(".@@..", "g@@.."), "line 6, column 1", "'g'"),
    "tab": (MAP.replace(".@@..", ".@@\t."), "line 6, column 4", r"'\t'"),
    "return inside": (MAP.replace(".@@..", ".\r@.."), "line 6, column 2", r"'\r'"),
    "zero byte": (MAP.replace(".@@..", ".@@.\0"), "line 6, column 5", r"'\x00'"),
    "corners: one block": (CORNERS.split("GGO")[0], "line 8", "3 of its 6 rows"),
    "corners: height letter": (CORNERS.replace("001\nGGO", "0x1\nGGO"), "line 7, column 2", "'x'"),
    "corners: tile letter": (CORNERS.replace("GgO", "Gg7"), "line 9, column 3", "'7'"),
    "corners: no tile": (CORNERS.replace("height 3", "height 1"), "line 2", "height", "'1'", "from 2"),
    "corners: short row": (CORNERS.replace("GgO", "Gg"), "line 9", "2 characters"),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_bad_maps(tmp_path, name):
    text, *words = BAD_MAPS[name]
    assert text not in (MAP, CORNERS)
    (tmp_path / "bad.map").write_bytes(text.encode())
    with pytest.raises(BadMap) as caught:
        read_map(tmp_path / "bad.map")
    sentence(caught, tmp_path / "bad.map", *words)


def test_the_good_twins_of_the_bad_files_are_read(tmp_path):
    for name, text in (("room.map", MAP), ("corners.map", CORNERS), ("a.scen", SCEN)):
        (tmp_path / name).write_text(text)
    assert read_map(tmp_path / "room.map") == GRID
    assert read_map(tmp_path / "corners.map").width == 2
    assert read_scen(tmp_path / "a.scen", GRID).n_agents == 2
    assert len(read_queries(tmp_path / "a.scen", GRID)) == 2


def test_the_file_is_named_as_the_caller_named_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.map").write_text(MAP.replace(".@@..", ".@x.."))
    with pytest.raises(BadMap) as caught:
        read_map("./bad.map")
    assert str(caught.value) == "./bad.map, line 6, column 3: the character 'x' means nothing here"


def row(text: str) -> str:
    """A scenario whose second row, line 3, is `text`."""
    return SCEN.replace("1 room.map 5 3 3 0 0 2 5.2", text)


BAD_SCENARIOS = {
    "no version": (SCEN.replace("version 1\n", ""), "line 1", "0 room.map 5 3"),
    "another version": (SCEN.replace("version 1", "version 2"), "line 1", "version 2"),
    "too few fields": (row("1 room.map 5 3 3 0 0 2"), "line 3", "8 fields", "9"),
    "too many fields": (row("1 room.map 5 3 3 0 0 2 5.2 1"), "line 3", "10 fields", "9"),
    "bucket": (row("x room.map 5 3 3 0 0 2 5.2"), "line 3", "bucket", "'x'"),
    "width": (row("1 room.map five 3 3 0 0 2 5.2"), "line 3", "map width", "'five'"),
    "start x": (row("1 room.map 5 3 3.5 0 0 2 5.2"), "line 3", "start x", "'3.5'"),
    "start y nan": (row("1 room.map 5 3 3 nan 0 2 5.2"), "line 3", "start y", "'nan'"),
    "goal x": (row("1 room.map 5 3 3 0 1_0 2 5.2"), "line 3", "goal x", "'1_0'"),
    "goal y endless": (row(f"1 room.map 5 3 3 0 0 {'9' * 5000} 5.2"), "line 3", "goal y", "999...'"),
    "length": (row("1 room.map 5 3 3 0 0 2 far"), "line 3", "length", "'far'"),
    "length nan": (row("1 room.map 5 3 3 0 0 2 nan"), "line 3", "length", "'nan'"),
    "length inf": (row("1 room.map 5 3 3 0 0 2 1e999"), "line 3", "length", "'1e999'"),
    "length negative": (row("1 room.map 5 3 3 0 0 2 -1"), "line 3", "length", "'-1'"),
    "another size": (SCEN.replace(" 5 3 ", " 7 3 "), "line 2", "7 x 3", "5 x 3"),
    "another size later": (row("1 room.map 5 4 3 0 0 2 5.2"), "line 3", "5 x 4", "5 x 3"),
    "another map": (SCEN.replace("room", "dao/arena"), "line 2", "'arena.map'", "'room'"),
    "no rows": ("version 1\n\n", "no rows"),
}
BAD_AGENTS = {  # a query like this is skipped, an agent is refused
    "start outside": (row("1 room.map 5 3 5 0 0 2 5.2"), "line 3", "agent 1 starts", "(5, 0)", "5 x 3"),
    "goal outside": (row("1 room.map 5 3 3 0 0 -2 5.2"), "line 3", "agent 1 has a goal", "(0, -2)", "5 x 3"),
    "start in a wall": (row("1 room.map 5 3 4 0 0 2 5.2"), "line 3: agent 1 starts in a wall at (4, 0)"),
    "goal in a wall": (row("1 room.map 5 3 3 0 1 1 5.2"), "line 3: agent 1 has a goal in a wall at (1, 1)"),
    "same start": (row("1 room.map 5 3 0 0 0 2 5.2"), "line 3: agents 0 and 1 share the start (0, 0)"),
}


@pytest.mark.parametrize("name", [*BAD_SCENARIOS, *BAD_AGENTS])
def test_bad_scenarios(tmp_path, name):
    text, *words = (BAD_SCENARIOS | BAD_AGENTS)[name]
    assert text != SCEN
    (tmp_path / "bad.scen").write_text(text)
    with pytest.raises(BadScenario) as caught:
        read_scen(tmp_path / "bad.scen", GRID)
    sentence(caught, tmp_path / "bad.scen", *words)


@pytest.mark.parametrize("name", BAD_SCENARIOS)
def test_bad_queries(tmp_path, name):
    text, *words = BAD_SCENARIOS[name]
    (tmp_path / "bad.scen").write_text(text)
    with pytest.raises(BadScenario) as caught:
        read_queries(tmp_path / "bad.scen", GRID)
    sentence(caught, tmp_path / "bad.scen", *words)


def test_agents_in_different_parts_of_the_map(tmp_path):
    (tmp_path / "a.scen").write_text("version 1\n0 a 3 1 0 0 2 0 2\n")
    with pytest.raises(BadScenario) as caught:
        read_scen(tmp_path / "a.scen", parse_ascii(".#."))
    sentence(caught, tmp_path / "a.scen", "line 2: agent 0 cannot get from (0, 0) to its goal (2, 0)")


@pytest.mark.parametrize("agents", [0, -1, 3])
def test_more_agents_than_rows(tmp_path, agents):
    (tmp_path / "a.scen").write_text(SCEN)
    with pytest.raises(BadScenario) as caught:
        read_scen(tmp_path / "a.scen", GRID, agents)
    sentence(caught, tmp_path / "a.scen", f"{agents} agents were asked for", "1 to 2")


def test_a_wrong_row_after_the_agents_asked_for_does_not_matter(tmp_path):
    (tmp_path / "a.scen").write_text(row("nonsense"))
    assert read_scen(tmp_path / "a.scen", GRID, 1).n_agents == 1


def plan_content() -> dict:
    return {
        "format": "wayfolk-plan",
        "version": 1,
        "map": {"name": "room", "width": 3, "height": 2, "moves": "eight", "rows": ["..@", "..."]},
        "starts": [[0, 0], [1, 0]],
        "goals": [[1, 1], [0, 0]],
        "paths": [[[0, 0], [1, 1]], [[1, 0], [0, 0]]],
    }


def changed(value, *keys):
    content = plan_content()
    holder = content
    for key in keys[:-1]:
        holder = holder[key]
    holder[keys[-1]] = value
    return content


BAD_PLANS = {
    "a list": ([1, 2], "not a file of the format 'wayfolk-plan'"),
    "another format": (changed("replay", "format"), "not a file of the format 'wayfolk-plan'"),
    "another version": (changed(2, "version"), "version", "'2'"),
    "no map": (changed(None, "map"), "map", "'None'"),
    "width in words": (changed("3", "map", "width"), "width", "'3'"),
    "width true": (changed(True, "map", "width"), "width", "'True'"),
    "huge width": (changed(10**12, "map", "width"), "width", "1000000000000"),
    "zero height": (changed(0, "map", "height"), "height", "'0'"),
    "more height": (changed(MAX_CELLS, "map", "height"), "'rows'", str(MAX_CELLS), "2"),
    "name": (changed(7, "map", "name"), "name", "'7'"),
    "moves": (changed("hex", "map", "moves"), "'hex'"),
    "rows": (changed("...", "map", "rows"), "'rows'", "list"),
    "row too short": (changed("..", "map", "rows", 1), "item 1 of 'rows'", "'..'"),
    "row letter": (changed("..x", "map", "rows", 1), "item 1 of 'rows'", "'..x'"),
    "row number": (changed(3, "map", "rows", 1), "item 1 of 'rows'", "'3'"),
    "diagonal": (changed("far", "map", "diagonal"), "diagonal", "'far'"),
    "diagonal nan": (changed(float("nan"), "map", "diagonal"), "diagonal", "nan"),
    "links": (changed(["333", "334"], "map", "links"), "item 1 of 'links'", "'334'"),
    "costs": (changed([[1, 1, 1], [1, "x", 1]], "map", "costs"), "item 1 of 'costs'"),
    "cost negative": (changed([[1, 1, 1], [1, -2, 1]], "map", "costs"), "(1, 1)", "-2"),
    "cost endless": (changed([[1, 1, 1], [1, 10**400, 1]], "map", "costs"), "cost"),
    "paths": (changed({}, "paths"), "'paths'", "list"),
    "path": (changed(5, "paths", 1), "agent 1", "'5'"),
    "empty path": (changed([], "paths", 1), "agent 1", "start"),
    "place": (changed([0], "paths", 1, 1), "agent 1, step 1", "[0]"),
    "place in words": (changed(["0", "0"], "paths", 1, 1), "agent 1, step 1", "place"),
    "place 0.5": (changed([0.5, 0], "paths", 1, 1), "agent 1, step 1", "0.5"),
    "place true": (changed([True, 0], "paths", 1, 1), "agent 1, step 1", "True"),
    "outside": (changed([3, 0], "paths", 1, 1), "agent 1, step 1", "[3, 0]", "3 x 2 map"),
    "outside below": (changed([0, 2], "paths", 1, 1), "agent 1, step 1", "[0, 2]", "3 x 2 map"),
    "outside above": (changed([0, -1], "paths", 1, 1), "agent 1, step 1", "[0, -1]", "3 x 2 map"),
    "outside far": (changed([10**30, 0], "paths", 1, 1), "agent 1, step 1", "3 x 2 map"),
    "too few starts": (changed([[0, 0]], "starts"), "'starts'", "2", "1"),
    "another start": (changed([[0, 0], [1, 1]], "starts"), "agent 1", "start"),
    "too many goals": (changed([[0, 0]] * 3, "goals"), "'goals'", "2", "3"),
    "goal outside": (changed([[0, 0], [3, 3]], "goals"), "goal of agent 1", "[3, 3]"),
    "goal nowhere": (changed([[0, 0], None], "goals"), "goal of agent 1", "nowhere"),
}


def test_the_good_plan_is_read(tmp_path):
    (tmp_path / "good.json").write_text(json.dumps(plan_content()))
    plan, _ = read_plan(tmp_path / "good.json")
    assert plan.path(1) == [(1, 0), (0, 0)]
    for key in ("starts", "goals"):
        (tmp_path / "good.json").write_text(json.dumps(changed(None, key)))
        assert read_plan(tmp_path / "good.json")[0].path(0) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("name", BAD_PLANS)
def test_bad_plans(tmp_path, name):
    content, *words = BAD_PLANS[name]
    (tmp_path / "bad.json").write_text(json.dumps(content))
    with pytest.raises(BadPlan) as caught:
        read_plan(tmp_path / "bad.json")
    sentence(caught, tmp_path / "bad.json", *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n"format": "wayfolk-plan",\n"version" 1}', ["line 3", "not JSON"]),
        ("[" * 200_000, ["not JSON"]),
        ("1" * 5000, ["not JSON"]),
        ("\udcff\udcfe", ["not JSON"]),
    ],
    ids=["syntax", "depth", "long number", "not utf-8"],
)
def test_bad_json(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text, errors="surrogateescape")
    with pytest.raises(BadPlan) as caught:
        read_plan(tmp_path / "bad.json")
    sentence(caught, tmp_path / "bad.json", *words)


def good_arrays() -> dict[str, np.ndarray]:
    content = plan_content()
    about = {"format": "wayfolk-plan", "version": 1, "map": {**content["map"]}}
    del about["map"]["rows"]
    return {
        "about": np.array(json.dumps(about)),
        "free": np.array([[1, 1, 0], [1, 1, 1]], bool),
        "paths": np.array(content["paths"]).swapaxes(0, 1),
        "goals": np.array(content["goals"]),
    }


def test_the_good_arrays_are_read(tmp_path):
    np.savez(tmp_path / "good.npz", **good_arrays())
    plan, goals = read_plan(tmp_path / "good.npz")
    assert plan.path(1) == [(1, 0), (0, 0)]
    assert goals is not None
    assert goals.tolist() == plan.grid.cells([(1, 1), (0, 0)]).tolist()


BAD_ARRAYS = {
    "no about": ("about", None, "'about' is missing"),
    "about numbers": ("about", np.arange(3), "'about'"),
    "about not json": ("about", np.array("{"), "'about' is not JSON"),
    "no free": ("free", None, "'free'"),
    "free of another shape": ("free", np.ones((3, 2), bool), "'free'", "(3, 2)", "(2, 3)"),
    "free in numbers": ("free", np.ones((2, 3)), "'free'", "float64"),
    "no paths": ("paths", None, "'paths'"),
    "paths flat": ("paths", np.zeros((2, 2), int), "'paths'", "(2, 2)"),
    "paths of 3": ("paths", np.zeros((2, 2, 3), int), "'paths'", "(2, 2, 3)"),
    "paths without start": ("paths", np.zeros((0, 2, 2), int), "'paths'", "(0, 2, 2)"),
    "paths in fractions": ("paths", np.zeros((2, 2, 2)), "'paths'", "float64"),
    "paths as objects": ("paths", np.full((2, 2, 2), None), "'paths'", "object"),
    "outside": ("paths", np.full((2, 2, 2), 2), "agent 0, step 0", "(2, 2)", "3 x 2 map"),
    "half nowhere": ("paths", np.full((1, 2, 2), [0, 2**31 - 1]), "agent 0, step 0", "3 x 2 map"),
    "goals of others": ("goals", np.zeros((3, 2), int), "'goals'", "(3, 2)", "(2, 2)"),
    "goal outside": ("goals", np.array([[0, 0], [-1, 0]]), "goal of agent 1", "(-1, 0)"),
    "goal nowhere": ("goals", np.full((2, 2), 2**31 - 1), "goal of agent 0", "nowhere"),
    "links": ("links", np.ones((3, 3), np.uint8), "(3, 3)"),
    "costs": ("costs", np.zeros((2, 3)), "cost", "(0, 0)"),
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_bad_arrays(tmp_path, name):
    key, value, *words = BAD_ARRAYS[name]
    arrays = good_arrays() | {key: value}
    np.savez(tmp_path / "bad.npz", **{k: v for k, v in arrays.items() if v is not None})
    with pytest.raises(BadPlan) as caught:
        read_plan(tmp_path / "bad.npz")
    sentence(caught, tmp_path / "bad.npz", *words)


def test_a_pickle_is_not_opened(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "trapped"), "w"))

    np.savez(tmp_path / "bad.npz", about=np.array(Trap(), object))
    with pytest.raises(BadPlan):
        read_plan(tmp_path / "bad.npz")
    assert not (tmp_path / "trapped").exists()


def test_without_pillow_an_image_says_what_to_install(tmp_path, monkeypatch):
    write_map(GRID, tmp_path / "a.png")
    monkeypatch.setitem(sys.modules, "PIL", None)
    for call in (lambda file: read_map(file), lambda file: write_map(GRID, file)):
        with pytest.raises(Missing) as caught:
            call(tmp_path / "a.png")
        sentence(caught, tmp_path / "a.png", "Pillow", "wayfolk[images]")


def test_an_image_of_fractions_is_refused(tmp_path):
    from PIL import Image

    Image.fromarray(np.ones((2, 2), np.float32)).save(tmp_path / "a.tif")
    with pytest.raises(BadMap) as caught:
        read_map(tmp_path / "a.tif")
    sentence(caught, tmp_path / "a.tif", "floating-point")


def png_of(width: int, height: int) -> bytes:
    """A small file that says it is a large image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(9))) + chunk(b"IEND", b"")


def webp_of(width: int, height: int) -> bytes:
    """A small WEBP that says it is large: Pillow takes memory for all of it as soon as it opens one."""
    bits = (width - 1) | (height - 1) << 14
    body = b"VP8L" + struct.pack("<I", 12) + b"\x2f" + struct.pack("<I", bits) + bytes(7)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def tiff_of(*more: tuple[int, int]) -> bytes:
    """A small image of 4 x 4 pixels with `more` tags."""
    tags = sorted(({256: 4, 257: 4, 258: 8, 259: 1, 262: 1, 277: 1, 324: 8, 325: 16} | dict(more)).items())
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0" + struct.pack("<I", 24) + bytes(16) + struct.pack("<H", len(tags)) + entries + bytes(4)


def npz_of(shape: tuple[int, ...]) -> bytes:
    """A small archive whose array says it is large."""
    stream = io.BytesIO()
    np.savez(stream, **{k: v for k, v in good_arrays().items() if k != "paths"})
    with zipfile.ZipFile(stream, "a") as archive:
        member = io.BytesIO()
        np.lib.format.write_array_header_1_0(member, {"descr": "<i4", "fortran_order": False, "shape": shape})
        archive.writestr("paths.npy", member.getvalue())
    return stream.getvalue()


def ragged(n: int) -> bytes:
    """A plan of `n` agents that needs `n` squared places although the file holds only twice `n`."""
    content = plan_content() | {"starts": None, "goals": None}
    return json.dumps(content | {"paths": [[[0, 0]] * n] + [[[0, 0]]] * n}).encode()


HUGE = {
    "height": (read_map, "a.map", MAP.replace("height 3", "height 999999999").encode()),
    "both": (read_map, "a.map", MAP.replace("height 3", "height 16384").replace("width 5", "width 16384").encode()),
    "corners": (read_map, "a.map", CORNERS.replace("height 3", "height 80000000").encode()),
    "image": (read_map, "a.png", png_of(60_000, 60_000), "exceeds limit"),
    "image, a little smaller": (read_map, "a.png", png_of(6_000, 6_000), "6000 x 6000 pixels"),
    "webp": (read_map, "a.webp", webp_of(16_383, 16_383), "16383 x 16383 pixels"),
    "webp under another name": (read_map, "a.png", webp_of(16_383, 16_383), "16383 x 16383 pixels"),
    "strip of a tiff": (read_map, "a.tif", tiff_of((322, 60_000), (323, 60_000)), "60000 x 60000 pixels"),
    "gif": (read_map, "a.gif", b"GIF89a" + struct.pack("<HHBBB", 65_535, 65_535, 0, 0, 0), "a.gif"),
    "plan": (read_plan, "a.json", json.dumps(changed(10**8, "map", "height")).encode()),
    "ragged plan": (read_plan, "a.json", ragged(20_000)),
    "arrays": (read_plan, "a.npz", npz_of((10**6, 10, 2))),
    "more arrays": (read_plan, "a.npz", npz_of((10**12, 10**6, 2))),
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_claim_is_refused_before_anything_is_allocated(tmp_path, name):
    read, file, data, *words = HUGE[name]
    (tmp_path / file).write_bytes(data)
    with suppress(WayfolkError):
        read(tmp_path / "missing" / file)  # imports
    tracemalloc.start()
    begin = time.perf_counter()
    try:
        with pytest.raises(BadInput) as caught:
            read(tmp_path / file)
        seconds, peak = time.perf_counter() - begin, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    sentence(caught, tmp_path / file, *words)
    assert peak < 50e6
    assert seconds < 60


def plan_bytes(kind: str) -> bytes:
    if kind == "json":
        return json.dumps(plan_content()).encode()
    stream = io.BytesIO()
    np.savez_compressed(stream, **good_arrays())
    return stream.getvalue()


def image_bytes(kind: str) -> bytes:
    from PIL import Image

    stream = io.BytesIO()
    Image.fromarray(np.asarray(GRID.free, np.uint8) * np.uint8(255)).save(stream, kind)
    return stream.getvalue()


VALID = {
    "a.map": MAP.encode(),
    "b.map": CORNERS.encode(),
    "a.txt": b"....#\n.##..\n.....\n",
    "a.scen": SCEN.encode(),
    "a.json": plan_bytes("json"),
    "a.npz": plan_bytes("npz"),
    "a.png": image_bytes("PNG"),
    "a.gif": image_bytes("GIF"),
    "a.bmp": image_bytes("BMP"),
    "a.pgm": image_bytes("PPM"),
    "a.tif": image_bytes("TIFF"),
}


def refusal(read, argument) -> str | None:
    try:
        read(argument)
    except WayfolkError as why:
        return str(why)
    return None


def read_any(file) -> None:
    """Read `file` in each way its name allows; only sentences may come out."""
    readers = {".scen": (lambda f: read_scen(f, GRID), lambda f: read_queries(f, GRID))}
    readers |= {".json": (read_plan,), ".npz": (read_plan,)}
    for read in readers.get(file.suffix, (read_map,)):
        refused = refusal(read, file)
        assert refused is None or (refused.startswith(str(file)) and "\n" not in refused), refused


@pytest.mark.parametrize("name", VALID)
def test_the_valid_files_are_valid(tmp_path, name):
    (tmp_path / name).write_bytes(VALID[name])
    if name.endswith(".scen"):
        assert read_scen(tmp_path / name, GRID).n_agents == 2
    elif name.endswith((".json", ".npz")):
        assert read_plan(tmp_path / name)[0].n_agents == 2
    else:
        assert read_map(tmp_path / name).free.any()


@given(st.sampled_from(sorted(VALID)), st.binary(max_size=300))
@example("a.map", b"type octile\nheight 1\nwidth 1\nmap\n\r")
@example("a.npz", b"PK\x03\x04")
def test_any_bytes_are_read_or_refused(tmp_path_factory, name, data):
    file = tmp_path_factory.getbasetemp() / name
    file.write_bytes(data)
    read_any(file)


@given(st.data())
def test_any_change_of_a_valid_file_is_read_or_refused(tmp_path_factory, data):
    name = data.draw(st.sampled_from(sorted(VALID)))
    text = bytearray(VALID[name])
    bits = st.one_of(st.binary(max_size=3), st.sampled_from([b"\n", b"\r\n", b"-", b"9" * 9, b"null", b"[", b" "]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.sampled_from([0, 1, 2, 8, 1000])))
        text[start:stop] = data.draw(bits)
    file = tmp_path_factory.getbasetemp() / f"changed-{name}"
    file.write_bytes(text)
    read_any(file)


@given(st.text(alphabet=".# @\n\rx\u2603", max_size=40))
def test_any_text_is_a_drawing_or_refused(text):
    refused = refusal(parse_ascii, text)
    assert refused is None or refused.startswith("drawing, line"), refused


def test_a_plan_and_its_copy_are_the_same_file(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(plan_content()))
    plan, goals = read_plan(tmp_path / "a.json")
    write_plan(Plan(plan.grid, plan.cells), tmp_path / "b.json", goals)
    assert json.loads((tmp_path / "b.json").read_text()) == plan_content()
