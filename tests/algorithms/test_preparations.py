"""Preparations look at the deadline between parts of bounded work, end there, and leave nothing half done."""

from itertools import count

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.walk import Walker, walk
from wayfolk.errors import BadProblem
from wayfolk.kernels import deadline as deadlines
from wayfolk.kernels.deadline import PART, OutOfTime, deadline, in_parts
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import random_map, without_islands
from wayfolk.world.mesh.navmesh import Navmesh
from wayfolk.world.mesh.waypoints import Waypoints

SIDE = 160


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves on by one second at every look: a deadline of n seconds ends the preparation at its n-th look."""
    ticks = count()
    monkeypatch.setattr(deadlines, "perf_counter", lambda: float(next(ticks)))
    return ticks


def looks_of(prepare, clock):
    """How often `prepare` looks at the clock, if it is not stopped."""
    first = next(clock)
    with deadline(1e9):
        prepare()
    return next(clock) - first - 2  # the deadline itself is one of them


def grid_of(side=SIDE, moves="eight"):
    return without_islands(random_map(side, side, 0.2, seed=3, moves=moves))


def search_on(name, grid, **options):
    ends = [grid.place(int(grid.free_cells[k])) for k in (0, -1)]
    return lambda: begin_path(grid, *ends, name, **options)


def controller_on(name, grid, **options):
    cells = grid.places(grid.free_cells[:: len(grid.free_cells) // 20])
    problem = wf.one_shot(grid, cells, cells[::-1])
    return lambda: Simulation(problem, name, **options)


PREPARATIONS = {
    "jps_plus": (lambda grid: search_on("jps_plus", grid), 5),
    "hpa": (lambda grid: search_on("hpa", grid), 10),
    "pra": (lambda grid: search_on("pra", grid), 10),
    "d_lrta": (lambda grid: search_on("d_lrta", grid), 200),
    "knn_lrta": (lambda grid: search_on("knn_lrta", grid), 500),
    "pr_lrta": (lambda grid: search_on("pr_lrta", grid), 2),
    "cpra": (lambda grid: controller_on("cpra", grid), 10),
    "direction_map": (lambda grid: controller_on("direction_map", grid, sector=16), 2),
    "far": (lambda grid: controller_on("far", grid), 2),
    "sdp": (lambda grid: controller_on("sdp", grid), 2),
    "waypoints": (lambda grid: lambda: Waypoints.at_corners(Navmesh.from_grid(grid)), 500),
}


@pytest.mark.parametrize("name", PREPARATIONS)
def test_a_preparation_ends_wherever_the_deadline_comes(name, clock):
    new, least = PREPARATIONS[name]
    side = 48 if name == "waypoints" else SIDE
    n_looks = looks_of(new(grid_of(side)), clock)
    assert n_looks >= least
    for seconds in sorted({1, n_looks // 2, n_looks - 1} - {0}):
        grid = grid_of(side)
        with deadline(seconds), pytest.raises(OutOfTime):
            new(grid)()
        new(grid)()  # as if there had been no attempt


@pytest.mark.parametrize("name", ["hpa", "direction_map"])
def test_larger_maps_are_prepared_in_more_parts(name, clock):
    new, _ = PREPARATIONS[name]
    small, large = (looks_of(new(grid_of(side)), clock) for side in (100, 400))
    assert large >= small + 10


def test_no_part_is_larger_than_it_should_be():
    items = np.arange(1000)
    work = np.random.default_rng(1).integers(0, 3 * PART // 10, 1000)
    parts = list(in_parts(items, work))
    assert np.concatenate(parts).tolist() == items.tolist()
    assert max(work[part].sum() for part in parts) < PART + work.max()
    assert len(parts) >= work.sum() // (PART + work.max())
    assert list(in_parts(items[:0], 5)) == []
    assert [len(part) for part in in_parts(items[:3], 10 * PART)] == [1, 1, 1]


@pytest.mark.parametrize("name", ["jps_plus", "hpa", "pra"])
def test_a_search_without_time_for_its_tables_says_so(name):
    grid = grid_of(40)
    start, goal = (grid.place(int(grid.free_cells[k])) for k in (0, -1))
    result = find_path(grid, start, goal, name, seconds=1e-9)
    assert (result.status, result.detail) == (Status.OUT_OF_TIME, "the deadline came while tables were prepared")
    assert find_path(grid, start, goal, name).is_solved


def test_a_mesh_without_time_for_its_roads_says_so():
    grid = grid_of(40)
    mesh, ends = Navmesh.from_grid(grid), [grid.place(int(grid.free_cells[k])) for k in (0, -1)]
    result = mesh.find_path(*ends, seconds=1e-9)
    assert (result.status, result.path) == (Status.OUT_OF_TIME, None)
    assert mesh.find_path(*ends).is_solved


def test_a_walk_ends_while_a_plan_is_prepared(clock):
    grid = grid_of(60)
    start, goal = (grid.place(int(grid.free_cells[k])) for k in (0, -1))
    whole = walk(grid, start, goal, "jps_plus", sight=3.0)
    assert len(whole.plans) > 5
    with deadline(12):
        walker = Walker(grid, start, goal, "jps_plus", sight=3.0)
        assert walker.advance() is Status.OUT_OF_TIME
    result = walker.result()
    assert 1 <= len(result.plans) < len(whole.plans)
    assert result.detail == "the deadline came while tables were prepared"
    with pytest.raises(BadProblem, match="seconds must be"):
        walk(grid, start, goal, "jps_plus", seconds=-1)
