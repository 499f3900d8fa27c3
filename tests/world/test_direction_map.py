"""Direction maps: the worked examples of the thesis to the printed digits, learning, coherence, files."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfolk.errors import BadInput, NotSupported
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.coherence import coherence_over_time
from wayfolk.kernels.codes import MOVE
from wayfolk.problem.problem import patrol
from wayfolk.simulation.solving import simulate
from wayfolk.world.direction_map import DirectionMap
from wayfolk.world.generate import random_map
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

HALF = 1 / math.sqrt(2)
OPEN = Grid(np.ones((6, 6)))


def naive_coherence(map_, since=-math.inf):
    """From the definition, one cell after another."""
    grid, vectors, seen = map_.world, map_.vectors, map_.seen
    terms = []
    for cell in np.flatnonzero(map_.is_stored & (seen >= since)).tolist():
        one, ahead = vectors[cell], np.zeros(2)
        if np.hypot(*one) > 1e-9:
            best = -math.inf
            for k in range(8):
                if grid.legal[cell] >> k & 1:
                    other = cell + int(grid.offsets[k])
                    way = grid.places(other) - grid.places(cell)
                    along = float(one @ way) / math.hypot(*way)
                    if along > best:
                        best, ahead = along, vectors[other] if seen[other] >= since else np.zeros(2)
        terms.append(math.hypot(*(one + ahead)) / 2)
    return sum(terms) / len(terms) if terms else 0.0


def wandering(grid, n, seed=0, **rules):
    """A map after `n` random moves, one at each unit of time."""
    rng = np.random.default_rng(seed)
    map_ = DirectionMap(grid, **rules)
    here = int(grid.free_cells[0])
    for time in range(n):
        moves = [k for k in range(8) if grid.legal[here] >> k & 1]
        if moves:
            there = here + int(grid.offsets[rng.choice(moves)])
            map_.learn(here, there, time)
            here = there
    return map_


def test_the_update_of_section_3_1():
    map_ = DirectionMap(OPEN, alpha=0.5)
    map_.put((1, 1), (HALF, HALF))
    map_.put((2, 1), (1, 0))
    map_.learn((1, 1), (2, 1))
    assert np.round(map_.vectors[OPEN.cell((1, 1))], 2).tolist() == [0.85, 0.35]
    assert map_.vectors[OPEN.cell((2, 1))].tolist() == [1, 0]


def test_the_edge_cost_of_section_3_2():
    map_ = DirectionMap(OPEN)
    map_.put((0, 3), (HALF, HALF))
    map_.put((1, 3), (0, 1))
    assert round(map_.edge_cost((0, 3), (1, 3), w_max=1), 4) == 1.3232


def test_a_move_along_vertical_vectors_costs_nothing_extra():
    """The formula as printed has a bracket in the wrong place, and would punish this."""
    map_ = DirectionMap(OPEN)
    for y in range(3):
        map_.put((1, y), (0, 1))
    assert map_.edge_cost((1, 0), (1, 1), 10) == 1
    assert map_.edge_cost((1, 1), (1, 0), 10) == 11
    assert map_.edge_cost((1, 1), (2, 1), 10) == pytest.approx(1 + 10 * (0.5 + 0) / 2)


def test_the_coherence_of_figure_4_4():
    grid = parse_ascii("""
        .....
        .....
        .....
    """)
    map_ = DirectionMap(grid)
    map_.put((1, 2), (0, -1))  # C2, which points to B2
    map_.put((1, 1), (0, -1))
    map_.put((1, 0), (0, -1))
    map_.put((2, 2), (-1, 0))  # C3, which points to C2
    terms = [1.0, 1.0, 0.5, math.hypot(0.5, 0.5)]
    assert round(terms[3], 2) == 0.71
    assert map_.coherence() == pytest.approx(sum(terms) / 4)
    map_.put((1, 0), (0, 0))
    assert map_.coherence() == pytest.approx((1.0 + 0.5 + 0.0 + terms[3]) / 4)


def test_an_unvisited_cell_costs_nothing_or_half():
    map_ = DirectionMap(OPEN)
    assert map_.edge_cost((0, 0), (1, 0), 10) == 1
    assert map_.edge_cost((0, 0), (1, 0), 10, unvisited="half") == 6
    assert map_.edge_cost((0, 0), (1, 1), 10, unvisited="half") == pytest.approx(5 + math.sqrt(2))


@given(
    seed=st.integers(0, 1000),
    rule=st.sampled_from(["text", "simulator", "average"]),
    decay=st.sampled_from([0.0, 0.01]),
)
def test_no_edge_is_cheaper_than_it_is_long(seed, rule, decay):
    grid = random_map(5, 5, 0.2, seed=seed)
    map_ = wandering(grid, 30, seed, rule=rule, decay=decay, alpha_s=0.3)
    assert np.hypot(*map_.vectors.T).max() <= 1 + 1e-12
    for cell in grid.free_cells.tolist():
        for k in range(8):
            if grid.legal[cell] >> k & 1:
                extra = map_.edge_cost(cell, cell + int(grid.offsets[k]), 10) - grid.lengths[k]
                assert -1e-12 <= extra <= 10 + 1e-12


@given(seed=st.integers(0, 1000), age=st.one_of(st.none(), st.integers(0, 50)))
def test_coherence_is_that_of_the_definition(seed, age):
    map_ = wandering(random_map(6, 6, 0.2, seed=seed), 60, seed)
    since = -math.inf if age is None else map_.time - age
    assert map_.coherence(younger_than=age) == pytest.approx(naive_coherence(map_, since))


def test_cells_around_learn_less_the_farther_they_are():
    map_ = DirectionMap(OPEN, 0.5, alpha_s=0.4, around=2, fading=0.5)
    map_.learn((1, 2), (2, 2))
    length = {place: np.hypot(*map_.vectors[OPEN.cell(place)]) for place in [(1, 2), (2, 2), (2, 1), (3, 3), (4, 2)]}
    assert length == pytest.approx({(1, 2): 0.5, (2, 2): 0.5, (2, 1): 0.4, (3, 3): 0.4, (4, 2): 0.2})
    assert not map_.is_stored[OPEN.cell((5, 2))]


def test_cells_around_are_free_ones_on_this_side_of_the_edge():
    grid = parse_ascii("""
        ...
        .#.
        ...
    """)
    map_ = DirectionMap(grid, alpha_s=0.4, around=3)
    map_.learn((0, 0), (1, 0))
    assert not map_.is_stored[~grid._free].any()
    assert map_.is_stored[grid.free_cells].all()


def test_an_average_has_length_one():
    map_ = DirectionMap(OPEN, alpha=0.3, rule="average")
    map_.learn((1, 1), (2, 1))
    assert map_.vectors[OPEN.cell((2, 1))].tolist() == [1, 0]
    map_.learn((2, 1), (2, 2))
    x, y = map_.vectors[OPEN.cell((2, 1))]
    assert math.hypot(x, y) == pytest.approx(1)
    assert y / x == pytest.approx(0.3 / 0.7)
    evenly = DirectionMap(OPEN, alpha=0.5, rule="average")
    evenly.learn((1, 1), (2, 1))
    evenly.learn((2, 1), (1, 1))
    assert evenly.vectors[OPEN.cell((1, 1))].tolist() == [-1, 0]


def test_what_decays_costs_less_and_less_until_it_is_as_good_as_unvisited():
    map_ = DirectionMap(OPEN, alpha=1.0, decay=0.1)
    map_.learn((1, 1), (2, 1), time=0)
    assert map_.edge_cost((2, 1), (1, 1), 10) == pytest.approx(11)
    map_.learn((4, 4), (5, 4), time=2.5)
    assert map_.vectors[OPEN.cell((1, 1))].tolist() == pytest.approx([0.81, 0])
    assert map_.edge_cost((2, 1), (1, 1), 10) == pytest.approx(1 + 8.1)
    assert map_.edge_cost((1, 1), (2, 1), 10) == pytest.approx(1)
    map_.learn((4, 4), (5, 4), time=3)
    assert map_.vectors[OPEN.cell((1, 1))].tolist() == pytest.approx([0.729, 0])
    map_.learn((4, 4), (5, 4), time=300)
    assert map_.edge_cost((2, 1), (1, 1), 10) == pytest.approx(1)


def test_ages_and_the_present():
    map_ = DirectionMap(OPEN, alpha=1.0)
    map_.learn((0, 0), (1, 0), time=1)
    map_.learn((3, 3), (4, 3), time=9)
    assert map_.time == 9
    assert map_.coherence(younger_than=2) == pytest.approx((1 + 0.5) / 2)
    assert map_.coherence(younger_than=2, now=20) == 0
    assert DirectionMap(OPEN).coherence() == 0


@pytest.mark.parametrize("controller", ["lra", "whca"])
def test_coherence_over_time_replays_any_controller(controller):
    problem = patrol(random_map(16, 16, 0.1, seed=1), agents=10, loops=2, seed=1)
    record = simulate(problem, controller, model="distance", until=500).record
    times, values = coherence_over_time(record, alpha=0.4, every=7.5)
    _, young = coherence_over_time(record, alpha=0.4, every=7.5, younger_than=20)
    assert times[0] == 7.5
    assert record.end - 7.5 < times[-1] <= record.end
    slow, here, row = DirectionMap(record.grid, 0.4), record.starts.copy(), 0
    for time, value, recent in zip(times, values, young, strict=True):
        while row < len(record) and record.time[row] < time:
            if record.kind[row] == MOVE:
                agent, cell = record.agent[row], int(record.cell[row])
                slow.learn(int(here[agent]), cell, record.time[row])
                here[agent] = cell
            row += 1
        assert value == pytest.approx(slow.coherence())
        assert recent == pytest.approx(slow.coherence(younger_than=20, now=time))


def test_following_a_record_is_learning_each_of_its_moves():
    record = simulate(patrol(random_map(10, 10, 0.1, seed=1), agents=5, loops=1, seed=1), "lra").record
    slow, here = DirectionMap(record.grid), record.starts.copy()
    for row in record.of(MOVE):
        agent, cell = record.agent[row], int(record.cell[row])
        slow.learn(int(here[agent]), cell, record.time[row])
        here[agent] = cell
    assert np.array_equal(DirectionMap(record.grid).follow(record).vectors, slow.vectors)


def test_a_saved_map_comes_back(tmp_path):
    map_ = wandering(random_map(8, 8, 0.1, seed=3), 40)
    map_.save(tmp_path / "lanes.npz")
    back = DirectionMap.load(tmp_path / "lanes.npz", map_.world)
    assert np.array_equal(back.vectors, map_.vectors)
    assert np.array_equal(back.is_stored, map_.is_stored)
    assert back.time == 0
    assert back.coherence(younger_than=5) == map_.coherence(younger_than=5)


def test_a_map_of_another_world_is_refused(tmp_path):
    file = tmp_path / "lanes.npz"
    grid = random_map(8, 8, 0.1, seed=3)
    wandering(grid, 40).save(file)
    wall = grid.place(int(grid.free_cells[9]))
    for other, word in [
        (Grid(np.ones((8, 9))), "its width is 8, here it is 9"),
        (grid.with_moves("four"), "its moves is eight, here it is four"),
        (grid.with_blocked([grid.cell(wall)]), "cells can be left in other ways"),
        (Graph.from_grid(grid), "not a direction map"),
    ]:
        with pytest.raises(BadInput, match=rf"lanes\.npz.*{word}"):
            DirectionMap.load(file, other)


def test_files_that_are_no_maps(tmp_path):
    with pytest.raises(BadInput, match=r"none\.npz: cannot be read"):
        DirectionMap.load(tmp_path / "none.npz", OPEN)
    (tmp_path / "text.npz").write_text("lanes")
    with pytest.raises(BadInput, match=r"text\.npz: not a direction map"):
        DirectionMap.load(tmp_path / "text.npz", OPEN)
    np.savez(tmp_path / "other.npz", about=np.array("{}"))
    with pytest.raises(BadInput, match=r"other\.npz: not a direction map"):
        DirectionMap.load(tmp_path / "other.npz", OPEN)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("cells", lambda array: array + 10**8, "a vector for cell 1000"),
        ("cells", lambda array: array - 10**8, "a vector for cell -999"),
        ("cells", lambda array: array[:-1], "cells have"),
        ("cells", lambda array: array.astype(float), "type float64"),
        ("lanes", lambda array: array * 9, "longer than 1"),
        ("lanes", lambda array: array * np.nan, "longer than 1"),
        ("lanes", lambda array: array[:, :3], "shape"),
        ("lanes", lambda array: array + np.array([0, 0, 0, 1e300]), "age"),
        ("legal", lambda array: np.zeros(1 << 28, np.uint8), "unpack to"),
    ],
)
def test_a_file_with_wrong_numbers_is_refused(tmp_path, name, change, words):
    file, map_ = tmp_path / "lanes.npz", wandering(random_map(8, 8, 0.1, seed=3), 40)
    map_.save(file)
    with np.load(file) as archive:
        arrays = dict(archive)
    np.savez_compressed(file, **arrays | {name: change(arrays[name])})
    with pytest.raises(BadInput, match=rf"lanes\.npz.*{words}"):
        DirectionMap.load(file, map_.world)


def test_vectors_of_nodes_by_their_places(tmp_path):
    """Rooms and doorways of a building instead of cells."""
    graph = Graph([0, 1, 3, 4], [1, 0, 2, 1], [5.0, 5.0, 5.0, 5.0], [(0, 0), (3, 4), (3, 9)], ["hall", "door", "yard"])
    map_ = DirectionMap(graph, alpha=0.5)
    map_.learn("hall", "door")
    assert map_.vectors[0].tolist() == pytest.approx([0.3, 0.4])
    assert map_.edge_cost("hall", "door", 10) == pytest.approx(5 + 10 * 0.25)
    assert map_.edge_cost("door", "hall", 10) == pytest.approx(5 + 10 * 0.75)
    assert map_.edge_cost("door", "yard", 10) == pytest.approx(5 + 5 * (1 - 0.4) / 2)
    assert map_.coherence() == pytest.approx((0.5 + 0.25) / 2)
    map_.save(tmp_path / "rooms.npz")
    assert DirectionMap.load(tmp_path / "rooms.npz", graph).vectors.tolist() == map_.vectors.tolist()
    with pytest.raises(BadInput, match="edges or places"):
        DirectionMap.load(
            tmp_path / "rooms.npz", Graph([0, 1, 3, 4], [1, 0, 2, 1], [5.0] * 4, [(0, 0), (1, 1), (2, 2)])
        )


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"alpha": math.nan}, "alpha"),
        ({"alpha_s": -0.1}, "alpha_s"),
        ({"around": 0}, "around"),
        ({"fading": 2}, "fading"),
        ({"decay": 1}, "decay"),
        ({"rule": "hebb"}, "rule"),
    ],
)
def test_bad_rules_are_named(options, word):
    with pytest.raises(BadInput, match=word):
        DirectionMap(OPEN, **options)


def test_bad_questions_are_named():
    map_ = DirectionMap(OPEN)
    with pytest.raises(BadInput, match="one move apart"):
        map_.learn((0, 0), (2, 0))
    with pytest.raises(BadInput, match="no move leads"):
        map_.edge_cost((0, 0), (0, 3), 1)
    with pytest.raises(BadInput, match="w_max"):
        map_.edge_cost((0, 0), (1, 0), -1)
    with pytest.raises(BadInput, match="at most 1 long"):
        map_.put((0, 0), (1, 1))
    with pytest.raises(BadInput, match="outside"):
        map_.learn((0, 0), (-1, 0))
    with pytest.raises(NotSupported, match="places"):
        DirectionMap(Graph([0, 1, 1], [1], [1.0]))
    with pytest.raises(BadInput, match="every"):
        coherence_over_time(simulate(patrol(OPEN, agents=1, loops=1), "lra").record, every=0)
