"""Maps made by a rule, and the drawing of pairs."""

import math
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from wayfolk.errors import BadInput, BadProblem
from wayfolk.files.maps import read_map
from wayfolk.kernels.codes import OPEN_EAST, OPEN_SOUTH
from wayfolk.world.generate import (
    draw_pairs,
    joined_parts,
    maze,
    random_map,
    rooms,
    scale,
    two_rooms,
    warehouse,
    without_islands,
)
from wayfolk.world.grid import MAX_CELLS, Grid, Moves

sides = st.integers(2, 24)
seeds = st.integers(0, 1000)


def n_parts(grid):
    return int(grid.components.max())


def n_holes(free):
    """How many obstacles, or groups of them, free cells go around: from Euler's formula, if the map is connected.

    Cells are points, steps between neighbours edges, and each 2 x 2 square of free cells fills in a loop of four.
    """
    edges = (free[:, 1:] & free[:, :-1]).sum() + (free[1:] & free[:-1]).sum()
    squares = (free[1:, 1:] & free[1:, :-1] & free[:-1, 1:] & free[:-1, :-1]).sum()
    return 1 - int(free.sum() - edges + squares)


# random maps


@given(st.integers(1, 30), st.integers(1, 30), st.floats(0, 1), seeds)
def test_a_random_map_has_exactly_as_many_obstacles_as_asked(width, height, blocked, seed):
    grid = random_map(width, height, blocked, seed=seed)
    assert grid.free.shape == (height, width)
    assert (~grid.free).sum() == round(blocked * width * height)


@pytest.mark.parametrize("make", [random_map, maze, rooms])
def test_a_seed_decides_the_map(make):
    assert make(40, 30, seed=3) == make(40, 30, seed=3)
    assert make(40, 30, seed=3) != make(40, 30, seed=4)


@pytest.mark.parametrize("make", [random_map, maze, rooms])
def test_the_move_rule_does_not_change_the_walls(make):
    four = make(20, 20, moves="four")
    assert four.moves is Moves.FOUR
    assert (four.free == make(20, 20).free).all()


# mazes


@given(sides, sides, st.integers(1, 5), seeds)
def test_a_maze_has_exactly_one_way_between_two_places(width, height, corridor, seed):
    grid = maze(width, height, corridor, seed=seed, moves=Moves.FOUR)
    assert n_parts(grid) == 1
    assert n_holes(grid.free) == 0


@pytest.mark.parametrize("corridor", [1, 2, 3])
def test_corridors_of_a_maze_are_as_wide_as_asked_and_walls_are_thin(corridor):
    side = 8 * (corridor + 1) + 1
    free = maze(side, side, corridor, seed=5).free
    square = np.lib.stride_tricks.sliding_window_view(free, (corridor, corridor)).all((2, 3))
    covered = np.zeros_like(free)
    for y, x in np.argwhere(square):
        covered[y : y + corridor, x : x + corridor] = True
    assert (covered == free).all()
    assert free.sum() == 64 * corridor**2 + 63 * corridor  # 64 chambers, and the doors of a tree
    walls = ~free
    assert not (walls[1:, 1:] & walls[1:, :-1] & walls[:-1, 1:] & walls[:-1, :-1]).any()


def test_a_maze_may_be_deeper_than_python_recurses():
    grid = maze(301, 301, seed=1)
    assert n_parts(grid) == 1
    assert n_holes(grid.free) == 0


# rooms


@given(sides, sides, st.integers(1, 7), seeds)
def test_rooms_are_open_and_connected_by_at_most_one_door_between_neighbours(width, height, size, seed):
    grid = rooms(width, height, size, seed=seed)
    free, pitch = grid.free, size + 1
    assert n_parts(grid) == 1
    inside = np.arange(height)[:, None] % pitch * (np.arange(width) % pitch) > 0
    assert free[inside].all()
    assert not free[::pitch, ::pitch].any()
    assert not free[0].any()
    assert not free[:, 0].any()
    for wall in range(pitch, width, pitch):
        for top in range(1, height, pitch):
            assert free[top : top + size, wall].sum() <= (wall + 1 < width)
    for wall in range(pitch, height, pitch):
        for left in range(1, width, pitch):
            assert free[wall, left : left + size].sum() <= (wall + 1 < height)


