"""Straight lines: what is in sight, the judge of such paths, and the searches that draw them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import dijkstra_costs, is_legal_step, small_grids
from wayfolk import find_many
from wayfolk.algorithms.paths import begin_path, find_path
from wayfolk.algorithms.queries import run_queries
from wayfolk.algorithms.search._line_of_sight import sees
from wayfolk.algorithms.search.astar_smoothed import smooth
from wayfolk.algorithms.search.field_d_star.field import cross_square
from wayfolk.errors import BadInput, BadProblem, NotSupported
from wayfolk.judge.angles import check_straight_path, straight_cost
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.problem.result import Status
from wayfolk.world.grid import Grid, Moves

THETAS = ["theta", "lazy_theta", "ap_theta"]
LINES = [*THETAS, "astar_smoothed"]
ALL = [*LINES, "field_d_star"]
every = pytest.mark.parametrize("name", ALL)
diagonal = st.sampled_from([Moves.EIGHT, Moves.EIGHT_CUTTING])


def drawn(*rows, moves="eight", **more):
    return Grid([[sign != "@" for sign in row] for row in rows], moves, **more)


def random_grids(seed, n, side, terrain=False):
    """Maps with walls, cliffs here and there, under both rules."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        shape = tuple(rng.integers(2, side, 2))
        free = rng.random(shape) > rng.uniform(0, 0.45)
        free.flat[:2] = True
        links = rng.choice([3, 3, 3, 3, 3, 3, OPEN_EAST, OPEN_SOUTH, 0], shape) if rng.random() < 0.5 else None
        costs = rng.choice([1.0, 1.0, 2.5, 10.0], shape) if terrain and rng.random() < 0.5 else None
        moves = [Moves.EIGHT, Moves.EIGHT_CUTTING][rng.integers(2)]
        yield Grid(free, moves, links=links, costs=costs), rng


def in_sight(grid, one, other):
    return bool(sees(grid.legal, grid.stride, grid.cell(one), grid.cell(other)))


# what is in sight


@pytest.mark.plain
@given(data=st.data())
def test_sight_is_what_the_judge_allows_and_mutual(data):
    grid = data.draw(small_grids(moves=data.draw(diagonal), max_side=9, cliffs=data.draw(st.booleans())))
    places = st.sampled_from([grid.place(cell) for cell in grid.free_cells])
    one, other = data.draw(places), data.draw(places)
    assert in_sight(grid, one, other) == (check_straight_path(grid, [one, other]) == [])
    assert in_sight(grid, one, other) == in_sight(grid, other, one)


@pytest.mark.plain
@given(data=st.data())
def test_a_neighbour_is_in_sight_exactly_if_the_step_is_legal(data):
    grid = data.draw(small_grids(moves=data.draw(diagonal), max_side=4, cliffs=True))
    for cell in grid.free_cells:
        x, y = grid.place(cell)
        for dx, dy in [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]:
            if 0 <= x + dx < grid.width and 0 <= y + dy < grid.height and grid.free[y + dy, x + dx]:
                assert in_sight(grid, (x, y), (x + dx, y + dy)) == is_legal_step(grid, x, y, dx, dy)


@pytest.mark.plain
def test_a_line_through_a_corner_needs_what_the_rule_says():
    # the line from (0, 0) to (3, 1) goes through the corner between (1, 0) and (2, 1)
    for beside in ("..@.", "...."), ("....", ".@.."):
        assert not in_sight(drawn(*beside), (0, 0), (3, 1))
        assert in_sight(drawn(*beside, moves="eight_cutting"), (0, 0), (3, 1))
    assert not in_sight(drawn("..@.", ".@..", moves="eight_cutting"), (0, 0), (3, 1))
    assert in_sight(drawn("....", "...."), (0, 0), (3, 1))


# the judge


@pytest.mark.plain
def test_the_judge_names_what_is_wrong():
    grid = drawn("....", ".@..", "....")
    assert check_straight_path(grid, [(0, 0), (3, 0), (3, 2)]) == []
    assert check_straight_path(grid, [(0, 0)]) == []
    assert "wall (1, 1)" in check_straight_path(grid, [(0, 1), (2, 1)])[0]
    assert "wall (1, 1)" in check_straight_path(grid, [(0, 0), (1, 0), (1, 1), (0, 1)])[0]
    assert "corner (0.5, 0.5)" in check_straight_path(grid, [(0, 1), (1, 0)])[0]
    assert "wall (4, 0)" in check_straight_path(grid, [(3, 0), (4, 0)])[0]
    assert "no points" in check_straight_path(grid, [])[0]
    assert "not a point" in check_straight_path(grid, [(0, 0), (math.nan, 1)])[0]
    with pytest.raises(NotSupported):
        check_straight_path(grid.with_moves("four"), [(0, 0)])


