"""The judge of records in any world and for any body: one broken record for each kind of fault."""

import numpy as np
import pytest

import body_reference as twin
import wayfolk as wf
from wayfolk.errors import BadInput, NotSupported
from wayfolk.judge import metrics
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import ARRIVE, BLOCK, CLOSE, FREE, GOAL, HOLD, JOIN, LEAVE, MOVE, NOWHERE, OPEN, REFUSED
from wayfolk.problem.problem import one_shot
from wayfolk.problem.record import DISTANCE, Record
from wayfolk.world.body import Body

TANKS = one_shot(wf.Grid([[1] * 6] * 4), [(0, 0), (3, 0)], [(0, 0), (3, 0)], bodies=[Body(size=2), Body()])
ROADS = wf.Roadmap(
    {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (2.0, 0.0), "d": (1.0, 1.0)}, [("a", "b"), ("b", "c"), ("b", "d")]
)
CARS = one_shot(ROADS, ["a", "c"], ["a", "c"])
DISCS = one_shot(ROADS, ["a", "c"], ["a", "c"], bodies=Body(radius=0.45))


def record_of(problem, *rows, starts=None, end=9.0):
    """A record of rows (time, agent, kind, place); places of edits are cells or edges."""
    states = problem.states

    def cell(agent, kind, place):
        if kind in (BLOCK, FREE):
            return states.world.cell(place)
        if kind in (CLOSE, OPEN):
            return states.edge(*place)
        return states.node(place, states.kind_of(int(problem.starts[agent])))

    columns = list(
        zip(*[(time, agent, kind, cell(agent, kind, place)) for time, agent, kind, place in rows], strict=True)
    )
    time, agent, kind, cells = columns or ((), (), (), ())
    return Record(
        states, problem.starts.copy() if starts is None else starts, np.array(time, float), np.array(agent, np.int32),
        np.array(kind, np.uint8), np.array(cells, np.int32), end,
    )  # fmt: skip


def faults(problem, *rows, starts=None):
    return [(fault.kind, fault.step, fault.agents) for fault in check_record(record_of(problem, *rows, starts=starts))]


@pytest.mark.parametrize(
    ("problem", "rows", "found"),
    [
        (TANKS, [(0, 0, MOVE, (1, 0)), (0, 1, MOVE, (4, 0)), (1, 0, MOVE, (2, 0))], []),
        (TANKS, [(0, 0, MOVE, (1, 0)), (2, 0, MOVE, (2, 0))], [("vertex", 2.0, (0, 1))]),
        (TANKS, [(0, 0, MOVE, (2, 0))], [("jump", 0.0, (0,)), ("vertex", 0.0, (0, 1))]),
        (TANKS, [(0, 1, MOVE, (4, 0)), (0, 1, MOVE, (5, 0))], [("jump", 0.0, (1,)), ("busy", 0.0, (1,))]),
        (TANKS, [(3, 1, LEAVE, (3, 0)), (4, 1, MOVE, (4, 0))], [("vanished", 4.0, (1,))]),
        (TANKS, [(3, 1, LEAVE, (4, 0))], [("jump", 3.0, (1,))]),
        (TANKS, [(3, 1, LEAVE, (3, 0)), (3, 1, JOIN, (1, 1))], [("vertex", 3.0, (0, 1))]),
        (TANKS, [(3, 1, JOIN, (5, 0))], [("jump", 3.0, (1,))]),
        (TANKS, [(2, 0, BLOCK, (1, 1))], [("wall", 2.0, (0,))]),
        (TANKS, [(2, 0, BLOCK, (0, 2)), (3, 0, MOVE, (0, 1))], [("wall", 3.0, (0,))]),
        (TANKS, [(2, 0, BLOCK, (0, 2)), (2, 0, FREE, (0, 2)), (3, 0, MOVE, (0, 1))], []),
        (TANKS, [(0, 0, GOAL, (0, 1)), (1, 0, MOVE, (0, 1)), (1, 0, ARRIVE, (0, 1))], []),
        (TANKS, [(0, 0, GOAL, (0, 2)), (1, 0, MOVE, (0, 1)), (1, 0, ARRIVE, (0, 1))], [("arrive", 1.0, (0,))]),
        (TANKS, [(0, 0, GOAL, (0, 1)), (1, 0, ARRIVE, (0, 1))], [("arrive", 1.0, (0,))]),
        (CARS, [(0, 0, MOVE, "b"), (1, 1, MOVE, "b"), (1, 0, MOVE, "c")], [("swap", 1.0, (0, 1))]),
        (CARS, [(0, 0, MOVE, "b"), (1, 1, MOVE, "b"), (1, 0, MOVE, "d")], []),
        (CARS, [(0, 0, MOVE, "c")], [("jump", 0.0, (0,)), ("vertex", 0.0, (0, 1))]),
        (CARS, [(0, 0, CLOSE, ("a", "b")), (1, 0, MOVE, "b")], [("jump", 1.0, (0,))]),
        (CARS, [(0, 0, CLOSE, ("b", "a")), (1, 0, MOVE, "b")], []),
        (CARS, [(0, 0, CLOSE, ("a", "b")), (1, 0, OPEN, ("a", "b")), (1, 0, MOVE, "b")], []),
        (DISCS, [(0, 0, MOVE, "b"), (1, 1, MOVE, "b"), (1, 0, MOVE, "d")], [("near", 1.0, (0, 1))]),
    ],
)  # fmt: skip
def test_a_broken_record_is_found_out(problem, rows, found):
    assert faults(problem, *rows) == found


