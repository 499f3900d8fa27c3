"""Polygons in GeoJSON and WKT, as meshes and as spaces of crowds, and what is refused."""

import json

import numpy as np
import pytest
import shapely

from wayfolk.errors import BadMap
from wayfolk.files import polygons as module
from wayfolk.files.any_world import read_any_world
from wayfolk.files.polygons import read_mesh, read_polygons, read_space

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
HOLE = [[2, 2], [4, 2], [4, 4], [2, 4], [2, 2]]
FAR = [[20, 0], [24, 0], [24, 3], [20, 3], [20, 0]]
ROOM = {"type": "Polygon", "coordinates": [SQUARE, HOLE]}
TWO = {"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [FAR]]}
WKT = """POLYGON ((0 0, 10 0, 10 10, 0 10, 0 0),
 (2 2, 4 2, 4 4, 2 4, 2 2))

POLYGON Z ((20 0 1, 24 0 1, 24 3 1, 20 3 1, 20 0 1))
"""


def feature(geometry):
    return {"type": "Feature", "properties": {"name": "x"}, "geometry": geometry}


def write(folder, tree, name="a.geojson"):
    (folder / name).write_text(tree if isinstance(tree, str) else json.dumps(tree, indent=1))
    return folder / name


FORMS = {
    "polygons": {"type": "GeometryCollection", "geometries": [ROOM, {"type": "Polygon", "coordinates": [FAR]}]},
    "multi": TWO,
    "feature": feature(TWO),
    "features": {
        "type": "FeatureCollection",
        "features": [feature(ROOM), feature(None), feature({"type": "Polygon", "coordinates": [FAR]})],
    },
}


@pytest.mark.parametrize("form", [*FORMS, "wkt"])
def test_every_form_has_the_same_polygons(tmp_path, form):
    file = write(tmp_path, WKT, "a.wkt") if form == "wkt" else write(tmp_path, FORMS[form])
    read = read_polygons(file)
    assert [(one.area, len(one.interiors)) for one in read] == [(96.0, 1), (12.0, 0)]
    assert read[0].equals(shapely.Polygon(SQUARE, [HOLE]))
    assert not any(one.has_z for one in read)
    mesh = read_mesh(file)
    assert mesh.area == pytest.approx(108.0)
    assert mesh.neighbours.components.max() == 2


def test_a_json_file_is_told_from_a_layout(tmp_path):
    assert read_any_world(write(tmp_path, TWO, "a.json")).area == pytest.approx(108.0)


def test_a_space_is_solid_where_there_is_no_polygon(tmp_path):
    space = read_space(write(tmp_path, TWO))
    places = [(1, 1), (3, 3), (15, 5), (22, 1), (-0.5, 5), (22, 3.5), (9, 9)]
    assert space.is_solid(places).tolist() == [False, True, True, False, True, True, False]


def test_solid_polygons_have_free_holes(tmp_path):
    space = read_space(write(tmp_path, TWO), solid=True)
    assert space.is_solid([(1, 1), (3, 3), (15, 5), (22, 1)]).tolist() == [True, False, False, True]
    assert space.clearance([(3, 3)])[0] == pytest.approx(1.0)
    assert space.clearance([(15, 5)])[0] == pytest.approx(5.0)


def test_spaces_agree_with_shapely(tmp_path):
    """Random rooms with many holes, some in a row, so that a cut goes through several."""
    random = np.random.default_rng(1)
    for trial in range(5):
        room = shapely.box(0, 0, 40, 30)
        for _ in range(25):
            x, y = random.integers(1, 38), random.integers(1, 28)
            pillar = shapely.Point(x, y).buffer(random.uniform(0.2, 1.4), quad_segs=2)
            room = room.difference(pillar)
        (tmp_path / "a.wkt").write_text(room.wkt)
        points = random.uniform(-0.9, 30.9, (2000, 2))
        inside = shapely.contains_xy(room, points)
        assert (read_space(tmp_path / "a.wkt").is_solid(points) != inside).all(), trial
        assert (read_space(tmp_path / "a.wkt", solid=True).is_solid(points) == inside).all(), trial


BOW = [[0, 0], [4, 4], [4, 0], [0, 4], [0, 0]]


def ring(*points):
    return {"type": "Polygon", "coordinates": [[list(point) for point in points]]}


@pytest.mark.parametrize(
    ("name", "tree", "sentence"),
    [
        ("a.geojson", feature({"type": "Polygon", "coordinates": [BOW]}), "not valid: self-intersection[2 2]"),
        ("a.geojson", {"type": "Polygon", "coordinates": [SQUARE, FAR]}, "not valid: hole lies outside shell"),
        (
            "a.geojson",
            ring((0, 0), (4, 4), (4, 0)),
            "line 3: this is no Polygon of GeoJSON: 'a ring has 4 points or more, and is c",
        ),
        ("a.geojson", ring((0, 0), (4, 4), (4, 0), (1, 0)), "a ring has 4 points or more"),
        ("a.geojson", ring((0,), (4,), (4,), (0,)), "a point has two or three coordinates"),
        ("a.geojson", ring((0, 0), (4, "x"), (4, 0), (0, 0)), "line 3: this is no Polygon of GeoJSON"),
        ("a.geojson", ring((0, 0), (4, float("nan")), (4, 0), (0, 0)), "a coordinate is not finite"),
        ("a.geojson", ring((0, 0), (4, 10**400), (4, 0), (0, 0)), "this is no Polygon of GeoJSON"),
        ("a.geojson", ring((0, 0), (4, None), (4, 0), (0, 0)), "no Polygon of GeoJSON"),
        ("a.geojson", {"type": "Polygon", "coordinates": []}, "a polygon needs a ring"),
        ("a.geojson", {"type": "Polygon"}, "line 1: this is no Polygon of GeoJSON: \"'coordinates'\""),
        ("a.geojson", {"type": "MultiPolygon", "coordinates": []}, "the polygon is empty"),
        (
            "a.geojson",
            feature({"type": "Point", "coordinates": [1, 2]}),
            "line 6: should be a Polygon, a MultiPolygon, or features of these",
        ),
        ("a.geojson", {"type": "FeatureCollection", "features": []}, "there is no polygon in it"),
        ("a.geojson", {"type": "FeatureCollection", "features": [7]}, "line 4: should be a Polygon"),
        ("a.geojson", [1], "line 1: should be a Polygon"),
        ("a.geojson", "{", "this is not JSON"),
        ("a.geojson", "[" * 10**5, "this is not JSON that can be read"),
        (
            "a.wkt",
            "POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))",
            "a.wkt, line 1: the polygon is not valid: self-intersection[2 2]",
        ),
        ("a.wkt", "\nPOLYGON ((0 0, 4 4\n", "a.wkt, line 2: the brackets of this geometry are not closed"),
        ("a.wkt", "POINT (1 2)", "a.wkt, line 1: should be a POLYGON or a MULTIPOLYGON, not 'POINT (1 2)'"),
        ("a.wkt", "POLYGON ((0 0, 4 4, 4 0))", "a.wkt, line 1: this is not WKT"),
        ("a.wkt", "POLYGON ((0 0, x 4, 4 0, 0 0))", "a.wkt, line 1: this is not WKT"),
        ("a.wkt", "POLYGON ((0 0, nan 4, 4 0, 0 0))", "a.wkt, line 1: "),
        ("a.wkt", "POLYGON EMPTY", "a.wkt, line 1: the polygon is empty"),
        ("a.wkt", "POLYGON " + "(" * 10**5 + ")" * 10**5, "a.wkt, line 1: this is not WKT"),
    ],
)
def test_what_is_refused(tmp_path, name, tree, sentence):
    file = write(tmp_path, tree, name)
    with pytest.raises(BadMap) as error:
        read_polygons(file)
    assert sentence in str(error.value)
    assert str(file) in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_the_line_of_the_polygon_that_is_not_valid_is_named(tmp_path):
    file = write(
        tmp_path,
        {"type": "FeatureCollection", "features": [feature(ROOM), feature({"type": "Polygon", "coordinates": [BOW]})]},
    )
    with pytest.raises(BadMap) as error:
        read_polygons(file)
    line = int(str(error.value).split("line ")[1].split(":")[0])
    assert '"geometry": {' in file.read_text().splitlines()[line - 1]


def test_sizes_are_limited(tmp_path, monkeypatch):
    file = write(tmp_path, TWO)
    monkeypatch.setattr(module, "MOST_POINTS", 14)
    with pytest.raises(BadMap, match="polygons of 15 points are more than the 14 that are read"):
        read_polygons(file)


def test_polygons_that_overlap_make_no_mesh(tmp_path):
    shifted = [[x + 5, y] for x, y in SQUARE]
    file = write(tmp_path, {"type": "MultiPolygon", "coordinates": [[SQUARE], [shifted]]})
    with pytest.raises(BadMap, match=r"a.geojson: outlines 0 and 1 overlap"):
        read_mesh(file)
    assert not read_space(file).is_solid([(7, 5)])[0], "a space is their union"


def test_holes_that_no_cut_reaches_are_refused(tmp_path):
    """Between the sides of this hole there is no number, so no line goes through it."""
    left = 1e9
    right = float(np.nextafter(left, 2e9))
    hole = [[left, 5.0], [right, 4.0], [right, 6.0], [left, 5.0]]
    shell = [[0, 0], [2e9, 0], [2e9, 10], [0, 10], [0, 0]]
    file = write(tmp_path, {"type": "Polygon", "coordinates": [shell, hole]})
    with pytest.raises(BadMap, match=r"a.geojson: a hole near x = 1e\+09 is too narrow"):
        read_space(file, solid=True)