@pytest.mark.plain
def test_the_judge_looks_at_points_that_are_no_centres():
    grid = drawn("....", ".@..", "....")
    assert check_straight_path(grid, [(0, 0), (0.4, 0.3), (0.25, 2)]) == []
    assert "corner (0.5, 0.5)" in check_straight_path(grid, [(0, 0), (0.5, 0.5), (0, 1)])[0]  # touched, not crossed
    assert "corner (1.5, 0.5)" in check_straight_path(grid, [(0, 0.25), (3, 0.75)])[0]
    assert any("wall" in complaint for complaint in check_straight_path(grid, [(0.4, 0), (0.51, 1), (0.4, 2)]))
    assert any("wall" in complaint for complaint in check_straight_path(grid, [(0.5, 0), (0.5, 2)]))  # along the wall
    cutting = grid.with_moves("eight_cutting")
    assert check_straight_path(cutting, [(0, 0), (0.5, 0.5), (0, 1)]) == []
    assert check_straight_path(cutting, [(1, 0), (0.5, 0.5), (0, 1)]) == []
    assert "wall (1, 1)" in check_straight_path(cutting, [(0, 0), (0.5, 0.5), (0.6, 0.6)])[0]


@pytest.mark.plain
def test_the_judge_sees_cliffs():
    links = np.full((2, 2), 3)
    links[0, 0] &= ~OPEN_EAST
    cutting = Grid(np.ones((2, 2)), "eight_cutting", links=links)
    assert "cross from (0, 0) to (1, 0)" in check_straight_path(cutting, [(0, 0), (1, 0)])[0]
    assert "along the cliff" in check_straight_path(cutting, [(0, 0), (0.5, -0.25), (0.5, 0.25), (0, 1)])[0]
    assert check_straight_path(cutting, [(0, 0), (1, 1)]) == []  # around it, by way of (0, 1)
    assert check_straight_path(cutting.with_moves("eight"), [(0, 0), (1, 1)]) != []
    links[1, 0] &= ~OPEN_EAST
    assert check_straight_path(Grid(np.ones((2, 2)), "eight_cutting", links=links), [(0, 0), (1, 1)]) != []


@pytest.mark.plain
def test_costs_are_those_of_the_cells_a_line_lies_in():
    grid = Grid(np.ones((2, 3)), costs=[[1, 2, 4], [1, 8, 1]])
    assert straight_cost(grid, [(0, 0), (2, 0)]) == pytest.approx(0.5 + 2 + 2)
    assert straight_cost(grid, [(0, 0), (1, 1)]) == pytest.approx(math.sqrt(0.5) * (1 + 8))
    assert straight_cost(grid, [(0.5, 0.5), (1.5, 0.5)]) == pytest.approx(2)  # the cheaper side of the edge


# the searches


@pytest.mark.plain
@pytest.mark.parametrize("name", LINES)
def test_nothing_in_the_way_means_one_line(name):
    grid = Grid(np.ones((9, 13)))
    for goal in [(12, 8), (12, 0), (5, 8), (11, 3), (7, 7)]:
        result = find_path(grid, (0, 0), goal, name)
        assert result.path == [(0, 0), goal]
        assert result.cost == pytest.approx(math.hypot(*goal))


@every
def test_never_longer_than_along_the_grid_never_through_a_wall(name):
    solved = shorter = 0
    for grid, rng in random_grids(1, 40, 24):
        for start, goal in rng.choice(grid.free_cells, (4, 2)):
            result = find_path(grid, start, goal, name)
            best = find_path(grid, start, goal, "astar")
            assert result.status is best.status
            if result.is_solved:
                assert check_straight_path(grid, result.path) == []
                assert straight_cost(grid, result.path) == pytest.approx(result.cost, abs=1e-9)
                assert result.cost <= best.cost + 1e-9
                solved, shorter = solved + 1, shorter + (result.cost < best.cost - 1e-9)
    assert solved > 60
    assert shorter > solved / 2