def test_rooms_have_more_doors_than_a_tree_but_not_all():
    side, size, across = 91, 8, 10
    grid = rooms(side, side, size, seed=1)
    doors = grid.free.sum() - across**2 * size**2
    tree, walls = across**2 - 1, 2 * across * (across - 1)
    assert tree + 0.3 * (walls - tree) < doors < tree + 0.7 * (walls - tree)


# warehouses


MOVINGAI_WAREHOUSES = [(10, 20, 1, 161, 63, 5699), (10, 20, 2, 170, 84, 9776), (20, 40, 1, 321, 123, 22599)]


@pytest.mark.parametrize(("columns", "rows", "aisle", "width", "height", "n_free"), MOVINGAI_WAREHOUSES)
def test_a_warehouse_is_as_large_as_its_namesake(columns, rows, aisle, width, height, n_free):
    grid = warehouse(columns, rows, (10, 2), aisle)
    assert (grid.width, grid.height, len(grid.free_cells)) == (width, height, n_free)


@pytest.mark.parametrize(("columns", "rows", "aisle"), [(10, 20, 1), (10, 20, 2), (20, 40, 1), (20, 40, 2)])
def test_a_warehouse_is_its_namesake_cell_by_cell(columns, rows, aisle, movingai):
    grid = warehouse(columns, rows, (10, 2), aisle)
    assert (grid.free == read_map(movingai / "mapf" / f"{grid.name}.map").free).all()


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 6), st.integers(1, 4), st.integers(1, 3), st.integers(1, 4))
def test_a_warehouse_holds_its_shelves_and_everything_around_is_connected(columns, rows, long, deep, aisle, margin):
    grid = warehouse(columns, rows, (long, deep), aisle, margin=margin)
    inside = grid.free[1:-1, 1:-1]
    assert (~inside).sum() == columns * rows * long * deep
    assert grid.free.sum() == inside.sum()
    assert n_parts(grid) == 1
    assert n_holes(grid.free) == columns * rows
    assert inside[:aisle].all()
    assert inside[-aisle:].all()
    assert inside[:, :margin].all()
    assert inside[:, -margin:].all()


def test_a_small_warehouse_is_connected_without_a_margin_given():
    assert n_parts(warehouse(1, 3, (1, 1))) == 1


# scaling and islands


@given(reference.small_grids(terrain=True, cliffs=True))
def test_scaling_to_the_same_size_changes_nothing(grid):
    assert scale(grid, grid.width, grid.height) == grid


@given(reference.small_grids(terrain=True, cliffs=True))
def test_doubling_makes_four_cells_of_each_and_halving_undoes_it(grid):
    twice = scale(grid, 2 * grid.width, 2 * grid.height)
    assert (twice.free == np.kron(grid.free, np.ones((2, 2), dtype=bool))).all()
    assert (twice.costs == np.kron(grid.costs, np.ones((2, 2)))).all()
    assert twice.moves is grid.moves
    for y, x in np.argwhere(grid.free):
        # only what lies between two old cells can be shut
        assert twice.links[2 * y, 2 * x] & OPEN_EAST
        assert twice.links[2 * y, 2 * x] & OPEN_SOUTH
        if x + 1 < grid.width and grid.free[y, x + 1]:
            assert twice.links[2 * y, 2 * x + 1] & OPEN_EAST == grid.links[y, x] & OPEN_EAST
        if y + 1 < grid.height and grid.free[y + 1, x]:
            assert twice.links[2 * y + 1, 2 * x] & OPEN_SOUTH == grid.links[y, x] & OPEN_SOUTH
    assert scale(twice, grid.width, grid.height) == grid


@given(reference.small_grids(), st.integers(1, 20), st.integers(1, 20))
def test_each_scaled_cell_is_what_lies_under_its_centre(grid, width, height):
    scaled = scale(grid, width, height)
    assert (scaled.width, scaled.height) == (width, height)
    for y in range(height):
        for x in range(width):
            below = grid.free[int((y + 0.5) * grid.height / height), int((x + 0.5) * grid.width / width)]
            assert scaled.free[y, x] == below


