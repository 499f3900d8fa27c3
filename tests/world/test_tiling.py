"""Hexagons, triangles and voxels: neighbours as geometry has them, paths as a plain search finds them, and mistakes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.algorithms.paths import find_path
from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import EUCLIDEAN, OCTILE, heuristic, slots, there
from wayfolk.problem.result import Status
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.triangles import TriangleGrid
from wayfolk.world.voxels import Voxels

FLAT = {
    "pointy": lambda free, **more: HexGrid(free, "pointy", **more),
    "flat": lambda free, **more: HexGrid(free, "flat", **more),
    "triangles": TriangleGrid,
}


def moves(world):
    """{(from, to): cost} of what searches see, by the names of cells."""
    graph, listed = world.graph, {}
    for cell in range(world.n_cells):
        for k in range(slots(graph, cell)):
            assert there(graph, cell, k) != NOWHERE
            listed[world.place(cell), world.place(int(there(graph, cell, k)))] = float(
                graph.weight[graph.first[cell] + k]
            )
    return listed


def free_maps(*sizes):
    return st.lists(st.booleans(), min_size=math.prod(sizes), max_size=math.prod(sizes)).map(
        lambda bits: np.array(bits).reshape(sizes)
    )


@pytest.mark.plain
@pytest.mark.parametrize("kind", FLAT)
@given(free=free_maps(4, 5))
def test_free_cells_whose_centres_are_1_apart_are_neighbours(kind, free):
    world = FLAT[kind](free)
    names = [(x, y) for y, x in np.argwhere(free).tolist()]
    centres = {name: world.positions[world.cell(name)] for name in names}
    expected = {
        (one, other): 1.0
        for one, other in itertools.permutations(names, 2)
        if math.dist(centres[one], centres[other]) < 1.0 + 1e-9
    }
    assert moves(world) == pytest.approx(expected)


@pytest.mark.plain
@pytest.mark.parametrize(("neighbours", "most"), [(6, 1), (26, 3)])
@given(free=free_maps(2, 3, 3))
def test_voxels_are_neighbours_if_all_that_a_move_touches_is_free(neighbours, most, free):
    world = Voxels(free, neighbours)
    expected = {}
    for (z, y, x), step in itertools.product(np.argwhere(free).tolist(), itertools.product((-1, 0, 1), repeat=3)):
        box = itertools.product(*({0, k} for k in step))
        touched = [(z + dz, y + dy, x + dx) for dz, dy, dx in box]
        inside = all(0 <= k < size for cell in touched for k, size in zip(cell, free.shape, strict=True))
        if any(step) and sum(map(abs, step)) <= most and inside and all(free[cell] for cell in touched):
            expected[(x, y, z), (x + step[2], y + step[1], z + step[0])] = math.sqrt(sum(map(abs, step)))
    assert moves(world) == pytest.approx(expected)


@pytest.mark.parametrize("algorithm", ["astar", "dijkstra", "bidirectional", "lpa", "theta"])
def test_paths_in_open_voxels_are_as_long_as_octile_distance(algorithm):
    world = Voxels(np.ones((4, 5, 9), bool))
    if algorithm == "theta":
        with pytest.raises(Exception, match="theta works on grids, not on graphs"):
            find_path(world, (0, 0, 0), (8, 3, 2), algorithm)
        return
    result = find_path(world, (0, 0, 0), (8, 3, 2), algorithm)
    assert result.cost == pytest.approx(2 * math.sqrt(3) + math.sqrt(2) + 5)
    start, goal = world.cell((0, 0, 0)), world.cell((8, 3, 2))
    assert heuristic(world.graph, start, goal, OCTILE) == pytest.approx(result.cost)
    assert heuristic(world.graph, start, goal, EUCLIDEAN) <= result.cost


@pytest.mark.parametrize("layout", ["pointy", "flat"])
def test_a_wall_of_hexagons_is_walked_around_and_a_door_opens(layout):
    free = np.ones((5, 7), bool)
    free[:4, 3] = False
    world = HexGrid(free, layout)
    around = find_path(world, (0, 0), (6, 0))
    door = world.with_freed([world.cell((3, 0))])
    assert find_path(door, (0, 0), (6, 0)).cost == 6.0 < around.cost
    shut = world.with_blocked([world.cell((3, 4))])
    assert find_path(shut, (0, 0), (6, 0)).status is Status.IMPOSSIBLE
    assert shut.components[shut.cell((0, 0))] != shut.components[shut.cell((6, 0))]
    assert world.components[world.cell((0, 0))] == world.components[world.cell((6, 0))]


def test_terrain_multiplies_the_distance():
    costs = np.ones((1, 3))
    costs[0, 1] = 5.0
    assert find_path(HexGrid(np.ones((1, 3), bool), costs=costs), (0, 0), (2, 0)).cost == 6.0


@pytest.mark.plain
def test_names_are_coordinates_in_both_directions():
    world = Voxels(np.ones((2, 3, 4), bool))
    assert list(world.names) == [world.place(cell) for cell in range(world.n_cells)]
    assert [world.cell(name) for name in world.names] == list(range(world.n_cells))
    assert world.names[-1] == (3, 2, 1)
    assert repr(world) == "Voxels(4 x 3 x 2, 24 free)"


@pytest.mark.plain
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: HexGrid([True, False]), "hexagons need 2 sizes of 1 or more"),
        (lambda: HexGrid([[True]], "round"), "hexagons are laid out pointy or flat, not 'round'"),
        (lambda: Voxels([[[True]]], 18), "a voxel has 6 or 26 neighbours, not 18"),
        (lambda: TriangleGrid([[True]], costs=[[0.0]]), "the cost of the free cell \\(0, 0\\) is 0.0"),
        (lambda: TriangleGrid([[True]], costs=[[1.0, 1.0]]), "costs must have the shape \\(1, 1\\)"),
        (lambda: Voxels([[[True]]]).with_blocked([1]), "cell 1 is outside a world of 1 voxels"),
    ],
)
def test_mistakes_are_named(make, sentence):
    with pytest.raises(BadInput, match=sentence):
        make()


@pytest.mark.plain
def test_places_that_are_not_there_are_named():
    world = Voxels(np.ones((2, 3, 4), bool))
    with pytest.raises(BadProblem, match=r"\(4, 0, 0\) is outside the 4 x 3 x 2 voxels"):
        world.cell((4, 0, 0))
    with pytest.raises(BadProblem, match=r"a place among voxels is \(x, y, z\), not \(1, 1\)"):
        world.cell((1, 1))
    blocked = world.with_blocked([0])
    with pytest.raises(BadProblem, match=r"the start \(0, 0, 0\) is in a wall"):
        find_path(blocked, (0, 0, 0), (1, 1, 1))
