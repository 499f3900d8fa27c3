"""Small files of strangers: whatever is changed in a valid one, it is read, or refused in one sentence that names it."""

import json
import random
import re

import numpy as np
import pytest

import body_reference as twin
import files.test_league as league
import wayfolk as wf
from wayfolk.errors import WayfolkError
from wayfolk.files.plans import read_plan

pytestmark = [pytest.mark.plain, pytest.mark.filterwarnings("error")]

TMX = """<map orientation="hexagonal" staggeraxis="y" staggerindex="odd" width="3" height="2">
<tileset firstgid="1"><tile id="1"><properties><property name="blocked" type="bool" value="true"/>
<property name="cost" type="float" value="2"/></properties></tile></tileset>
<layer id="1" name="g" width="3" height="2"><data encoding="csv">1,2,1,1,1,1</data></layer></map>"""
GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="x" for="node" attr.name="x" attr.type="double"/>
<key id="y" for="node" attr.name="y" attr.type="double"/><key id="w" for="edge" attr.name="length" attr.type="double"/>
<graph edgedefault="directed"><node id="a"><data key="x">0</data><data key="y">1</data></node>
<node id="b"><data key="x">2</data><data key="y">1</data></node>
<edge source="a" target="b"><data key="w">3</data></edge></graph></graphml>"""
BUILDING = """levels:
  L1:
    elevation: 0
    measurements: [[0, 1, {distance: [3, 10.0]}]]
    vertices:
      - [0, 0, 0, a, {is_parking_spot: [4, true]}]
      - [100, 0, 0, b]
      - [100, 50, 0, '', {lift_cabin: [1, lift]}]
    lanes: [[0, 1, {bidirectional: [4, true], graph_idx: [2, 0], speed_limit: [3, 0.5]}], [1, 2, {}]]
    walls: [[0, 2, {}]]
