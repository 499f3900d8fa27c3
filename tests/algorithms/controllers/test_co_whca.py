"""CO-WHCA*: ways are reserved around conflicts only, and until the next round no two of them collide."""

import numpy as np
import pytest

from wayfolk.algorithms.controllers.co_whca.state import FREE, SETTLED
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, tasks
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import draw_pairs, random_map, rooms

CROSSING = """
###.####
###.####
###.####
........
........
"""
"""A corridor of one column that ends in a hall."""


def crowd(grid, agents, seed):
    """Random starts and goals in `grid`."""
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def moves_of(run, agent):
    """The places that `agent` has gone to, in order, and when."""
    rows = run.record.of(MOVE)
    rows = rows[run.record.agent[rows] == agent]
    return [run.record.grid.place(cell) for cell in run.record.cell[rows]], run.record.time[rows].tolist()


@pytest.mark.parametrize("window", [2, 5, 16])
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_no_move_is_refused_in_a_crowd_and_in_rooms(moves, window):
    for grid, agents in (
        (random_map(24, 24, 0.1, seed=3, moves=moves), 150),
        (rooms(24, 24, 5, seed=2, moves=moves), 60),
    ):
        run = simulate(crowd(grid, agents, 1), "co_whca", until=120, window=window)
        assert check_record(run.record) == []
        assert len(run.record.of(REFUSED)) == 0
        assert len(run.record.of(MOVE)) > 200


def test_no_move_is_refused_although_goals_change_in_the_middle_of_a_round():
    grid = rooms(24, 24, 5, seed=2)
    rng = np.random.default_rng(0)
    orders = [
        events.retask(step, int(rng.integers(50)), grid.place(int(rng.choice(grid.free_cells))))
        for step in range(1, 150)
    ]
    run = simulate(crowd(grid, 50, 1), "co_whca", until=160, events=orders)
    assert check_record(run.record) == []
    assert len(run.record.of(REFUSED)) == 0


def test_whoever_meets_nobody_reserves_nothing():
    grid = parse_ascii("\n".join(["." * 30] * 12))
    world = Simulation(one_shot(grid, [(0, 0), (0, 6), (29, 11)], [(29, 1), (29, 5), (0, 10)]), "co_whca")
    while not world.advance(1).is_final:
        assert world.controller.arrays.window.table.counts[0] == 0
    assert world.status is Status.SOLVED
    assert world.controller.n_conflicts == 0


def test_it_reserves_less_than_whca():
    reserved = {}
    for name in ("whca", "co_whca"):
        world = Simulation(crowd(random_map(32, 32, 0.1, seed=1), 60, 1), name)
        reserved[name] = 0
        for _ in range(32):
            world.advance(1)
            arrays = world.controller.arrays
            reserved[name] += int((arrays if name == "whca" else arrays.window).table.counts[0])
    assert 0 < reserved["co_whca"] < 0.5 * reserved["whca"]


def test_what_is_reserved_is_on_the_way_of_its_holder():
    world = Simulation(crowd(rooms(24, 24, 5, seed=2), 60, 1), "co_whca")
    n_seen = 0
    for _ in range(60):
        world.advance(1)
        arrays = world.controller.arrays
        entries = arrays.window.table.entries
        for entry in entries[entries["key"] != 0]:
            cell, slot = int(entry["key"] - 1) >> 31, int((entry["key"] - 1) & (2**31 - 1))
            if slot == 2**31 - 1:  # the slot before the first one
                cell, slot = cell + 1, -1
            agent = entry["holder"]
            place = slot - int(arrays.states[agent]["began"]) + 1
            assert arrays.track[agent, place] == cell
            n_seen += 1
    assert n_seen > 500


@pytest.mark.plain
@pytest.mark.parametrize("boxed_in", [0, 1])
def test_of_equal_pairs_the_agent_with_fewer_free_neighbours_owns(boxed_in):
    """One comes out of a corridor when the other passes its mouth: one of them has to wait for a step."""
    grid = parse_ascii(CROSSING, "four")
    starts, goals = [(3, 0), (0, 3)], [(3, 4), (7, 3)]
    if boxed_in == 1:
        starts, goals = starts[::-1], goals[::-1]
    run = simulate(one_shot(grid, starts, goals), "co_whca", until=40)
    assert run.status is Status.SOLVED
    places, times = moves_of(run, boxed_in)
    assert places == [(3, 1), (3, 2), (3, 3), (3, 4)]
    assert times == [0, 1, 2, 3]
    places, times = moves_of(run, 1 - boxed_in)
    assert (len(places), times[-1]) == (7, 7)


