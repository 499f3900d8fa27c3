"""Worlds as pictures: well-formed, with a shape for each cell, place and lane; and as text."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from wayfolk.errors import BadInput
from wayfolk.replay import svg
from wayfolk.replay.labels import crossed
from wayfolk.replay.world_picture import drawing_of, svg_of, text_of
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.roadmap import Lane, Roadmap, Wall
from wayfolk.world.site_map import SiteMap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

FREE = np.array([[1, 1, 0], [1, 0, 1]], bool)
ROADS = Roadmap({"a": (0, 0), "b<": (10, 0), "c": (10, 8)}, [("a", "b<"), Lane("b<", "c", one_way=True)])


def shapes(world, tag):
    return ET.fromstring(svg_of(world)).findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


HEXAGONS = [HexGrid(FREE, layout, shifted=shifted) for layout in ("pointy", "flat") for shifted in ("odd", "even")]


@pytest.mark.parametrize("world", [*HEXAGONS, TriangleGrid(FREE)])
def test_neighbours_share_two_corners(world):
    rings = [ring for shape in shapes(world, "path") for ring in shape.get("d").strip("Mz").split("zM")]
    corners = [np.round([np.array(point.split(), float) for point in ring.split("L")], 2) for ring in rings]
    nearest = [np.linalg.norm(world.positions - ring.mean(0), axis=1).argmin() for ring in corners]
    polygons = {int(cell): set(map(tuple, ring)) for cell, ring in zip(nearest, corners, strict=True)}
    assert len(polygons) == len(rings) == 6
    for cell, other in zip(world.sources, world.graph.target, strict=True):
        near = [(x, y) for x, y in polygons[cell] if any(abs(x - p) + abs(y - q) < 0.03 for p, q in polygons[other])]
        assert len(near) == 2, (world.place(cell), world.place(other))


def test_a_roadmap_has_a_disc_for_each_place_and_an_arrow_for_each_one_way_lane():
    assert len(shapes(ROADS, "circle")) == 3
    assert [shape.text for shape in shapes(ROADS, "text")] == ["a", "b<", "c", "10", "8"]
    arrows = [shape for shape in shapes(ROADS, "path") if shape.get("marker-end")]
    assert len(arrows) == 1
    assert text_of(ROADS, 11).split("\n") == ["o.........o", *(" " * 10 + sign for sign in ".v."), " " * 10 + "o"]


def test_levels_of_voxels_and_places_without_positions():
    levels = Voxels(np.stack([FREE, ~FREE]))
    assert [shape.text for shape in shapes(levels, "text")] == ["z = 0", "z = 1"]
    assert text_of(levels) == "z = 0\n..#\n.#.\n\nz = 1\n##.\n#.#"
    assert len(shapes(Roadmap("abc", ["ab", "bc"]), "circle")) == 3
    alone = Roadmap({"a": (3, 3)}, [])
    assert (len(shapes(alone, "circle")), text_of(alone)) == (1, "o")
    assert len(shapes(Grid(FREE), "rect")) == 2


def test_labels_cover_neither_each_other_nor_places():
    """Places in pairs: there is room for all names, though not to the right of each place."""
    places = {f"{k}/{end}": (3.0 * k, 0.5 * end) for k in range(8) for end in (0, 1)}
    roads = Roadmap(places, [(f"{k}/0", f"{k + 1}/1") for k in range(7)])
    discs = np.array([[float(shape.get(axis)) for axis in ("cx", "cy", "r")] for shape in shapes(roads, "circle")])
    boxes = []
    for shape in shapes(roads, "text"):
        x, y, size = (float(shape.get(name)) for name in ("x", "y", "font-size"))
        boxes.append((x, y - 0.8 * size, x + 0.6 * size * len(shape.text), y + 0.2 * size))
    assert {"0/0", "7/1"} <= {shape.text for shape in shapes(roads, "text")}
    everything = np.array([*boxes, *((x - r, y - r, x + r, y + r) for x, y, r in discs)])
    for k, box in enumerate(boxes):
        others = np.delete(everything, k, axis=0)
        depth = np.minimum(others[:, 2:], box[2:]) - np.maximum(others[:, :2], box[:2])
        assert (depth.min(axis=1) < 1e-4).all(), box
    left, top, width, height = map(float, ET.fromstring(svg_of(roads)).get("viewBox").split())
    assert everything[:, 0].min() > left
    assert everything[:, 1].min() > top
    assert everything[:, 2].max() < left + width
    assert everything[:, 3].max() < top + height


@pytest.mark.parametrize(
    ("line", "crosses"),
    [
        ((0, 0, 4, 4), True), ((0, 4, 1, 5), False), ((1.5, -9, 1.5, 9), True), ((3, -9, 3, 9), False),
        ((1.2, 1.2, 1.4, 1.3), True), ((0, 1.5, 9, 1.5), True), ((2.5, 1.5, 9, 1.5), False), ((1.5, 1.5, 1.5, 1.5), True),
    ],
)  # fmt: skip
def test_which_lines_cross_a_box(line, crosses):
    box = np.array([1.0, 1.0, 2.0, 2.0])
    ways = np.array([line, (*line[2:], *line[:2])], float)
    assert crossed(ways, box).tolist() == [crosses, crosses]


def test_levels_of_a_roadmap_are_apart_and_lifts_are_dashed():
    places = {"a": (0, 0, 0), "b": (10, 0, 0), "up": (0, 0, 4), "far": (10, 0, 4)}
    house = Roadmap(places, ["ab", ("a", "up"), ("up", "far")])
    assert [shape.text for shape in shapes(house, "text") if shape.text.startswith("z")] == ["z = 0", "z = 4"]
    spots = {(shape.get("cx"), shape.get("cy")) for shape in shapes(house, "circle")}
    assert len(spots) == 4
    assert sum(shape.get("stroke-dasharray") is not None for shape in shapes(house, "path")) == 1
    assert text_of(house, 60).count("o") == 4
    flat = Roadmap({k: (0, k) for k in range(4)}, [(0, 1), (2, 3)], levels={0: "A", 1: "A", 2: "B", 3: "B"})
    assert {"A", "B"} <= {shape.text for shape in shapes(flat, "text")}


def test_terrain_and_stations_have_colours():
    costs = np.where([[1, 0, 0], [0, 0, 1]], 4.0, 1.0)
    fills = [shape.get("fill") for shape in shapes(Grid(FREE, costs=costs), "path")]
    assert len(fills) == 2, "walls, and one kind of rough ground"
    hexagons = {shape.get("fill") for shape in shapes(HexGrid(FREE, costs=costs), "path")}
    assert len(hexagons) == 3
    plain = SiteMap(FREE)
    site = SiteMap(FREE, stations={"E": plain.cells([(0, 0)]), "S": plain.cells([(1, 0), (0, 1)])})
    assert [shape.get("d").count("M") for shape in shapes(site, "path")] == [2, 1, 2]


def test_hexagons_triangles_and_meshes_in_letters():
    assert text_of(HexGrid(FREE)) == ". . #\n . # ."
    assert text_of(HexGrid(FREE, shifted="even")) == " . . #\n. # ."
    assert text_of(HexGrid(FREE, "flat")) == ". #\n .\n. .\n #"
    assert text_of(HexGrid(FREE, "flat", shifted="even")) == " .\n. #\n #\n. ."
    assert text_of(TriangleGrid(FREE)) == "..#\n.#."
    mesh = Navmesh.from_polygons([(0, 0), (8, 0), (8, 8), (0, 8)], [[(4, 4), (8, 4), (8, 8), (4, 8)]])
    assert text_of(mesh, 8).split("\n") == ["........"] * 2 + ["....####"] * 2
    assert len(shapes(mesh, "polygon")) == mesh.n_polygons


def test_a_graph_is_drawn_as_a_roadmap():
    square = Graph([0, 1, 2, 2], [1, 0], [2.0, 2.0], names=["a", "b", "c"])
    assert len(shapes(square, "circle")) == 3
    assert {"a", "b", "c", "2"} == {shape.text for shape in shapes(square, "text")}
    assert text_of(square, 40).count("o") == 3
    assert sum(shape.get("marker-end") is not None for shape in shapes(square, "path")) == 0
    one_way = Graph([0, 1, 1], [1], [3.0], positions=[(0, 0), (4, 0)])
    assert sum(shape.get("marker-end") is not None for shape in shapes(one_way, "path")) == 1


def test_walls_of_levels_lie_around_their_lanes():
    walls = [Wall((0, -2), (8, -2), "A"), Wall((0, 6), (8, 6), "B")]
    rooms = Roadmap({"a": (1, 0), "b": (6, 0), "c": (1, 5), "d": (6, 5)}, [("a", "b"), ("c", "d")], walls=walls,
                    levels={"a": "A", "b": "A", "c": "B", "d": "B"})  # fmt: skip
    drawing = drawing_of(rooms)
    (path,) = [shape for shape in shapes(rooms, "path") if shape.get("stroke-linecap") == "round"]
    lines = [np.array(line.replace("L", " ").split(), float) for line in path.get("d").strip("M").split("M")]
    assert len(lines) == 2
    for line, place, apart in zip(lines, ("a", "c"), (-2, 1), strict=True):
        x, y = drawing.at[rooms.cell(place)]
        assert line == pytest.approx([x - 1, y + apart, x + 7, y + apart])
    (left, top), size = (drawing.left, drawing.top), (drawing.width, drawing.height)
    for x, y in np.concatenate(lines).reshape(-1, 2):
        assert left <= x <= left + size[0]
        assert top <= y <= top + size[1]


def test_what_cannot_be_drawn_is_said(monkeypatch):
    monkeypatch.setattr(svg, "MOST_SHAPES", 4)
    with pytest.raises(BadInput, match="a picture of 5 shapes is too large; at most 4 are drawn"):
        svg_of(ROADS)