@pytest.mark.parametrize("name", LINES)
def test_no_shorter_than_the_best_lines_between_centres(name):
    """Against Dijkstra over all pairs of cells that see each other."""
    total = best_total = 0.0
    for grid, rng in random_grids(2, 25, 10):
        start, goal = rng.choice(grid.free_cells, 2)
        best = _best_lines(grid, int(start)).get(int(goal))
        result = find_path(grid, start, goal, name)
        assert result.is_solved == (best is not None)
        if best is not None:
            assert result.cost >= best - 1e-9
            total, best_total = total + result.cost, best_total + best
    assert total < 1.03 * best_total


def _best_lines(grid, start):
    places = {int(cell): grid.place(cell) for cell in grid.free_cells}
    costs, done = {start: 0.0}, {}
    while costs:
        cell = min(costs, key=costs.get)
        done[cell] = costs.pop(cell)
        for other in places:
            if other not in done and sees(grid.legal, grid.stride, cell, other):
                reached = done[cell] + math.dist(places[cell], places[other])
                costs[other] = min(reached, costs.get(other, math.inf))
    return done


def test_lazy_theta_looks_along_fewer_lines():
    looks = dict.fromkeys(THETAS, 0)
    for grid, rng in random_grids(3, 20, 40):
        for start, goal in rng.choice(grid.free_cells, (5, 2)):
            for name in THETAS:
                task = begin_path(grid, start, goal, name)
                task.advance()
                looks[name] += task.sights
    assert looks["lazy_theta"] < 0.9 * looks["theta"]


@pytest.mark.plain
def test_lazy_theta_waits_when_it_was_wrong():
    """Expanding such a cell at once, as in the paper, makes a path of 10.307 here, longer than along the grid."""
    grid = drawn(
        "@..@@@.@@.@.@@.", "....@@...@@@@..", "..........@@@..", ".@@..@@@..@@...", "..@.@..........",
        "..@....@..@....", "@..@.@...@.....", "....@..@.@..@@.", ".@@.......@@@..", "@..@.@......@..",
        "..@@..@.@.@@...", ".@.@@.....@@..@", "@.@..@....@@.@.", moves="eight_cutting",
    )  # fmt: skip
    along_the_grid = dijkstra_costs(grid, grid.cell((1, 2)))[grid.cell((6, 9))]
    assert along_the_grid == pytest.approx(10.2426, abs=1e-4)
    assert find_path(grid, (1, 2), (6, 9), "lazy_theta").cost <= along_the_grid + 1e-9


@pytest.mark.plain
def test_smoothing_keeps_the_ends_and_the_bends_it_needs():
    grid = drawn("....", ".@@.", "....")
    for places, kept in [
        ([(0, 0)], [(0, 0)]),
        ([(0, 0), (1, 0)], [(0, 0), (1, 0)]),
        ([(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2)], [(0, 0), (3, 0), (3, 2)]),
    ]:
        cells = grid.cells(places)
        assert [grid.place(cell) for cell in cells[: smooth(grid.legal, grid.stride, cells)]] == kept


@pytest.mark.plain
@every
def test_lengths_are_euclidean_whatever_a_diagonal_step_costs(name):
    for grid in (
        drawn(".....", "..@.@", ".....", moves="eight_cutting", diagonal=1.9),
        drawn("....", "....", diagonal=1.0),
    ):
        result = find_path(grid, (0, 0), (grid.width - 1, grid.height - 1), name)
        assert check_straight_path(grid, result.path) == []
        assert straight_cost(grid, result.path) == pytest.approx(result.cost)


@every
def test_two_searches_in_one_world_do_not_meet(name):
    grid, rng = next(iter(random_grids(9, 1, 30)))
    pairs = rng.choice(grid.free_cells, (6, 2))
    alone = [find_path(grid, start, goal, name) for start, goal in pairs]
    tasks = [begin_path(grid, start, goal, name) for start, goal in pairs]
    while not all(task.advance(3).is_final for task in tasks):
        pass
    assert [task.result().path for task in tasks] == [result.path for result in alone]


