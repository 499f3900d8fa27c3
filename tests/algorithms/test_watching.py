"""Watching a search: its rows must lead to what the search itself knows at the end, and change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.search_view import CLOSED, OPEN, UNSEEN
from wayfolk.algorithms.watching import Watcher, watch_path
from wayfolk.errors import NotSupported
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem import trace as kinds
from wayfolk.world.generate import maze
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

STATES = {kinds.OPENED: OPEN, kinds.CLOSED: CLOSED, kinds.FORGOTTEN: UNSEEN, kinds.OPENED_BACK: 3, kinds.CLOSED_BACK: 4}
SEARCHES = [entry.name for entry in catalogue.entries("search")]
WALKS = [entry.name for entry in catalogue.entries("realtime")]


def a_grid(moves: str = "eight", seed: int = 3) -> Grid:
    free = np.random.default_rng(seed).random((16, 18)) > 0.2
    free[0, 0] = free[15, 17] = True
    return Grid(free, moves)


def ends(grid: Grid) -> tuple[Any, Any]:
    """Two far cells of the largest part of the map."""
    part = np.bincount(grid.components[grid.free_cells]).argmax()
    cells = grid.free_cells[grid.components[grid.free_cells] == part]
    return grid.place(int(cells[0])), grid.place(int(cells[-1]))


@pytest.mark.parametrize("name", SEARCHES)
def test_a_watched_search_is_the_same_search(name: str) -> None:
    grid = a_grid()
    start, goal = ends(grid)
    limit = {"expansions": 2000}
    seen, plain = watch_path(grid, start, goal, name, **limit), find_path(grid, start, goal, name, **limit)
    assert seen.result.status is plain.status
    assert seen.result.cost == plain.cost
    assert seen.result.path == plain.path
    assert seen.result.expanded == plain.expanded
    assert (np.diff(seen.rows["time"]) >= 0).all()
    assert seen.rows["time"].max(initial=0.0) <= seen.end == plain.expanded
    assert grid._free[seen.rows["cell"]].all()


@pytest.mark.parametrize(
    "name", ["astar", "dijkstra", "jps", "theta", "fringe", "lpa", "d_star", "bfs", "bidirectional"]
)
def test_rows_lead_to_the_state_of_the_search(name: str) -> None:
    grid = a_grid()
    start, goal = ends(grid)
    task = begin_path(grid, start, goal, name, watch=True)
    watcher = Watcher(grid, task, (grid.cell(start), grid.cell(goal)), is_walk=False)
    while not task.status.is_final:
        watcher.advance(7)
    trace = watcher.trace()
    state = np.zeros(grid.n_cells, np.uint8)
    g = np.full(grid.n_cells, np.nan)
    for row in trace.rows:
        if row["kind"] in STATES:
            state[row["cell"]] = STATES[int(row["kind"])]
        if row["kind"] in (kinds.OPENED, kinds.OPENED_BACK):
            g[row["cell"]] = row["g"]
    view = task.search_view()
    assert view.state is not None
    assert (state == view.state).all()
    if view.g is not None:
        known = view.state > 0
        np.testing.assert_allclose(g[known], view.g[known], rtol=1e-6)


def test_cells_are_closed_in_the_order_of_expansions() -> None:
    grid = a_grid()
    start, goal = ends(grid)
    trace = watch_path(grid, start, goal, "astar")
    plain = find_path(grid, start, goal, "astar", watch=True)
    closed = trace.of(kinds.CLOSED)
    assert plain.events is not None
    assert closed["cell"].tolist() == plain.events.tolist()
    assert closed["time"].tolist() == list(range(1, len(closed) + 1))


def test_f_is_a_lower_bound_and_parents_come_before_children() -> None:
    grid = a_grid()
    start, goal = ends(grid)
    trace = watch_path(grid, start, goal, "astar")
    closed_at = {int(row["cell"]): float(row["time"]) for row in trace.of(kinds.CLOSED)}
    for row in trace.of(kinds.OPENED):
        if row["other"] != row["cell"]:
            assert row["time"] == closed_at[int(row["other"])]
    goal_row = next(row for row in trace.of(kinds.OPENED)[::-1] if row["cell"] == grid.cell(goal))
    assert goal_row["g"] == pytest.approx(trace.result.cost, rel=1e-6)
    assert goal_row["h"] == 0.0
    first = trace.rows[0]
    assert first["cell"] == grid.cell(start)
    assert first["g"] + first["h"] <= trace.result.cost + 1e-4


def test_scanned_runs_of_jps_are_free_and_hold_the_way_to_every_jump_point() -> None:
    grid = a_grid()
    start, goal = ends(grid)
    trace = watch_path(grid, start, goal, "jps")
    runs = trace.of(kinds.SCANNED)
    assert len(runs) > 0
    stride, seen = grid.stride, np.zeros(grid.n_cells, bool)
    for run in runs:
        first, last = int(run["cell"]), int(run["other"])
        down, across = last // stride - first // stride, last % stride - first % stride
        assert down == 0 or across == 0 or abs(down) == abs(across)
        cells = first + np.arange(max(abs(down), abs(across)) + 1) * (np.sign(down) * stride + np.sign(across))
        assert grid._free[cells].all()
        seen[cells] = True
    assert seen[trace.of(kinds.OPENED)["cell"]].all()
    assert trace.leaps


@pytest.mark.parametrize("name", WALKS)
def test_a_watched_walk_is_the_same_walk(name: str) -> None:
    grid = maze(15, 15, seed=2) if name not in ("d_lrta", "knn_lrta", "pr_lrta") else a_grid()
    start, goal = ends(grid)
    seen, plain = (how(grid, start, goal, name, steps=200) for how in (watch_path, find_path))
    assert plain.path is not None  # type: ignore[union-attr]
    assert [grid.place(int(cell)) for cell in seen.walk] == plain.path  # type: ignore[union-attr]
    assert seen.unit == "moves"
    assert seen.end == len(seen.walk) - 1


def test_what_an_agent_learns_is_seen() -> None:
    grid = maze(15, 15, seed=2)
    start, goal = ends(grid)
    trace = watch_path(grid, start, goal, "lrta", steps=300)
    learned = trace.of(kinds.LEARNED)
    assert len(learned) > 0
    for cell in np.unique(learned["cell"]):
        values = learned["h"][learned["cell"] == cell]
        assert (np.diff(values) > 0).all()


def test_levels_of_an_abstraction_are_layers() -> None:
    grid = Grid(np.ones((40, 40)))
    for name, options in (("hpa", {"cluster": 8, "levels": 2}), ("pra", {})):
        trace = watch_path(grid, (0, 0), (39, 39), name, **options)
        assert [layer.title for layer in trace.layers][:2] == ["Level 1", "Level 2"]
        fine, coarse = (np.unique(layer.area[layer.area != NOWHERE]) for layer in trace.layers[:2])  # type: ignore[union-attr]
        assert len(fine) > len(coarse)


def test_a_search_can_be_limited() -> None:
    grid = a_grid()
    start, goal = ends(grid)
    trace = watch_path(grid, start, goal, "astar", expansions=5)
    assert not trace.is_whole
    assert trace.result.status.value == "out_of_budget"
    assert len(trace.of(kinds.CLOSED)) == 5


def test_graphs_are_refused_in_a_sentence() -> None:
    graph = Graph.from_grid(a_grid())
    with pytest.raises(NotSupported, match="on grids"):
        watch_path(graph, (0, 0), (17, 15))
