"""`wayfolk maps`: make, show, scale, convert, info."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from command import MAP, program, wayfolk
from wayfolk.cli.maps import KINDS
from wayfolk.files.maps import read_map
from wayfolk.files.roadmaps import read_roadmap

PARTS = "type octile\nheight 1\nwidth 4\nmap\n..@.\n"


@pytest.fixture(autouse=True)
def room(tmp_path, monkeypatch):
    """A folder to work in, with a map."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "room.map").write_text(MAP)
    return tmp_path


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_made_again_and_again(kind):
    said = wayfolk("maps", "make", kind, "one.map")
    grid = read_map("one.map")
    assert said == (0, f"one.map: {grid.width} x {grid.height}, {len(grid.free_cells)} free cells\n", "")
    assert 0 < len(grid.free_cells) <= grid.width * grid.height
    answer = json.loads(wayfolk("maps", "make", kind, "two.map", "--json").out)
    assert answer == {
        "file": "two.map",
        "width": grid.width,
        "height": grid.height,
        "free_cells": len(grid.free_cells),
    }
    assert read_map("two.map") == grid


@pytest.mark.parametrize("kind", ["random", "maze", "rooms"])
def test_sizes_and_seeds(kind):
    wayfolk("maps", "make", kind, "one.map", "--width", 21, "--height", 11, "--seed", 1)
    wayfolk("maps", "make", kind, "two.map", "--width", 21, "--height", 11, "--seed", 2)
    one, two = read_map("one.map"), read_map("two.map")
    assert (one.width, one.height) == (two.width, two.height) == (21, 11)
    assert one != two


def test_share_of_walls():
    wayfolk("maps", "make", "random", "one.map", "--width", 20, "--height", 10, "--blocked", 0.35)
    assert len(read_map("one.map").free_cells) == 130


def test_width_of_corridors():
    wayfolk("maps", "make", "maze", "one.map", "--size", 1)
    free = read_map("one.map").free
    assert not (free[1:, 1:] & free[1:, :-1] & free[:-1, 1:] & free[:-1, :-1]).any()  # nowhere two cells wide


def test_show():
    said = wayfolk("maps", "show", "room.map")
    assert said == (0, "......\n.##...\n......\n.....#\n", "")
    answer = json.loads(wayfolk("maps", "show", "room.map", "--json").out)
    assert answer == {"width": 6, "height": 4, "rows": ["......", ".##...", "......", ".....#"]}


def test_show_shrinks_what_is_too_wide():
    wayfolk("maps", "make", "warehouse", "wide.map")
    lines = wayfolk("maps", "show", "wide.map", "--columns", 40).out.splitlines()
    assert {len(line) for line in lines} == {40}
    assert len(lines) == 63 * 40 // 161 // 2


def test_info():
    Path("parts.map").write_text(PARTS)
    answer = json.loads(wayfolk("maps", "info", "parts.map", "--json").out)
    assert answer == {
        "name": "parts",
        "kind": "grid",
        "nodes": 3,
        "edges": 2,
        "width": 4,
        "height": 1,
        "free_cells": 3,
        "parts": 2,
        "largest_part": 2,
        "cliffs": False,
        "terrain": False,
    }
    assert "free cells    3\n" in wayfolk("maps", "info", "parts.map").out


def test_info_and_pictures_of_roadmaps_and_voxels():
    Path("roads.yaml").write_text("roadmap: {vertices: {A: [0, 0], B: [9, 0], C: [9, 9]}, edges: [[A, B]]}")
    answer = json.loads(wayfolk("maps", "info", "roads.yaml", "--json").out)
    assert answer == {"name": "roads", "kind": "roadmap", "nodes": 3, "edges": 1, "parts": 2, "largest_part": 2}
    Path("cube.3dmap").write_text("voxel 2 2 2\n0 0 0\n")
    answer = json.loads(wayfolk("maps", "info", "cube.3dmap", "--json").out)
    assert answer == {"name": "cube", "kind": "voxels", "nodes": 7, "edges": 30, "parts": 1, "largest_part": 7}
    assert wayfolk("maps", "show", "cube.3dmap").out == "z = 0\n#.\n..\n\nz = 1\n..\n..\n"
    assert wayfolk("maps", "show", "roads.yaml", "--columns", 5).out.splitlines()[0] == "o.>.o"
    assert (
        wayfolk("maps", "show", "roads.yaml", "--svg", "roads.svg").out
        == "roads.svg: Roadmap('roads', 3 places, 1 lanes)\n"
    )
    assert Path("roads.svg").read_text().startswith("<svg")
    said = wayfolk("maps", "show", "roads.yaml", "--svg", "roads.png")
    assert (said.code, said.err) == (2, "wayfolk: roads.png: a picture is a file that ends in .svg\n")