def test_agents_that_overlap_at_the_start_are_found():
    starts = TANKS.starts.copy()
    starts[1] = TANKS.states.node((1, 1), 1)
    assert faults(TANKS, starts=starts) == [("vertex", 0.0, (0, 1))]


def test_an_agent_may_join_later():
    starts = np.array([TANKS.starts[0], NOWHERE], np.int32)
    assert faults(TANKS, (2, 1, JOIN, (3, 3)), (3, 1, MOVE, (4, 3)), starts=starts) == []


@pytest.mark.parametrize("kind", twin.WORLDS)
def test_random_walks_are_judged_as_plans_and_as_the_twin_does(kind):
    """Agents that look at nobody: some of these records are legal, most are not."""
    found_all, n_legal = set(), 0
    for number in range(30):
        problem = twin.drawn_problem(kind, number)
        record = walks(problem, np.random.default_rng(number), n_steps=3)
        found = {fault.kind for fault in check_record(record)}
        assert found == {fault.kind for fault in check(record.plan(), starts=record.starts, arrive=False)}, number
        assert bool(found) == bool(twin.faults_of_record(record)), number
        found_all |= found
        n_legal += not found
    assert n_legal
    assert found_all


def walks(problem, rng, n_steps):
    """The record of agents each of which goes along random edges."""
    graph, here, rows = problem.states.graph, problem.starts.copy(), []
    for step in range(n_steps):
        for agent, node in enumerate(here.tolist()):
            there = int(rng.choice(np.append(graph.target[graph.first[node] : graph.first[node + 1]], node)))
            if there != node:
                rows.append((step, agent, MOVE, there))
            here[agent] = there
    time, agent, kind, cell = np.array(rows or np.zeros((0, 4)), np.int64).T
    return Record(
        problem.states, problem.starts, time.astype(float), agent.astype(np.int32), kind.astype(np.uint8),
        cell.astype(np.int32), float(n_steps),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ((-1.0, 0, MOVE, 0), "row 0 of the record has a time that is not a number from 0"),
        ((0.5, 0, MOVE, 0), "row 0 of the record has a time between two steps"),
        ((0.0, 0, HOLD, 0), "row 0 of the record has an unknown kind"),
        ((0.0, 2, MOVE, 0), "row 0 of the record has an unknown agent, of 2"),
        ((0.0, 0, MOVE, 4), "row 0 of the record has a number of no node, cell or edge"),
        ((0.0, 0, CLOSE, 6), "row 0 of the record has a number of no node, cell or edge"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(row, words):
    columns = [np.array([value]) for value in row]
    with pytest.raises(BadInput, match=words):
        check_record(Record(CARS.states, CARS.starts, *columns, 9.0))


def test_other_records_are_for_points_on_grids():
    record = record_of(CARS)
    with pytest.raises(BadInput, match="a record of nodes is in the time model steps, not in 'distance'"):
        check_record(Record(CARS.states, *(getattr(record, name) for name in ("starts", "time", "agent", "kind", "cell")),
                            9.0, DISTANCE))  # fmt: skip
    with pytest.raises(NotSupported, match="this works for records of points on square grids"):
        _ = record.grid


def test_measures_of_records_follow_the_world():
    rows = [(0, 0, GOAL, "d"), (0, 0, MOVE, "b"), (1, 0, REFUSED, "c"), (2, 0, MOVE, "d"), (2, 0, ARRIVE, "d")]
    record = record_of(CARS, *rows)
    assert metrics.move_lengths(record).tolist() == [1.0, 1.0]
    end = metrics.ending(record)
    assert end.home.tolist() == [True, True]
    assert end.walked.tolist() == [2.0, 0.0]
    assert metrics.service(record).times.tolist() == [3.0]
    assert metrics.travel_distance(record.plan()) == 2.0


def test_a_body_that_turned_is_at_its_goal_in_every_heading():
    problem = one_shot(wf.Grid([[1] * 4] * 4), [(0, 0)], [(0, 0)], bodies=Body(turns=True))
    record = record_of(problem, (0, 0, GOAL, (0, 0)), (0, 0, MOVE, (0, 0, "SE")))
    assert metrics.ending(record).home.tolist() == [True]
    assert metrics.completion_rate(record.plan(), problem.goals) == 1.0
    assert metrics.travel_distance(record.plan()) == 0.0