@pytest.mark.plain
@pytest.mark.parametrize("in_hall", [0, 1])
def test_the_cheaper_pair_is_kept(in_hall):
    """In the corridor there is nothing to do but wait, or go back; in the hall there is a way around at no cost."""
    grid = parse_ascii("####....\n####....\n........\n####....\n####....")
    starts, goals = [(0, 2), (7, 2)], [(7, 2), (3, 2)]
    goals = [(7, 2), (4, 0)]
    if in_hall == 0:
        starts, goals = starts[::-1], goals[::-1]
    run = simulate(one_shot(grid, starts, goals), "co_whca", until=40)
    assert run.status is Status.SOLVED
    assert len(moves_of(run, 1 - in_hall)[0]) == 7
    assert moves_of(run, 1 - in_hall)[1] == [0, 1, 2, 3, 4, 5, 6]
    assert len(moves_of(run, in_hall)[0]) == 3


@pytest.mark.plain
def test_who_rests_in_a_hall_is_walked_around():
    grid = parse_ascii("\n".join(["." * 11] * 5))
    run = simulate(one_shot(grid, [(5, 2), (0, 2)], [(5, 2), (10, 2)]), "co_whca", until=40)
    assert run.status is Status.SOLVED
    assert moves_of(run, 0)[0] == []
    assert run.time == 10


@pytest.mark.plain
@pytest.mark.parametrize("window", [4, 16])
def test_who_rests_in_a_corridor_makes_way_and_comes_back(window):
    grid = parse_ascii("#######.####\n............\n############")
    run = simulate(one_shot(grid, [(5, 1), (0, 1)], [(5, 1), (11, 1)]), "co_whca", until=80, window=window)
    assert run.status is Status.SOLVED
    assert moves_of(run, 0)[0][-1] == (5, 1)
    assert any((7, 0) in moves_of(run, agent)[0] for agent in (0, 1))


@pytest.mark.plain
def test_an_owner_keeps_its_window_in_the_next_round():
    """Two meet just before a round ends: the window of the owner reaches into the next round, and is walked as planned."""
    grid = parse_ascii("\n".join(["." * 24] * 3), "four")
    world = Simulation(one_shot(grid, [(0, 1), (15, 1)], [(23, 1), (0, 1)]), "co_whca", window=16)
    world.advance(8)
    arrays = world.controller.arrays
    assert world.controller.n_conflicts > 0
    owner = int(np.argmax(arrays.states["owns"]))
    owns, began = int(arrays.states["owns"][owner]), int(arrays.states["began"][owner])
    assert owns >= 10
    planned = arrays.track[owner, 9 - began : owns + 2 - began].copy()
    world.advance(1)
    arrays = world.controller.arrays
    assert arrays.states["began"][owner] == 8
    np.testing.assert_array_equal(arrays.track[owner, 1 : len(planned) + 1], planned)
    assert arrays.states["owns"][owner] >= owns


def test_who_loses_again_and_again_reserves_all_of_its_way():
    ranks = set()
    world = Simulation(crowd(random_map(20, 20, 0.1, seed=3), 160, 1), "co_whca")
    for _ in range(32):
        world.advance(1)
        ranks |= set(world.controller.arrays.states["rank"].tolist())
    assert {FREE, SETTLED} <= ranks
    assert check_record(world.record()) == []


@pytest.mark.parametrize("name", ["co_whca", "whca"])
def test_tasks_are_done_in_both_time_models(name):
    problem = tasks(rooms(24, 24, 5, seed=2), agents=20, seed=1)
    for model in ("steps", "distance"):
        run = simulate(problem, name, until=150, model=model)
        assert check_record(run.record) == []
        assert len(run.record.of(MOVE)) > 1000
