"""Roadmaps as files: each format by a small example, the files of their authors where they are, and what is refused."""

import json
import math

import pytest

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadMap
from wayfolk.files.roadmaps import read_roadmap
from wayfolk.problem.result import Status

EDGES = """roadmap:
  undirected: false
  vertices:
    A: [0, 0]
    B: [3, 4]
    C: [3, 0]
  edges:
    - [A, B]
    - [B, C]
"""
BUILDING = """name: house
coordinate_system: reference_image
levels:
  L1:
    elevation: 0
    fiducials: [[10, 10, pole]]
    measurements: [[0, 1, {distance: [3, 5.0]}]]
    vertices:
      - [0, 0, 0, wall]
      - [0, 100, 0, '']
      - [100, 0, 0, hall, {is_parking_spot: [4, true]}]
      - [100, 60, 0, '', {lift_cabin: [1, lift]}]
    lanes:
      - [1, 2, {bidirectional: [4, false], graph_idx: [2, 0], speed_limit: [3, 0.5]}]
      - [2, 3, {bidirectional: [4, true], graph_idx: [2, 1]}]
  L2:
    elevation: 4
    fiducials: [[30, 10, pole]]
    measurements: [[0, 1, {distance: [3, 10.0]}]]
    vertices:
      - [0, 0, 0, '']
      - [200, 0, 0, hall]
      - [120, 60, 0, '', {lift_cabin: [1, lift]}]
    lanes:
      - [1, 2, {bidirectional: [4, true], graph_idx: [2, 1]}]
"""
GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="c" for="node" attr.name="coords" attr.type="string"/><key id="l" for="edge" attr.name="length" attr.type="double"/>
<graph edgedefault="directed">
<node id="a"><data key="c">0,0</data></node><node id="b"><data key="c">3,4</data></node>
<edge source="a" target="b"/><edge source="b" target="a"><data key="l">9</data></edge>
</graph></graphml>
"""


def lif(version="1.0.0", end="n2", limit=2.0):
    """A layout with an edge each way, of which a forklift can use one."""
    use = {"vehicleTypeId": "cart", "rotationAllowed": True}
    nodes = [
        {
            "nodeId": f"n{k}",
            "nodePosition": {"x": 4.0 * k, "y": 0.0},
            "vehicleTypeNodeProperties": [use, {"vehicleTypeId": "fork"}],
        }
        for k in (1, 2)
    ]
    fork = use | {"vehicleTypeId": "fork"}
    edges = [
        {"edgeId": "e1", "startNodeId": "n1", "endNodeId": end, "vehicleTypeEdgeProperties": [use | {"maxSpeed": limit}]},
        {"edgeId": "e2", "startNodeId": "n2", "endNodeId": "n1", "vehicleTypeEdgeProperties": [fork]},
    ]  # fmt: skip
    layout = {
        "layoutId": "1", "layoutVersion": "1", "layoutLevelId": "ground", "nodes": nodes, "edges": edges,
        "stations": [{"stationId": "dock", "interactionNodeIds": ["n2"]}],
    }  # fmt: skip
    meta = {
        "projectIdentification": "p",
        "creator": "c",
        "exportTimestamp": "2024-01-01T00:00:00Z",
        "lifVersion": version,
    }
    return json.dumps({"metaInformation": meta, "layouts": [layout]}, indent=1)


def read(folder, name, text, **options):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_roadmap(folder / name, **options)


def test_a_list_of_edges(tmp_path):
    roadmap = read(tmp_path, "small.yaml", EDGES)
    assert (repr(roadmap), find_path(roadmap, "A", "C").cost) == ("Roadmap('small', 3 places, 2 lanes)", 9.0)
    both = read(tmp_path, "both.yaml", EDGES.replace("false", "true"))
    assert find_path(both, "C", "A").cost == 9.0
    bare = read(tmp_path, "bare.yml", "roadmap: {undirected: true, edges: [[1, 2], [2, 3]]}")
    assert (bare.positions, find_path(bare, 1, 3).cost) == (None, 2.0)


def test_a_building_is_in_metres_and_its_levels_are_joined_by_lifts(tmp_path):
    roadmap = read(tmp_path, "house.building.yaml", BUILDING)
    assert list(roadmap.names) == ["L1/1", "L1/2", "L1/3", "L2/1", "L2/2"], "two are called hall, so neither is"
    assert roadmap.levels["L2/2"] == "L2"
    # a pixel is 5 cm on both levels, and the fiducials put level 2 a metre to the left
    assert roadmap.positions[roadmap.cell("L1/3")].tolist() == pytest.approx([5.0, 3.0, 0.0])
    assert roadmap.positions[roadmap.cell("L2/2")].tolist() == pytest.approx([5.0, 3.0, 4.0])
    up = find_path(roadmap, "L1/1", "L2/1")
    assert up.cost == pytest.approx(math.hypot(5, 5) / 0.5 + 3.0 + 4.0 + 5.0)
    assert find_path(roadmap, "L1/2", "L1/1").status is Status.IMPOSSIBLE
    assert find_path(roadmap, "L2/1", "L1/2").status is Status.SOLVED
    assert read(tmp_path, "a.yaml", BUILDING, graph=0).lanes[0].speed == 0.5


def test_degrees_become_metres(tmp_path):
    vertices = "[103.0, 1.0, 0, ''], [103.001, 1.0, 0, ''], [103.0, 1.001, 0, '']"
    text = f"levels: {{L1: {{vertices: [{vertices}], lanes: [[0, 1, {{}}], [0, 2, {{}}]]}}}}"
    roadmap = read(tmp_path, "campus.yaml", "coordinate_system: wgs84\n" + text)
    assert roadmap.lengths.tolist() == pytest.approx([111.18, 111.19], abs=0.01)
    assert (roadmap.positions[1] > -1e-9).all(), "north is up"
    assert roadmap.positions[2][1] < 0.0


def test_graphml_lengths_are_attributes_or_straight(tmp_path):
    roadmap = read(tmp_path, "two.graphml", GRAPHML)
    assert (find_path(roadmap, "a", "b").cost, find_path(roadmap, "b", "a").cost) == (5.0, 9.0)
    undirected = GRAPHML.replace('="directed"', '="undirected"').replace('<edge source="b"', '<edge id="e" source="b"')
    undirected = undirected[: undirected.index("<edge id")] + "</graph></graphml>"
    assert find_path(read(tmp_path, "two.xml", undirected), "b", "a").cost == 5.0


def test_a_layout_for_any_vehicle_and_for_one(tmp_path):
    roadmap = read(tmp_path, "site.lif", lif())
    assert (find_path(roadmap, "n1", "n2").cost, find_path(roadmap, "n2", "n1").cost) == (2.0, 4.0)
    assert (roadmap.stations, roadmap.levels["n1"]) == ({"dock": ["n2"]}, "ground")
    cart = read(tmp_path, "site.json", lif(), vehicle="cart")
    assert len(cart.lanes) == 1
    assert find_path(cart, "n2", "n1").status is Status.IMPOSSIBLE


BAD_VERTEX, INFINITE, BAD_LANE = EDGES.replace("[3, 4]", "[3]"), EDGES.replace("[3, 4]", "[3, .nan]"), "[2, 9, {bi"
BAD_MEASURE, BAD_POINT = BUILDING.replace("[3, 5.0]", "[3, -5.0]"), GRAPHML.replace("3,4", "3;4")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.yaml", "roadmap: {edges: [[A, B]\n", "a.yaml, line 2: this is not YAML"),
        ("a.yaml", "a:\n  " + "[" * 10**5, "a.yaml, line 2: more than 50 lists or tables lie in each other"),
        ("a.lif", "[" * 10**5, "a.lif: this is not JSON that can be read"),
        ("a.yaml", "other: 1\n", "a.yaml: should have 'levels', as a building of Open-RMF, or 'roadmap'"),
        ("a.yaml", EDGES + "    - [B, D]\n", "a.yaml, line 10: the edge B, D leads to D, which is no vertex"),
        ("a.yaml", BAD_VERTEX, "a.yaml, line 5: roadmap, vertices, B: list should have at least 2 items"),
        ("a.yaml", INFINITE, "a.yaml, line 5: roadmap, vertices, B, 1: input should be a finite number"),
        ("b.yaml", BUILDING.replace("[2, 3, {bi", BAD_LANE), "b.yaml, line 15: a lane of L1 leads to vertex 9, of 4"),
        (
            "b.yaml",
            BUILDING.replace("[3, 0.5]", "[3, -0.5]"),
            "b.yaml, line 14: levels, L1, lanes, 0, 2, speed_limit: input should",
        ),
        ("b.yaml", BAD_MEASURE, "b.yaml, line 7: levels, L1, measurements, 0, 2, "),
        ("b.yaml", "levels: {L1: {}}", "b.yaml: the building has no lanes"),
        ("c.graphml", BAD_POINT, "c.graphml: the node b lies at '3;4', which are no numbers between commas"),
        ("c.graphml", GRAPHML.replace("</graph>", ""), "c.graphml, line 6: this is not XML: mismatched tag"),
        (
            "c.graphml",
            GRAPHML.replace(">9<", ">-9<"),
            "c.graphml, line 5: the edge from b to a has the length '-9.0': it must",
        ),
        ("c.graphml", GRAPHML.replace(">9<", ">inf<"), "c.graphml, line 5: the edge from b to a has the length 'inf'"),
        (
            "c.graphml",
            GRAPHML.replace("length", "speed").replace(">9<", ">0<"),
            "has the speed '0.0': it must be a number above 0",
        ),
        (
            "c.graphml",
            GRAPHML.replace('target="b"', 'target="z"'),
            "c.graphml, line 5: the edge from a to z leads to z, and there",
        ),
        (
            "c.xml",
            '<!DOCTYPE x [<!ENTITY a "b">]>' + GRAPHML,
            "c.xml, line 1: a map needs no entities, and this",
        ),
        (
            "c.xml",
            ('<!DOCTYPE x [<!ENTITY a "b">]>' + GRAPHML).encode("utf-16"),
            "c.xml, line 1: a map needs no entities",
        ),
        ("c.xml", "<a>" * 99, "c.xml, line 1: more than 50 elements lie in each other"),
        ("a.yaml", "roadmap: {edges: [&e [A, B], *e]}", "a.yaml, line 1: the alias *e is not read"),
        ("d.lif", lif(version="2.0.0"), "d.lif, line 6: this is LIF 2.0.0, and only versions 1.x can be read"),
        ("d.lif", lif(end="n9"), "the edge e1 leads to n9, and there is no such node"),
        ("d.lif", lif(limit=0.0), "maxSpeed: input should be greater than 0, not '0.0'"),
        ("d.lif", lif().replace('"nodeId": "n2"', '"nodeId": "n1"'), "there are two nodes n1"),
        ("d.lif", lif().replace('"stations"', '"halts"'), "d.lif, line 9: layouts, 0, stations: this is missing"),
        ("d.lif", lif()[:-3], "this is not JSON"),
        ("d.map", "x", "d.map: a roadmap is a file that ends in .yaml"),
    ],
)
def test_what_is_refused_is_named_with_its_line(tmp_path, name, text, sentence):
    with pytest.raises(BadMap) as error:
        read(tmp_path, name, text)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_options_that_name_what_is_not_there(tmp_path):
    with pytest.raises(BadMap, match=r"no lanes with the number 7: choose one of \[0, 1\]"):
        read(tmp_path, "a.yaml", BUILDING, graph=7)
    with pytest.raises(BadMap, match="there is no type of vehicle 'crane', only cart, fork"):
        read(tmp_path, "a.lif", lif(), vehicle="crane")


def test_yaml_makes_no_objects(tmp_path):
    mark = tmp_path / "mark"
    with pytest.raises(BadMap, match="this is not YAML"):
        read(tmp_path, "a.yaml", f"roadmap: !!python/object/apply:builtins.open [{mark}, w]")
    assert not mark.exists()


@pytest.mark.parametrize(
    ("name", "n_places", "n_parts"),
    [
        ("rmf/battle_royale.building.yaml", 21, 1),
        ("rmf/campus.building.yaml", 145, 1),
        ("rmf/hotel.building.yaml", 75, 1),
        ("rmf/office.building.yaml", 29, 1),
        ("rmf/triple_H.building.yaml", 23, 1),
        ("ccbs/sparse/map.xml", 170, 1),
        ("ccbs/dense/map.xml", 878, 3),
        ("roadmaps/mapf_simple1_roadmap_to_annotate.yaml", 6, 1),
        ("roadmaps/mapf_circle_roadmap.yaml", 4, 1),
    ],
)
def test_files_of_their_authors(fleets, name, n_places, n_parts):
    roadmap = read_roadmap(fleets / name)
    assert (roadmap.n_cells, roadmap.components.max()) == (n_places, n_parts)


def test_our_layout_is_one_by_the_schema_of_the_format(fleets):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((fleets / "lif" / "LIF.schema.json").read_text())
    faults = [fault.json_path for fault in jsonschema.Draft7Validator(schema).iter_errors(json.loads(lif()))]
    assert faults == []