"""
LAYOUT = {
    "metaInformation": {"lifVersion": "1.0.0"},
    "layouts": [
        {
            "layoutId": "L",
            "nodes": [
                {
                    "nodeId": name,
                    "nodePosition": {"x": x, "y": 0.0},
                    "vehicleTypeNodeProperties": [{"vehicleTypeId": "v"}],
                }
                for name, x in (("a", 0.0), ("b", 3.0))
            ],
            "edges": [
                {
                    "edgeId": "e",
                    "startNodeId": "a",
                    "endNodeId": "b",
                    "vehicleTypeEdgeProperties": [{"vehicleTypeId": "v", "maxSpeed": 1.5}],
                }
            ],
            "stations": [{"stationId": "s", "interactionNodeIds": ["b"]}],
        }
    ],
}
RING = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
GEOJSON = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [RING, [[1, 1], [2, 1], [2, 2], [1, 1]]]}},
        {"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[[[5, 5], [6, 5], [6, 6], [5, 5]]]]}},
    ],
}
WKT = "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 1)), ((5 5, 6 5, 6 6, 5 5)))"
NAV2 = (
    "image: a.pgm\nresolution: 0.05\norigin: [-1.0, 2.0, 0.1]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
)
JSON_TILES = {
    "width": 3, "height": 2, "orientation": "orthogonal", "infinite": False,
    "tilesets": [{"firstgid": 1, "tiles": [{"id": 1, "properties": [{"name": "blocked", "type": "bool", "value": True}]}]}],
    "layers": [{"type": "tilelayer", "name": "walls", "width": 3, "height": 2, "data": [1, 2, 0, 1, 1, 1]}],
}  # fmt: skip


def plan_of(kind):
    def make(file):
        problem = twin.drawn_problem(kind, 3)
        wf.Plan(problem.states, np.array([problem.starts] * 2, np.int32)).save(file, problem.goals)

    return make


def league_instance(file):
    league.instance(file.parent, version="2026 LoRR", agentCounter=3, delayConfig=league.DELAYS).rename(file)


def league_output(file):
    paths = ["[(0,0,0,0,0):(F 2,W 1)][(3,0,1,0,0):(R 1)]", "[(0,1,1,0,0):(W 4)]"]
    league.written(file.parent, version="2026 LoRR", agentMaxCounter=2, actualPaths=paths).rename(file)


def judge_league(file):
    begun = wf.read_lorr(league.instance(file.parent, version="2026 LoRR", agentCounter=2))
    wf.check_league(wf.read_league_run(file, begun), begun)


def judge(file):
    wf.check(read_plan(file)[0])


def read_all_polygons(file):
    wf.read_mesh(file)
    wf.read_space(file)


def read_all_orders(file):
    wf.read_orders(file, wf.Grid(np.ones((3, 4))))


FILES = {
    "map of Tiled": ("a.tmx", TMX, wf.read_tiled),
    "JSON of Tiled": ("a.tmj", json.dumps(JSON_TILES), wf.read_tiled),
    "map of Nav2": ("a.yaml", NAV2, wf.read_nav2),
    "GraphML": ("a.graphml", GRAPHML, wf.read_roadmap),
    "building": ("a.yaml", BUILDING, wf.read_roadmap),
    "layout": ("a.lif", json.dumps(LAYOUT), wf.read_roadmap),
    "GeoJSON": ("a.geojson", json.dumps(GEOJSON), read_all_polygons),
    "WKT": ("a.wkt", WKT, read_all_polygons),
    "league instance": ("a.json", league_instance, wf.read_lorr),
    "league output": ("a.json", league_output, judge_league),
    "voxels": ("a.3dmap", "voxel 3 3 3\n0 0 0\n1 1 1\n2 2 2\n", wf.read_voxels),
    "orders": ("a.json", '[{"release": 1, "stops": [[0, 0], [1, 1]]}]', read_all_orders),
} | {f"plan of {kind}": ("a.json", plan_of(kind), judge) for kind in twin.WORLDS}  # fmt: skip
TOKENS = [
    "-1", "0", "1.5", "1e999", "1e308", "1e-300", "nan", "NaN", "Infinity", "9" * 20, "2147483648", "null", "true", "[]",
    "{}", '""', "[[[", "'a'", "!!binary aa", "..", "/", "<x/>", "a:b", "&amp;", "2001-01-01", "~", "EMPTY", "\n", "\0",
]  # fmt: skip
VALUES = [
    None, True, -1, 0, 1.5, 1e308, float("inf"), float("nan"), 2**31, 2**63, 10**30, "", "a", "\ud800", "x" * 999, [],
    {}, [[]], [0], {"a": 1}, [None],
]  # fmt: skip


def changed_text(text, rng):
    """A number is replaced, a piece is lost, doubled or of other letters; up to three times."""
    for _ in range(rng.randint(1, 3)):
        numbers = list(re.finditer(r"-?\d+(\.\d+)?", text))
        at = rng.randrange(len(text) + 1)
        end, token = at + rng.choice([1, 2, 5, 20]), rng.choice(TOKENS)
        if numbers and rng.random() < 0.4:
            number = rng.choice(numbers)
            text = text[: number.start()] + token + text[number.end() :]
        else:
            text = text[:at] + rng.choice(["", token, 2 * text[at:end]]) + text[end:]
    return text.encode()


def changed_tree(tree, rng):
    """A value of the document is another one, or is left out."""
    parts = [tree]
    for part in parts:
        parts += [one for one in (part.values() if isinstance(part, dict) else part) if isinstance(one, dict | list)]
    part = rng.choice([part for part in parts if part])
    key = rng.choice(list(part)) if isinstance(part, dict) else rng.randrange(len(part))
    if rng.random() < 0.8:
        part[key] = rng.choice(VALUES)
    else:
        del part[key]
    return json.dumps(tree).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("kind", FILES)
def test_a_changed_file_is_read_or_refused_in_one_sentence(kind, tmp_path):
    name, content, read = FILES[kind]
    file = tmp_path / name
    (tmp_path / "a.pgm").write_bytes(b"P5\n4 3\n255\n" + bytes([0, 255, 205, 254] * 3))
    if callable(content):
        content(file)
        content = file.read_text()
    file.write_text(content)
    read(file)
    rng, sentences = random.Random(kind), []
    for _ in range(150):
        is_tree = content[0] in "[{" and rng.random() < 0.6
        file.write_bytes(changed_tree(json.loads(content), rng) if is_tree else changed_text(content, rng))
        try:
            read(file)
        except WayfolkError as why:
            sentences.append(str(why))
    assert len(sentences) > 50
    assert [one for one in sentences if str(tmp_path) not in one or "\n" in one or len(one) > 600] == []
