"""The judge of bodies in any world: its verdicts are those of the plain rule, and it names each kind of fault."""

import itertools

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.judge.plans import check
from wayfolk.problem.plan import Plan
from wayfolk.world.body import Body

pytestmark = pytest.mark.plain


def wild_plan(problem, rng):
    """A plan of a few random moves; one in three has a step to a random node."""
    states = problem.states
    table = states.graph
    rows = [problem.starts]
    for _ in range(int(rng.integers(1, 4))):
        row = [
            int(rng.choice([node, *table.target[table.first[node] : table.first[node + 1]]]))
            for node in rows[-1].tolist()
        ]
        if rng.random() < 0.1:
            agent = int(rng.integers(len(row)))
            kind = states.kind_of(row[agent])
            row[agent] = int(rng.choice([n for n in states.free_cells.tolist() if states.kind_of(n) == kind]))
        rows.append(np.array(row))
    return np.array(rows, np.int32)


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_verdicts_are_those_of_the_plain_rule(kind):
    verdicts = set()
    for number in range(120):
        problem = twin.drawn_problem(kind, number)
        cells = wild_plan(problem, np.random.default_rng(number))
        is_legal = twin.is_legal_plan(problem, cells)
        assert (check(Plan(problem.states, cells), problem, arrive=False) == []) == is_legal, number
        verdicts.add(is_legal)
    assert verdicts == {True, False}


def faults(world, bodies, *rows, goals=None):
    """The faults of a plan whose agents are at the places of `rows`."""
    problem = wf.one_shot(world, list(rows[0]), list(goals or rows[-1]), bodies=bodies)
    kind_of = problem.kind_of if problem.kind_of.size else [0] * problem.n_agents
    cells = [[problem.states.node(place, kind) for place, kind in zip(row, kind_of, strict=True)] for row in rows]
    plan = Plan(problem.states, np.array(cells, np.int32))
    return [str(fault) for fault in check(plan, problem, arrive=goals is None)]


OPEN = wf.Grid(np.ones((5, 5)))
ROADS = wf.Roadmap(
    {"a": (0, 0), "b": (1, 0), "c": (2, 0), "d": (1, 1), "e": (0, 0.5), "f": (2, 0.5)},
    [("a", "b"), ("b", "c"), ("b", "d"), ("e", "f"), wf.Lane("d", "a", one_way=True)],
)


def test_a_square_that_overlaps_another_one():
    two = Body(size=2)
    assert faults(OPEN, two, [(0, 0), (3, 0)], [(1, 0), (2, 0)], goals=[(0, 0), (3, 0)])[0] == (
        "step 1: agents 0 and 1 share (1, 0)"
    )
    assert faults(OPEN, two, [(0, 0), (2, 0)], [(1, 0), (3, 0)]) == []  # following is allowed


def test_a_square_in_a_wall_and_one_that_jumps():
    grid = wf.Grid([[1, 1, 1, 1], [1, 1, 1, 0]])
    assert faults(grid, Body(size=2), [(0, 0)], [(2, 0)], goals=[(1, 0)])[:2] == [
        "step 1: agent 0 stands in a wall at (2, 0)",
        "step 1: agent 0 jumps from (0, 0) to (2, 0)",
    ]


def test_points_swap_and_cross_beside_a_square():
    bodies = [Body(), Body(), Body(size=2)]
    assert faults(OPEN, bodies, [(0, 0), (1, 0), (3, 3)], [(1, 0), (0, 0), (3, 3)]) == [
        "step 1: agents 0 and 1 swap (0, 0) and (1, 0)"
    ]
    assert faults(OPEN, bodies, [(0, 0), (1, 0), (3, 3)], [(1, 1), (0, 1), (3, 3)]) == [
        "step 1: agents 0 and 1 cross between (0, 0) and (1, 1)"
    ]


def test_a_robot_that_moves_sideways_or_turns_around_at_once():
    grid, robot = wf.Grid(np.ones((3, 3)), "four"), Body(turns=True)
    assert faults(grid, robot, [(0, 0, "E")], [(1, 0, "E")], [(1, 0, "S")], [(1, 1, "S")]) == []
    assert faults(grid, robot, [(0, 0, "E")], [(0, 1, "E")]) == [
        "step 1: agent 0 jumps from (0, 0, 'E') to (0, 1, 'E')"
    ]
    assert faults(grid, robot, [(0, 0, "E")], [(0, 0, "W")]) == [
        "step 1: agent 0 jumps from (0, 0, 'E') to (0, 0, 'W')"
    ]


def test_discs_that_stand_too_near_pass_too_near_or_take_no_lane():
    disc = Body(radius=0.3)
    assert faults(ROADS, disc, ["a", "c"], ["b", "b"], goals=["b", "c"])[0] == "step 1: agents 0 and 1 share b"
    passing = faults(ROADS, disc, ["a", "f"], ["b", "f"], ["b", "e"])
    assert passing == ["step 2: agents 0 and 1 come too near to each other on their ways to b and e"]
    assert faults(ROADS, disc, ["a"], ["d"]) == ["step 1: agent 0 jumps from a to d"]
    assert faults(ROADS, disc, ["d"], ["a"]) == []


def test_an_agent_that_changes_its_body_and_one_that_does_not_arrive():
    problem = wf.one_shot(OPEN, [(0, 0), (3, 3)], [(1, 1), (3, 0)], bodies=[Body(), Body(size=2)])
    cells = np.array([problem.starts, problem.starts], np.int32)
    cells[1, 0] = problem.states.node((0, 0), 1)
    texts = [str(fault) for fault in check(Plan(problem.states, cells), problem)]
    assert "step 1: agent 0 has another body than its problem says, at (0, 0)" in texts
    assert "step 1: agent 1 ends at (3, 3) instead of (3, 0)" in texts


def test_a_turning_robot_arrives_in_every_heading():
    grid = wf.Grid(np.ones((3, 3)), "four")
    for heading in "ESWN":
        problem = wf.one_shot(grid, [(0, 0, heading)], [(0, 0)], bodies=Body(turns=True))
        assert check(Plan(problem.states, problem.starts[None]), problem) == []


def test_many_discs_are_judged_as_pairs_are():
    rng = np.random.default_rng(3)
    points = {k: tuple(rng.random(2) * 6) for k in range(60)}
    lanes = [(a, b) for a, b in itertools.combinations(points, 2) if np.hypot(*np.subtract(points[a], points[b])) < 1.2]
    world = wf.Roadmap(points, lanes)
    problem = wf.random_problem(world, 9, bodies=[Body(radius=0.1)] * 5 + [Body(radius=0.25)] * 4, seed=1)
    for seed in range(60):
        cells = wild_plan(problem, np.random.default_rng(seed))
        is_legal = twin.is_legal_plan(problem, cells)
        assert (check(Plan(problem.states, cells), problem, arrive=False) == []) == is_legal
