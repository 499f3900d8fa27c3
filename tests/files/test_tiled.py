"""Maps of Tiled in XML and JSON, in each encoding of tiles, with tilesets inside and beside, and what is refused."""

import base64
import gzip
import json
import zlib

import numpy as np
import pytest

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadMap, NotSupported
from wayfolk.files.any_world import read_any_world
from wayfolk.files.maps import read_map
from wayfolk.files.tiled import read_tiled
from wayfolk.world.hexagons import HexGrid

TILES = [1, 2, 3, 0, 1 | 1 << 31, 3 | 7 << 29]  # grass, wall, mud; then none, and two that are mirrored
FREE, COSTS = [[True, False, True], [True, True, True]], [[1.0, 1.0, 2.5], [1.0, 1.0, 2.5]]
FACTS = {1: {"blocked": True}, 2: {"cost": 2.5, "title": "mud"}}
TYPES = {bool: "bool", float: "float", int: "int", str: "string"}


def text_of(tiles, encoding):
    if encoding == "csv":
        return ",\n".join(map(str, tiles))
    raw = np.array(tiles, "<u4").tobytes()
    packed = {"base64": raw, "zlib": zlib.compress(raw), "gzip": gzip.compress(raw)}
    return base64.b64encode(packed[encoding]).decode()


def xml_tileset(facts=FACTS, head='firstgid="1"'):
    rows = []
    for number, properties in facts.items():
        values = "".join(
            f'<property name="{name}" type="{TYPES[type(value)]}" value="{str(value).lower()}"/>'
            for name, value in properties.items()
        )
        rows.append(f'<tile id="{number}"><properties>{values}</properties></tile>')
    return f'<tileset {head} name="ground" tilecount="3">{"".join(rows)}</tileset>'


def tmx(tiles=TILES, encoding="csv", tileset=None, head='orientation="orthogonal" infinite="0"', more="", size=(3, 2)):
    kind = f'encoding="{"csv" if encoding == "csv" else "base64"}"'
    if encoding in ("zlib", "gzip"):
        kind += f' compression="{encoding}"'
    data = text_of(tiles, encoding) if encoding else "".join(f'<tile gid="{tile}"/>' for tile in tiles)
    return (
        f'<?xml version="1.0"?>\n<map version="1.10" width="3" height="2" tilewidth="8" tileheight="8" {head}>\n'
        f"{xml_tileset() if tileset is None else tileset}\n"
        f'<layer id="1" name="ground" width="{size[0]}" height="{size[1]}">'
        f"<data {kind if encoding else ''}>\n{data}\n</data></layer>{more}</map>"
    )


def json_tileset(facts=FACTS, **head):
    rows = [
        {"id": k, "properties": [{"name": n, "type": TYPES[type(v)], "value": v} for n, v in one.items()]}
        for k, one in facts.items()
    ]
    return head | {"name": "ground", "tilecount": 3, "tiles": rows}


def layer_of(tiles=TILES, encoding="csv", **changes):
    data = tiles if encoding == "csv" else text_of(tiles, encoding)
    layer = {"type": "tilelayer", "name": "ground", "width": 3, "height": 2, "data": data}
    if encoding != "csv":
        layer |= {"encoding": "base64", "compression": encoding if encoding != "base64" else ""}
    return layer | changes


def tmj(layers=None, tilesets=None, **changes):
    tree = {"type": "map", "width": 3, "height": 2, "tilewidth": 8, "tileheight": 8, "orientation": "orthogonal"}
    tree |= {"infinite": False, "layers": [layer_of()] if layers is None else layers}
    return tree | {"tilesets": [json_tileset(firstgid=1)] if tilesets is None else tilesets} | changes


def read(folder, text, name="a.tmx"):
    (folder / name).write_text(text if isinstance(text, str) else json.dumps(text, indent=1))
    return read_tiled(folder / name)


def same(grid):
    return grid.free.tolist() == FREE and grid.costs.tolist() == COSTS


@pytest.mark.parametrize("encoding", ["csv", "base64", "zlib", "gzip", ""])
def test_xml(tmp_path, encoding):
    grid = read(tmp_path, tmx(encoding=encoding))
    assert same(grid)
    assert find_path(grid, (0, 0), (2, 0)).cost == pytest.approx(1 + 1 + 1.75 + 2.5), "no corner is cut"


@pytest.mark.parametrize("encoding", ["csv", "base64", "zlib", "gzip"])
@pytest.mark.parametrize("name", ["a.tmj", "a.json"])
def test_json(tmp_path, encoding, name):
    assert same(read(tmp_path, tmj([layer_of(encoding=encoding)]), name))
    assert same(read_any_world(tmp_path / name))


