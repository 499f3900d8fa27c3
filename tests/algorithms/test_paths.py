"""Finders, limits, and what is timed."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import wayfolk as wf
from wayfolk.algorithms.queries import run_queries
from wayfolk.algorithms.task import Task, finish
from wayfolk.compile.jit import is_plain, kernel
from wayfolk.errors import BadInput, BadProblem, NotSupported, UnknownName
from wayfolk.problem.result import Result, Status

NAMES = ["astar", "bfs", "dijkstra", "hpa", "jps", "jps_plus", "theta", "lrta"]


@pytest.fixture(scope="module")
def world():
    return wf.Grid(np.random.default_rng(2).random((30, 40)) > 0.3)


def queries(world, n):
    cells = np.random.default_rng(n).choice(world.free_cells, (n, 2)).tolist()
    return [(world.place(start), world.place(goal)) for start, goal in cells]


def told(result):
    return result.status, result.path, result.cost, result.expanded, result.algorithm, result.options, result.bound


@pytest.mark.parametrize("name", NAMES)
def test_a_finder_answers_as_find_path(world, name):
    find = wf.finder(world, name)
    results = [find(*ends, steps=2000) if name == "lrta" else find(*ends) for ends in queries(world, 30)]
    assert {result.status for result in results} - {Status.OUT_OF_BUDGET} == {Status.SOLVED, Status.IMPOSSIBLE}
    for ends, result in zip(queries(world, 30), results, strict=True):
        limits = {"steps": 2000} if name == "lrta" else {}
        assert told(result) == told(wf.find_path(world, *ends, name, **limits))


def test_a_search_that_was_stopped_is_restarted_whole(world):
    find = wf.finder(world, "astar", watch=True)
    start, goal = max(queries(world, 30), key=lambda ends: find(*ends).expanded)
    whole = find(start, goal)
    assert find(start, goal, expansions=3).status is Status.OUT_OF_BUDGET
    again = find(start, goal)
    assert told(again) == told(whole)
    assert again.events.tolist() == whole.events.tolist()


def test_threads_share_a_finder(world):
    find = wf.finder(world, "jps")
    pairs = queries(world, 200)
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda ends: find(*ends), pairs))
    assert [told(result) for result in results] == [told(find(*ends)) for ends in pairs]


def test_a_finder_on_a_graph_and_a_large_map():
    large = wf.Grid(np.ones((200, 200)))
    assert wf.finder(large, "jps")((1, 1), (150, 7)).path == wf.find_path(large, (1, 1), (150, 7), "jps").path
    graph = wf.Graph.from_grid(wf.Grid(np.ones((4, 4))))
    assert wf.finder(graph)((0, 0), (3, 3)).path == [(k, k) for k in range(4)]


def test_mistakes_are_named_when_a_finder_is_made(world):
    with pytest.raises(UnknownName, match="there is no algorithm 'jsp'"):
        wf.finder(world, "jsp")
    with pytest.raises(BadInput, match="landmarks must be from 0 to 64, not 65"):
        wf.finder(world, "jps_plus", landmarks=65)
    with pytest.raises(NotSupported, match="jps works on grids"):
        wf.finder(wf.Graph.from_grid(world), "jps")


@pytest.mark.parametrize("place", [(-1, 3), (40, 3), (3, 30), [3, 400]])
def test_places_outside_are_named(world, place):
    with pytest.raises(BadProblem, match=rf"\({place[0]}, {place[1]}\) is outside the 40 x 30 map"):
        wf.finder(world)(place, world.place(world.free_cells[0]))


@pytest.mark.parametrize("place", [("a", 3), (3,), None, 7])
def test_what_is_no_place_is_named(world, place):
    with pytest.raises(BadInput, match="the start must be a place"):
        wf.find_path(world, place, world.place(world.free_cells[0]))


def test_a_wall_is_named(world):
    wall = next((x, y) for y in range(30) for x in range(40) if not world.free[y, x])
    with pytest.raises(BadProblem, match=f"the goal \\({wall[0]}, {wall[1]}\\) is in a wall"):
        wf.finder(world)(world.place(world.free_cells[0]), wall)


def test_limits_are_named_by_their_unit(world):
    ends = queries(world, 1)[0]
    with pytest.raises(BadProblem, match="steps must be 1 or more, not 0"):
        wf.find_path(world, *ends, "lrta", steps=0)
    with pytest.raises(BadProblem, match="expansions must be 1 or more, not 0"):
        wf.find_path(world, *ends, "astar", expansions=0)
    with pytest.raises(NotSupported, match="lrta is limited by steps or seconds"):
        wf.find_path(world, *ends, "lrta", expansions=5)
    with pytest.raises(NotSupported, match="astar is limited by expansions or seconds"):
        wf.find_path(world, *ends, "astar", steps=5)


def test_rounds_without_expansions_obey_a_deadline():
    """Epsilon falls a thousand million times here, and almost no round has anything to expand."""
    grid = wf.Grid(np.ones((5, 5)))
    wf.find_path(grid, (0, 0), (4, 4), "anytime_d_star")  # compiles
    began = time.perf_counter()
    find = wf.finder(grid, "anytime_d_star", epsilon=1_000_000.0, step=0.001)
    result = find((0, 0), (4, 4), seconds=0.2)
    assert result.status is Status.OUT_OF_TIME
    assert time.perf_counter() - began < 60


class Loads(Task):
    """A task that does nothing but call kernels for the first time."""

    def __init__(self) -> None:
        self.steps = 0

    def advance(self, budget: int = 1) -> Status:
        @kernel
        def twice(x):
            return 2 * x

        self.steps = twice(self.steps) + 1
        self.status = Status.SOLVED if self.steps > 3 else Status.RUNNING
        return self.status

    def result(self) -> Result:
        return Result(self.status, "loads")


LOADING = 2.0  # seconds that a kernel takes to load, long enough for a busy machine to do the rest in less


@pytest.fixture
def slow_loading(monkeypatch):
    from numba.core.dispatcher import Dispatcher

    load = Dispatcher.compile

    def slowly(self, signature):
        time.sleep(LOADING)
        return load(self, signature)

    monkeypatch.setattr(Dispatcher, "compile", slowly)


@pytest.mark.skipif(is_plain(), reason="nothing is loaded")
def test_loading_is_neither_timed_nor_limited(slow_loading):
    began = time.perf_counter()
    result = finish(Loads(), seconds=0.75 * LOADING)
    assert time.perf_counter() - began > 2 * LOADING
    assert result.status is Status.SOLVED
    assert result.seconds < 0.75 * LOADING


@pytest.mark.skipif(is_plain(), reason="nothing is loaded")
def test_queries_of_a_file_are_timed_without_loading(slow_loading, tmp_path, monkeypatch):
    grid = wf.Grid(np.ones((6, 6)))
    wf.write_map(grid, tmp_path / "six.map")
    (tmp_path / "six.map.scen").write_text("version 1\n0\tsix.map\t6\t6\t0\t0\t5\t5\t7.07106781\n")
    from wayfolk.algorithms.search import bfs

    monkeypatch.setattr(bfs, "_flood", kernel(bfs._flood.py_func))  # not loaded yet
    numbers = run_queries(grid, tmp_path / "six.map.scen", "bfs", {})
    assert numbers["solved"] == 1
    assert numbers["mean_us"] < 0.75e6 * LOADING
