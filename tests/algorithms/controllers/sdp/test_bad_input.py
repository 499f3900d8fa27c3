"""SDP on maps and problems that are hard on it: no corridors, short ones, full rooms, and events inside lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers.sdp.areas import CORE, ENTRY, EXIT, ROOM
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.errors import BadProblem
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import draw_pairs
from wayfolk.world.grid import Grid

SEARCHES = ("cjps", "ca")
LONG = 1500  # steps


def random_problem(grid: Grid, agents: int, seed: int = 0) -> Problem:
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def exchange(grid: Grid, agents: int) -> Problem:
    """Agents in both halls, each of which wants to a cell of the other hall."""
    rng = np.random.default_rng(0)
    areas = partition(grid)
    x = grid.places(grid.free_cells)[:, 0]
    in_rooms = areas.part[grid.free_cells] == ROOM
    left, right = (rng.permutation(grid.free_cells[in_rooms & side]) for side in (x < 14, x >= grid.width - 14))
    starts = np.concatenate([left[:agents], right[:agents]])
    goals = np.concatenate([rng.permutation(right)[:agents], rng.permutation(left)[:agents]])
    return one_shot(grid, grid.places(starts), grid.places(goals))


def assert_all_arrive(simulation: Simulation, steps: int = LONG) -> None:
    simulation.advance(steps)
    record = simulation.record()
    assert check_record(record) == []
    assert len(record.of(REFUSED)) == 0
    assert simulation.status is Status.SOLVED


def first_in(simulation: Simulation, part: int) -> int:
    """Let time pass until an agent is in a part of a lane; the agent."""
    areas = simulation.controller.areas
    while not simulation.status.is_final:
        inside = np.flatnonzero(areas.part[simulation.crew.agents["here"]] == part)
        if inside.size:
            return int(inside[0])
        simulation.advance(1)
    raise AssertionError("nobody came to a lane")


@pytest.mark.parametrize("search", SEARCHES)
def test_a_map_without_corridors_is_one_room(search: str) -> None:
    grid = Grid(np.ones((16, 16), bool))
    simulation = Simulation(random_problem(grid, 60), "sdp", search=search)
    assert simulation.controller.areas.n_rooms == 1
    assert simulation.controller.areas.corridors.size == 0
    assert_all_arrive(simulation)


def test_one_agent_on_one_free_cell_is_done() -> None:
    simulation = Simulation(one_shot(Grid(np.ones((1, 1), bool)), [(0, 0)], [(0, 0)]), "sdp")
    assert_all_arrive(simulation, 2)


@pytest.mark.parametrize(
    ("size", "options", "n_corridors"),
    [(14, {}, 1), (3, {}, 0), (14, {"buffer": 1}, 1), (14, {"buffer": 1000}, 0)],
    ids=["halls", "halls smaller than buffers", "buffers of a cell", "buffers larger than halls"],
)
def test_corridors_without_space_for_buffers_become_rooms(size: int, options: dict[str, Any], n_corridors: int) -> None:
    grid = halls(2, 1, size=size)
    simulation = Simulation(random_problem(grid, 8), "sdp", **options)
    assert len(partition(grid, **options).corridors) == n_corridors
    assert_all_arrive(simulation)


@pytest.mark.parametrize("part", [ENTRY, CORE, EXIT])
def test_goals_in_any_part_of_a_lane_are_accepted_or_refused(part: int) -> None:
    grid = halls(3, 1)
    areas = partition(grid)
    goal = grid.place(int(np.flatnonzero(areas.part == part)[0]))
    problem = one_shot(grid, [(1, 1), (45, 3), (20, 12)], [goal, (2, 2), (46, 0)])
    simulation = Simulation(problem, "sdp")
    assert len(simulation.controller.areas.corridors) == len(areas.corridors) - 1
    assert_all_arrive(simulation)
    with pytest.raises(BadProblem, match="is inside a corridor, which `goals_inside=refuse` forbids"):
        Simulation(problem, "sdp", goals_inside="refuse")


def test_a_new_goal_inside_a_corridor_is_accepted_or_refused() -> None:
    grid = halls(2, 1)
    for accepts in (True, False):
        simulation = Simulation(exchange(grid, 6), "sdp", goals_inside="accept" if accepts else "refuse")
        simulation.happen(events.retask(5, 0, (15, 6)))
        if accepts:
            assert_all_arrive(simulation)
            assert grid.place(int(simulation.crew.agents["here"][0])) == (15, 6)
        else:
            with pytest.raises(BadProblem, match=r"the goal \(15, 6\) is inside a corridor"):
                simulation.advance(20)


@pytest.mark.parametrize("search", SEARCHES)
def test_more_agents_than_buffers_hold_all_change_sides(search: str) -> None:
    grid = halls(2, 1)
    simulation = Simulation(exchange(grid, 60), "sdp", search=search)
    lanes = np.bincount(simulation.controller.areas.area[grid.free_cells], minlength=4)[2:]
    assert lanes.max() < 60
    assert_all_arrive(simulation)


def test_halls_that_are_nearly_full_break_no_rule() -> None:
    """Nobody promises that all arrive, but moves stay legal and the run ends on time."""
    grid = halls(2, 1)
    simulation = Simulation(exchange(grid, 150), "sdp")
    simulation.advance(300)
    record = simulation.record()
    assert check_record(record) == []
    assert len(record.of(REFUSED)) == 0
    assert (simulation.crew.agents["here"] == simulation.crew.agents["goal"]).sum() >= 1


@pytest.mark.parametrize("search", SEARCHES)
def test_a_lane_that_is_cut_off_while_agents_are_promised_to_it(search: str) -> None:
    grid = halls(2, 1)
    simulation = Simulation(exchange(grid, 12), "sdp", search=search)
    door = [(15, 6), (15, 7)]
    while True:
        members = simulation.controller.arrays.lanes.members
        is_promised = (members["used"] & (members["enters"] > simulation.time)).any()
        if is_promised and not np.isin(simulation.crew.agents["here"], grid.cells(door)).any():
            break
        simulation.advance(1)
    simulation.happen(events.block(simulation.time, door))
    simulation.happen(events.free(simulation.time + 50, door))
    simulation.advance(50)
    assert simulation.status is Status.RUNNING
    assert_all_arrive(simulation)


def test_agents_shut_in_inside_a_lane_go_on_when_it_opens() -> None:
    grid = halls(2, 1, length=4)
    simulation = Simulation(exchange(grid, 12), "sdp")
    first_in(simulation, CORE)
    here = {grid.place(int(cell)) for cell in simulation.crew.agents["here"]}
    ends = [place for place in ((14, 6), (14, 7), (17, 6), (17, 7)) if place not in here]
    assert len(ends) > 1
    simulation.happen(events.block(simulation.time, ends))
    simulation.happen(events.free(simulation.time + 30, ends))
    assert_all_arrive(simulation)


@pytest.mark.parametrize("part", [ENTRY, CORE, EXIT])
def test_agents_in_a_lane_get_other_goals_and_leave(part: int) -> None:
    grid = halls(3, 1)
    simulation = Simulation(exchange(grid, 10), "sdp")
    agent = first_in(simulation, part)
    simulation.happen(events.retask(simulation.time, agent, (0, 0)))
    simulation.advance(3)
    gone = first_in(simulation, part)
    simulation.happen(events.leave(simulation.time, gone))
    simulation.advance(1)
    assert_all_arrive(simulation)
    if gone != agent:
        assert grid.place(int(simulation.crew.agents["here"][agent])) == (0, 0)


@pytest.mark.parametrize("part", [ENTRY, CORE, EXIT])
def test_agents_join_in_a_lane(part: int) -> None:
    grid = halls(2, 1)
    simulation = Simulation(exchange(grid, 10), "sdp")
    first_in(simulation, CORE)
    areas, here = simulation.controller.areas, simulation.crew.agents["here"]
    empty = np.setdiff1d(np.flatnonzero(areas.part == part), here)
    for k, cell in enumerate(empty[:3]):
        simulation.happen(events.join(simulation.time, grid.place(int(cell)), (k, 0)))
    assert_all_arrive(simulation)
    assert simulation.n_agents == 23