def test_tilesets_in_files_of_their_own(tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "ground.tsx").write_text(xml_tileset(head=""))
    (tmp_path / "ground.tsj").write_text(json.dumps(json_tileset()))
    assert same(read(tmp_path, tmx(tileset='<tileset firstgid="1" source="sets/ground.tsx"/>')))
    assert same(read(tmp_path, tmj(tilesets=[{"firstgid": 1, "source": "ground.tsj"}]), "a.tmj"))
    two = [json_tileset({}, firstgid=1), {"firstgid": 11, "source": "sets/ground.tsx"}]
    tiles = [tile + 10 if tile else 0 for tile in TILES]
    assert same(read(tmp_path, tmj([layer_of(tiles)], two), "a.tmj"))


def test_layers_lie_on_each_other(tmp_path):
    """The uppermost tile with a cost counts, a wall in any layer is one, and groups are layers too."""
    over = layer_of([3, 0, 1, 2, 0, 0], name="over")
    walls = layer_of([0, 0, 0, 0, 0, 1], name="walls", properties=[{"name": "blocked", "type": "bool", "value": True}])
    group = {"type": "group", "name": "g", "layers": [over, {"type": "objectgroup", "name": "o", "objects": []}]}
    grid = read(tmp_path, tmj([layer_of(), group, walls]), "a.tmj")
    assert grid.free.tolist() == [[True, False, True], [False, True, False]]
    assert grid.costs[0].tolist() == [2.5, 1.0, 2.5]
    data = '<data encoding="csv">3,0,1,2,0,0</data>'
    upper = f'<group name="g"><layer id="2" name="over" width="3" height="2">{data}</layer></group>'
    assert read(tmp_path, tmx(more=upper)).free.tolist() == [[True, False, True], [False, True, True]]


def test_without_properties_all_is_free(tmp_path):
    grid = read(tmp_path, tmj(tilesets=[json_tileset({}, firstgid=1)]), "a.tmj")
    assert grid.free.all()
    assert grid.costs is None
    assert read_map(tmp_path / "a.tmj", "four").moves.value == "four"


@pytest.mark.parametrize(
    ("axis", "index", "neighbours"),
    [  # of the cell in column 1 and row 1, as Tiled draws it
        ("y", "odd", [(0, 1), (1, 0), (1, 2), (2, 0), (2, 1), (2, 2)]),
        ("y", "even", [(0, 0), (0, 1), (0, 2), (1, 0), (1, 2), (2, 1)]),
        ("x", "odd", [(0, 1), (0, 2), (1, 0), (1, 2), (2, 1), (2, 2)]),
        ("x", "even", [(0, 0), (0, 1), (1, 0), (1, 2), (2, 0), (2, 1)]),
    ],
)
def test_hexagons(tmp_path, axis, index, neighbours):
    head = {"orientation": "hexagonal", "staggeraxis": axis, "staggerindex": index, "height": 3}
    world = read(tmp_path, tmj([layer_of([1] * 8 + [3], height=3)], **head), "a.tmj")
    assert isinstance(world, HexGrid)
    middle = world.cell((1, 1))
    there = world.graph.target[world.graph.first[middle] : world.graph.first[middle + 1]]
    assert sorted(world.place(cell) for cell in there) == neighbours
    assert world.costs[2, 2] == 2.5
    xml = f'orientation="hexagonal" staggeraxis="{axis}" staggerindex="{index}"'
    one = read(tmp_path, tmx(head=xml))
    assert (one.layout, one.shifted) == (world.layout, world.shifted)
    with pytest.raises(NotSupported, match="this is a map of hexagons"):
        read_map(tmp_path / "a.tmj")


