"""The contract of controllers: many agents, the next move.

All plans and records must be legal, and every event survived. That agents arrive is promised by COMPLETE only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from tempfile import TemporaryDirectory

import numpy as np

from wayfolk.algorithms.catalogue import Entry
from wayfolk.contracts.check import Broken, Case, Check, Draw, expect, expect_no_faults, registered_in
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.plans import check as faults_of
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, JOIN, LEAVE, MOVE, REFUSED
from wayfolk.problem import events
from wayfolk.problem.problem import one_shot, patrol, tasks
from wayfolk.problem.record import TURNS, Record
from wayfolk.problem.result import Status
from wayfolk.simulation.run import Run
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate, solve
from wayfolk.simulation.time_models import models_of
from wayfolk.simulation.world_file import memory_of, read_world
from wayfolk.world.generate import random_map
from wayfolk.world.grid import Grid

MAX_SIDE, MAX_AGENTS = 5, 3
STOREYS = """
..........
.####.###.
..........
.###.####.
..........
"""
UNKNOWN = """
...#....
.#.#.##.
.#.#.#..
.#...#.#
.#####..
........
"""
CHECKS: list[Check] = []
check = registered_in(CHECKS)


def seeks_goals(case: Case) -> bool:
    """Whether its agents try to reach their goals."""
    return bool(case.entry.facts.get("SEEKS_GOALS", True))


def check_faults(record: Record) -> None:
    """The record is legal."""
    expect_no_faults(check_record(record), "the record")


def _solved(run: Run) -> None:
    expect(run.status is Status.SOLVED, f"it ends as {run.status.value} at time {run.time:g}")


@check("plans have no faults", drawn=True)
def plans_have_no_faults(case: Case, draw: Draw) -> None:
    """Sixty steps, with up to three agents."""
    problem = draw.problem(MAX_AGENTS, MAX_SIDE)
    result = solve(problem, case.entry, steps=60, **case.options)
    expect(result.status in (Status.SOLVED, Status.PARTIAL), f"it ends as {result.status.value}")
    expect(result.algorithm == case.entry.name, f"the result says that it is of {result.algorithm!r}")
    assert result.plan is not None
    expect_no_faults(faults_of(result.plan, problem, arrive=result.is_solved), "the plan")
    expect(result.plan.n_steps <= 60, f"it takes {result.plan.n_steps} of 60 steps")


@check("a lone agent arrives", drawn=True, needs="COMPLETE", applies=seeks_goals)
def a_lone_agent_arrives(case: Case, draw: Draw) -> None:
    """In all time models that it knows."""
    problem = draw.problem(1, MAX_SIDE)
    for model in models_of(case.entry):
        run = simulate(problem, case.entry, model=model, until=200, **case.options)
        check_faults(run.record)
        _solved(run)


@check("the same seed gives the same record", applies=seeks_goals)
def same_seed_same_record(case: Case) -> None:
    """A patrol of twelve, twice, in all time models that it knows."""
    problem = patrol(random_map(20, 20, 0.05, seed=2), agents=12, loops=4, seed=3)
    for model in models_of(case.entry):
        one, two = (simulate(problem, case.entry, model=model, until=300, **case.options) for _ in range(2))
        check_faults(one.record)
        for column in ("time", "agent", "kind", "cell"):
            same = np.array_equal(getattr(one.record, column), getattr(two.record, column))
            expect(same, f"the second record is another: {column}")


@check("a patrol is walked to its end", needs="COMPLETE", applies=seeks_goals)
def a_patrol_is_walked_to_its_end(case: Case) -> None:
    """Four loops of twelve agents, in all time models that it knows, twice."""
    problem = patrol(random_map(20, 20, 0.05, seed=2), agents=12, loops=4, seed=3)
    for model in models_of(case.entry):
        one, two = (simulate(problem, case.entry, model=model, until=3000, **case.options) for _ in range(2))
        _solved(one)
        check_faults(one.record)
        arrivals = len(one.record.of(ARRIVE))
        expect(arrivals == 12 * 4 * 2, f"there are {arrivals} arrivals, not {12 * 4 * 2}")
        expect(one.n_loops == 4, f"there are {one.n_loops} loops, not 4")
        for column in ("time", "agent", "kind", "cell"):
            same = np.array_equal(getattr(one.record, column), getattr(two.record, column))
            expect(same, f"the second record is another: {column}")


@check("a pause at every tick changes nothing")
def stopped_at_every_tick_gives_the_same(case: Case) -> None:
    """Two hundred ticks at once, and one by one."""
    problem = patrol(random_map(12, 12, 0.1, seed=1), agents=6, loops=2, seed=1)
    whole = Simulation(problem, case.entry, own=case.options)
    whole.advance(200)
    bits = Simulation(problem, case.entry, own=case.options)
    for _ in range(200):
        bits.advance(1)
    expect(np.array_equal(whole.record().cell, bits.record().cell), "the record is another")
    expect(bits.record().end == whole.record().end, "the end is another")


@check("a restored world goes on as if it had never stopped")
def a_restored_world_goes_on(case: Case) -> None:
    """Saved after twenty ticks: the same moves, if the controller remembers anything, and no faults in any case."""
    world = Simulation(patrol(random_map(12, 12, 0.1, seed=1), agents=6, loops=2, seed=1), case.entry, own=case.options)
    world.advance(20)
    if not world.has_a_name:
        return
    with TemporaryDirectory() as folder:
        world.save(f"{folder}/world.npz")
        again = read_world(f"{folder}/world.npz", case.entry, trust=True)
    remembers = memory_of(world) is not None
    for one in (world, again):
        one.advance(40)
    before, after = world.record(), again.record()
    check_faults(after)
    if remembers:
        moves, others = before.of(MOVE), after.of(MOVE)
        for column in ("time", "agent", "cell"):
            same = np.array_equal(getattr(before, column)[moves], getattr(after, column)[others])
            expect(same, f"it remembers, but makes other moves after it was restored: {column}")


def _eventful(case: Case, model: str, until: float = 400) -> Simulation:
    """A simulation in which everything happens that can happen, after `until` units of time."""
    grid = parse_ascii(STOREYS)
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
    simulation = Simulation(problem, case.entry, model=model, events=happenings, seed=4, own=case.options)
    simulation.advance(int(until / simulation.tick))
    return simulation


def ticking() -> Callable[[], float]:
    """A clock on which one second passes whenever it is read."""
    readings = itertools.count()
    return lambda: float(next(readings))


@check("without time to plan nobody collides")
def stands_without_time(case: Case) -> None:
    """Steps with no time from the start move nobody; after that, whatever has happened before, no move is illegal."""
    for model in models_of(case.entry):
        for until in (0, 8):
            world = _eventful(case, model, until)
            began = world.places()
            for _ in range(int(24 / world.tick)):
                world.step(within=0)
            check_faults(world.record())
            if not until:
                moved = (world.places()[:4] != began).any(1) & world.crew.agents["ours"][:4]
                expect(not moved.any(), f"agent {int(np.argmax(moved))} moves though nobody has planned for it")


@check("with little time in each step agents arrive", needs="COMPLETE", applies=seeks_goals)
def arrives_with_little_time(case: Case) -> None:
    """Each step has time to plan for one of six agents, or for all of them every other time."""
    problem = patrol(random_map(12, 12, 0.1, seed=1), agents=6, loops=1, seed=1)
    for model in models_of(case.entry):
        world = Simulation(problem, case.entry, model=model, own=case.options)
        world.step_budget.clock = ticking()
        while world.time < 1500 and not world.status.is_final:
            world.step(within=1.5)
        check_faults(world.record())
        expect(world.status is Status.SOLVED, f"in the model {model} agents have not arrived at time {world.time:g}")


@check("every event is survived")
def survives_every_event(case: Case) -> None:
    """Agents get new goals, join, leave and are released, cells become walls and free: no move is illegal."""
    for model in models_of(case.entry):
        simulation = _eventful(case, model)
        record, start = simulation.record(), simulation.problem.grid
        check_faults(record)
        expect(len(record.of(LEAVE)) == 1, f"{len(record.of(LEAVE))} agents have left, not 1")
        expect(simulation.grid.is_free(start.cell((1, 1))), "the cell (1, 1) was not freed")


@check("steps that the caller gives are taken")
def steps_of_the_caller_are_taken(case: Case) -> None:
    """Half of the agents are moved elsewhere in most of the first 40 steps: these moves replace the controller's own."""
    problem = tasks(random_map(12, 12, 0.2, seed=6), agents=12, seed=3)
    problem = one_shot(problem.grid, problem.grid.places(problem.starts), problem.grid.places(problem.goals))
    simulation = Simulation(problem, case.entry, seed=2, own=case.options)
    rng = np.random.default_rng(1)
    for _ in range(40):
        given = _random_steps(simulation, rng)
        before, now = simulation.crew.agents["here"].copy(), simulation.time
        for agent, there in given.items():
            simulation.move(agent, simulation.grid.place(there))
        simulation.step()
        record, here = simulation.record(), simulation.crew.agents["here"]
        refused = record.of(REFUSED)
        refused = refused[record.time[refused] == now]
        asked_for = dict(zip(record.agent[refused].tolist(), record.cell[refused].tolist(), strict=True))
        for agent, there in given.items():
            is_taken = here[agent] == there or (here[agent] == before[agent] and asked_for.get(agent) == there)
            expect(is_taken, f"agent {agent} has not taken the step that the caller gave it at time {now:g}")
    simulation.advance(200)
    check_faults(simulation.record())


