"""Many queries at once: the same answers as one by one."""

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.algorithms import batch as many
from wayfolk.errors import BadInput, BadProblem


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(2)
    return wf.Grid(rng.random((40, 60)) > 0.3)


def ends(world, n):
    return np.random.default_rng(n).choice(world.free_cells, (2, n))


def is_same(batch, world, starts, goals, algorithm):
    for k, (start, goal) in enumerate(zip(starts, goals, strict=True)):
        one = wf.find_path(world, start, goal, algorithm)
        assert batch.costs[k] == pytest.approx(one.cost) or batch.costs[k] == one.cost
        assert (batch.path(k), batch.expanded[k]) == (one.path, one.expanded)


@pytest.mark.parametrize("algorithm", ["astar", "dijkstra", "jps", "jps_plus", "bfs"])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_same_as_one_by_one(world, algorithm, threads, monkeypatch):
    monkeypatch.setattr(many, "CHUNK", 20)
    starts, goals = ends(world, 90)
    batch = wf.find_many(world, starts, goals, algorithm, threads=threads)
    assert len(batch) == 90
    assert np.isinf(batch.costs).any()
    is_same(batch, world, starts, goals, algorithm)


def test_room_for_paths_grows():
    """A maze of one long way: each path is far longer than the room it is given at first."""
    free = np.ones((41, 41), bool)
    free[1::4, :-1] = free[3::4, 1:] = False
    world = wf.Grid(free)
    starts, goals = np.full(10, world.free_cells[0]), np.full(10, world.free_cells[-1])
    for algorithm in ("astar", "jps"):
        batch = wf.find_many(world, starts, goals, algorithm)
        assert len(batch.path(9)) > 640 // 2
        is_same(batch, world, starts, goals, algorithm)


def test_on_a_graph(world):
    graph = wf.Graph.from_grid(world)
    starts, goals = (list(map(world.place, cells)) for cells in ends(world, 8))
    is_same(wf.find_many(graph, starts, goals), graph, starts, goals, "astar")


def test_bad_input_is_named(world):
    inside, wall = world.place(world.free_cells[0]), world.place(int(np.flatnonzero(~world._free)[100]))
    with pytest.raises(BadInput, match="2 starts do not fit 1 goals"):
        wf.find_many(world, [inside, inside], [inside])
    with pytest.raises(BadProblem, match=r"the goal \(\d+, \d+\) is in a wall"):
        wf.find_many(world, [inside], [wall])
    with pytest.raises(BadProblem, match="outside"):
        wf.find_many(world, [(0, 400)], [inside])
    with pytest.raises(BadProblem, match="not a cell"):
        wf.find_many(world, [10**6], [5])
    with pytest.raises(BadInput, match="threads must be 1 or more"):
        wf.find_many(world, [inside], [inside], threads=0)
    assert len(wf.find_many(world, [], [])) == 0
