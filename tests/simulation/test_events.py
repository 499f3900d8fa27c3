"""An event changes what it is about, and nothing else; controllers repair what they keep, and only propose."""

import numpy as np
import pytest

from reference import legal_moves, steps_from
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.controllers import Controller
from wayfolk.compile.jit import is_plain
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.records import check_record
from wayfolk.kernels import field_store, rra
from wayfolk.kernels.codes import BLOCK, FREE, MOVE, REFUSED, THOUGHT
from wayfolk.problem import events
from wayfolk.problem.problem import Problem, one_shot, patrol
from wayfolk.simulation import referee
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.time_models import models_of
from wayfolk.world.generate import random_map

NAMES = [entry.name for entry in catalogue.entries("controllers")]
CASES = [(name, {}) for name in NAMES] + [
    ("direction_map", {"sector": 4}),
    ("bmaa", {"initial": "sectors", "yielding": True}),
    ("pibt", {"guidance": "directions", "every": 3}),
    ("cpra", {"level": 1}),
]


def places_on(grid, n, seed):
    """Different places in the largest part of the map."""
    parts = grid.components[grid.free_cells]
    cells = grid.free_cells[parts == np.bincount(parts).argmax()]
    return [grid.place(cell) for cell in np.random.default_rng(seed).choice(cells, n, replace=False)]


def moves_of(world):
    record = world.record()
    rows = record.of(MOVE)
    return list(zip(record.time[rows].tolist(), record.agent[rows].tolist(), record.cell[rows].tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "options", "model"),
    [(name, options, model) for name, options in CASES for model in models_of(catalogue.find(name, "controllers"))],
    ids=str,
)
def test_events_at_the_beginning_give_what_a_new_problem_gives(name, options, model):
    """Nothing is remembered yet, so what an update repairs must be what is prepared for the changed problem."""
    for seed in range(4):
        grid = random_map(14, 14, 0.15, seed=seed)
        *starts, first, second, third = places_on(grid, 11, seed)
        *goals, other_goal = places_on(grid, 9, seed + 100)
        starts, joining = starts[:8], first
        walls = [second, third]
        kept = [place for place in walls if place not in goals and place != other_goal]
        opened = [grid.place(cell) for cell in np.flatnonzero(~grid._free) if inside(grid, cell)][:3]
        happenings = [
            events.retask(0, 2, other_goal),
            events.block(0, kept),
            events.free(0, opened),
            events.join(0, joining, goals[0]),
        ]
        changed = grid.with_blocked(grid.cells(kept)).with_freed(grid.cells(opened))
        new_goals = [*goals[:2], other_goal, *goals[3:], goals[0]]
        one = Simulation(one_shot(grid, starts, goals), name, model=model, events=happenings, own=options, seed=3)
        two = Simulation(one_shot(changed, [*starts, joining], new_goals), name, model=model, own=options, seed=3)
        for world in (one, two):
            world.advance(int(40 / world.tick))
        assert moves_of(one) == moves_of(two), f"world {seed}"
        assert len(moves_of(one)) > 20


def inside(grid, cell):
    x, y = grid.place(int(cell))
    return 0 <= x < grid.width and 0 <= y < grid.height


def test_an_order_for_one_agent_leaves_the_routes_of_the_others():
    grid = random_map(24, 24, 0.1, seed=3)
    places = places_on(grid, 21, 1)
    world = Simulation(one_shot(grid, places[:10], places[10:20]), "lra")
    world.advance(2)
    before = world.crew.answers.copy(), world.crew.route.copy()
    world.happen(events.retask(world.time, 4, places[20]))
    n_rows = len(world.record())
    world.advance(1)
    record = world.record()
    thought = [row for row in record.of(THOUGHT) if row >= n_rows]
    assert 4 in record.agent[thought]
    stayed = [agent for agent in range(10) if agent not in record.agent[thought] and before[0][agent]["n_route"] > 0]
    assert len(stayed) >= 6
    for agent in stayed:
        n = before[0][agent]["n_route"]
        assert world.crew.answers[agent]["n_route"] == n
        assert world.crew.answers[agent]["at"] == before[0][agent]["at"] + 1
        assert (world.crew.route[agent, :n] == before[1][agent, :n]).all()


