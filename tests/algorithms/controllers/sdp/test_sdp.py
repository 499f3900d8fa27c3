"""SDP: agents pass through corridors as promised, plans never collide, and nobody is refused a move."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from algorithms.controllers.sdp.halls import halls
from wayfolk.algorithms.controllers.sdp.areas import ROOM, link_between, steps_out
from wayfolk.algorithms.controllers.sdp.partition import partition
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import NOWHERE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.generate import draw_pairs
from wayfolk.world.grid import Grid

AHEAD = 24  # ticks for which plans are compared


def crossing(grid: Grid, agents: int, seed: int = 0) -> Problem:
    """Random starts and goals in the rooms of `grid`."""
    inside = (partition(grid).part == ROOM).reshape(-1, grid.stride)[1:-1, 1:-1] & grid.free
    starts, goals = draw_pairs(grid, agents, seed=seed, zones=(inside, inside))
    return one_shot(grid, grid.places(starts), grid.places(goals))


def position(simulation: Simulation, agent: int, time: int) -> int:
    """Where the plan of an agent in a room puts it, or NOWHERE once it has left."""
    rooms = simulation.controller.arrays.rooms
    state = rooms.states[agent]
    k = time - int(state["first"])
    if k >= state["n"] and state["leaves"] != NOWHERE:
        return int(NOWHERE)
    return int(rooms.ways[state["row"], agent, min(k, state["n"] - 1)])


def assert_plans_fit(simulation: Simulation) -> None:
    """No two plans of agents in rooms meet or swap, and no two members of lanes."""
    arrays, now = simulation.controller.arrays, int(simulation.time)
    in_rooms = [agent for agent, state in enumerate(arrays.rooms.states) if state["area"] < arrays.areas.n_rooms]
    before: dict[int, int] = {}
    for time in range(now, now + AHEAD):
        here: dict[int, int] = {}
        for agent in in_rooms:
            cell = position(simulation, agent, time)
            if cell != NOWHERE:
                assert cell not in here, f"agents {agent} and {here[cell]} at time {time}"
                here[cell] = agent
        for cell, agent in here.items():
            other = before.get(cell)
            if other is not None and other != agent:
                left = next((there for there, who in here.items() if who == other), NOWHERE)
                assert before.get(left) != agent, f"agents {agent} and {other} swap at time {time}"
        before = here
    used = arrays.lanes.members[arrays.lanes.members["used"] & (arrays.lanes.members["enters"] <= now)]
    assert len(set(used["cell"].tolist())) == len(used)


def assert_routes_lead_on(simulation: Simulation) -> None:
    areas, routes = simulation.controller.areas, simulation.controller.arrays.routes
    for agent in range(simulation.n_agents):
        route = routes.route[agent, : routes.n_route[agent]].tolist()
        assert all(link_between(areas, one, two) != NOWHERE for one, two in pairwise(route))
        for before, lane, after in zip(route, route[1:], route[2:], strict=False):
            if lane >= areas.n_rooms:
                entrance = areas.links[link_between(areas, before, lane)]
                cells = areas.transitions["to_cell"][entrance["first"] : entrance["last"]]
                assert any(steps_out(areas, cell, link_between(areas, lane, after)) != NOWHERE for cell in cells)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("options", "moves"),
    [
        ({}, "eight"),
        ({"high_level": "astar"}, "four"),
        ({"search": "ca"}, "eight_cutting"),
        ({"sideways": False, "rescue": True}, "eight"),
    ],
)
def test_agents_change_halls_and_no_move_is_refused(options: dict[str, Any], moves: str) -> None:
    grid = halls(3, 1, moves=moves)
    simulation = Simulation(crossing(grid, 24), "sdp", **options)
    assert len(simulation.controller.areas.corridors) == 2
    assert_routes_lead_on(simulation)
    promised: dict[int, tuple[int, int]] = {}
    while not simulation.status.is_final and simulation.time < 200:
        for agent, (time, cell) in promised.items():
            if time == simulation.time:
                assert simulation.crew.agents[agent]["here"] == cell
        simulation.advance(1)
        assert_plans_fit(simulation)
        members = simulation.controller.arrays.lanes.members
        promised = {
            int(member["agent"]): (int(member["enters"]), int(member["cell"]))
            for member in members[members["used"] & (members["enters"] > simulation.time)]
        }
    record = simulation.record()
    assert simulation.status is Status.SOLVED
    assert check_record(record) == []
    assert len(record.of(REFUSED)) == 0


def test_both_lanes_of_a_corridor_are_used_at_the_same_time() -> None:
    grid = halls(2, 1)
    left, right = [[(x, y) for y in range(14) for x in (column, column + 1)] for column in (0, 29)]
    problem = one_shot(grid, left + right, right + left)
    simulation = Simulation(problem, "sdp")
    busy = 0
    while not simulation.status.is_final and simulation.time < 500:
        simulation.advance(1)
        lanes = simulation.controller.arrays.lanes.lanes["count"]
        busy += bool((lanes[:2] > 0).all())
    assert simulation.status is Status.SOLVED
    assert busy > 20
    assert check_record(simulation.record()) == []


def test_a_goal_inside_a_corridor_makes_it_a_room_or_is_refused() -> None:
    grid = halls(2, 1)
    problem = one_shot(grid, [(1, 1), (28, 3)], [(15, 6), (2, 2)])
    simulation = Simulation(problem, "sdp")
    simulation.advance(200)
    assert simulation.status is Status.SOLVED
    assert simulation.controller.areas.n_rooms == 1
    with pytest.raises(BadProblem, match=r"the goal \(15, 6\) is inside a corridor"):
        Simulation(problem, "sdp", goals_inside="refuse")


def test_another_goal_costs_no_new_beginning() -> None:
    grid = halls(3, 1)
    simulation = Simulation(crossing(grid, 16), "sdp")
    areas = simulation.controller.areas
    simulation.advance(5)
    simulation.happen(events.retask(6, 3, (1, 1)))
    simulation.happen(events.leave(7, 5))
    simulation.advance(300)
    assert simulation.controller.areas is areas
    assert simulation.status is Status.SOLVED
    assert simulation.grid.place(int(simulation.crew.agents[3]["here"])) == (1, 1)
    assert check_record(simulation.record()) == []


def test_a_corridor_that_is_shut_and_opened_again_lets_all_agents_pass() -> None:
    grid = halls(2, 1)
    simulation = Simulation(crossing(grid, 20, seed=3), "sdp")
    door = [(15, 6), (15, 7)]
    simulation.happen(events.block(8, door))
    simulation.happen(events.free(60, door))
    simulation.advance(59)
    assert simulation.status is Status.RUNNING
    simulation.advance(300)
    assert simulation.status is Status.SOLVED
    assert check_record(simulation.record()) == []


def test_the_distance_model_is_refused_in_one_sentence() -> None:
    with pytest.raises(NotSupported, match="sdp knows the time model steps only, not distance"):
        Simulation(crossing(halls(2, 1), 2), "sdp", model="distance")
