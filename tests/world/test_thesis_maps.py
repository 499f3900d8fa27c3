"""The maps of the Direction Map thesis: the original files where they are at hand, and what the thesis says of them."""

import numpy as np
import pytest

import reference
from wayfolk.algorithms.batch import find_many
from wayfolk.errors import UnknownName
from wayfolk.files.maps import read_map
from wayfolk.files.patrols import read_patrols
from wayfolk.problem.thesis import thesis_problem
from wayfolk.world.grid import Moves
from wayfolk.world.thesis_maps import BARRIER, CORRIDORS, SIZE, thesis_map, two_rooms

FILES = {"a": "empty_64", "b": "test_s1_64", "c": "test_s2_64", "d": "test_s4_64"}
FREE = {"a": 4096, "b": 3480, "c": 3284, "d": 3520}
SCENARIOS = {"a": "MapEmpty_L100", "b": "Map1Big_L50_R50", "c": "Map2_L50_R50", "d": "Map4_L80_R80"}
LOOPS = {"a": 70.1, "b": 124.4, "c": 103.3, "d": 105.9}  # mean shortest way there and back, in the scenarios


@pytest.mark.parametrize("letter", FILES)
def test_a_map_is_the_original_cell_by_cell(letter, jansen):
    original = read_map(jansen / f"{FILES[letter]}.map")
    assert (thesis_map(letter).grid.free == original.free).all()


@pytest.mark.plain
@pytest.mark.parametrize("letter", FILES)
def test_maps_are_64_by_64_and_connected_with_zones_that_mirror_each_other(letter):
    thesis = thesis_map(letter)
    assert thesis.grid.free.shape == (SIZE, SIZE) == (64, 64)
    assert thesis.grid.moves is Moves.EIGHT
    assert len(thesis.grid.free_cells) == FREE[letter]
    assert thesis.grid.components.max() == 1
    assert thesis.name == thesis.grid.name == f"thesis-{letter}"
    if letter == "a":
        assert thesis.zones is None
    else:
        left, right = thesis.zones
        assert (left == right[:, ::-1]).all()
        assert not (left & right).any()
        assert thesis.grid.free[left | right].all()


@pytest.mark.plain
@pytest.mark.parametrize("letter", FILES)
def test_half_of_the_agents_start_on_each_side_of_the_checkerboard(letter):
    problem = thesis_problem(letter, agents=160, loops=20, seed=7)
    places = problem.grid.places(problem.routes)
    assert problem.loops == 20
    assert (places.sum(-1) % 2 == 1).all()
    assert len(np.unique(problem.routes)) == 320
    assert (problem.routes[:, 1] == problem.starts).all()
    if letter == "a":
        return
    zones = thesis_map(letter).zones
    (far_x, far_y), (x, y) = places[:, 0].T, places[:, 1].T
    assert zones[0][y[:80], x[:80]].all()
    assert zones[1][far_y[:80], far_x[:80]].all()
    assert zones[1][y[80:], x[80:]].all()
    assert zones[0][far_y[80:], far_x[80:]].all()
    gathered = thesis_problem(letter, agents=160, seed=7, sides="left")
    assert (problem.grid.places(gathered.starts)[:, 0] < SIZE // 2).all()
    assert (np.sort(gathered.routes) == np.sort(problem.routes)).all()


@pytest.mark.plain
def test_the_sides_of_map_c_are_joined_by_three_corridors_only():
    grid = thesis_map("c").grid
    steps = [
        (here, there)
        for here in grid.cells([(31, y) for y in range(SIZE) if grid.free[y, 31]]).tolist()
        for there in reference.legal_moves(grid, here)
        if grid.place(there)[0] == 32
    ]
    rows = {grid.place(cell)[1] for step in steps for cell in step}
    assert rows == {y for corridor in CORRIDORS for y in range(corridor.start, corridor.stop)}
    walls = grid.free.copy()
    walls[:, BARRIER] = False
    for corridor in CORRIDORS:
        walls[corridor, 31:33] = False
    assert not walls[:, 31:33].any()


@pytest.mark.plain
def test_the_passageways_of_map_d_are_one_cell_wide():
    column = thesis_map("d").grid.free[:, 31]
    assert column.sum() == 20
    assert not (column[1:] & column[:-1]).any()


@pytest.mark.parametrize("letter", FILES)
def test_scenarios_lie_in_the_zones_and_are_as_far_apart_as_told(letter, jansen):
    thesis = thesis_map(letter)
    lengths = []
    for number in (1,):
        problem = read_patrols(jansen / "scen" / f"{SCENARIOS[letter]}_{number}.txt", thesis.grid)
        assert problem.n_agents == (160 if letter == "d" else 100)
        places = thesis.grid.places(problem.routes)
        assert (places.sum(-1) % 2 == 1).all()
        if thesis.zones is not None:
            x, y = places[:, 1].T
            half = problem.n_agents // 2
            assert thesis.zones[0][y[:half], x[:half]].all()
            assert thesis.zones[1][y[half:], x[half:]].all()
            gathered = read_patrols(jansen / "scen" / f"{SCENARIOS[letter]}_{number}.txt", thesis.grid, sides="left")
            assert (thesis.grid.places(gathered.starts)[:, 0] < SIZE // 2).all()
        lengths += (2 * find_many(thesis.grid, problem.starts, problem.goals, "astar").costs).tolist()
    assert np.mean(lengths) == pytest.approx(LOOPS[letter], rel=0.1)


@pytest.mark.plain
def test_there_is_no_map_e():
    with pytest.raises(UnknownName, match="there is no thesis map 'e': choose a, b, c, d"):
        thesis_map("e")


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