def test_a_new_wall_drops_the_routes_that_lead_through_it_or_around_its_corner():
    grid = parse_ascii("\n".join(["." * 12] * 9))
    starts, goals = [(0, 0), (0, 3), (0, 8)], [(11, 0), (11, 3), (11, 8)]
    world = Simulation(one_shot(grid, starts, goals), "lra")
    world.advance(1)
    world.happen(events.block(world.time, [(6, 3)]))
    n_rows = len(world.record())
    world.advance(1)
    record = world.record()
    assert record.agent[[row for row in record.of(THOUGHT) if row >= n_rows]].tolist() == [1]
    world.advance(20)
    assert grid.cell((6, 3)) not in record.cell[record.of(MOVE)]
    diagonal = Simulation(one_shot(grid, [(0, 0)], [(8, 8)]), "lra")
    diagonal.advance(1)
    diagonal.happen(events.block(diagonal.time, [(5, 4)]))  # beside the route, whose diagonal move it forbids
    diagonal.advance(20)
    assert check_record(diagonal.record()) == []
    assert n_refused(diagonal) == 0


def n_refused(world):
    return int((world.record().kind == REFUSED).sum())


@pytest.mark.parametrize("seed", range(5))
def test_a_controller_without_memory_plans_as_a_new_one_from_there(seed):
    grid = random_map(20, 20, 0.15, seed=seed)
    places = places_on(grid, 21, seed)
    world = Simulation(one_shot(grid, places[:10], places[10:20]), "lra")
    world.advance(5)
    here = [grid.place(cell) for cell in world.crew.agents["here"]]
    world.happen(events.retask(world.time, 3, places[20]))
    world.advance(1)
    anew = Simulation(one_shot(grid, here, [*places[10:13], places[20], *places[14:20]]), "lra")
    anew.advance(1)
    routes = [w.crew.route[3, : w.crew.answers[3]["n_route"]].tolist() for w in (world, anew)]
    assert routes[0] == routes[1] != []


def doors(grid, rng, world):
    """Block or free three cells next to each other at random, none of them a goal."""
    goals = set(world.crew.agents["goal"].tolist())
    x, y = rng.integers(1, grid.width - 1), rng.integers(1, grid.height - 1)
    dx, dy = ((1, 0), (0, 1))[rng.integers(2)]
    places = [(int(x + k * dx), int(y + k * dy)) for k in (-1, 0, 1)]
    places = [place for place in places if grid.cell(place) not in goals]
    return events.Event(world.time, (BLOCK, FREE)[rng.integers(2)], 0, tuple(places))


@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("name", ["whca", "pibt"])
def test_distances_are_those_of_the_edited_map(name, moves):
    """Soon after any door, the distance of every agent from its goal is exact again."""
    n_checked = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        grid = random_map(18, 18, 0.2, seed=seed, moves=moves)
        places = places_on(grid, 12, seed)
        world = Simulation(patrol_between(grid, places), name)
        world.advance(3)
        for _ in range(6):
            world.happen(doors(grid, rng, world))
            world.advance(16)
            for agent in range(world.n_agents):
                here, goal = (int(world.crew.agents[agent][what]) for what in ("here", "goal"))
                left = found_distance(world, name, agent, here, goal)
                if left is not None:
                    assert left == steps_from(world.grid, goal).get(here, np.inf), f"world {seed}, agent {agent}"
                    n_checked += 1
        assert check_record(world.record()) == []
    assert n_checked > 50  # only searches that know of every door claim to be right


def patrol_between(grid, places):
    cells = grid.cells(places)
    routes = np.stack([cells[4:8], cells[8:12]], axis=1)
    return Problem(grid, cells[:4], routes, loops=1000)