def test_info_of_a_map_without_free_cells():
    wayfolk("maps", "make", "random", "full.map", "--blocked", 1)
    answer = json.loads(wayfolk("maps", "info", "full.map", "--json").out)
    assert (answer["free_cells"], answer["parts"], answer["largest_part"]) == (0, 0, 0)


def test_info_of_a_map_with_cliffs(movingai):
    answer = json.loads(wayfolk("maps", "info", movingai / "salient" / "adrenaline.map", "--json").out)
    assert (answer["width"], answer["height"], answer["free_cells"], answer["cliffs"]) == (64, 64, 1743, True)


def test_scale():
    said = wayfolk("maps", "scale", "room.map", "big.map", "--width", 12, "--height", 8)
    assert said == (0, "big.map: 12 x 8, 84 free cells, 1 -> 1 connected parts\n", "")
    free = read_map("room.map").free
    assert (read_map("big.map").free == np.kron(free, np.ones((2, 2))).astype(bool)).all()


def test_scale_without_islands():
    Path("parts.map").write_text(PARTS)
    wayfolk("maps", "scale", "parts.map", "one.map", "--width", 4, "--height", 1, "--no-islands")
    assert read_map("one.map").free.tolist() == [[True, True, False, False]]


def test_a_map_goes_through_an_image_unchanged():
    pytest.importorskip("PIL")
    wayfolk("maps", "make", "rooms", "rooms.map")
    assert wayfolk("maps", "convert", "rooms.map", "rooms.png").code == 0
    assert wayfolk("maps", "convert", "rooms.png", "back.map").out == "back.map: 32 x 32, 687 free cells\n"
    assert Path("rooms.map").read_bytes() == Path("back.map").read_bytes()


