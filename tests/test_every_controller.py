"""Every file in controllers/ is held to its facts, and survives every event of a simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import small_problems
from wayfolk import catalogue, events
from wayfolk.check import check
from wayfolk.check_log import check_record
from wayfolk.formats import parse_ascii
from wayfolk.generate import random_map
from wayfolk.grid import Grid
from wayfolk.problem import one_shot, patrol, tasks
from wayfolk.record import ARRIVE, DISTANCE, JOIN, LEAVE, STEPS
from wayfolk.result import Status
from wayfolk.run import solve
from wayfolk.simulation import Simulation, simulate

ENTRIES = catalogue.entries("controllers")
SEEKERS = [entry for entry in ENTRIES if entry.facts.get("SEEKS_GOALS", True)]
every = pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
everyone_with_goals = pytest.mark.parametrize("entry", SEEKERS, ids=lambda e: e.name)
both_models = pytest.mark.parametrize("model", [STEPS, DISTANCE])


@every
@given(data=st.data())
def test_plans_have_no_faults(entry, data):
    problem = data.draw(small_problems())
    result = solve(problem, entry.name, steps=60)
    assert result.status in (Status.SOLVED, Status.PARTIAL)
    assert check(result.plan, problem, arrive=result.is_solved) == []
    assert result.plan.n_steps <= 60


@everyone_with_goals
@both_models
@given(data=st.data())
def test_a_lone_agent_arrives(entry, model, data):
    problem = data.draw(small_problems(max_agents=1))
    run = simulate(problem, entry.name, model=model, until=200)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []


@everyone_with_goals
@both_models
def test_a_patrol_is_walked_to_its_end(entry, model):
    problem = patrol(random_map(20, 20, 0.05, seed=2), agents=12, loops=4, seed=3)
    one, two = (simulate(problem, entry.name, model=model, until=3000) for _ in range(2))
    assert one.status is Status.SOLVED
    assert check_record(one.record) == []
    assert len(one.record.of(ARRIVE)) == 12 * 4 * 2
    assert one.n_loops == 4
    for column in ("time", "agent", "kind", "cell"):
        assert np.array_equal(getattr(one.record, column), getattr(two.record, column))


@every
def test_stopped_at_every_tick_gives_the_same(entry):
    problem = patrol(random_map(12, 12, 0.1, seed=1), agents=6, loops=2, seed=1)
    whole = Simulation(problem, entry.name)
    whole.advance(200)
    bits = Simulation(problem, entry.name)
    for _ in range(200):
        bits.advance(1)
    assert np.array_equal(whole.record().cell, bits.record().cell)
    assert bits.record().end == whole.record().end


@everyone_with_goals
@both_models
def test_survives_every_event(entry, model):
    grid = parse_ascii("""
        ..........
        .####.###.
        ..........
        .###.####.
        ..........
    """)
    problem = one_shot(grid, [(0, 0), (9, 0), (0, 4), (9, 4)], [(9, 4), (0, 4), (9, 0), (0, 0)])
    happenings = [
        events.retask(4, 0, (5, 2)),
        events.join(6, (0, 2), (9, 2)),
        events.leave(9, 1),
        events.release(11, 2),
        events.block(13, [(5, 1)]),
        events.free(17, [(1, 1), (2, 1)]),
        events.retask(25, 0, (0, 4)),
        events.join(26, (4, 2), (3, 2)),
    ]
    world = Simulation(problem, entry.name, model=model, events=happenings, seed=4)
    world.advance(int(400 / world.tick))
    record = world.record()
    assert check_record(record) == []
    assert len(record.of(JOIN)) == 2
    assert len(record.of(LEAVE)) == 1
    assert not world.grid.is_free(grid.cell((5, 1)))
    assert world.grid.is_free(grid.cell((1, 1)))
    late = record.of(ARRIVE)
    assert grid.cell((0, 4)) in record.cell[late[record.agent[late] == 0]]  # agent 0 reached its third goal


@everyone_with_goals
@both_models
def test_finds_its_way_through_an_unknown_map(entry, model):
    grid = parse_ascii("""
        ...#....
        .#.#.##.
        .#.#.#..
        .#...#.#
        .#####..
        ........
    """)
    problem = one_shot(grid, [(0, 0), (7, 5)], [(7, 0), (2, 3)])
    run = simulate(problem, entry.name, model=model, vision=1.5, until=400)
    assert run.status is Status.SOLVED
    assert check_record(run.record) == []


@everyone_with_goals
def test_of_two_with_one_goal_one_gets_there_and_both_are_named(entry):
    problem = one_shot(Grid(np.ones((5, 9))), [(0, 0), (0, 4), (4, 4)], [(8, 2), (8, 2), (4, 0)])
    result = solve(problem, entry.name, steps=80)
    assert result.status is Status.PARTIAL
    assert result.detail.endswith("agents 0, 1 share the goal (8, 2)")
    assert check(result.plan, problem, arrive=False) == []
    assert problem.goals[0] in result.plan.cells[-1, :2]


@everyone_with_goals
def test_tasks_go_on_for_ever(entry):
    problem = tasks(random_map(16, 16, 0.1, seed=4), agents=8, seed=2)
    run = simulate(problem, entry.name, until=300)
    assert run.status is Status.OUT_OF_BUDGET
    assert check_record(run.record) == []
    assert len(run.record.of(ARRIVE)) > 8 * 5


@every
def test_nobody_looks_farther_than_its_sight(entry):
    """Agents out of sight are put elsewhere: the first route of agent 0 stays the same."""
    sight = entry.facts["SEES"]
    if sight == "all":
        pytest.skip("sees everything")
    radius = next(option.default for option in entry.options if option.name == sight)
    grid = random_map(40, 40, 0.1, seed=6)
    places = [grid.place(cell) for cell in grid.free_cells if grid.components[cell] == 1]
    home, goal = places[0], places[-1]
    far = [p for p in places[1:-1] if np.hypot(p[0] - home[0], p[1] - home[1]) > radius + 2]
    rng = np.random.default_rng(0)
    routes = []
    for _ in range(4):
        chosen = [far[k] for k in rng.choice(len(far), 120, replace=False)]
        goals = [goal, *(far[k] for k in rng.choice(len(far), 120, replace=False))]
        world = Simulation(one_shot(grid, [home, *chosen], goals), entry.name)
        world.advance(1)
        crew = world.crew
        routes.append(crew.route[0, : crew.agents[0]["n_route"]].tolist())
    assert routes[0]
    assert all(route == routes[0] for route in routes)
