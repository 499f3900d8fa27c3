"""Maps of bodies that are larger than a point: where they fit, how they move, and paths for them."""

import itertools
import math

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from reference import legal_moves
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.body import Body
from wayfolk.world.clearance import clearance
from wayfolk.world.grid import Grid, Moves

pytestmark = pytest.mark.plain


def drawn_grid(rng):
    shape = tuple(rng.integers(3, 9, 2))
    links = rng.integers(0, 4, shape) | rng.integers(0, 4, shape) if rng.random() < 0.5 else None
    return Grid(rng.random(shape) >= rng.choice([0.0, 0.1, 0.3]), rng.choice(list(Moves)), links=links)


@pytest.mark.parametrize("size", [2, 3])
def test_a_square_moves_where_all_of_its_cells_can(size):
    rng = np.random.default_rng(size)
    n_moves = 0
    for _ in range(100):
        grid = drawn_grid(rng)
        wide = clearance(grid, size)
        for cell in range(grid.n_cells):
            under = twin.covered(grid, Body(size=size), cell)
            x, y = grid.place(cell)
            fits = all(0 <= one < grid.n_cells and grid.is_free(one) for one in under) and x >= 0 and y >= 0
            assert wide.is_free(cell) == fits
            if fits:
                expected = sorted({there for there, _ in twin.ways(grid, Body(size=size), cell, 0)})
                assert legal_moves(wide, cell) == expected
                n_moves += len(expected)
    assert n_moves > 200


def test_a_disc_keeps_its_distance_from_walls_wherever_it_is():
    rng = np.random.default_rng(5)
    for _ in range(60):
        grid, radius = (
            Grid(rng.random((7, 8)) >= 0.1, rng.choice(list(Moves))),
            float(rng.choice([0.3, 0.5, 0.8, 1.2, 1.5])),
        )
        wide = clearance(grid, radius=radius)
        walls = [(x, y) for y, x in np.argwhere(~grid.free).tolist()]
        for cell in grid.free_cells.tolist():
            x, y = grid.place(cell)
            far = all(math.hypot(max(abs(x - a) - 0.5, 0), max(abs(y - b) - 0.5, 0)) >= radius - 1e-6 for a, b in walls)
            beyond = math.ceil(radius - 0.5 - 1e-9)
            inside = beyond <= x < grid.width - beyond and beyond <= y < grid.height - beyond
            assert wide.is_free(cell) == (far and inside)
            for there in legal_moves(wide, cell) if wide.is_free(cell) else []:
                u, v = grid.place(there)
                for share in np.linspace(0, 1, 21):
                    at = x + share * (u - x), y + share * (v - y)
                    near = [math.hypot(max(abs(at[0] - a) - 0.5, 0), max(abs(at[1] - b) - 0.5, 0)) for a, b in walls]
                    assert min(near, default=9.0) >= min(radius, 0.5) - 1e-6


def test_terrain_counts_as_the_mean_of_the_cells_and_cliffs_stop_every_cell():
    costs = np.arange(1.0, 13.0).reshape(3, 4)
    wide = clearance(Grid(np.ones((3, 4)), costs=costs), 2)
    assert wide.costs[0, 0] == pytest.approx((1 + 2 + 5 + 6) / 4)
    links = np.full((3, 4), OPEN_EAST | OPEN_SOUTH)
    links[1, 0] = OPEN_SOUTH
    grid = Grid(np.ones((3, 4)), "four", links=links)
    assert wf.find_path(grid, (0, 0), (1, 0), size=1).cost == 1.0
    assert wf.find_path(grid, (0, 0), (1, 0), size=2).path is None


@pytest.mark.parametrize("algorithm", ["astar", "jps", "dijkstra", "theta", "lrta"])
def test_paths_of_bodies_are_paths_on_the_map_of_the_body(algorithm):
    rng = np.random.default_rng(1)
    grid = Grid(rng.random((20, 30)) > 0.08)
    wide = clearance(grid, 2)
    parts = wide.components
    cells = [cell for cell in wide.free_cells.tolist() if parts[cell] == np.bincount(parts[parts > 0]).argmax()]
    for start, goal in itertools.pairwise(rng.choice(cells, 8).tolist()):
        ends = grid.place(start), grid.place(goal)
        limits = {"steps": 5000} if algorithm == "lrta" else {}
        ours, theirs = (
            wf.find_path(world, *ends, algorithm, **limits, **body) for world, body in ((grid, {"size": 2}), (wide, {}))
        )
        assert ours.path == theirs.path
        assert ours.path is not None
        assert wf.finder(grid, algorithm, size=2)(*ends, **limits).path == ours.path
    if algorithm != "lrta":
        many = wf.find_many(grid, [ends[0]], [ends[1]], algorithm, size=2)
        assert many.costs[0] == pytest.approx(ours.cost)


def test_maps_of_bodies_follow_edits_of_the_map():
    grid = Grid(np.ones((6, 6)))
    assert wf.find_path(grid, (0, 0), (4, 4), size=2).cost == pytest.approx(4 * math.sqrt(2))
    closed = grid.with_blocked([grid.cell((2, y)) for y in range(1, 6)])
    assert wf.find_path(closed, (0, 0), (4, 4), size=1).path is not None
    assert wf.find_path(closed, (0, 0), (4, 4), size=2).path is None
    assert (
        wf.find_path(closed.with_freed([closed.cell((2, y)) for y in (1, 2)]), (0, 0), (4, 4), size=2).path is not None
    )


def test_bodies_that_do_not_fit_are_named():
    grid = Grid(np.ones((4, 4)))
    with pytest.raises(BadProblem, match=r"there is no room for a body of 2 x 2 cells at the start \(3, 0\)"):
        wf.find_path(grid, (3, 0), (0, 0), size=2)
    with pytest.raises(BadProblem, match=r"there is no room for a disc of radius 1 at the goal \(0, 0\)"):
        wf.find_path(grid, (2, 2), (0, 0), radius=1.0)
    with pytest.raises(BadInput, match="a body is a square with a size or a disc with a radius, not both"):
        wf.find_path(grid, (0, 0), (1, 1), size=2, radius=0.5)
    with pytest.raises(NotSupported, match="the size or radius of one agent is for paths on square grids"):
        wf.find_path(wf.Roadmap(["a", "b"], [("a", "b")]), "a", "b", size=2)
