"""Worlds as pictures: well-formed, with a shape for each cell, place and lane; and as text."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from wayfolk.errors import BadInput, NotSupported
from wayfolk.replay import world_picture
from wayfolk.replay.world_picture import svg_of, text_of
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

FREE = np.array([[1, 1, 0], [1, 0, 1]], bool)
ROADS = Roadmap({"a": (0, 0), "b<": (10, 0), "c": (10, 8)}, [("a", "b<"), Lane("b<", "c", one_way=True)])


def shapes(world, tag):
    return ET.fromstring(svg_of(world)).findall(f".//{{http://www.w3.org/2000/svg}}{tag}")


@pytest.mark.parametrize("world", [HexGrid(FREE), HexGrid(FREE, "flat"), TriangleGrid(FREE)])
def test_neighbours_share_two_corners(world):
    polygons = [
        {tuple(np.round(np.array(point.split(","), float), 2)) for point in shape.get("points").split()}
        for shape in shapes(world, "polygon")
    ]
    assert len(polygons) == 6
    for cell, other in zip(world.sources, world.graph.target, strict=True):
        near = [(x, y) for x, y in polygons[cell] if any(abs(x - p) + abs(y - q) < 0.03 for p, q in polygons[other])]
        assert len(near) == 2, (world.place(cell), world.place(other))


def test_a_roadmap_has_a_disc_for_each_place_and_an_arrow_for_each_one_way_lane():
    assert len(shapes(ROADS, "circle")) == 3
    assert [shape.text for shape in shapes(ROADS, "text")] == ["a", "b<", "c"]
    arrows = [shape for shape in shapes(ROADS, "path") if shape.get("marker-end")]
    assert len(arrows) == 1
    assert text_of(ROADS, 11).split("\n") == ["o.........o", *[" " * 10 + "."] * 3, " " * 10 + "o"]


def test_levels_of_voxels_and_places_without_positions():
    levels = Voxels(np.stack([FREE, ~FREE]))
    assert [shape.text for shape in shapes(levels, "text")] == ["z = 0", "z = 1"]
    assert text_of(levels) == "z = 0\n..#\n.#.\n\nz = 1\n##.\n#.#"
    assert len(shapes(Roadmap("abc", ["ab", "bc"]), "circle")) == 3
    assert len(shapes(Grid(FREE), "rect")) == 2


def test_what_cannot_be_drawn_is_said(monkeypatch):
    with pytest.raises(NotSupported, match="can be drawn, not other graphs"):
        svg_of(Graph([0, 0], [], []))
    with pytest.raises(NotSupported, match="only voxels and roadmaps can be drawn in letters"):
        text_of(HexGrid(FREE))
    monkeypatch.setattr(world_picture, "MOST_SHAPES", 4)
    with pytest.raises(BadInput, match="a picture of 5 shapes is too large; at most 4 are drawn"):
        svg_of(ROADS)