@every
def test_many_queries_are_answered_like_one(name):
    grid, rng = next(iter(random_grids(10, 1, 20)))
    starts, goals = rng.choice(grid.free_cells, (2, 20))
    many = find_many(grid, starts, goals, name, threads=1)
    for k in range(20):
        one = find_path(grid, starts[k], goals[k], name)
        assert (many.path(k), many.costs[k]) == (one.path, one.cost)


@every
def test_published_lengths_are_never_exceeded(name, movingai):
    """Two rows of each map; not all lengths of battleground are right, but these are."""
    from wayfolk.files.maps import read_map
    from wayfolk.files.scenarios import read_queries

    for file in sorted((movingai / "single").glob("*.map")):
        grid = read_map(file)
        rows = read_queries(f"{file}.scen", grid)
        for k in range(len(rows.starts) // 8, len(rows.starts), len(rows.starts) // 2):
            result = find_path(grid, rows.starts[k], rows.goals[k], name)
            straight = math.dist(grid.place(rows.starts[k]), grid.place(rows.goals[k]))
            assert straight - 1e-9 <= result.cost <= rows.lengths[k] + 0.006
            assert check_straight_path(grid, result.path) == []


def test_scenarios_call_only_longer_paths_wrong(movingai):
    from wayfolk.files.maps import read_map

    file = movingai / "single" / "den312d.map"
    result = run_queries(read_map(file), f"{file}.scen", "theta", {})
    assert (result["wrong_cost"], result["solved"]) == (0, result["solvable"])
    along = run_queries(read_map(file), f"{file}.scen", "astar", {})
    assert along["wrong_cost"] == 0
    assert result["cost_total"] < 0.97 * along["cost_total"]


# Field D*


@pytest.mark.plain
@given(*[st.floats(0.1, 10.0)] * 2, *[st.floats(0.0, 10.0)] * 2)
def test_the_formula_finds_the_least_of_all_crossings(inside, along, first, second):
    """Along the edge for a while, then straight to any point of the far side."""
    gone, to = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101))
    there = inside * np.sqrt((1 - gone) ** 2 + to**2) + (1 - to) * first + to * second
    least = float((along * gone + there).min())
    costs = cross_square(inside, along, first, second)
    assert costs <= least + 1e-12
    assert costs >= least - 0.005 * (2 * inside + along + abs(first - second))  # what a mesh of this width can miss


def test_a_field_without_walls_is_nearly_straight():
    grid = Grid(np.ones((30, 40)))
    rng = np.random.default_rng(4)
    for start, goal in rng.choice(grid.free_cells, (60, 2)):
        result = find_path(grid, start, goal, "field_d_star")
        straight = math.dist(grid.place(start), grid.place(goal))
        assert straight - 1e-9 <= result.cost <= 1.01 * straight


@pytest.mark.plain
def test_a_field_knows_lines_along_the_lattice():
    grid = Grid(np.ones((6, 9)))
    assert find_path(grid, (0, 2), (8, 2), "field_d_star").path == [(0, 2), (8, 2)]
    assert find_path(grid, (0, 0), (5, 5), "field_d_star").path == [(0, 0), (5, 5)]


@pytest.mark.plain
def test_a_field_bends_around_the_dear_cells():
    costs = np.ones((3, 9))
    costs[1, 1:8] = 20.0
    grid = Grid(np.ones((3, 9)), costs=costs)
    result = find_path(grid, (0, 1), (8, 1), "field_d_star")
    assert all(costs[round(y), round(x)] == 1.0 for x, y in result.path)
    assert straight_cost(grid, result.path) == pytest.approx(result.cost)
    # along the edge of the dear cells, where the cheaper side counts
    assert result.cost == pytest.approx(7.0 + 2 * math.sqrt(0.5), abs=0.01)
    assert result.cost < find_path(grid, (0, 1), (8, 1), "astar").cost


def test_a_field_weighs_terrain_and_is_never_dearer_than_along_the_grid():
    for grid, rng in random_grids(5, 40, 14, terrain=True):
        for start, goal in rng.choice(grid.free_cells, (3, 2)):
            result = find_path(grid, start, goal, "field_d_star")
            if result.is_solved:
                assert check_straight_path(grid, result.path) == []
                assert straight_cost(grid, result.path) == pytest.approx(result.cost)
                assert result.cost <= find_path(grid, start, goal, "astar").cost + 1e-9


