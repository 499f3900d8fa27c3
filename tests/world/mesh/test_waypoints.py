"""Waypoints: joined where the line is free; at all corners they are enough for shortest paths."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

pytest.importorskip("shapely")
import shapely

from plane import is_inside, random_points, random_world, shortest
from reference import picture, small_grids
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.files.maps import parse_ascii
from wayfolk.problem.result import Status
from wayfolk.world.grid import Grid
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.mesh.waypoints import Waypoints

ROOM = [(0, 0), (10, 0), (10, 10), (0, 10)]
PILLAR = [(4, 4), (6, 4), (6, 6), (4, 6)]
AROUND = [(2, 2), (8, 2), (8, 8), (2, 8)]
SEARCHES = [entry for entry in catalogue.entries("search") if entry.facts.get("WORLDS") != "grid"]


@pytest.fixture(scope="module")
def mesh():
    return Navmesh.from_polygons(ROOM, PILLAR)


@pytest.mark.parametrize("seed", range(6))
def test_lines_of_sight_are_those_that_stay_inside(seed):
    free = random_world(seed)
    mesh = Navmesh.from_polygons(free)
    points = np.array([*random_points(free, 30, seed), *mesh.corners.tolist()])
    # a line that touches a wall, or comes closer to it than this, may be judged either way
    inner, outer = free.buffer(-1e-6), free.buffer(1e-6)
    for point in points:
        seen = mesh.seen_from(point, points)
        for other, is_seen in zip(points, seen, strict=True):
            line = shapely.LineString([point, other])
            assert is_seen <= outer.covers(line)
            assert is_seen >= inner.covers(line)


def test_sight_ends_at_its_reach(mesh):
    assert mesh.seen_from((1, 1), [(1, 2), (1, 4), (9, 9)], reach=2.5).tolist() == [True, False, False]


@pytest.mark.parametrize("seed", range(6))
def test_corners_are_enough_for_shortest_paths(seed):
    free = random_world(seed)
    mesh = Navmesh.from_polygons(free)
    waypoints = Waypoints.at_corners(mesh)
    for start, goal in pairwise(random_points(free, 6, seed)):
        result = waypoints.find_path(start, goal, smooth=False)
        assert result.cost == pytest.approx(shortest(free, start, goal))
        assert is_inside(free, result.path)


@settings(max_examples=60)
@given(grid=small_grids(max_side=7, cliffs=True), data=st.data())
def test_on_grids_corners_agree_with_exact_paths(grid, data):
    mesh = Navmesh.from_grid(grid)
    start, goal = (data.draw(st.sampled_from(grid.free_cells.tolist())) for _ in range(2))
    note(picture(grid, [start], [goal]))
    ends = grid.place(start), grid.place(goal)
    by_corners, exact = Waypoints.at_corners(mesh).find_path(*ends), mesh.find_path(*ends, exact=True)
    assert by_corners.status is exact.status
    assert by_corners.cost == pytest.approx(exact.cost) or not exact.is_solved


@pytest.mark.parametrize("seed", range(4))
def test_smoothing_leaves_out_what_is_not_needed(seed):
    free = random_world(seed)
    mesh = Navmesh.from_polygons(free)
    near = Waypoints.sampled(mesh, 150, seed, reach=20)
    assert len(near.points) == 150
    longest = max(math.dist(*near.points[[a, b]]) for a, b in near.graph.to_networkx().edges)
    assert 10 < longest <= 20
    gains = []
    for start, goal in pairwise(random_points(free, 8, seed)):
        rough, smooth = near.find_path(start, goal, smooth=False), near.find_path(start, goal)
        assert smooth.status is rough.status
        if rough.is_solved:
            assert set(smooth.path) <= set(rough.path)
            assert is_inside(free, smooth.path)
            assert shortest(free, start, goal) - 1e-6 <= smooth.cost <= rough.cost + 1e-9
            gains.append(rough.cost - smooth.cost)
    assert max(gains) > 1e-3


@pytest.mark.parametrize("entry", SEARCHES, ids=lambda entry: entry.name)
def test_every_search_of_graphs_works_on_waypoints(entry, mesh):
    waypoints = Waypoints(mesh, AROUND, [(0, 1), (1, 2), (2, 3), (3, 0)])
    names = list(range(4))
    assert waypoints.graph.names == names
    ends = (1, 1), (9, 8)
    result = waypoints.find_path(*ends, entry.name, smooth=False)
    assert result.is_solved
    assert (result.path[0], result.path[-1]) == ends
    if entry.facts.get("OPTIMAL"):
        # along the pillar: out of sight of each other, both see three waypoints
        assert result.cost == pytest.approx(min(math.dist(ends[0], p) + math.dist(p, ends[1]) for p in AROUND[1::2]))
        assert find_path(waypoints.graph, 0, 2, entry.name).cost == pytest.approx(12)


def test_paused_and_resumed_gives_the_same(mesh):
    waypoints = Waypoints.sampled(mesh, 40, seed=1)
    whole = waypoints.find_path((1, 1), (9, 9))
    task = waypoints.begin_path((1, 1), (9, 9))
    while not task.advance(1).is_final:
        pass
    assert task.result().path == whole.path
    assert waypoints.find_path((1, 1), (9, 9), seconds=60).path == whole.path


def test_waypoints_out_of_sight_help_nobody():
    mesh = Navmesh.from_grid(parse_ascii(".#.#."))
    waypoints = Waypoints(mesh, [(0, 0), (2, 0), (4, 0)])
    assert waypoints.find_path((0, 0), (4, 0)).status is Status.IMPOSSIBLE
    assert waypoints.find_path((0, 0), (0.25, 0)).cost == 0.25


def test_a_waypoint_where_walls_touch_lets_nobody_through():
    links = np.full((3, 2), 3)
    links[0, 0], links[1, 0] = 1, 2  # cliffs south and east of two cells meet in a corner
    mesh = Navmesh.from_grid(Grid(np.ones((3, 2)), links=links))
    assert mesh.corners.tolist() == [[0.5, 0.5], [0.5, 1.5]]
    assert [side.tolist() for side in mesh.sides_of((0.5, 0.5))] == [[0, 2], [1]]
    waypoints = Waypoints.at_corners(mesh)
    assert waypoints.find_path((0, 0), (0, 1)).cost == pytest.approx(mesh.find_path((0, 0), (0, 1), exact=True).cost)
    with pytest.raises(BadProblem, match=r"waypoint 1 \(0.5, 0.5\) lies where two walls touch"):
        Waypoints(mesh, [(0, 0), (0.5, 0.5)])


def test_a_convex_room_has_no_corners():
    waypoints = Waypoints.at_corners(Navmesh.from_polygons(ROOM))
    assert waypoints.find_path((0, 0), (3, 4)).path == [(0, 0), (3, 4)]
    with pytest.raises(NotSupported, match="no waypoints"):
        _ = waypoints.graph


def test_samples_are_inside_and_even(mesh):
    points = Waypoints.sampled(mesh, 400, seed=7, reach=0.1).points
    assert (points == Waypoints.sampled(mesh, 400, seed=7, reach=0.1).points).all()
    world = shapely.Polygon(ROOM, [PILLAR])
    assert shapely.covers(world, shapely.points(points)).all()
    # each quarter of the room has a quarter of the free area; five standard deviations
    quarters = np.bincount((points > 5) @ [1, 2], minlength=4)
    assert (abs(quarters - 100) < 5 * math.sqrt(400 * 0.25 * 0.75)).all()


def test_mistakes_are_named(mesh):
    with pytest.raises(BadProblem, match=r"waypoint 1 \(5, 5\) is outside the mesh"):
        Waypoints(mesh, [(1, 1), (5, 5)])
    with pytest.raises(BadProblem, match=r"the waypoint 0 \(nan, 1.0\) is nowhere"):
        Waypoints(mesh, [(math.nan, 1)])
    with pytest.raises(BadProblem, match="the waypoint 1 is 7, not two numbers"):
        Waypoints(mesh, [(1, 1), 7])
    with pytest.raises(BadInput, match="the edge from waypoint 0 to 2 leaves the mesh"):
        Waypoints(mesh, AROUND, [(0, 1), (0, 2)])
    for bad in [(0, 4), (-1, 0), (0, 1, 2)]:
        with pytest.raises(BadInput, match="is not an edge between two of 4 waypoints"):
            Waypoints(mesh, AROUND, [bad])
    with pytest.raises(BadInput, match="reach must be more than 0, not nan"):
        Waypoints(mesh, AROUND, reach=math.nan)
    with pytest.raises(BadInput, match="n must be 1 or more"):
        Waypoints.sampled(mesh, 0)
    with pytest.raises(BadProblem, match=r"the goal \(5, 5\) is outside the mesh"):
        Waypoints(mesh, AROUND).find_path((1, 1), (5, 5))