@given(reference.small_grids(), st.integers(1, 20), st.integers(1, 20))
def test_with_walls_kept_a_cell_is_free_if_all_under_it_are(grid, width, height):
    scaled = scale(grid, width, height, keep_walls=True)
    for y in range(height):
        rows = slice(y * grid.height // height, math.ceil((y + 1) * grid.height / height))
        for x in range(width):
            columns = slice(x * grid.width // width, math.ceil((x + 1) * grid.width / width))
            assert scaled.free[y, x] == grid.free[rows, columns].all()
    assert joined_parts(grid, scale(grid, 2 * grid.width, 2 * grid.height)) == 0


def test_cells_far_apart_are_shut_off_by_a_cliff_between_them_but_not_by_a_wall():
    cliff = Grid([[1, 1, 1]], links=[[0, OPEN_EAST, 0]])
    wall = Grid([[1, 0, 1]], links=[[0, 0, 0]])
    assert scale(cliff, 2, 1).links.tolist() == [[0, 0]]
    assert scale(wall, 2, 1).links.tolist() == [[OPEN_EAST, 0]]


@given(reference.small_grids(cliffs=True))
def test_without_islands_the_largest_part_is_left_as_it_was(grid):
    parts = reference.flood_components(grid)
    kept = without_islands(grid)
    assert set(kept.free_cells.tolist()) == max(parts, key=len)
    assert without_islands(kept) == kept


def test_a_map_without_free_cells_has_no_islands():
    grid = Grid(np.zeros((3, 3)))
    assert without_islands(grid) == grid


# starts and goals


def room_for(grid, zones, checkerboard, apart):
    """How many agents fit, from the definition."""
    most = 0
    for part in reference.flood_components(grid):
        usable = [(x, y) for x, y in map(grid.place, part) if not checkerboard or (x + y) % 2 == 0]
        from_zone, to_zone = ({(x, y) for x, y in usable if zone[y, x]} for zone in zones)
        fit = min(len(from_zone), len(to_zone))
        most = max(most, min(fit, len(from_zone | to_zone) // 2) if apart else fit)
    return most


@st.composite
def pair_questions(draw):
    grid = draw(reference.small_grids(max_side=5, cliffs=draw(st.booleans())))
    zones = None
    if draw(st.booleans()):
        flat = st.lists(st.booleans(), min_size=grid.free.size, max_size=grid.free.size)
        zones = tuple(np.array(draw(flat)).reshape(grid.free.shape) for _ in range(2))
    return grid, zones, draw(st.booleans()), draw(st.booleans())


@settings(max_examples=300)
@given(pair_questions(), st.data())
def test_pairs_are_drawn_as_asked_as_long_as_there_is_room(question, data):
    grid, zones, checkerboard, disjoint = question
    options = {"zones": zones, "checkerboard": checkerboard, "disjoint": disjoint}
    masks = zones or (grid.free, grid.free)
    several, alone = (room_for(grid, masks, checkerboard, apart) for apart in (disjoint, True))
    room = several if several > 1 else alone
    with pytest.raises(BadProblem, match=f"^{room + 1} agents were asked for, the map has room for {room}$"):
        draw_pairs(grid, room + 1, **options)
    if room == 0:
        return
    agents, seed = data.draw(st.integers(1, room)), data.draw(seeds)
    starts, goals = draw_pairs(grid, agents, seed=seed, **options)
    assert starts.dtype == goals.dtype == np.int32
    assert len(set(starts.tolist())) == len(set(goals.tolist())) == len(starts) == len(goals) == agents
    assert (starts != goals).all()
    if disjoint:
        assert not set(starts.tolist()) & set(goals.tolist())
    [part] = [part for part in reference.flood_components(grid) if int(starts[0]) in part]
    for cells, mask in zip((starts, goals), masks, strict=True):
        assert set(cells.tolist()) <= part
        x, y = grid.places(cells).T
        assert mask[y, x].all()
        assert not checkerboard or ((x + y) % 2 == 0).all()
    again = draw_pairs(grid, agents, seed=seed, **options)
    assert (starts == again[0]).all()
    assert (goals == again[1]).all()


def test_starts_and_goals_come_from_the_whole_zone_and_depend_on_the_seed():
    grid = random_map(30, 30, 0.0)
    starts, goals = draw_pairs(grid, 100, seed=1)
    others, _ = draw_pairs(grid, 100, seed=2)
    assert (starts != others).any()
    for cells in (starts, goals):
        x, y = grid.places(cells).T
        assert np.abs(x.mean() - 14.5) < 3
        assert np.abs(y.mean() - 14.5) < 3
        assert np.ptp(x) > 25
        assert np.ptp(y) > 25


def test_a_full_map_can_be_drawn_with_nobody_staying():
    grid = random_map(4, 4, 0.0)
    for seed in range(50):
        starts, goals = draw_pairs(grid, 16, seed=seed)
        assert sorted(starts.tolist()) == sorted(goals.tolist()) == grid.free_cells.tolist()
        assert (starts != goals).all()


# mistakes


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        (lambda: random_map(0, 5), "width must be 1 or more, not 0"),
        (lambda: random_map(5, -1), "height must be 1 or more, not -1"),
        (lambda: random_map(2.5, 5), "width must be a whole number, not 2.5"),
        (lambda: random_map(5, 5, 1.5), "the fraction of blocked cells must be from 0 to 1, not 1.5"),
        (lambda: random_map(5, 5, float("nan")), "the fraction of blocked cells must be from 0 to 1, not nan"),
        (lambda: random_map(5, 5, seed=-1), "a seed must be 0 or more, not -1"),
        (
            lambda: random_map(100_000, 100_000),
            f"a map of 100000 x 100000 cells is larger than the {MAX_CELLS} a grid can hold",
        ),
        (lambda: maze(1, 5), "a map with walls must be at least 2 x 2 cells, not 1 x 5"),
        (lambda: maze(5, 5, 0), "corridor must be 1 or more, not 0"),
        (lambda: rooms(5, 5, 0), "size must be 1 or more, not 0"),
        (lambda: warehouse(0), "columns must be 1 or more, not 0"),
        (lambda: warehouse(shelf=(0, 2)), "the width of a shelf must be 1 or more, not 0"),
        (lambda: warehouse(margin=0), "margin must be 1 or more, not 0"),
        (lambda: warehouse(100_000, 100_000), "a map of 1600001 x 300003 cells is larger than"),
        (lambda: two_rooms(room=2), "two corridors of 1 need rooms of at least 3, not 2"),
        (lambda: two_rooms(length=0), "room, length and width must be 1 or more, not 12, 0 and 1"),
        (lambda: scale(random_map(5, 5), 5, 0), "height must be 1 or more, not 0"),
    ],
)
def test_bad_sizes_are_told_in_a_sentence(mistake, sentence):
    with pytest.raises(BadInput, match=f"^{re.escape(sentence)}"):
        mistake()


@pytest.mark.parametrize(
    ("agents", "options", "sentence"),
    [
        (0, {}, "agents must be 1 or more, not 0"),
        (26, {}, "26 agents were asked for, the map has room for 25"),
        (13, {"disjoint": True}, "13 agents were asked for, the map has room for 12"),
        (14, {"checkerboard": True}, "14 agents were asked for, the map has room for 13"),
        (1, {"zones": (np.zeros((5, 5)), np.ones((5, 5)))}, "1 agents were asked for, the map has room for 0"),
        (1, {"zones": (np.ones((4, 5)), np.ones((5, 5)))}, "a zone must have the shape (5, 5) of the map, not (4, 5)"),
    ],
)
def test_questions_without_an_answer_are_told_in_a_sentence(agents, options, sentence):
    with pytest.raises(BadProblem, match=f"^{re.escape(sentence)}$"):
        draw_pairs(random_map(5, 5, 0.0), agents, **options)


def test_nobody_fits_where_nothing_is_free():
    with pytest.raises(BadProblem, match="1 agents were asked for, the map has room for 0"):
        draw_pairs(Grid(np.zeros((3, 3))), 1)


def test_making_maps_does_not_load_numba():
    code = (
        "import sys, wayfolk.world.generate as g, wayfolk.problem.papers as p;"
        "g.maze(9, 9), p.paper_map('jansen-c'); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0


@pytest.mark.plain
def test_two_rooms_are_joined_by_two_corridors():
    grid = two_rooms()
    assert grid.components.max() == 1
    assert grid.free[:, :12].all()
    assert grid.free[:, -12:].all()
    assert (grid.free[:, 12:20].sum(0) == 2).all()
    assert (grid.free == grid.free[::-1, ::-1]).all()
    wide = two_rooms(room=9, length=3, width=2)
    assert (wide.free[:, 9:12].sum(0) == 4).all()