def found_distance(world, name, agent, here, goal):
    """The distance that the controller has found for an agent's cell, if it has and claims that it is right."""
    arrays = world.controller.arrays
    if name == "whca":
        if arrays.seen[agent] < arrays.edits.counts[0] or arrays.searches.state[agent, 0] != goal:
            return None
        left = rra.distance(arrays.searches, agent, here)
        return np.inf if left == rra.UNREACHABLE else int(left)
    body, fields = arrays.push.bodies[agent], arrays.push.fields
    row = int(body["row"])
    if body["goal"] != goal or fields.rows[row]["edits"] < fields.edits.counts[0]:
        return None
    assert fields.is_equal
    known = field_store.values(fields.store, row, len(fields.legal))
    if not known[here] & 1:
        return None
    left = 0  # fields hold distances modulo 7: walk to the goal and count
    while here != goal:
        nearer = [int(there) for there in legal_moves(world.grid, here) if known[there] & 1]
        here = next(there for there in nearer if (known[here] // 2 - known[there] // 2) % 7 == 1)
        left += 1
    return left


@pytest.mark.parametrize("name", ["whca", "pibt"])
def test_an_agent_walks_around_a_closed_door_and_through_an_open_one(name):
    grid = parse_ascii("""
        .......#.......
        .......#.......
        ...............
        .......#.......
        .......#.......
        .......#.......
        .......#.......
        ...............
    """)
    problem = one_shot(grid, [(0, 2)], [(14, 2)])
    door = [(7, 2)]
    closed = Simulation(problem, name, events=[events.block(3, door)])
    closed.advance(60)
    assert grid.cell((7, 7)) in closed.record().cell[closed.record().of(MOVE)]
    assert closed.status.name == "SOLVED"
    shut = one_shot(grid.with_blocked(grid.cells(door)), [(0, 2)], [(14, 2)])
    opened = Simulation(shut, name, events=[events.free(3, door)])
    opened.advance(60)
    assert opened.status.name == "SOLVED"
    assert opened.time <= 18
    # a door that is opened and closed again at once changes nothing
    both = Simulation(problem, name, events=[events.block(3, door), events.free(3, door)])
    both.advance(60)
    assert both.time == 14


def n_settled(fields, row):
    return int((field_store.values(fields.store, row, len(fields.legal)) & 1).sum())


def test_fields_of_goals_that_a_door_does_not_concern_are_kept():
    grid = random_map(40, 40, 0.1, seed=2)
    places = places_on(grid, 40, 5)
    near = sorted(places, key=lambda place: place[0])
    world = Simulation(one_shot(grid, near[:10], near[10:20]), "pibt")
    world.advance(3)
    fields = world.controller.arrays.push.fields
    settled = [n_settled(fields, row) for row in range(10)]
    far_away = [grid.place(cell) for cell in grid.free_cells[::-1][:3]]
    world.happen(events.block(world.time, far_away))
    world.advance(1)
    after = world.controller.arrays.push.fields
    assert after.store is fields.store
    assert all(n_settled(after, row) >= n > 0 for row, n in enumerate(settled))
    assert after.rows["edits"].max() == 0  # none was begun again


class Parked(Controller):
    """Nobody moves, but agent 0 at time 5."""

    def decide(self, view):
        for agent in view.asked.tolist():
            here = int(view.here[agent])
            view.answer(agent, [here + 1 if agent == 0 and view.time >= 5 else here])


def test_each_cell_of_a_door_closes_as_soon_as_nobody_stands_there():
    grid = parse_ascii("\n".join(["......"] * 5))
    world = Simulation(one_shot(grid, [(2, 2), (0, 0)], [(5, 4), (5, 0)]), "lra")
    world.control.controller = Parked(2)
    world.happen(events.block(1, [(2, 1), (2, 2), (2, 3)]))
    world.advance(3)
    assert [world.grid.is_free(grid.cell((2, y))) for y in (1, 2, 3)] == [False, True, False]
    world.advance(6)
    record = world.record()
    rows = record.of(BLOCK)
    assert record.time[rows].tolist() == [1, 1, 6]
    assert [grid.place(cell) for cell in record.cell[rows]] == [(2, 1), (2, 3), (2, 2)]
    assert check_record(record) == []


class Cheat(Controller):
    """Moves agent 0 to its goal by writing to what it should only look at."""

    def decide(self, view):
        view.here[0] = view.goals[0]


def test_a_view_cannot_be_written_to():
    grid = parse_ascii("......")
    world = Simulation(one_shot(grid, [(0, 0)], [(5, 0)]), "lra")
    world.control.controller = Cheat(1)
    with pytest.raises(ValueError, match="read-only"):
        world.advance(1)


@pytest.mark.plain
@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{name}{options or ''}" for name, options in CASES])
def test_controllers_only_propose(name, options, monkeypatch):
    """A controller leaves agents, occupants, who is asked and the log as they are."""
    if not is_plain():
        pytest.skip("what compiled code writes cannot be watched")
    asked, plan_routes = [], referee.plan_routes

    def watched(arrays, crew, log, now):
        truth = (crew.agents, crew.occupant, crew.asked, crew.counts, log)
        before = [array.copy() for array in truth]
        n_served = plan_routes(arrays, crew, log, now)
        assert all((array == copy).all() for array, copy in zip(truth, before, strict=True))
        asked.append(int(crew.counts[0]))
        return n_served

    monkeypatch.setattr(referee, "plan_routes", watched)
    problem = patrol(random_map(10, 10, 0.1, seed=1), agents=4, loops=1, seed=1)
    happenings = [events.release(3, 1), events.block(4, [(5, 5)]), events.leave(6, 2)]
    Simulation(problem, name, events=happenings, own=options).advance(12)
    assert sum(asked) > 4