def _random_steps(simulation: Simulation, rng: np.random.Generator) -> dict[int, int]:
    """A step to a random cell beside them, or a wait, for some of the even agents."""
    grid, here = simulation.grid, simulation.crew.agents["here"]
    steps = {}
    for agent in range(0, simulation.n_agents, 2):
        if rng.random() < 0.7:
            ways = [k for k in range(8) if grid.legal[here[agent]] >> k & 1]
            steps[agent] = int(here[agent] + rng.choice([0, *grid.offsets[ways]]))
    return steps


@check("with every event, agents still reach their goals", needs="COMPLETE", applies=seeks_goals)
def arrives_in_spite_of_every_event(case: Case) -> None:
    """No agent stays where another is to join or a wall is to be, and the agent with three goals reaches the last."""
    for model in models_of(case.entry):
        simulation = _eventful(case, model)
        record, grid = simulation.record(), simulation.problem.grid
        check_faults(record)
        expect(len(record.of(JOIN)) == 2, f"{len(record.of(JOIN))} agents have joined, not 2")
        expect(not simulation.grid.is_free(grid.cell((5, 1))), "the cell (5, 1) was not blocked")
        late = record.of(ARRIVE)
        reached = record.cell[late[record.agent[late] == 0]]
        expect(grid.cell((0, 4)) in reached, "agent 0 has not reached its third goal")


