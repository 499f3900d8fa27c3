"""Times for paths: the four cases of evading a collision, and random traffic."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.test_space_time import Traffic, check_way, crowded, drawn
from wayfolk.kernels.evading import Timing, new_evading, timed_path
from wayfolk.kernels.jumps import paths as jump_paths
from wayfolk.world.grid import Grid

ME = 9
EIGHT = [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]


def timed(traffic, path, *, sideways=True, stays=True, aside=False, room=200):
    """The places and slots of the path, given as places, in `traffic`; a pair of lists, empty if there are none."""
    grid = traffic.grid
    path = grid.cells(path)
    cells, slots = np.zeros(room, np.int32), np.zeros(room, np.int32)
    timing = Timing(ME, slot=1, last=traffic.last(), most=10_000, stays=stays, sideways=sideways, aside=aside)
    n = timed_path(traffic.rules(), traffic.table, new_evading(room), timing, path, len(path), cells, slots)
    if n:
        check_way(traffic, path[0], 1, (cells[:n].tolist(), slots[:n].tolist()))
        assert cells[n - 1] == path[-1]
    return [grid.place(cell) for cell in cells[:n]], slots[:n].tolist()


def line(direction, n=5):
    """A path of `n` places through the middle of a map of 5 x 5, in one of the eight directions; (2, 2) is place 2."""
    dx, dy = direction
    return [(2 + (k - 2) * dx, 2 + (k - 2) * dy) for k in range(n)]


def busy(traffic, agent, place, slots):
    """`agent` holds a place at these slots."""
    for slot in slots:
        traffic.reserve(agent, [traffic.grid.cell(place)], slot)


@pytest.mark.plain
def test_without_others_the_path_is_walked_at_once():
    path = line((1, 0))
    assert timed(Traffic(Grid(np.ones((5, 5)))), path) == (path, [1, 2, 3, 4, 5])
    assert timed(Traffic(Grid(np.ones((5, 5)))), path[:1]) == (path[:1], [1])


@pytest.mark.plain
@pytest.mark.parametrize("direction", EIGHT[:4])
def test_case_1_straight_to_either_side_of_the_collision(direction):
    """Horizontal travel evades up or down, vertical travel left or right, at no loss of time."""
    (dx, dy), path = direction, line(direction)
    sides = [(2 - dy, 2 + dx), (2 + dy, 2 - dx)]
    traffic = Traffic(Grid(np.ones((5, 5))))
    busy(traffic, 1, (2, 2), [2])
    assert timed(traffic, path) == ([*path[:2], sides[0], *path[3:]], [1, 2, 3, 4, 5])
    busy(traffic, 2, sides[0], [2])
    assert timed(traffic, path) == ([*path[:2], sides[1], *path[3:]], [1, 2, 3, 4, 5])


@pytest.mark.plain
@pytest.mark.parametrize("direction", EIGHT[4:])
def test_case_2_diagonally_over_two_cells_beside_the_collision(direction):
    """The path is rejoined one step later."""
    (dx, dy), path = direction, line(direction)
    p = path[1]
    pairs = [[(2, p[1]), (2 + dx, 2)], [(p[0], 2), (2, 2 + dy)]]
    traffic = Traffic(Grid(np.ones((5, 5))))
    busy(traffic, 1, (2, 2), [2])
    assert timed(traffic, path) == ([*path[:2], *pairs[0], *path[3:]], [1, 2, 3, 4, 5, 6])
    busy(traffic, 2, pairs[0][0], [2])
    assert timed(traffic, path) == ([*path[:2], *pairs[1], *path[3:]], [1, 2, 3, 4, 5, 6])


@pytest.mark.plain
def test_a_side_way_move_ends_on_a_path_that_turns():
    """After a diagonal the path goes on to the east: the second evading cell is on it."""
    path = [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2)]
    traffic = Traffic(Grid(np.ones((5, 5))))
    busy(traffic, 1, (2, 2), [2])
    assert timed(traffic, path) == ([(0, 0), (1, 1), (2, 1), (3, 2), (4, 2)], [1, 2, 3, 4, 5])


@pytest.mark.plain
@pytest.mark.parametrize(("moves", "path"), [("eight", line((1, 0))), ("eight", line((1, 1))), ("four", line((0, 1)))])
def test_who_stands_on_the_path_for_good_is_passed(moves, path):
    traffic = Traffic(Grid(np.ones((5, 5)), moves))
    busy(traffic, 1, (2, 2), [0, 1])
    traffic.park(1)
    places, _ = timed(traffic, path)
    assert places[-1] == path[-1]
    assert (2, 2) not in places
    assert timed(traffic, path, sideways=False) == ([], [])


@pytest.mark.plain
def test_with_straight_moves_only_one_goes_over_the_cell_beside():
    traffic = Traffic(Grid(np.ones((5, 5)), "four"))
    grid = traffic.grid
    traffic.reserve(1, grid.cells([(3, 2), (2, 2), (1, 2), (0, 2)]).tolist())  # head-on
    places, slots = timed(traffic, line((1, 0)))
    assert places == [(0, 2), (1, 2), (1, 3), (2, 3), (3, 3), (3, 2), (4, 2)]
    assert slots[-1] == 7


@pytest.mark.plain
@pytest.mark.parametrize("sideways", [True, False])
def test_case_3_waits_before_the_collision(sideways):
    """In a corridor nobody can step aside; where one could, it may be switched off."""
    traffic = Traffic(drawn("@@.@@ ..... @@.@@", "eight") if sideways else Grid(np.ones((3, 5))))
    path = [(x, 1) for x in range(5)]
    traffic.reserve(1, traffic.grid.cells([(2, 0), (2, 0), (2, 1), (2, 2)]).tolist())
    places, slots = timed(traffic, path, sideways=sideways)
    assert places == [(0, 1), (1, 1), (1, 1), (2, 1), (3, 1), (4, 1)]
    assert slots == [1, 2, 3, 4, 5, 6]


@pytest.mark.plain
def test_case_4_waits_further_back():
    """Others cross the third and the fourth cell of the corridor at the same time."""
    traffic = Traffic(drawn("@@..@@ ...... @@..@@", "four"))
    path = [(x, 1) for x in range(6)]
    traffic.reserve(1, traffic.grid.cells([(2, 0), (2, 0), (2, 0), (2, 1), (2, 2)]).tolist())
    traffic.reserve(2, traffic.grid.cells([(3, 2), (3, 2), (3, 2), (3, 1), (3, 0)]).tolist())
    expected = [(0, 1), (1, 1), (1, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], list(range(1, 9))
    assert timed(traffic, path, sideways=False) == expected
    for agent, place in enumerate([(2, 0), (2, 2)], 3):  # nor is there a cell beside it
        busy(traffic, agent, place, [3])
    assert timed(traffic, path) == expected


@pytest.mark.plain
def test_no_corner_is_cut_aside():
    """Both sides of (2, 1) are free, but the moves there cut the corners of walls; with that rule they are made."""
    text = "@@... ..... @@..."
    for moves, detour in [("eight", (1, 1)), ("eight_cutting", (2, 2))]:
        traffic = Traffic(drawn(text, moves))
        busy(traffic, 1, (2, 1), [2])
        places, _ = timed(traffic, [(x, 1) for x in range(5)])
        assert places[2] == detour


@pytest.mark.plain
def test_nobody_is_met_head_on():
    """Two go towards each other in a corridor: there are no times, unless it has a side."""
    for text, is_possible in [("@@@@@ ..... @@@@@", False), ("..... ..... @@@@@", True)]:
        traffic = Traffic(drawn(text, "eight"))
        traffic.reserve(1, traffic.grid.cells([(4, 1), (3, 1), (2, 1), (1, 1), (0, 1)]).tolist())
        traffic.park(1)
        places, _ = timed(traffic, [(x, 1) for x in range(5)])
        assert bool(places) == is_possible


@pytest.mark.plain
def test_to_stay_one_arrives_after_the_last_who_passes():
    traffic = Traffic(drawn("@@.@ .... @@.@", "four"))
    path = [(0, 1), (1, 1), (2, 1)]
    traffic.reserve(1, traffic.grid.cells([(2, 0)] * 6 + [(2, 1), (2, 2)]).tolist())
    assert timed(traffic, path, stays=False) == (path, [1, 2, 3])
    places, slots = timed(traffic, path)
    assert places == [(0, 1)] + [(1, 1)] * 6 + [(2, 1)]
    assert slots[-1] == 8


@pytest.mark.plain
def test_aside_one_waits_until_the_way_back_is_free():
    """Three in a row pass the cell of an agent that stays there; it lets them pass beside its path."""
    traffic = Traffic(drawn("@@.@@ .....", "four"))
    row = traffic.grid.cells([(x, 1) for x in range(5)]).tolist()
    for agent in range(3):
        traffic.reserve(agent + 1, row, 1 + agent)
    path = [(2, 1)]
    assert timed(traffic, path) == ([], [])
    assert timed(traffic, path, aside=True) == ([(2, 1)] * 3 + [(2, 0)] * 3 + [(2, 1)], [1, 2, 3, 4, 5, 6, 7])


@pytest.mark.plain
def test_little_room_is_no_path():
    traffic = Traffic(Grid(np.ones((5, 5))))
    assert timed(traffic, line((1, 0)), room=13) != ([], [])
    assert timed(traffic, line((1, 0)), room=4) == ([], [])


@pytest.mark.plain
@given(crowded(), st.booleans(), st.booleans(), st.booleans())
def test_every_move_among_others_may_be_made(world, sideways, stays, aside):
    traffic, start, goal = world
    grid, legal = traffic.grid, traffic.grid.legal
    jumps = jump_paths.new_jumps(legal, grid.offsets, grid.diagonal)
    path = np.zeros(grid.n_cells, np.int32)
    n = jump_paths.jump_path(jumps, legal, grid.offsets, start, np.array([goal], np.int32), 1, path)
    path = [grid.place(cell) for cell in path[:n]]
    places, slots = timed(traffic, path, sideways=sideways, stays=stays, aside=aside)
    if places and stays:
        earliest = traffic.earliest(start, goal, 1)
        assert slots[-1] >= earliest
    if places and not sideways and not aside:
        assert set(places) == set(path)


@given(crowded(parking=False))
def test_waiting_for_all_others_to_pass_is_found(world):
    """If nobody comes to the start, waiting there until all are gone is possible, and is found at the latest."""
    traffic, start, goal = world
    grid = traffic.grid
    if any(cell == start for way in traffic.at.values() for cell in way.values()):
        return
    path = np.zeros(grid.n_cells, np.int32)
    jumps = jump_paths.new_jumps(grid.legal, grid.offsets, grid.diagonal)
    n = jump_paths.jump_path(jumps, grid.legal, grid.offsets, start, np.array([goal], np.int32), 1, path)
    for sideways, aside in itertools.product((False, True), repeat=2):
        places, slots = timed(traffic, [grid.place(cell) for cell in path[:n]], sideways=sideways, aside=aside)
        assert places
        assert all(then - now == 1 for now, then in itertools.pairwise(slots))
