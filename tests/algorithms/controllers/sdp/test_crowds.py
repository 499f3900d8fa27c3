"""Crowded rooms of SDP: agents decide from tick to tick, nothing is reserved, and the room plans again when it is calm."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers.sdp.areas import ROOM
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import NOBODY, NOWHERE, REFUSED
from wayfolk.problem.events import join, leave, release, retask
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.grid import Grid

plain = pytest.mark.plain


def facing(moves: str = "eight", length: int = 30, width: int = 3, each: int = 24) -> Problem:
    """Two groups in one long room that have to pass each other."""
    grid = Grid(np.ones((width, length), bool), moves)
    left = [(k // width, k % width) for k in range(each)]
    right = [(length - 1 - x, y) for x, y in left]
    return one_shot(grid, left + right, right + left)


def exchange(per_hall: int = 70) -> Problem:
    """Two full halls whose agents change places, through one corridor."""
    grid = halls(2, 1)
    rooms = partition(grid).part == ROOM
    cells = [grid.place(int(cell)) for cell in grid.free_cells[rooms[grid.free_cells]]]
    left, right = [[(x, y) for x, y in cells if (x < 14) == is_left][:per_hall] for is_left in (True, False)]
    return one_shot(grid, left + right, right + left)


def assert_crowds_fit(simulation: Simulation) -> bool:
    """In crowded rooms each agent is the occupant of its cell, and nothing is reserved; whether a room is crowded."""
    arrays = simulation.controller.arrays
    rooms, crowds, states = arrays.rooms, arrays.crowds, arrays.rooms.states
    is_crowded = np.append(crowds.rooms["is_crowded"], False)
    crowded = np.flatnonzero(states["present"] & is_crowded[np.minimum(states["area"], crowds.rooms.size)])
    occupied = np.flatnonzero(crowds.spots["occupant"] != NOBODY)
    came = crowded[states["since"][crowded] == simulation.time]  # in this tick: the room hears of it in the next
    assert set(occupied.tolist()) == set(states["cell"][crowded].tolist()) - set(states["cell"][came].tolist())
    for cell in occupied:
        agent = crowds.spots[cell]["occupant"]
        assert states[agent]["cell"] == cell
        assert rooms.parked_by[cell] == NOBODY
        assert states[agent]["leaves"] == NOWHERE
    keys = rooms.table.entries["key"][rooms.table.entries["key"] != 0] - 1
    areas = rooms.area[keys >> 31]
    assert not is_crowded[np.minimum(areas, crowds.rooms.size)].any()
    return bool(is_crowded.any())


@plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_two_groups_pass_each_other_in_a_narrow_room(moves: str) -> None:
    simulation = Simulation(facing(moves), "sdp")
    crowded = 0
    while not simulation.status.is_final and simulation.time < 400:
        simulation.advance(1)
        crowded += assert_crowds_fit(simulation)
    record = simulation.record()
    assert simulation.status is Status.SOLVED
    assert crowded > 20
    assert check_record(record) == []
    assert len(record.of(REFUSED)) == 0


def test_without_crowds_no_room_is_crowded() -> None:
    simulation = Simulation(facing(), "sdp", crowds=False)
    for _ in range(60):
        simulation.advance(1)
        assert not assert_crowds_fit(simulation)


def test_full_halls_change_places_and_are_calm_in_the_end() -> None:
    simulation = Simulation(exchange(), "sdp")
    crowded = 0
    while not simulation.status.is_final and simulation.time < 1500:
        simulation.advance(1)
        crowded += assert_crowds_fit(simulation)
    assert simulation.status is Status.SOLVED
    assert crowded > 0
    assert check_record(simulation.record()) == []


@plain
def test_two_agents_that_push_each_other_off_their_goals_change_places() -> None:
    """The passage has one side room, and others stand behind it: the agent nearer to the end has the farther goal."""
    free = np.zeros((3, 6), bool)
    free[0, :], free[1:, 2:4] = True, True
    problem = one_shot(Grid(free, "four"), [(0, 0), (1, 0), (3, 0)], [(2, 0), (1, 0), (3, 0)])
    simulation = Simulation(problem, "sdp")
    simulation.advance(600)
    assert simulation.status is Status.SOLVED
    assert check_record(simulation.record()) == []


@pytest.mark.parametrize("search", ["cjps", "ca"])
def test_crowds_are_the_same_on_any_number_of_hosts(search: str) -> None:
    problem = exchange()
    events = [
        leave(30, 3),
        retask(35, 5, (1, 1)),
        join(40, (2, 12), (28, 12)),
        release(45, 6),
        retask(50, 75, (29, 13)),
    ]
    options = {"search": search, "effort": 300, "events": events, "until": 150}
    alone, *others = (simulate(problem, "sdp", hosts=n, **options).record for n in (0, 1, 2, 3))
    for other in others:
        assert np.array_equal(alone.cell, other.cell)
        assert np.array_equal(alone.agent, other.agent)
        assert np.array_equal(alone.time, other.time)
