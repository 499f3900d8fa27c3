"""Controllers in every kind of world and for every kind of body: what they do is legal, whatever happens."""

from dataclasses import replace

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.entry import ANY, GRID
from wayfolk.errors import NotSupported
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, BLOCK, CLOSE, FREE, JOIN, OPEN
from wayfolk.kernels.distances import UNREACHED
from wayfolk.problem import events
from wayfolk.world.body import Body
from wayfolk.world.spots import steps_to

N_PROBLEMS = 20  # of each kind
N_EVENTFUL = 5
FOR_POINTS = {"hexagons", "triangles", "voxels", "cubes", "graph", "one-way"}

CONTROLLERS = [entry for entry in catalogue.entries("controllers") if entry.worlds != GRID]
CASES = [(entry, kind) for entry in CONTROLLERS for kind in twin.WORLDS if entry.worlds == ANY or kind in FOR_POINTS]
in_every_world = pytest.mark.parametrize(
    ("entry", "kind"), CASES, ids=[f"{entry.name}, {kind}" for entry, kind in CASES]
)


@in_every_world
def test_plans_are_legal_and_complete_as_the_facts_say(entry, kind):
    n_solved, n_solvable = 0, 0
    for number in range(N_PROBLEMS):
        problem, optimum = twin.tiny_problem(kind, number)
        starts, goals = problem.starts.copy(), problem.goals.copy()
        result = wf.solve(problem, entry, steps=400 if entry.facts.get("COMPLETE") else 120)
        assert check(result.plan, problem, arrive=result.is_solved) == [], number
        assert twin.is_legal_plan(problem, result.plan.cells), number
        assert (problem.starts == starts).all()
        assert (problem.goals == goals).all()
        if entry.facts.get("COMPLETE"):
            assert result.is_solved == (optimum is not None), number
        if result.is_solved:
            assert optimum is not None, number
        n_solved, n_solvable = n_solved + result.is_solved, n_solvable + (optimum is not None)
    assert n_solved > n_solvable // 4


@in_every_world
def test_a_lone_agent_arrives(entry, kind):
    for number in range(N_PROBLEMS):
        problem = twin.drawn_problem(kind, number).first(1)
        if not is_reached(problem, problem.starts[0], 0):
            continue
        result = wf.solve(problem, entry, steps=200)
        assert result.is_solved, number
        assert check(result.plan, problem) == []


@in_every_world
def test_the_same_seed_gives_the_same_patrol(entry, kind):
    n_arrivals = 0
    for number in range(N_EVENTFUL):
        patrol = patrol_of(twin.drawn_problem(kind, number))
        one, two = (wf.simulate(patrol, entry.name, until=60, seed=number) for _ in range(2))
        assert check_record(one.record) == []
        assert twin.faults_of_record(one.record) == []
        for column in ("time", "agent", "kind", "cell"):
            assert (getattr(one.record, column) == getattr(two.record, column)).all()
        n_arrivals += len(one.record.of(ARRIVE))
    assert n_arrivals


@in_every_world
def test_a_lone_agent_walks_its_patrol_to_the_end(entry, kind):
    for number in range(N_EVENTFUL):
        patrol = patrol_of(twin.drawn_problem(kind, number).first(1))
        has_ways = is_reached(patrol, patrol.starts[0], 0) and is_reached(patrol, patrol.goals[0], 1)
        if not has_ways or patrol.routes[0, 0] == patrol.routes[0, 1]:
            continue
        run = wf.simulate(patrol, entry.name, until=300)
        assert run.outcome == "solved", number
        assert len(run.record.of(ARRIVE)) == 4
        assert run.n_loops == 2


def patrol_of(problem):
    """The same agents, which walk to their goals and back twice."""
    back = problem.states.stand_of[problem.starts]
    return replace(problem, routes=np.stack([problem.goals, back], 1), loops=2)


def is_reached(problem, node, goal):
    """Whether a way leads from `node` to a goal of the first agent: one-way lanes may lead elsewhere."""
    return steps_to(problem.states, int(problem.routes[0, goal]))[node] != UNREACHED


@in_every_world
def test_events_are_survived(entry, kind):
    counts = dict.fromkeys((JOIN, BLOCK, FREE, CLOSE, OPEN), 0)
    for number in range(N_EVENTFUL):
        problem = twin.drawn_problem(kind, number)
        world = wf.Simulation(problem, entry.name, events=happenings(problem, number), seed=number)
        for _ in range(40):
            world.step()
        record = world.record()
        assert check_record(record) == [], number
        assert twin.faults_of_record(record) == [], number
        for code in counts:
            counts[code] += len(record.of(code))
    edits = (CLOSE, OPEN) if kind in ("graph", "one-way", "discs", "mixed discs", "slow discs") else (BLOCK, FREE)
    assert counts[JOIN]
    assert all(counts[code] for code in edits)


def happenings(problem, number):
    """Events of every kind for a tiny problem, at random places."""
    rng = np.random.default_rng(number)
    states, world, first, last = problem.states, problem.world, 0, problem.n_agents - 1
    kinds = [states.kind_of(int(problem.starts[agent])) for agent in (first, first, first, last)]
    nodes = [int(rng.choice(states.stands(kind))) for kind in kinds] + [int(problem.starts[last])]
    places = states.places(nodes)
    changes = [
        events.retask(3, first, places[0]),
        events.release(6, last),
        events.put(9, first, places[1]),
        events.hold(10, first),
        events.leave(12, last),
        events.resume(14, first),
        events.join(13, places[4], places[3], problem.body(last)),
        events.retask(20, first, places[2]),
    ]
    if hasattr(world, "with_blocked"):
        bodies = [states.kinds[states.kind_of(node)] for node in nodes]
        used = [twin.covered(world, body, int(states.cells[node])) for body, node in zip(bodies, nodes, strict=True)]
        cells = [world.place(int(cell)) for cell in rng.permutation(world.free_cells) if cell not in set.union(*used)]
        return [*changes, events.block(5, cells[:2]), events.free(17, cells[:1])]
    pairs = [world.edges[k] for k in rng.permutation(len(world.edges))[:3]]
    lanes = [(world.place(one), world.place(other)) for one, other in pairs]
    return [*changes, events.close_lanes(4, lanes), events.open_lanes(17, lanes[:2])]


def test_controllers_for_grids_say_so_in_one_sentence():
    grid = wf.Grid([[1] * 4] * 4)
    problem = wf.one_shot(grid, [(0, 0)], [(2, 2)], bodies=Body(size=2))
    others = [entry for entry in catalogue.entries("controllers") if entry.worlds == GRID]
    assert others
    for entry in others:
        with pytest.raises(NotSupported, match=f"{entry.name} works for points on square grids only, not for"):
            wf.simulate(problem, entry.name)


@pytest.mark.parametrize("model", ["distance", "turns"])
def test_other_worlds_have_no_other_time_model(model):
    problem = wf.one_shot(wf.Grid([[1] * 4] * 4), [(0, 0)], [(2, 2)], bodies=Body(size=2))
    with pytest.raises(NotSupported, match=f"the time model {model} is for points on square grids"):
        wf.simulate(problem, "lra", model=model)
