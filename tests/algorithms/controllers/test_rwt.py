"""RWT: agents are split over passages so that none waits where another way takes less time."""

import numpy as np
import pytest

from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import draw_pairs, random_map, rooms

WALL = 6  # how long the passages are


def halls(height, passages, moves="eight", hall=8):
    """Two halls, joined by passages of one row each."""
    rows = ["." * hall + ("." if y in passages else "#") * WALL + "." * hall for y in range(height)]
    return parse_ascii("\n".join(rows), moves)


def group(grid, rows, apart=1):
    """Agents in four columns of the left hall; their goals are opposite in a mirror, or `apart` from each other."""
    starts = [(x, y) for y in rows for x in range(2, 6)]
    first = grid.width - 3
    return one_shot(grid, starts, [(first - apart * (x - 2), apart * (y - rows[0]) + rows[0]) for x, y in starts])


def through(run, row):
    """Who has gone through the passage in `row`."""
    moves = run.record.of(MOVE)
    middle = run.record.grid.cell((run.record.grid.width // 2, row))
    return set(run.record.agent[moves[run.record.cell[moves] == middle]].tolist())


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_figure_11_of_twenty_agents_ten_go_through_either_passage(moves):
    """The halls are so wide that both ways are equally long for everybody; with four moves, for both halves of them."""
    run = simulate(group(halls(9, (1, 7), moves, hall=14), range(2, 7)), "rwt", until=200)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []
    assert (len(through(run, 1)), len(through(run, 7))) == (10, 10)


def test_agents_without_a_route_wait_for_their_turn():
    """One route takes more than one expansion, so that one agent gets a route in each step."""
    world = Simulation(group(halls(9, (1, 7)), range(2, 7)), "rwt", expansions=1)
    for step in range(1, 8):
        world.advance(1)
        assert np.count_nonzero(world.controller.arrays.legs["n"]) == step
    world.advance(200)
    assert world.status is Status.SOLVED
    assert check_record(world.record()) == []


def test_a_group_before_one_passage_is_split_so_that_both_parts_arrive_together():
    """All are nearer to the passage in row 2; the other one is worth its longer way for some."""
    problem = group(halls(15, (2, 12), hall=12), range(5), apart=2)
    alone, split = (simulate(problem, "rwt", until=200, narrow=narrow) for narrow in (0, 4))
    assert (len(through(alone, 2)), len(through(alone, 12))) == (20, 0)
    upper, lower = through(split, 2), through(split, 12)
    assert len(upper) + len(lower) == 20
    assert len(upper) > len(lower) > 0
    moves = split.record.of(MOVE)
    last = [max(split.record.time[moves][np.isin(split.record.agent[moves], list(part))]) for part in (upper, lower)]
    assert abs(last[0] - last[1]) <= 8
    assert split.time < alone.time


def test_a_queue_that_is_longer_than_a_window_is_split_and_is_not_by_whca():
    problem = group(halls(32, (2, 29)), range(15))
    run, windows = (simulate(problem, name, until=300) for name in ("rwt", "whca"))
    assert run.status is windows.status is Status.SOLVED
    assert len(through(run, 29)) > 15 > len(through(windows, 29))
    assert run.time < 0.85 * windows.time


def test_a_way_that_is_longer_than_the_queue_is_not_taken():
    run = simulate(group(halls(60, (2, 57)), range(5)), "rwt", until=300)
    assert run.status is Status.SOLVED
    assert (len(through(run, 2)), len(through(run, 57))) == (20, 0)


def test_a_wide_passage_takes_more_agents():
    """Three rows let three agents in for one in the other passage."""
    run = simulate(group(halls(17, (2, 13, 14, 15)), range(6, 11)), "rwt", until=200)
    assert run.status is Status.SOLVED
    wide = sum(len(through(run, row)) for row in (13, 14, 15))
    assert len(through(run, 2)) + wide == 20
    assert 12 <= wide <= 17


@pytest.mark.plain
def test_passages_are_between_walls_that_are_near_each_other_and_not_between_small_obstacles():
    grid = halls(9, (1, 7))
    pillars = [(2, 3), (2, 4), (5, 3), (5, 4)]  # two obstacles of two cells
    world = Simulation(group(grid.with_blocked(grid.cells(pillars)), (8,)), "rwt")
    world.advance(1)
    arrays = world.controller.arrays
    for place, expected in {
        (0, 0): (8, 9, 8), (7, 1): (22, 9, 1), (8, 1): (22, 1, 0), (3, 3): (8, 9, 5), (14, 7): (22, 9, 1),
    }.items():  # fmt: skip
        cell = grid.cell(place)
        assert (arrays.wide[cell], arrays.tall[cell], arrays.near[cell]) == expected
    world.happen(events.block(1, [(5, 5), (5, 6), (5, 7)]))
    world.happen(events.retask(1, 0, (0, 0)))
    world.advance(2)
    cell = grid.cell((3, 3))
    assert (arrays.wide[cell], arrays.tall[cell], arrays.near[cell]) == (5, 9, 2)


@pytest.mark.plain
def test_one_agent_is_expected_in_a_cell_of_a_passage_in_a_step():
    world = Simulation(group(halls(9, (1, 7)), range(3, 6)), "rwt")
    world.advance(1)
    arrays = world.controller.arrays
    expected = [
        (int(arrays.routes[agent, k]), int(arrays.steps[agent, k]))
        for agent in range(12)
        for k in range(1, arrays.legs[agent]["n"])
        if min(arrays.wide[arrays.routes[agent, k]], arrays.tall[arrays.routes[agent, k]]) <= 4
    ]
    assert len(expected) == len(set(expected)) == arrays.queue.counts[0] > 12 * WALL - 1


def test_nobody_is_expected_any_more_when_all_have_arrived_or_left():
    problem = group(halls(9, (1, 7)), range(2, 7))
    world = Simulation(problem, "rwt", events=[events.leave(3, agent) for agent in range(5)])
    world.advance(120)
    assert world.status is Status.SOLVED
    late = world.controller.arrays.queue.entries
    holders = set(late[late["key"] != 0]["holder"].tolist())
    assert not holders & set(range(5))


def test_a_closed_passage_sends_everybody_through_the_other_one():
    grid = halls(9, (1, 7))
    world = Simulation(group(grid, range(2, 7)), "rwt", events=[events.block(2, [(11, 1)])])
    world.advance(200)
    assert world.status is Status.SOLVED
    assert check_record(world.record()) == []
    assert len(through(world.run(), 7)) == 20


def test_a_freed_passage_is_used():
    grid = halls(30, (2, 27)).with_blocked([halls(30, (2, 27)).cell((11, 2))])
    world = Simulation(group(grid, range(5)), "rwt", events=[events.free(4, [(11, 2)])])
    world.advance(300)
    assert world.status is Status.SOLVED
    assert len(through(world.run(), 2)) >= 10


@pytest.mark.parametrize("window", [4, 16])
def test_no_move_is_refused_in_a_crowd(window):
    grid = random_map(32, 32, 0.1, seed=3)
    starts, goals = draw_pairs(grid, 60, seed=1)
    run = simulate(one_shot(grid, grid.places(starts), grid.places(goals)), "rwt", until=300, window=window)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []
    assert len(run.record.of(REFUSED)) == 0


def test_routes_are_longer_than_the_room_there_is_at_first():
    """A snake of more than 256 cells, and an agent that comes towards another one in a hall at its end."""
    rows = [("." * 40 if y % 2 == 0 else ("#" * 39 + "." if y % 4 == 1 else "." + "#" * 39)) for y in range(17)]
    run = simulate(one_shot(parse_ascii("\n".join(rows)), [(0, 0)], [(39, 16)]), "rwt", until=1000)
    assert run.status is Status.SOLVED
    assert len(run.record.of(MOVE)) > 256


def test_both_time_models_in_rooms():
    grid = rooms(24, 24, 5, seed=2)
    starts, goals = draw_pairs(grid, 12, seed=1)
    problem = one_shot(grid, grid.places(starts), grid.places(goals))
    for model in ("steps", "distance"):
        run = simulate(problem, "rwt", until=400, model=model)
        assert check_record(run.record) == []
        assert run.status is Status.SOLVED
