"""The maps of Jansen 2008: the original files where they are at hand, and what the text says of them."""

import numpy as np
import pytest

import reference
from wayfolk.algorithms.batch import find_many
from wayfolk.errors import UnknownName
from wayfolk.experiments.papers.jansen.maps import BARRIER, CORRIDORS, SIZE
from wayfolk.files.maps import read_map
from wayfolk.problem.papers import paper_map, paper_problem
from wayfolk.world.grid import Moves

FILES = {"a": "empty_64", "b": "test_s1_64", "c": "test_s2_64", "d": "test_s4_64"}
FREE = {"a": 4096, "b": 3480, "c": 3284, "d": 3520}
SCENARIOS = {"a": "MapEmpty_L100", "b": "Map1Big_L50_R50", "c": "Map2_L50_R50", "d": "Map4_L80_R80"}
LOOPS = {"a": 70.1, "b": 124.4, "c": 103.3, "d": 105.9}  # mean shortest way there and back, in the scenarios


@pytest.mark.parametrize("letter", FILES)
def test_a_map_is_the_original_cell_by_cell(letter, jansen):
    original = read_map(jansen / f"{FILES[letter]}.map")
    assert (paper_map(f"jansen-{letter}").grid.free == original.free).all()


@pytest.mark.plain
@pytest.mark.parametrize("letter", FILES)
def test_maps_are_64_by_64_and_connected_with_zones_that_mirror_each_other(letter):
    place = paper_map(f"jansen-{letter}")
    assert place.grid.free.shape == (SIZE, SIZE) == (64, 64)
    assert place.grid.moves is Moves.EIGHT
    assert len(place.grid.free_cells) == FREE[letter]
    assert place.grid.components.max() == 1
    assert place.name == place.grid.name == f"jansen-{letter}"
    if letter == "a":
        assert place.zones is None
    else:
        left, right = place.zones
        assert (left == right[:, ::-1]).all()
        assert not (left & right).any()
        assert place.grid.free[left | right].all()


@pytest.mark.plain
@pytest.mark.parametrize("letter", FILES)
def test_half_of_the_agents_start_on_each_side_of_the_checkerboard(letter):
    problem = paper_problem(f"jansen-{letter}", agents=160, loops=20, seed=7)
    places = problem.grid.places(problem.routes)
    assert problem.loops == 20
    assert (places.sum(-1) % 2 == 1).all()
    assert len(np.unique(problem.routes)) == 320
    assert (problem.routes[:, 1] == problem.starts).all()
    if letter == "a":
        return
    zones = paper_map(f"jansen-{letter}").zones
    (far_x, far_y), (x, y) = places[:, 0].T, places[:, 1].T
    assert zones[0][y[:80], x[:80]].all()
    assert zones[1][far_y[:80], far_x[:80]].all()
    assert zones[1][y[80:], x[80:]].all()
    assert zones[0][far_y[80:], far_x[80:]].all()
    gathered = paper_problem(f"jansen-{letter}", agents=160, seed=7, sides="left")
    assert (problem.grid.places(gathered.starts)[:, 0] < SIZE // 2).all()
    assert (np.sort(gathered.routes) == np.sort(problem.routes)).all()


@pytest.mark.plain
def test_the_sides_of_map_c_are_joined_by_three_corridors_only():
    grid = paper_map("jansen-c").grid
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
    column = paper_map("jansen-d").grid.free[:, 31]
    assert column.sum() == 20
    assert not (column[1:] & column[:-1]).any()


@pytest.mark.parametrize("letter", FILES)
def test_scenarios_lie_in_the_zones_and_are_as_far_apart_as_told(letter, jansen):
    place = paper_map(f"jansen-{letter}")
    lengths = []
    for number in (1,):
        problem = place.problem(agents=100, file=jansen / "scen" / f"{SCENARIOS[letter]}_{number}.txt")
        assert problem.n_agents == (160 if letter == "d" else 100)
        places = place.grid.places(problem.routes)
        assert (places.sum(-1) % 2 == 1).all()
        if place.zones is not None:
            x, y = places[:, 1].T
            half = problem.n_agents // 2
            assert place.zones[0][y[:half], x[:half]].all()
            assert place.zones[1][y[half:], x[half:]].all()
            gathered = place.problem(
                agents=100, file=jansen / "scen" / f"{SCENARIOS[letter]}_{number}.txt", sides="left"
            )
            assert (place.grid.places(gathered.starts)[:, 0] < SIZE // 2).all()
        lengths += (2 * find_many(place.grid, problem.starts, problem.goals, "astar").costs).tolist()
    assert np.mean(lengths) == pytest.approx(LOOPS[letter], rel=0.1)


@pytest.mark.plain
def test_there_is_no_map_e():
    with pytest.raises(UnknownName, match="no paper has a map 'jansen-e': did you mean 'jansen-"):
        paper_map("jansen-e")