def test_a_name_that_cannot_be_printed():
    name = os.fsdecode(b"a\xff.map")
    said = program("maps", "convert", "room.map", name, env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"})
    assert said == (0, "a\\udcff.map: 6 x 4, 21 free cells\n", "")
    assert os.path.exists(name)


@pytest.mark.parametrize("verb", ["make", "show", "scale", "convert", "info"])
def test_every_verb_speaks_json(verb):
    assert "--json" in wayfolk("maps", verb, "--help").out


MISTAKES = {
    "unknown verb": (["mak"], "mak", "make"),
    "no kind": (["make"], "KIND"),
    "no target": (["make", "random"], "OUT"),
    "unknown kind": (["make", "hexes", "a.map"], "'hexes'", "warehouse"),
    "no columns": (["make", "random", "a.map", "--width", "0"], "width", "0"),
    "too large": (["make", "random", "a.map", "--width", "99999999", "--height", "99999999"], "99999999 x 99999999"),
    "too many walls": (["make", "random", "a.map", "--blocked", "1.5"], "1.5"),
    "walls nan": (["make", "random", "a.map", "--blocked", "nan"], "nan"),
    "negative seed": (["make", "maze", "a.map", "--seed", "-1"], "seed", "-1"),
    "no corridor": (["make", "maze", "a.map", "--size", "0"], "0"),
    "walls of a maze": (["make", "maze", "a.map", "--blocked", "0.5"], "maze", "--blocked"),
    "width of a warehouse": (["make", "warehouse", "a.map", "--width", "9"], "warehouse", "--width"),
    "seed of a paper's map": (["make", "jansen-a", "a.map", "--seed", "9"], "jansen-a", "--seed"),
    "no folder": (["make", "random", "no/a.map"], "no/a.map", "no folder"),
    "a folder": (["make", "random", "."], "cannot be written"),
    "image that loses": (["make", "random", "a.jpg"], "a.jpg", ".png"),
    "nothing to show": (["show", "no.map"], "no.map", "No such file"),
    "nothing to describe": (["info", "no.map"], "no.map", "No such file"),
    "show no columns": (["show", "room.map", "--columns", "0"], "columns", "0"),
    "nothing to scale": (["scale", "no.map", "a.map"], "no.map", "No such file"),
    "scale to nothing": (["scale", "room.map", "a.map", "--width", "0"], "width", "0"),
    "scale to nowhere": (["scale", "room.map", "no/a.map"], "no/a.map", "no folder"),
    "nothing to convert": (["convert", "no.map", "a.map"], "no.map", "No such file"),
    "convert to nowhere": (["convert", "room.map", "no/a.map"], "no/a.map", "no folder"),
    "no image": (["convert", "fake.png", "a.map"], "fake.png"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_sentence(room, name):
    """And no file is made."""
    args, *words = MISTAKES[name]
    (room / "fake.png").write_text("no pixels")
    before = sorted(room.rglob("*"))
    said = wayfolk("maps", *args)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("wayfolk: ")
    assert said.err.count("\n") == 1
    for word in words:
        assert word in said.err, f"{word!r} is not in {said.err!r}"
    assert sorted(room.rglob("*")) == before


def test_cliffs_are_not_lost_silently(room, movingai):
    said = wayfolk("maps", "convert", movingai / "salient" / "adrenaline.map", "flat.map")
    assert said.code == 2
    assert "cliffs" in said.err
    assert not (room / "flat.map").exists()


def test_scale_says_that_walls_got_lost():
    """A wall of one pixel between two halves: no centre of a new cell is on it."""
    Path("halves.txt").write_text("\n".join(["." * 10 + "#" + "." * 10] * 21))
    said = wayfolk("maps", "scale", "halves.txt", "small.map", "--width", 6, "--height", 6)
    assert "2 -> 1 connected parts" in said.out
    assert said.err.count("\n") == 1
    assert "2 parts of halves.txt that walls separate are connected now: --keep-walls" in said.err
    said = wayfolk("maps", "scale", "halves.txt", "kept.map", "--width", 6, "--height", 6, "--keep-walls", "--json")
    assert said.err == ""
    answer = json.loads(said.out)
    assert (answer["parts_before"], answer["parts"]) == (2, 2)


def test_convert_reads_what_ros_writes():
    Path("site.pgm").write_bytes(b"P5 4 1 255\n" + bytes([0, 205, 254, 205]))
    for options, n_free in (([], 1), (["--unknown", "free"], 3)):
        said = wayfolk("maps", "convert", "site.pgm", "site.map", *options, "--json")
        assert json.loads(said.out)["free_cells"] == n_free


ROOM = {"type": "Polygon", "coordinates": [[[0, 0], [8, 0], [8, 4], [0, 4], [0, 0]], [[2, 1], [3, 1], [3, 2], [2, 1]]]}
TILED = {
    "type": "map", "width": 3, "height": 1, "tilewidth": 8, "tileheight": 8, "orientation": "hexagonal",
    "layers": [{"type": "tilelayer", "name": "a", "width": 3, "height": 1, "data": [1, 2, 1]}],
    "tilesets": [{"firstgid": 1, "tiles": [{"id": 1, "properties": [{"name": "cost", "type": "int", "value": 3}]}]}],
}  # fmt: skip
NAV2 = "image: a.pgm\nresolution: 0.5\norigin: [1, 2, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"


def write_worlds():
    """A file of each kind that is not a plain map."""
    Path("room.geojson").write_text(json.dumps(ROOM))
    Path("room.json").write_text(json.dumps(ROOM))
    Path("room.wkt").write_text("POLYGON ((0 0, 8 0, 8 4, 0 4, 0 0))")
    Path("hex.tmj").write_text(json.dumps(TILED))
    Path("hex.json").write_text(json.dumps(TILED))
    Path("a.pgm").write_bytes(b"P5 3 2 255\n" + bytes([0, 254, 254, 254, 254, 0]))
    Path("site.yaml").write_text(NAV2)
    Path("mask.pgm").write_bytes(b"P5 3 2 255\n" + bytes([254, 0, 254, 254, 254, 254]))
    Path("mask.yaml").write_text(NAV2.replace("a.pgm", "mask.pgm"))
    Path("league.map").write_text("type octile\nheight 2\nwidth 3\nmap\nE.S\nS@T\n")


def test_info_of_every_other_kind_of_file():
    write_worlds()
    expected = {
        "room.geojson": ("mesh", None, 1), "room.json": ("mesh", None, 1), "room.wkt": ("mesh", 1, 1),
        "hex.tmj": ("hexgrid", 3, 1), "hex.json": ("hexgrid", 3, 1), "site.yaml": ("grid", 4, 1),
        "league.map": ("grid", 4, 1),
    }  # fmt: skip
    for name, (kind, nodes, parts) in expected.items():
        answer = json.loads(wayfolk("maps", "info", name, "--json").out)
        assert (answer["kind"], answer["parts"]) == (kind, parts), name
        assert nodes in (None, answer["nodes"]), name
        assert wayfolk("maps", "show", name).code == 0
        assert wayfolk("maps", "show", name, "--svg", "out.svg").code == 0
        assert Path("out.svg").read_text().startswith("<svg")
    league = json.loads(wayfolk("maps", "info", "league.map", "--json").out)
    assert (league["stations_E"], league["stations_S"]) == (1, 2)
    site = json.loads(wayfolk("maps", "info", "site.yaml", "--json").out)
    assert (site["metres_per_cell"], site["origin"], site["edges"]) == (0.5, [1.0, 2.0, 0.0], 6)
    assert wayfolk("maps", "show", "hex.tmj").out == ". . .\n"
    assert json.loads(wayfolk("maps", "info", "room.geojson", "--json").out)["area"] == pytest.approx(31.5)


def test_masks_of_a_map():
    write_worlds()
    assert wayfolk("maps", "show", "site.yaml").out == "#..\n..#\n"
    assert wayfolk("maps", "show", "site.yaml", "--keep-out", "mask.yaml").out == "##.\n..#\n"
    assert json.loads(wayfolk("maps", "info", "site.yaml", "--keep-out", "mask.yaml", "--json").out)["parts"] == 2
    assert wayfolk("maps", "convert", "site.yaml", "out.map", "--keep-out", "mask.yaml").code == 0
    assert read_map("out.map").free.tolist() == [[False, False, True], [True, True, False]]
    Path("mask.yaml").write_text(
        NAV2.replace("a.pgm", "mask.pgm").replace("0.65", "1.0").replace("0.25", "0.0") + "mode: scale\n"
    )
    said = wayfolk("maps", "show", "site.yaml", "--speed", "mask.yaml")
    assert (said.code, said.err) == (
        2, "wayfolk: mask.yaml: leaves no speed in the free cell (1, 0): a keep-out mask blocks cells\n",
    )  # fmt: skip
    said = wayfolk("maps", "info", "league.map", "--speed", "mask.yaml")
    assert (said.code, said.err) == (
        2, "wayfolk: league.map: only a map of Nav2, which is a .yaml with an image, has masks\n",
    )  # fmt: skip


def test_every_file_of_others_is_read_and_drawn(fleets):
    """Roadmaps, buildings and the maps of the League of Robot Runners: a shape for each lane and each place."""
    files = [
        *fleets.glob("rmf/*.yaml"),
        *fleets.glob("roadmaps/*.yaml"),
        *fleets.glob("ccbs/*/map.xml"),
        *fleets.glob("lorr*/*/maps/*.map"),
    ]
    assert len(files) >= 5 + 6 + 2 + 9
    for file in files:
        answer = json.loads(wayfolk("maps", "info", file, "--json").out)
        assert {"kind", "nodes", "edges", "parts"} <= answer.keys()
        assert answer["nodes"] > 0
        drawn = json.loads(wayfolk("maps", "show", file, "--json").out)["rows"]
        assert 0 < max(map(len, drawn)) <= 100
        assert wayfolk("maps", "show", file, "--svg", "out.svg").code == 0
        picture = Path("out.svg").read_text()
        if answer["kind"] == "roadmap":
            assert picture.count("<circle") == answer["nodes"]
            roads = read_roadmap(file)
            ways = {frozenset(way) for way in zip(roads.sources.tolist(), roads.graph.target.tolist(), strict=True)}
            assert picture.count("<path") == len(ways) + 1 + bool(roads.walls), "others are the arrow and the walls"


def test_the_stations_of_the_league_are_counted(fleets):
    file = fleets / "lorr" / "warehouse.domain" / "maps" / "warehouse_long_corridor_large.map"
    answer = json.loads(wayfolk("maps", "info", file, "--json").out)
    text = file.read_text().partition("map\n")[2]
    assert (answer["stations_E"], answer["stations_S"]) == (text.count("E"), text.count("S"))
    assert answer["nodes"] == sum(text.count(letter) for letter in ".ES")
