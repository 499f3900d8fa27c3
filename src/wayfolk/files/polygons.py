"""Polygons as files, GeoJSON and WKT: the free space of a mesh or a crowd, or what stands in its way.

Butler et al., "The GeoJSON Format", RFC 7946; "Simple feature access", OGC 06-103r4. Coordinates are taken for metres in a
plane: degrees must be projected first. A third coordinate is left out. Needs shapely.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfolk.errors import BadInput, BadMap, Missing
from wayfolk.files.markup import check_size
from wayfolk.files.raw import File, read_bytes, shown
from wayfolk.world.graph import FARTHEST
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.space import Space

if TYPE_CHECKING:
    import shapely  # type: ignore[import-untyped]

GEOMETRIES = ("Polygon", "MultiPolygon")
COLLECTIONS = {"FeatureCollection": "features", "GeometryCollection": "geometries"}
MOST_POINTS = 1_000_000  # of all polygons of a file
MOST_DEPTH = 20  # collections in collections
ROOM = 1.0  # metres of wall around free space


def read_polygons(file: File) -> list[shapely.Polygon]:
    """The polygons in a file of GeoJSON (`.geojson`, `.json`) or of WKT (`.wkt`): each line a geometry. They are valid."""
    try:
        import shapely
    except ImportError:
        raise Missing(f"{file}: polygons need the package shapely: pip install 'wayfolk[graphs]'") from None
    data = bytes(read_bytes(file, BadMap))
    check_size(file, data)
    is_wkt = Path(file).suffix.lower() == ".wkt"
    parts = _of_wkt(file, data) if is_wkt else _of_geojson(file, data)
    polygons = []
    for where, one in parts:
        if not (np.abs(shapely.get_coordinates(one)) <= FARTHEST).all():
            raise BadMap(f"{where}: a coordinate is not a number from {-FARTHEST:g} to {FARTHEST:g}")
        if one.is_empty:
            raise BadMap(f"{where}: the polygon is empty")
        for polygon in shapely.get_parts(shapely.force_2d(one)):
            if not polygon.is_valid:
                raise BadMap(f"{where}: the polygon is not valid: {shapely.is_valid_reason(polygon).lower()}")
            polygons.append(polygon)
    if not polygons:
        raise BadMap(f"{file}: there is no polygon in it")
    n_points = int(shapely.get_num_coordinates(polygons).sum())
    if n_points > MOST_POINTS:
        raise BadMap(f"{file}: polygons of {n_points:,} points are more than the {MOST_POINTS:,} that are read")
    return polygons


def read_mesh(file: File) -> Navmesh:
    """The inside of the polygons in `file`, GeoJSON or WKT, as a navigation mesh; their holes are walls."""
    polygons = read_polygons(file)
    try:
        return Navmesh.from_polygons(polygons)
    except BadInput as why:
        raise BadMap(f"{file}: {why}") from None


def read_space(file: File, *, solid: bool = False) -> Space:
    """The polygons in `file`, GeoJSON or WKT, as the space of a crowd.

    Bodies move inside the polygons, and their holes and all around them is wall. With `solid` the polygons are the
    obstacles: bodies move around them, and in their holes.
    """
    polygons = read_polygons(file)
    import shapely

    area = shapely.union_all(polygons)
    if not solid:
        left, low, right, high = area.bounds
        area = shapely.box(left - ROOM, low - ROOM, right + ROOM, high + ROOM).difference(area)
    try:
        rings = [_corners(ring) for polygon in shapely.get_parts(area) for ring in _without_holes(polygon)]
        return Space(polygons=rings)
    except BadInput as why:
        raise BadMap(f"{file}: {why}") from None


def _of_wkt(file: File, data: bytes) -> list[tuple[str, Any]]:
    """The geometries, each with its file and line; a geometry may go on in the next lines until its brackets close."""
    import shapely

    found: list[tuple[str, str]] = []
    begun: list[str] = []
    depth, first = 0, 1
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not begun and not line.strip():
            continue
        first = first if begun else number
        begun.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0:
            found.append((f"{file}, line {first}", " ".join(begun).strip()))
            begun, depth = [], 0
    if begun:
        raise BadMap(f"{file}, line {first}: the brackets of this geometry are not closed")
    geometries = []
    for where, one in found:
        kind = one.partition("(")[0].split()
        if not kind or kind[0].upper() not in ("POLYGON", "MULTIPOLYGON"):
            raise BadMap(f"{where}: should be a POLYGON or a MULTIPOLYGON, not {shown(one)}")
        try:
            with np.errstate(invalid="ignore", over="ignore"):  # what is no number is refused later
                geometries.append((where, shapely.from_wkt(one)))
        except shapely.errors.ShapelyError as why:
            raise BadMap(f"{where}: this is not WKT: {shown(str(why))}") from None
    return geometries


def _of_geojson(file: File, data: bytes) -> list[tuple[str, Any]]:
    """The geometries of a document, each with its file and where it stands."""
    from wayfolk.files.documents import line_of, parse_json

    todo: list[tuple[tuple[int | str, ...], Any]] = [((), parse_json(file, data))]
    found: list[tuple[tuple[int | str, ...], Any]] = []
    while todo:
        path, tree = todo.pop()
        kind = tree.get("type") if isinstance(tree, dict) else None
        kind = kind if isinstance(kind, str) else None
        if kind in COLLECTIONS and isinstance(tree.get(COLLECTIONS[kind]), list) and len(path) < 2 * MOST_DEPTH:
            key = COLLECTIONS[kind]
            todo += [((*path, key, k), one) for k, one in reversed(list(enumerate(tree[key])))]
        elif kind == "Feature" and "geometry" in tree:
            todo.append(((*path, "geometry"), tree["geometry"]))
        elif kind in GEOMETRIES:
            try:
                found.append((path, _shape(tree)))
            except (TypeError, ValueError, KeyError, OverflowError) as why:
                line = line_of(data, (*path, "coordinates"))
                raise BadMap(f"{file}{line}: this is no {kind} of GeoJSON: {shown(str(why))}") from None
        elif tree is not None or not path:  # a feature without a place has the geometry null
            what = shown(kind if isinstance(tree, dict) else tree)
            line = line_of(data, path)
            raise BadMap(f"{file}{line}: should be a Polygon, a MultiPolygon, or features of these, not {what}")
    with np.errstate(over="ignore"):
        bad = next((path for path, one in found if not one.is_valid or one.is_empty), None)
    return [(f"{file}{line_of(data, path) if path == bad else ''}", one) for path, one in found]


def _shape(tree: Any) -> Any:
    """The geometry in a part of a document; ValueError if its coordinates are none."""
    import shapely

    rings = [tree["coordinates"]] if tree["type"] == "Polygon" else tree["coordinates"]
    polygons = []
    for polygon in rings:
        lines = [np.array([point[:2] for point in ring], np.float64) for ring in polygon]
        for line in lines:
            if line.ndim != 2 or line.shape[1] != 2:
                raise ValueError("a point has two or three coordinates")
            if len(line) < 4 or (line[0] != line[-1]).any():
                raise ValueError("a ring has 4 points or more, and is closed")
            if not np.isfinite(line).all():
                raise ValueError("a coordinate is not finite")
        if not lines:
            raise ValueError("a polygon needs a ring")
        polygons.append(shapely.Polygon(lines[0], lines[1:]))
    return shapely.MultiPolygon(polygons)


def _without_holes(polygon: Any) -> list[Any]:
    """Polygons without holes that cover a polygon with holes: it is cut through the middle one until none is left."""
    import shapely

    todo, done = [polygon], []
    while todo:
        one = todo.pop()
        if not len(one.interiors):
            done.append(one)
            continue
        left, low, right, high = one.bounds
        middles = sorted((ring.bounds[0] + ring.bounds[2]) / 2.0 for ring in one.interiors)
        x = middles[len(middles) // 2]
        halves = (shapely.box(left, low, x, high), shapely.box(x, low, right, high))
        cut = [part for half in halves for part in shapely.get_parts(one.intersection(half))]
        parts = [part for part in cut if part.geom_type == "Polygon" and part.area > 0.0]
        if sum(len(part.interiors) for part in parts) >= len(one.interiors):
            raise BadInput(f"a hole near x = {x:g} is too narrow")
        todo += parts
    return done


def _corners(polygon: Any) -> Any:
    import shapely

    return shapely.get_coordinates(polygon)[:-1]