@pytest.mark.plain
def test_a_promise_the_field_cannot_keep_is_compared_with_astar():
    """The ways around both sides of the wall meet here: drawn through the field the path is longer than along the grid."""
    grid = drawn(".....", "..@.@", ".....", moves="eight_cutting")
    task = begin_path(grid, (0, 0), (4, 2), "field_d_star", watch=True)
    task.advance()
    assert task.doubt is not None
    result = task.result()
    assert result.cost == pytest.approx(2 + 2 * math.sqrt(2.0))
    assert len(result.events) == result.expanded > task.doubt.expanded > 0
    again = begin_path(grid, (0, 0), (4, 2), "field_d_star", watch=True)
    while not again.advance(1).is_final:
        part = again.result()
        assert list(part.events) == list(result.events[: part.expanded])
    assert (again.result().path, again.result().expanded) == (result.path, result.expanded)


def test_a_repaired_field_is_like_a_new_one():
    """Cells are blocked and freed, and the agent moves: each time as if the search had begun in the changed map."""
    repaired = renewed = 0
    for grid, rng in random_grids(6, 60, 16, terrain=True):
        start, goal = rng.choice(grid.free_cells, 2)
        task = begin_path(grid, start, goal, "field_d_star")
        task.advance()
        for _ in range(4):
            before = task.result().expanded
            inside = np.setdiff1d(grid.cells([(x, y) for y, x in np.ndindex(grid.free.shape)]), [start, goal])
            chosen = rng.choice(inside, min(3, len(inside)), replace=False)
            grid = grid.with_blocked(chosen[:2]).with_freed(chosen[2:])
            if rng.random() < 0.5:
                start = rng.choice(grid.free_cells)
            task.change(grid, int(start))
            assert task.status is Status.RUNNING
            while not task.advance(50).is_final:
                pass
            new, result = find_path(grid, start, goal, "field_d_star"), task.result()
            assert (result.status, result.path) == (new.status, new.path)
            assert result.cost == pytest.approx(new.cost) or result.cost == new.cost
            repaired, renewed = repaired + result.expanded - before, renewed + new.expanded
    assert repaired < 0.5 * renewed


@pytest.mark.plain
def test_a_field_takes_only_changes_of_its_own_map():
    grid = drawn("....", "....")
    task = begin_path(grid, (0, 0), (3, 1), "field_d_star")
    task.advance()
    with pytest.raises(BadInput, match="cannot take the place"):
        task.change(drawn("....", "....", "...."))
    with pytest.raises(BadInput, match="cannot take the place"):
        task.change(grid.with_moves("eight_cutting"))
    with pytest.raises(BadProblem, match=r"the goal \(3, 1\) is in a wall"):
        task.change(grid.with_blocked([grid.cell((3, 1))]))
    assert task.result().is_solved  # as if nothing had been asked
    task.change(grid.with_blocked(grid.cells([(2, 0), (2, 1)])))
    assert task.advance() is Status.IMPOSSIBLE
    cheaper = Grid(np.ones((2, 4)), costs=np.full((2, 4), 0.25))
    task.change(cheaper)
    task.advance()
    assert task.result().cost == pytest.approx(find_path(cheaper, (0, 0), (3, 1), "field_d_star").cost)


@pytest.mark.plain
@every
def test_every_line_is_longer_than_nothing(name):
    grid = drawn("...@", ".@..", "....")
    path = find_path(grid, (0, 0), (3, 1), name).path
    assert all(math.dist(one, other) > 0 for one, other in pairwise(path))
    assert len(find_path(grid, (1, 0), (1, 0), name).path) == 1


def test_in_a_queue_theta_expands_cells_as_breadth_first_search():
    for grid, rng in random_grids(12, 30, 15):
        start, goal = (grid.place(cell) for cell in rng.choice(grid.free_cells, 2))
        queue = find_path(grid, start, goal, "theta", order="fifo", watch=True)
        breadth = find_path(grid, start, goal, "bfs", watch=True)
        assert queue.status is breadth.status
        n = min(len(queue.events), len(breadth.events))
        assert queue.events[:n].tolist() == breadth.events[:n].tolist()
        if queue.is_solved:
            assert not check_straight_path(grid, queue.path)
            assert len(queue.events) >= len(breadth.events), (
                "it ends when the goal leaves the queue, not when it enters"
            )
