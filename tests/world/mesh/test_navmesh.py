"""Navmesh: it is the free space, cut into convex polygons; paths stay in it, and exact ones are the shortest."""

import math
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

pytest.importorskip("shapely")
import shapely

from plane import free_space, is_inside, random_points, random_world, shortest
from reference import picture, small_grids
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadProblem, Missing, NotSupported
from wayfolk.files.maps import parse_ascii, read_map
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.mesh.funnel import funnel
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.mesh.waypoints import Waypoints

ROOM = [(0, 0), (10, 0), (10, 10), (0, 10)]
PILLAR = [(4, 4), (6, 4), (6, 6), (4, 6)]
PINCH = """
    .#
    #.
"""
GRAPH_SEARCHES = [entry.name for entry in catalogue.entries("search") if entry.facts.get("WORLDS") != "grid"]


def check_mesh(mesh, free):
    """Its polygons are convex, do not overlap, and are together what is free; portals are edges of both their polygons."""
    shapes = [shapely.Polygon(ring) for ring in mesh.polygons]
    for ring, shape in zip(mesh.polygons, shapes, strict=True):
        assert shape.is_valid
        assert shape.exterior.is_ccw
        assert shape.area == pytest.approx(shape.convex_hull.area)
        assert len(ring) == len(np.unique(ring, axis=0))
    assert sum(shape.area for shape in shapes) == pytest.approx(mesh.area)
    assert mesh.area == pytest.approx(free.area)
    assert shapely.union_all(shapes).symmetric_difference(free).area == pytest.approx(0, abs=1e-7 * free.area)
    edges = {(tuple(a), tuple(b)): k for k, ring in enumerate(mesh.polygons) for a, b in cells_or_edges(ring)}
    for (one, other), (left, right) in zip(mesh.sides.tolist(), mesh.gates.tolist(), strict=True):
        assert one < other
        assert edges[tuple(right), tuple(left)] == one
        assert edges[tuple(left), tuple(right)] == other


def cells_or_edges(ring):
    return pairwise([*ring.tolist(), ring[0].tolist()])


def check_paths(mesh, free, start, goal):
    """The ratio of a smoothed path to the shortest, after all that must hold of the three kinds of path."""
    rough, smooth = mesh.find_path(start, goal, smooth=False), mesh.find_path(start, goal)
    exact = mesh.find_path(start, goal, exact=True)
    for result in (rough, smooth, exact):
        assert result.status is exact.status
        if result.is_solved:
            assert result.path[0] == tuple(start)
            assert result.path[-1] == tuple(goal)
            assert result.cost == pytest.approx(sum(math.dist(*step) for step in pairwise(result.path)))
            assert result.cost >= math.dist(start, goal) - 1e-9
            assert is_inside(free, result.path), result.path
    assert rough.cost >= smooth.cost - 1e-9
    assert smooth.cost >= exact.cost - 1e-9
    return smooth.cost / exact.cost if exact.is_solved and exact.cost else 1.0


@given(grid=small_grids())
def test_rectangles_are_the_free_cells(grid):
    check_mesh(Navmesh.from_grid(grid), free_space(grid))


@pytest.mark.plain
@given(grid=small_grids(cliffs=True), data=st.data())
def test_what_is_connected_on_the_grid_is_connected(grid, data):
    mesh = Navmesh.from_grid(grid)
    assert mesh.area == len(grid.free_cells)
    start, goal = (data.draw(st.sampled_from(grid.free_cells.tolist())) for _ in range(2))
    note(picture(grid, [start], [goal]))
    ends = grid.place(start), grid.place(goal)
    is_connected = grid.components[start] == grid.components[goal]
    for options in ({}, {"exact": True}):
        result = mesh.find_path(*ends, **options)
        assert result.status is (Status.SOLVED if is_connected else Status.IMPOSSIBLE)
        assert is_connected == (result.path is not None)


