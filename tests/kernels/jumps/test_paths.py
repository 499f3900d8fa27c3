"""Jumps to the nearest of several goals, against Dijkstra on the moves that stay in a part of a map."""

import heapq
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from reference import dijkstra_costs, picture, small_grids
from wayfolk.kernels.codes import RUNNING
from wayfolk.kernels.jumps import paths as jump_paths
from wayfolk.kernels.jumps import stops as jump_stops
from wayfolk.kernels.jumps.paths import EXPANDED, STAMP, new_jumps
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid


def inside(grid, part):
    """The legal moves that stay in a part and pass no free cell of another one; `part` has a number for each cell."""
    legal = grid.legal.copy()
    for cell, k in itertools.product(grid.free_cells.tolist(), range(8)):
        there, block = cell + grid.offsets[k], [cell + grid.offsets[k]]
        if k >= 4:
            block += [cell + grid.offsets[k - 4], there - grid.offsets[k - 4]]
        if any(grid.is_free(other) and part[other] != part[cell] for other in block):
            legal[cell] &= ~np.uint8(1 << k)
    return legal


def cost_of(grid, legal, path):
    """The cost of a path, every move of which is in `legal`."""
    total = 0.0
    for cell, there in itertools.pairwise(path):
        ways = [k for k in range(8) if cell + grid.offsets[k] == there and legal[cell] >> k & 1]
        assert ways
        total += grid.lengths[ways[0]]
    return total


def least_costs(grid, legal, start):
    """{cell: least cost from `start`} by the moves in `legal`."""
    costs, queue = {}, [(0.0, start)]
    while queue:
        cost, cell = heapq.heappop(queue)
        if cell not in costs:
            costs[cell] = cost
            for k in range(8):
                if legal[cell] >> k & 1:
                    heapq.heappush(queue, (cost + grid.lengths[k], int(cell + grid.offsets[k])))
    return costs


def find(grid, start, goals, legal=None, jumps=None):
    """The cells of the path, a list."""
    legal = grid.legal if legal is None else legal
    jumps = new_jumps(legal, grid.offsets, grid.diagonal) if jumps is None else jumps
    goals, cells = np.array(goals, np.int32), np.zeros(grid.n_cells, np.int32)
    n = jump_paths.jump_path(jumps, legal, grid.offsets, start, goals, len(goals), cells)
    return cells[:n].tolist()


def check_nearest(grid, legal, start, goals, path):
    """The path leads to the nearest goal at the least cost, or there is none."""
    costs = least_costs(grid, legal, start)
    least = min(costs.get(goal, math.inf) for goal in goals)
    if not path:
        assert least == math.inf
        return
    assert path[0] == start
    assert path[-1] in goals
    assert not set(path[:-1]) & set(goals)
    assert cost_of(grid, legal, path) == pytest.approx(least)


@st.composite
def parts(draw, **how):
    """A small map, the moves that stay in the parts of a random partition of it, a start and up to four goals."""
    grid = draw(small_grids(show=False, **how))
    n_parts = draw(st.integers(1, 3))
    part = np.zeros(grid.n_cells, np.int64)
    for cell in grid.free_cells.tolist() if n_parts > 1 else []:
        part[cell] = draw(st.integers(0, n_parts - 1))
    free = st.sampled_from(grid.free_cells.tolist())
    start, goals = draw(free), draw(st.lists(free, min_size=1, max_size=4))
    note(picture(grid, [start], goals[:1]))
    note(f"parts\n{part.reshape(-1, grid.stride)[1:-1, 1:-1]}\ngoals {[grid.place(goal) for goal in goals]}")
    return grid, inside(grid, part), start, goals


@pytest.mark.plain
@given(parts())
def test_paths_in_a_part_of_a_map_are_cheapest(world):
    grid, legal, start, goals = world
    check_nearest(grid, legal, start, goals, find(grid, start, goals, legal))


@pytest.mark.plain
@given(parts(cliffs=True))
def test_cliffs_are_known(world):
    grid, legal, start, goals = world
    check_nearest(grid, legal, start, goals, find(grid, start, goals, legal))


@given(parts(), st.data())
def test_any_bits_of_moves_will_do(world, data):
    grid, legal, start, goals = world
    for cell in grid.free_cells.tolist():
        legal[cell] &= data.draw(st.integers(0, 255))
    check_nearest(grid, legal, start, goals, find(grid, start, goals, legal))


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
@pytest.mark.parametrize("diagonal", [1.0, math.sqrt(2.0), 2.0])
def test_paths_on_larger_maps_with_blobs_are_cheapest(moves, diagonal):
    rng = np.random.default_rng(3)
    for walls in (0.0, 0.1, 0.3):
        grid = Grid(rng.random((40, 50)) >= walls, moves, diagonal=diagonal)
        x, y = np.arange(grid.n_cells) % grid.stride, np.arange(grid.n_cells) // grid.stride
        centres = rng.integers(0, 50, (6, 2))
        part = np.argmin((x[:, None] - centres[:, 0]) ** 2 + (y[:, None] - centres[:, 1]) ** 2, axis=1)
        legal = inside(grid, part)
        jumps = new_jumps(legal, grid.offsets, diagonal)
        for _ in range(20):
            start = int(rng.choice(grid.free_cells))
            goals = rng.choice(grid.free_cells[part[grid.free_cells] == part[start]], 3).tolist()
            check_nearest(grid, legal, start, goals, find(grid, start, goals, legal, jumps))


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_a_jump_ends_at_a_goal_in_its_way(moves):
    """On an empty map nothing but the goal stops a run: along the row, a diagonal, and from a diagonal to its side."""
    grid = Grid(np.ones((9, 9)), moves)
    start = grid.cell((0, 0))
    for middle, beyond in [((4, 0), (8, 0)), ((4, 4), (8, 8)), ((6, 3), (8, 3))]:
        path = find(grid, start, [grid.cell(beyond), grid.cell(middle)])
        assert path[-1] == grid.cell(middle)
        assert grid.cell(beyond) not in path