@check("finds its way through an unknown map", needs="COMPLETE", applies=seeks_goals)
def finds_its_way_through_an_unknown_map(case: Case) -> None:
    """Agents see as far as their neighbours. In turns, two that meet on a ring may both turn back for ever."""
    problem = one_shot(parse_ascii(UNKNOWN), [(0, 0), (7, 5)], [(7, 0), (2, 3)])
    for model in (model for model in models_of(case.entry) if model != TURNS):
        run = simulate(problem, case.entry, model=model, vision=1.5, until=400, own=case.options)
        check_faults(run.record)
        _solved(run)


@check("of two agents with one goal, one gets there and both are named", needs="COMPLETE", applies=seeks_goals)
def of_two_with_one_goal_one_gets_there_and_both_are_named(case: Case) -> None:
    """The result is PARTIAL, and its detail names them."""
    problem = one_shot(Grid(np.ones((5, 9))), [(0, 0), (0, 4), (4, 4)], [(8, 2), (8, 2), (4, 0)])
    result = solve(problem, case.entry, steps=80, **case.options)
    expect(result.status is Status.PARTIAL, f"it ends as {result.status.value}")
    expect(result.detail.endswith("agents 0, 1 share the goal (8, 2)"), f"its detail is {result.detail!r}")
    assert result.plan is not None
    expect_no_faults(faults_of(result.plan, problem, arrive=False), "the plan")
    expect(problem.goals[0] in result.plan.cells[-1, :2], "neither agent is at the goal")


@check("tasks go on for ever", needs="COMPLETE", applies=seeks_goals)
def tasks_go_on_for_ever(case: Case) -> None:
    """Eight agents do more than five tasks each in 300 steps."""
    problem = tasks(random_map(16, 16, 0.1, seed=4), agents=8, seed=2)
    run = simulate(problem, case.entry, until=300, **case.options)
    expect(run.status is Status.OUT_OF_BUDGET, f"it ends as {run.status.value}")
    check_faults(run.record)
    arrivals = len(run.record.of(ARRIVE))
    expect(arrivals > 8 * 5, f"there are {arrivals} arrivals")


def sees_so_far(case: Case) -> bool:
    """Whether its sight is limited."""
    return bool(case.entry.facts.get("SEES", "all") != "all")


def radius_of(entry: Entry) -> float:
    """How far an agent sees others."""
    sight = entry.facts["SEES"]
    radius = next((option.default for option in entry.options if option.name == sight), None)
    if radius is None:
        raise Broken(f"SEES names an option {sight!r}, which it does not have")
    return float(radius)


@check("no agent looks farther than its sight", applies=sees_so_far)
def nobody_looks_farther_than_its_sight(case: Case) -> None:
    """Agents out of sight are put elsewhere: the first route of agent 0 stays the same."""
    radius = radius_of(case.entry)
    grid = random_map(40, 40, 0.1, seed=6)
    places = [grid.place(cell) for cell in grid.free_cells if grid.components[cell] == 1]
    home, goal = places[0], places[-1]
    far = [p for p in places[1:-1] if np.hypot(p[0] - home[0], p[1] - home[1]) > radius + 2]
    rng = np.random.default_rng(0)
    routes = []
    for _ in range(4):
        chosen = [far[k] for k in rng.choice(len(far), 120, replace=False)]
        goals = [goal, *(far[k] for k in rng.choice(len(far), 120, replace=False))]
        simulation = Simulation(one_shot(grid, [home, *chosen], goals), case.entry, own=case.options)
        simulation.advance(1)
        crew = simulation.crew
        routes.append(crew.route[0, : crew.answers[0]["n_route"]].tolist())
    expect(routes[0], "agent 0 has no route")
    expect(all(route == routes[0] for route in routes), "the route depends on agents out of sight")