@settings(max_examples=60)
@given(grid=small_grids(max_side=8), data=st.data())
def test_paths_on_a_grid(grid, data):
    mesh = Navmesh.from_grid(grid)
    cell, eighths = st.sampled_from(grid.free_cells.tolist()), st.integers(-4, 4)
    places = [grid.place(data.draw(cell)) for _ in range(2)]
    ends = [(x + data.draw(eighths) / 8, y + data.draw(eighths) / 8) for x, y in places]
    note(f"{picture(grid)}\n{ends}")
    check_paths(mesh, free_space(grid), *ends)
    # walls that are larger by a hair have no gaps where they touch
    truth = shortest(free_space(grid, 1e-6), *places)
    assert mesh.find_path(*places, exact=True).cost == pytest.approx(truth, abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_paths_among_polygons(seed):
    free = random_world(seed, obstacles=3 + 2 * seed)
    mesh = Navmesh.from_polygons(free)
    check_mesh(mesh, free)
    for start, goal in pairwise(
        [*random_points(free, 8, seed), *mesh.corners[:2].tolist(), mesh.polygons[0][0].tolist()]
    ):
        check_paths(mesh, free, start, goal)
        assert mesh.find_path(start, goal, exact=True).cost == pytest.approx(shortest(free, start, goal), rel=1e-6)


def test_smoothed_paths_are_nearly_as_short_as_the_page_says():
    """Ratios to the shortest path; the page in the docs has these numbers."""
    ratios = []
    for seed in range(30):
        free = random_world(seed)
        mesh = Navmesh.from_polygons(free)
        ratios += [check_paths(mesh, free, *ends) for ends in pairwise(random_points(free, 11, seed))]
    assert len(ratios) == 300
    assert np.mean(ratios) < 1.02
    assert np.percentile(ratios, 95) < 1.1
    assert np.mean(np.array(ratios) < 1 + 1e-9) > 0.8
    assert max(ratios) < 1.6


def test_in_game_maps_too(movingai):
    means = []
    for name in ("arena", "brc000d", "den312d", "lak303d"):
        grid = read_map(movingai / "single" / f"{name}.map")
        mesh = Navmesh.from_grid(grid)
        ratios = []
        for start, goal in grid.places(np.random.default_rng(0).choice(grid.free_cells, (100, 2))).tolist():
            smooth, exact = mesh.find_path(start, goal), mesh.find_path(start, goal, exact=True)
            on_grid = find_path(grid, start, goal)
            assert smooth.is_solved == exact.is_solved == on_grid.is_solved
            if exact.is_solved:
                assert exact.cost <= on_grid.cost + 1e-9
                ratios.append(smooth.cost / exact.cost if exact.cost else 1.0)
        means.append(np.mean(ratios))
    assert 1.02 < min(means) < max(means) < 1.12


@pytest.mark.plain
def test_nobody_slips_through_between_walls_that_touch():
    mesh = Navmesh.from_grid(parse_ascii(PINCH))
    assert mesh.n_polygons == 2
    assert len(mesh.sides) == 0
    assert mesh.locate((0.5, 0.5)).tolist() == [0, 1]
    assert not mesh.sees((0, 0), (1, 1))
    assert mesh.sees((0, 0), (0.5, 0.5))
    for options in ({}, {"exact": True}):
        assert mesh.find_path((0, 0), (1, 1), **options).status is Status.IMPOSSIBLE
        assert mesh.find_path((0, 0), (0.5, 0.5), **options).cost == pytest.approx(math.sqrt(0.5))


@pytest.mark.plain
def test_the_way_around_walls_that_touch():
    """A way leads past the point where they touch, on this side and then on that."""
    mesh = Navmesh.from_grid(
        parse_ascii("""
            ....
            .#..
            ..#.
            ....
        """)
    )
    assert not mesh.sees((2, 1), (1, 2))
    either = [(2, 1), (2.5, 1.5), (2.5, 2.5), (1.5, 2.5), (1, 2)], [(2, 1), (1.5, 0.5), (0.5, 0.5), (0.5, 1.5), (1, 2)]
    result = mesh.find_path((2, 1), (1, 2), exact=True)
    assert result.path in either
    assert result.cost == pytest.approx(2 + math.sqrt(2))
    assert mesh.find_path((2, 1), (1.5, 1.5), exact=True).cost == pytest.approx(math.sqrt(0.5))
    assert mesh.find_path((1, 2), (1.5, 1.5), exact=True).cost == pytest.approx(math.sqrt(0.5))


@pytest.mark.plain
def test_a_cliff_is_a_wall_without_width():
    links = np.full((2, 3), 3)
    links[0, :2] = 1  # no way south from the first two cells of the first row
    mesh = Navmesh.from_grid(Grid(np.ones((2, 3)), links=links))
    assert mesh.area == 6
    assert not mesh.sees((0, 0), (0, 1))
    assert mesh.sees((0, 0), (2, 1)) is False
    for options in ({}, {"exact": True}):
        assert mesh.find_path((0, 0), (0, 1), **options).cost == pytest.approx(2 * math.dist((0, 0), (1.5, 0.5)))


@pytest.mark.plain
@pytest.mark.parametrize("name", GRAPH_SEARCHES)
def test_every_search_of_graphs_works_on_a_mesh(name):
    mesh = Navmesh.from_polygons(ROOM, PILLAR)
    result = mesh.find_path((1, 5), (9, 5.5), name)
    assert result.is_solved
    assert result.algorithm == name
    assert result.cost >= mesh.find_path((1, 5), (9, 5.5), exact=True).cost - 1e-9
    assert is_inside(shapely.Polygon(ROOM, [PILLAR]), result.path)
    ends = mesh.graph_between((1, 5), (9, 5.5))
    assert find_path(ends, "start", "goal", name).path[0] == "start"


@pytest.mark.parametrize("exact", [False, True])
def test_paused_and_resumed_gives_the_same(exact):
    free = random_world(3, obstacles=25)
    mesh = Navmesh.from_polygons(free)
    for ends in pairwise(random_points(free, 6, 3)):
        whole = mesh.find_path(*ends, exact=exact, watch=True)
        task = mesh.begin_path(*ends, exact=exact, watch=True)
        n = 0
        while not task.advance(1).is_final:
            n += 1
            assert task.result().expanded <= n
        assert task.result().path == whole.path
        assert task.result().expanded == whole.expanded == len(whole.events)
        assert (task.result().events == whole.events).all()
        assert task.advance(3) is Status.SOLVED
    assert mesh.find_path(*ends, exact=exact, expansions=1).status is Status.OUT_OF_BUDGET
    assert mesh.find_path(*ends, exact=exact, seconds=60).path == whole.path


@pytest.mark.plain
def test_one_convex_room_needs_no_portals():
    mesh = Navmesh.from_polygons(ROOM)
    assert (mesh.n_polygons, len(mesh.sides), len(mesh.corners)) == (1, 0, 0)
    for options in ({}, {"exact": True}, {"smooth": False}):
        assert mesh.find_path((0, 0), (3, 4), **options).path == [(0, 0), (3, 4)]
        assert mesh.find_path((3, 4), (3, 4), **options).cost == 0
    with pytest.raises(NotSupported, match="no portals"):
        _ = mesh.graph


@pytest.mark.plain
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_neither_size_nor_distance_from_zero_matter(size, far):
    def moved(points):
        return (np.array(points) + far) * size

    mesh = Navmesh.from_polygons(moved(ROOM), [moved(PILLAR)])
    assert mesh.area == pytest.approx(96 * size**2)
    start, goal = moved([(1, 5), (9, 5.5)])
    expected = math.dist((1, 5), (4, 6)) + 2 + math.dist((6, 6), (9, 5.5))
    assert mesh.find_path(start, goal, exact=True).cost == pytest.approx(expected * size)
    assert mesh.find_path(start, goal).cost >= expected * size * (1 - 1e-9)


@pytest.mark.plain
def test_points_along_a_slanted_wall_do_no_harm():
    """They are on its line but for the last digit."""
    wall = [(k / 7, k / 21) for k in range(22)]
    mesh = Navmesh.from_polygons([*wall, (3, 4), (0, 4)])
    assert mesh.area == pytest.approx(10.5)
    for options in ({}, {"exact": True}):
        assert mesh.find_path((0, 0), (3, 1), **options).cost == pytest.approx(math.sqrt(10))


@pytest.mark.plain
def test_outlines_that_share_an_edge_are_one_space():
    halves = [[(0, 0), (5, 0), (5, 10), (0, 10)], [(5, 2), (10, 2), (10, 4), (5, 4)]]
    mesh = Navmesh.from_polygons(halves)
    assert mesh.area == pytest.approx(60)
    assert mesh.find_path((1, 9), (9, 3)).cost == pytest.approx(math.dist((1, 9), (5, 4)) + math.dist((5, 4), (9, 3)))
    apart = Navmesh.from_polygons([halves[0], [(5, 10), (9, 10), (9, 12)]])  # they touch at a point
    assert apart.find_path((1, 9), (8, 11)).status is Status.IMPOSSIBLE
    assert apart.find_path((1, 9), (8, 11), exact=True).status is Status.IMPOSSIBLE


@pytest.mark.plain
def test_shapely_polygons_and_rings_are_the_same():
    shape = shapely.Polygon(ROOM, [PILLAR])
    by_ring, by_shape = Navmesh.from_polygons(ROOM, [PILLAR]), Navmesh.from_polygons([shape])
    assert by_ring.area == by_shape.area == Navmesh.from_polygons(shape).area == 96
    assert Navmesh.from_polygons(np.array(ROOM), shapely.Polygon(PILLAR)).area == 96


@pytest.mark.plain
def test_to_networkx_and_back():
    mesh = Navmesh.from_polygons(ROOM, PILLAR)
    there = mesh.graph.to_networkx()
    assert there.number_of_nodes() == len(mesh.sides)
    assert [there.nodes[k]["pos"] for k in there] == [tuple(gate.mean(0)) for gate in mesh.gates]
    back = Graph.from_networkx(there)
    assert find_path(back, 0, 2).cost == find_path(mesh.graph, 0, 2).cost


@pytest.mark.plain
@pytest.mark.parametrize(
    ("outlines", "holes", "says"),
    [
        ([], [], "a mesh needs an outline"),
        (None, [], "outlines are lists of points or polygons, not None"),
        ([ROOM, "room"], [], "outline 1 is not a list of points"),
        ([[(0, 0, 0), (1, 0, 0), (1, 1, 0)]], [], r"outline 0 is not a list of \(x, y\), its shape is \(3, 3\)"),
        ([(0, 0), (1, 1)], [], "outline 0 has fewer than three different points"),
        ([(0, 0), (1, 1), (0, 0), (1, 1)], [], "outline 0 has fewer than three different points"),
        ([(0, 0), (5, 5), (9, 9)], [], "outline 0 is not a simple polygon|outline 0 has no area"),
        ([(0, 0), (4, 4), (4, 0), (0, 4)], [], r"outline 0 is not a simple polygon: self-intersection\[2 2\]"),
        ([(0, 0), (4, math.nan), (4, 0)], [], r"outline 0 has the point \(4.0, nan\)"),
        ([(0, 0), (4, math.inf), (4, 0)], [], r"outline 0 has the point \(4.0, inf\)"),
        ([(0, 0), (4, 1e300), (4, 0)], [], r"outline 0 has the point \(4.0, 1e\+300\), which is too far away"),
        ([ROOM, [(9, 9), (12, 9), (12, 12)]], [], "outlines 0 and 1 overlap, near"),
        ([ROOM, ROOM], [], "outlines 0 and 1 overlap"),
        (ROOM, [PILLAR, [(1, 1), (2, 2), (3, 3)]], "hole 1 is not a simple polygon|hole 1 has no area"),
        (ROOM, [PILLAR, [(5, 5), (7, 5), (7, 7)]], "holes 0 and 1 overlap"),
        (ROOM, [[(20, 20), (21, 20), (21, 21)]], "hole 0 is not inside the outlines"),
        (ROOM, [[(8, 8), (12, 8), (12, 9)]], "hole 0 is not inside the outlines"),
        (ROOM, [ROOM], "the holes leave nothing free"),
        (ROOM, [[(5, 5), (5 + 1e-12, 5), (5, 5 + 1e-12)]], r"two points near \(5.0, 5.0\d*\) are too close together"),
        (shapely.LineString(ROOM), [], "outline 0 is a LineString, not a polygon"),
        (shapely.Polygon(), [], "outline 0 has fewer than three different points"),
    ],
)
def test_bad_polygons_are_named(outlines, holes, says):
    with pytest.raises(BadInput, match=says):
        Navmesh.from_polygons(outlines, holes)


numbers = st.integers(0, 6) | st.sampled_from([0.1, 1 / 3, 2.5, math.nan, math.inf])
anything = st.lists(st.tuples(numbers, numbers), max_size=7)


@st.composite
def stars(draw, largest=9, n=7):
    """Points in the order in which one turns around their middle: mostly a simple polygon."""
    point = st.tuples(st.integers(0, largest), st.integers(0, largest))
    points = np.array(draw(st.lists(point, min_size=3, max_size=n, unique=True)))
    x, y = (points - points.mean(0) + 1e-3).T
    return points[np.argsort(np.arctan2(y, x))].tolist()


worlds = st.tuples(
    st.just([[(0, 0), (9, 0), (9, 9), (0, 9)]]) | st.lists(stars(), max_size=2), st.lists(stars(n=4), max_size=3)
)


@given(world=worlds | st.tuples(st.lists(anything, max_size=2), st.lists(anything, max_size=2)))
def test_whatever_is_drawn_is_refused_or_exact(world):
    outlines, holes = world
    try:
        mesh = Navmesh.from_polygons(outlines, holes)
    except BadInput:
        return
    free = shapely.union_all([shapely.Polygon(ring) for ring in outlines])
    free = free.difference(shapely.union_all([shapely.Polygon(ring) for ring in holes]))
    check_mesh(mesh, free)
    middles = [tuple(ring.mean(0).tolist()) for ring in mesh.polygons]
    for start, goal in pairwise([*middles[:4], tuple(mesh.polygons[0][0].tolist())]):
        check_paths(mesh, free, start, goal)
        by_corners = Waypoints.at_corners(mesh).find_path(start, goal)
        exact = mesh.find_path(start, goal, exact=True)
        assert by_corners.status is exact.status
        assert by_corners.cost == pytest.approx(exact.cost) or not exact.is_solved


@pytest.mark.plain
def test_points_that_are_not_in_the_mesh_are_named():
    mesh = Navmesh.from_polygons(ROOM, PILLAR)
    for options in ({}, {"exact": True}):
        with pytest.raises(BadProblem, match=r"the start \(5, 5\) is outside the mesh"):
            mesh.find_path((5, 5), (1, 1), **options)
        with pytest.raises(BadProblem, match=r"the goal \(1, 10.1\) is outside the mesh"):
            mesh.find_path((1, 1), (1, 10.1), **options)
        with pytest.raises(BadProblem, match=r"the start \(nan, 1.0\) is nowhere"):
            mesh.find_path((math.nan, 1), (1, 1), **options)
        with pytest.raises(BadProblem, match="the goal is 'door', not two numbers"):
            mesh.find_path((1, 1), "door", **options)
    assert mesh.find_path((0, 0), (10, 10)).is_solved  # the edge belongs to it
    assert len(mesh.locate((5, 5))) == 0


@pytest.mark.plain
def test_what_a_mesh_cannot_do_is_refused():
    with pytest.raises(NotSupported, match="no terrain costs"):
        Navmesh.from_grid(Grid(np.ones((2, 2)), costs=np.full((2, 2), 2.0)))
    with pytest.raises(BadInput, match="no free cell"):
        Navmesh.from_grid(Grid(np.zeros((2, 2))))
    mesh = Navmesh.from_polygons(ROOM, PILLAR)
    with pytest.raises(NotSupported, match="an exact search"):
        mesh.find_path((1, 1), (9, 9), "dijkstra", exact=True)
    with pytest.raises(NotSupported, match="works on grids"):
        mesh.find_path((1, 1), (9, 9), "jps")


@pytest.mark.plain
def test_without_shapely_grids_still_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "shapely", None)
    assert Navmesh.from_grid(parse_ascii("...")).area == 3
    with pytest.raises(Missing, match="shapely is not installed: pip install 'wayfolk\\[graphs\\]'"):
        Navmesh.from_polygons(ROOM)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("gates", "path"),
    [
        ([], [(0, 0), (10, 0)]),
        ([((5, 1), (5, -1))], [(0, 0), (10, 0)]),
        ([((5, 3), (5, 2))], [(0, 0), (5, 2), (10, 0)]),
        ([((2, 9), (2, 1)), ((4, -1), (4, -9)), ((6, 9), (6, 1))], [(0, 0), (2, 1), (4, -1), (6, 1), (10, 0)]),
        ([((0, 0), (0, -5)), ((5, 3), (5, 2))], [(0, 0), (5, 2), (10, 0)]),  # the first ends where the path begins
        ([((12, 0), (5, 0))], [(0, 0), (10, 0)]),  # edge on, and the goal is in it
        ([((5, 9), (5, 2)), ((6, 9), (5, 2)), ((7, 3), (5, 2))], [(0, 0), (5, 2), (10, 0)]),  # around one corner
    ],
)
def test_funnel(gates, path):
    assert funnel((0, 0), (10, 0), gates) == path