@pytest.mark.plain
def test_a_forced_turn_inside_a_part_is_found():
    """The free cell (1, 0) belongs to another part, so that the way round it must turn where no wall is near."""
    grid = Grid(np.ones((2, 3)))
    part = np.zeros(grid.n_cells, np.int64)
    part[grid.cell((1, 0))] = 1
    path = find(grid, grid.cell((0, 0)), [grid.cell((2, 0))], inside(grid, part))
    assert [grid.place(cell) for cell in path] == [(0, 0), (0, 1), (1, 1), (2, 1), (2, 0)]


@pytest.mark.plain
def test_memory_is_used_again_and_left_as_it_was():
    grid = random_map(12, 12, 0.2, seed=4)
    jumps = new_jumps(grid.legal, grid.offsets, grid.diagonal)
    stops = jumps.stops.copy()
    jumps.counts[STAMP] = 2**31 - 5  # stamps run out on the way
    for start, goal in zip(*draw_pairs(grid, 12, seed=4), strict=True):
        assert find(grid, int(start), [int(goal), int(goal)], jumps=jumps) == find(grid, int(start), [int(goal)])
        assert (jumps.stops == stops).all()


@pytest.mark.plain
def test_a_search_can_be_paused():
    grid = random_map(20, 20, 0.2, seed=2)
    starts, goals = draw_pairs(grid, 1, seed=2)
    whole = find(grid, int(starts[0]), goals)
    jumps, cells = new_jumps(grid.legal, grid.offsets, grid.diagonal), np.zeros(grid.n_cells, np.int32)
    jump_paths.begin_jumps(jumps, starts[0], goals, 1)
    n_pauses = 0
    while jump_paths.advance_jumps(jumps, grid.legal, grid.offsets, 1) == RUNNING:
        n_pauses += 1
    jump_paths.end_jumps(jumps, goals, 1)
    assert n_pauses + 1 == jumps.counts[EXPANDED] > 3
    assert cells[: jump_paths.trace_jumps(jumps, starts[0], cells)].tolist() == whole


@pytest.mark.plain
def test_a_path_that_does_not_fit_tells_its_length():
    grid = Grid(np.ones((5, 5)))
    cells = np.zeros(3, np.int32)
    jumps = new_jumps(grid.legal, grid.offsets, grid.diagonal)
    goals = grid.cells([(4, 4)])
    assert jump_paths.jump_path(jumps, grid.legal, grid.offsets, grid.cell((0, 0)), goals, 1, cells) == 5
    assert (cells == 0).all()


@pytest.mark.plain
def test_without_goals_there_is_no_path():
    grid = Grid(np.ones((5, 5)))
    assert find(grid, grid.cell((0, 0)), []) == []


def test_stops_follow_an_edit_of_the_map():
    before = random_map(16, 16, 0.2, seed=1, moves="eight_cutting")
    jumps = new_jumps(before.legal, before.offsets, before.diagonal)
    rng = np.random.default_rng(1)
    for _ in range(20):
        cell = int(rng.choice(before.free_cells))
        after = before.with_blocked([cell])
        changed = np.flatnonzero(before.legal != after.legal)
        if changed.size:
            jump_stops.update_stops(jumps, after.legal, after.offsets, changed[0], changed[-1])
        assert (jumps.stops == new_jumps(after.legal, after.offsets, after.diagonal).stops).all()
        before = after


@pytest.mark.plain
@given(parts(), st.data())
def test_closed_cells_are_avoided_and_can_be_opened(world, data):
    grid, legal, start, goals = world
    jumps, original = new_jumps(legal, grid.offsets, grid.diagonal), legal.copy()
    stops = jumps.stops.copy()
    closed = data.draw(st.lists(st.sampled_from(grid.free_cells.tolist()), max_size=4, unique=True))
    cells, n = np.array(closed, np.int32), len(closed)
    jump_stops.close_cells(jumps, legal, grid.offsets, original, cells, 0, n // 2)
    jump_stops.close_cells(jumps, legal, grid.offsets, original, cells, n // 2, n)
    fresh = new_jumps(legal, grid.offsets, grid.diagonal)
    assert (fresh.natural != jumps.natural).any() or (fresh.stops == jumps.stops).all()  # or no diagonal is left
    path = find(grid, start, goals, legal, jumps)
    check_nearest(grid, legal, start, goals, path)
    assert not set(path[1:]) & set(closed)
    jump_stops.close_cells(jumps, legal, grid.offsets, original, cells, n, 0)
    assert (legal == original).all()
    assert (jumps.stops == stops).all()


@pytest.mark.parametrize("moves", ["four", "eight", "eight_cutting"])
def test_an_open_map_takes_few_expansions(moves):
    """No cell between start and goal is opened."""
    grid = Grid(np.ones((60, 60)), moves)
    jumps = new_jumps(grid.legal, grid.offsets, grid.diagonal)
    start, goal = grid.cell((3, 5)), grid.cell((50, 20))
    path = find(grid, start, [goal], jumps=jumps)
    assert cost_of(grid, grid.legal, path) == pytest.approx(dijkstra_costs(grid, start)[goal])
    assert jumps.counts[EXPANDED] <= 3