BIG = layer_of(encoding="zlib") | {"data": base64.b64encode(zlib.compress(bytes(1 << 26))).decode()}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (tmx(tiles=TILES[:5]), "a.tmx, layer 'ground': there should be 6 tiles, not 5"),
        (tmx(tiles=TILES[:5], encoding="zlib"), "a.tmx, layer 'ground': 6 tiles are 24 bytes, and there are only 20"),
        (tmx(tiles=[1, "x", 1, 1, 1, 1]), "a.tmx, layer 'ground': tile 1 is '\\nx', which is no number of a tile"),
        (tmx(tiles=[1, 2**32, 1, 1, 1, 1]), "tile 1 is '\\n4294967296', which is no number of a tile"),
        (tmx(tileset=""), "a.tmx: the layer 'ground' has the tile 1, which no tileset holds"),
        (tmx(size=(2, 2)), "a.tmx, layer 'ground': it has 2 x 2 tiles, and the map 3 x 2"),
        (
            tmx().replace('encoding="csv"', 'encoding="base64" compression="zstd"'),
            "compressed by 'zstd': only zlib and gzip are read",
        ),
        (tmx().replace('encoding="csv"', 'encoding="base64"'), "its tiles cannot be unpacked"),
        (
            tmx(encoding="base64").replace('encoding="base64"', 'encoding="base64" compression="zlib"'),
            "its tiles cannot be unpacked",
        ),
        (
            tmx().replace('encoding="csv"', 'encoding="rot13"'),
            "its tiles are written as 'rot13': only csv and base64 are read",
        ),
        (tmx(head='orientation="orthogonal" infinite="1"'), "a.tmx: the map is infinite: switch that off"),
        (
            tmx(head='orientation="staggered"'),
            "the orientation is 'staggered': only orthogonal, isometric and hexagonal",
        ),
        (
            tmx(head='orientation="hexagonal" staggerindex="both"'),
            "a.tmx: the rows of hexagons that are shifted are the even or odd ones",
        ),
        (
            tmx().replace('width="3" height="2" tilew', 'width="99999" height="99999" tilew'),
            "a map has from 1 to 268435456 cells",
        ),
        (
            tmx().replace('width="3" height="2" tilew', 'width="16384" height="16384" tilew'),
            "1 layers of 16384 x 16384 tiles are more than",
        ),
        (
            tmx().replace('width="3" height="2" tilew', 'width="-3" height="2" tilew'),
            "width of <map> should be a whole number, and is '-3'",
        ),
        (tmx().replace("<data ", "<date ").replace("</data>", "</date>"), "a.tmx, layer 'ground': it has no data"),
        (
            tmx(tileset=xml_tileset({0: {"cost": -1.0}})),
            "a.tmx, tile 0: the property cost is a number above 0, not '-1.0'",
        ),
        (tmx(tileset=xml_tileset({0: {"cost": float("nan")}})), "a.tmx, tile 0: the property cost is a number above 0"),
        (
            tmx(tileset=xml_tileset({0: {"blocked": "wall"}})),
            "a.tmx, tile 0: the property blocked is true or false, not 'wall'",
        ),
        (
            tmx(tileset='<tileset firstgid="1" source="../x.tsx"/>'),
            "a.tmx: the file '../x.tsx' is outside the folder of this map",
        ),
        (
            tmx(tileset='<tileset firstgid="1" source="/etc/hosts"/>'),
            "a.tmx: the file '/etc/hosts' is outside the folder",
        ),
        (tmx(tileset='<tileset firstgid="1" source="x.tsx"/>'), "x.tsx: cannot be read: No such file"),
        (tmx(tileset='<tileset firstgid="1" source="a.tmx"/>'), "a.tmx, line 1: this is not JSON"),
        ("<tileset/>", "a.tmx: should be a map of Tiled, which begins with <map>, not with <tileset>"),
        ('<!DOCTYPE m [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><map>&b;</map>', "a.tmx, line 1: a map needs no entities"),
        (tmx()[:-6], "this is not XML"),
        ("<group>" * 99, "a.tmx, line 1: more than 50 elements lie in each other"),
        (tmj([BIG]), "a.tmj, layer 'ground': 6 tiles are 24 bytes, and there are more"),
        (tmj([layer_of([1, -1, 1, 1, 1, 1])]), "a.tmj, layer 'ground': tile 1 is '-1', which is no number of a tile"),
        (tmj([layer_of([1, 1.5, 1, 1, 1, 1])]), "tile 1 is '1.5'"),
        (tmj([layer_of([1, [1], 1, 1, 1, 1])]), "tile 1 is '[1]'"),
        (tmj([layer_of(width=4)]), "a.tmj, layer 'ground', line"),
        (tmj(infinite=True), "a.tmj: the map is infinite"),
        (tmj(width="wide"), "a.tmj, line 3: width: input should be a valid integer"),
        (tmj([layer_of(), {"name": "x"}]), "layers, 1, type: this is missing"),
        (
            tmj(tilesets=[json_tileset({0: {"cost": "much"}}, firstgid=1)]),
            "a.tmj, tile 0: the property cost is a number above 0, not 'much'",
        ),
        (tmj(tilesets=[{"firstgid": 1, "source": "../../x.tsj"}]), "a.tmj: the file '../../x.tsj' is outside"),
        ("[" * 10**5, "a.tmx, line 1: this is not XML"),
    ],
)
def test_what_is_refused(tmp_path, text, sentence):
    name = "a.tmx" if isinstance(text, str) else "a.tmj"
    with pytest.raises(BadMap) as error:
        read(tmp_path, text, name)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400
