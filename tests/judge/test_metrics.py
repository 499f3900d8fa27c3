"""The measures on plans small enough to count by hand, and what must hold for all of them."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge import metrics
from wayfolk.judge.plans import check
from wayfolk.kernels import deadline as deadlines
from wayfolk.kernels.codes import ARRIVE, GOAL, MOVE, REFUSED, SQRT2
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.record import Record
from wayfolk.world.generate import draw_pairs, random_map, without_islands
from wayfolk.world.grid import Grid, Moves

ROW = Grid(np.ones((1, 6)), "four")
ROOM = Grid(np.ones((3, 3)))


def row_plan(*paths: list[int]) -> Plan:
    """Agents in a corridor, by column."""
    return Plan(ROW, ROW.cells([(x, 0) for step in zip(*paths, strict=True) for x in step]).reshape(-1, len(paths)))


def at(*columns: int) -> np.ndarray:
    return ROW.cells([(x, 0) for x in columns])


# agent 0 walks two steps and rests; agent 1 is home, is pushed away at step 3 and comes back at step 4
PUSHED = row_plan([0, 1, 2, 2, 2, 2], [4, 4, 4, 5, 4, 4])


def test_who_leaves_its_goal_pays_for_the_time_before() -> None:
    assert metrics.rest_steps(PUSHED, at(2, 4)).tolist() == [2, 4]
    assert metrics.makespan(PUSHED, at(2, 4)) == 4
    assert metrics.sum_of_costs(PUSHED, at(2, 4)) == 6


def test_loss_forgives_what_was_rested_before() -> None:
    assert metrics.sum_of_loss(PUSHED, at(2, 4)) == 2 + 2


def test_who_never_arrives_counts_the_whole_plan() -> None:
    assert metrics.rest_steps(PUSHED, at(3, 4)).tolist() == [5, 4]
    assert metrics.makespan(PUSHED, at(3, 4)) == 5
    assert metrics.sum_of_costs(PUSHED, at(3, 4)) == 9
    assert metrics.sum_of_loss(PUSHED, at(3, 4)) == 5 + 2


def test_arriving_with_the_last_step_counts_all_steps_too() -> None:
    plan = row_plan([0, 1])
    assert metrics.rest_steps(plan, at(1)).tolist() == metrics.rest_steps(plan, at(5)).tolist() == [1]
    assert metrics.completion_rate(plan, at(1)) == 1.0
    assert metrics.completion_rate(plan, at(5)) == 0.0


def test_whoever_starts_at_home_and_stays_costs_nothing() -> None:
    plan = row_plan([3, 3, 3])
    assert metrics.makespan(plan, at(3)) == metrics.sum_of_costs(plan, at(3)) == metrics.sum_of_loss(plan, at(3)) == 0
    standing = row_plan([3])
    assert metrics.sum_of_costs(standing, at(3)) == metrics.fuel(standing) == metrics.travel_distance(standing) == 0


def test_waits_burn_no_fuel() -> None:
    assert metrics.fuel(PUSHED) == 4
    assert metrics.travel_distance(PUSHED) == 4.0


def test_a_diagonal_is_one_move_and_longer() -> None:
    cells = np.array([ROOM.cells([(0, 0), (1, 1), (2, 1), (1, 2), (1, 2)])], np.int32).T
    plan = Plan(ROOM, cells)
    assert metrics.fuel(plan) == 3
    assert metrics.travel_distance(plan) == pytest.approx(1 + 2 * SQRT2)
    assert metrics.travel_distance(Plan(Grid(ROOM.free, diagonal=1.42), cells)) == pytest.approx(1 + 2 * 1.42)


def test_completion() -> None:
    assert metrics.completion_rate(PUSHED, at(2, 4)) == 1.0
    assert metrics.completion_time(PUSHED, at(2, 4)) == 3.0
    assert metrics.completion_rate(PUSHED, at(3, 4)) == 0.5
    assert metrics.completion_time(PUSHED, at(3, 4)) == (5 + 4) / 2
    assert metrics.completion_time(PUSHED, at(3, 4), limit=30) == (30 + 4) / 2


def test_those_who_failed_after_they_had_been_home_are_told_apart() -> None:
    goals = at(1, 0)  # agent 0 passes its goal, agent 1 never sees it
    assert metrics.failed_units(PUSHED, goals) == 2
    assert metrics.strayed_units(PUSHED, goals) == 1
    assert metrics.strayed_units(PUSHED, at(2, 4)) == 0


def test_summary_holds_each_measure() -> None:
    problem = Problem(ROW, at(0, 4), at(2, 4)[:, None])
    assert metrics.summary(PUSHED, problem) == {
        "makespan": 4,
        "sum_of_costs": 6,
        "sum_of_loss": 4,
        "fuel": 4,
        "travel_distance": 4.0,
        "completion_rate": 1.0,
        "completion_time": 3.0,
        "failed_units": 0,
    }


def test_costs_are_not_defined_for_patrols() -> None:
    patrol = Problem(ROW, at(0), np.array([at(2, 0)]), loops=3)
    with pytest.raises(NotSupported, match="one goal each"):
        metrics.summary(row_plan([0, 1, 2]), patrol)
    with pytest.raises(NotSupported, match="one goal each"):
        metrics.lower_bound(patrol)


@pytest.mark.parametrize("moves", ["four", "eight"])
def test_a_lower_bound_that_may_take_no_time_is_still_one(moves, monkeypatch) -> None:
    grid = without_islands(random_map(120, 120, 0.35, seed=2, moves=moves))
    problem = one_shot(grid, *(grid.places(cells) for cells in draw_pairs(grid, 400, seed=1)))
    exact = metrics.lower_bound(problem)
    assert metrics.lower_bound(problem, 1e9) == exact
    ticks = count()
    monkeypatch.setattr(deadlines, "perf_counter", lambda: float(next(ticks)))
    bounds = [metrics.lower_bound(problem, seconds) for seconds in (0.5, 2.5, 4.5, 1e9)]
    assert bounds == sorted(set(bounds))
    assert bounds[-1] == exact
    away = np.abs(grid.places(problem.goals) - grid.places(problem.starts))
    assert bounds[0] == (away.sum(1) if moves == "four" else away.max(1)).sum()


@given(data=st.data())
def test_measures_agree_with_counting_by_hand(data: st.DataObject) -> None:
    n_agents, n_steps = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 6))
    column = st.lists(st.integers(0, 3), min_size=n_steps + 1, max_size=n_steps + 1)
    paths = data.draw(st.lists(column, min_size=n_agents, max_size=n_agents))
    wanted = data.draw(st.lists(st.integers(0, 3), min_size=n_agents, max_size=n_agents))
    costs, loss = [], 0
    for path, goal in zip(paths, wanted, strict=True):
        resting = [t for t in range(n_steps + 1) if all(x == goal for x in path[t:])]
        costs.append(min(resting, default=n_steps))
        loss += sum(not path[t] == path[t + 1] == goal for t in range(n_steps))
    plan, goals = row_plan(*paths), at(*wanted)
    assert metrics.rest_steps(plan, goals).tolist() == costs
    assert metrics.sum_of_costs(plan, goals) == sum(costs)
    assert metrics.makespan(plan, goals) == max(costs)
    assert metrics.sum_of_loss(plan, goals) == loss <= sum(costs)


@given(reference.small_problems())
def test_the_lower_bound_is_everyone_alone(problem: Problem) -> None:
    pytest.importorskip("wayfolk.kernels.distances")
    alone = [
        reference.steps_from(problem.grid, start)[goal]
        for start, goal in zip(problem.starts.tolist(), problem.goals.tolist(), strict=True)
    ]
    assert metrics.lower_bound(problem) == sum(alone)


def test_the_lower_bound_names_who_cannot_arrive() -> None:
    pytest.importorskip("wayfolk.kernels.distances")
    split = Grid([[1, 0, 1]])
    with pytest.raises(BadProblem, match=r"agent 0 cannot reach its goal \(2, 0\)"):
        metrics.lower_bound(Problem(split, split.cells([(0, 0)]), split.cells([(2, 0)])[:, None]))


def log(*rows: tuple[float, int, int], end: float = 8.0) -> Record:
    times, agents, kinds = zip(*rows, strict=True) if rows else ((), (), ())
    cells = np.full(len(rows), ROW.cell((0, 0)), np.int32)
    columns = np.array(times, float), np.array(agents, np.int32), np.array(kinds, np.uint8)
    return Record(ROW, at(0, 1, 2), *columns, cells, end)


def test_measures_of_a_record_count_rows() -> None:
    record = log((0, 0, GOAL), (1, 2, REFUSED), (1, 0, MOVE), (2, 2, REFUSED), (2, 0, ARRIVE), (3, 1, REFUSED))
    assert metrics.collisions(record) == 3
    assert metrics.collisions_by_agent(record).tolist() == [0, 1, 2]
    assert metrics.arrivals(record) == 1
    assert metrics.arrivals_by_agent(record).tolist() == [1, 0, 0]
    assert metrics.service(record).throughput == 1 / 8


def test_a_record_in_which_nothing_happens() -> None:
    record = log(end=0.0)
    assert metrics.collisions(record) == metrics.arrivals(record) == metrics.service(record).throughput == 0
    assert metrics.collisions_by_agent(record).tolist() == [0, 0, 0]


# The reference is trusted by every contract test, so its own answers are counted by hand once.

CORRIDOR_WITH_A_NICHE = Grid([[0, 0, 1, 0, 0], [1, 1, 1, 1, 1]], "four")


def test_reference_two_agents_pass_each_other_in_a_niche() -> None:
    grid = CORRIDOR_WITH_A_NICHE
    starts, goals = grid.cells([(0, 1), (4, 1)]), grid.cells([(4, 1), (0, 1)])
    # both go two steps; one takes the niche in the middle a step before the other passes, and loses two steps by it
    assert reference.joint_optimum(grid, starts, goals) == 11
    assert reference.joint_optimum(grid, starts, goals, measure="makespan") == 6
    assert reference.joint_optimum(grid, starts, goals, measure="sum_of_loss") == 11
    without = Grid(grid.free[1:], "four")
    ends = without.cells([(0, 0), (4, 0)])
    assert reference.joint_optimum(without, ends, ends[::-1]) is None
    assert not reference.all_plans_solvable(without, ends, ends[::-1])


def test_reference_waiting_at_home_is_not_free_for_who_leaves_again() -> None:
    grid = Grid([[0, 1, 0, 0], [1, 1, 1, 1]], "four")
    # agent 1 is home in the way, steps into the niche and back while agent 0 passes
    starts, goals = grid.cells([(0, 1), (1, 1)]), grid.cells([(3, 1), (1, 1)])
    assert reference.joint_optimum(grid, starts, goals) == 3 + 2
    assert reference.joint_optimum(grid, starts, goals, measure="sum_of_loss") == 3 + 2
    # from further away agent 0 comes later: the sum of costs charges agent 1 for the wait, the sum of loss does not
    longer = Grid([[0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], "four")
    starts, goals = longer.cells([(0, 1), (3, 1)]), longer.cells([(4, 1), (3, 1)])
    assert reference.joint_optimum(longer, starts, goals) == 4 + 4
    assert reference.joint_optimum(longer, starts, goals, measure="sum_of_loss") == 4 + 2


def test_reference_crossing_diagonals_is_forbidden() -> None:
    square = Grid(np.ones((2, 2)))
    starts, goals = square.cells([(0, 0), (1, 0)]), square.cells([(1, 1), (0, 1)])
    assert reference.joint_optimum(square, starts, goals) == 3
    with pytest.raises(reference.TooManyStates):
        reference.joint_optimum(square, starts, goals, max_states=1)


def test_reference_costs_of_terrain() -> None:
    grid = Grid([[1, 1, 0], [1, 1, 1]], costs=[[1, 3, 1], [2, 2, 4]])
    start = grid.cell((0, 0))
    assert reference.shortest_cost(grid, start, grid.cell((1, 1))) == pytest.approx(SQRT2 * 1.5)
    assert reference.shortest_cost(grid, start, grid.cell((2, 1))) == pytest.approx(SQRT2 * 1.5 + 3)
    assert reference.shortest_cost(grid, start, grid.cell((2, 0))) == np.inf
    assert reference.steps_from(grid, start)[grid.cell((2, 1))] == 2


@settings(max_examples=30)
@given(reference.small_problems(max_agents=2, moves=Moves.FOUR, max_side=4))
def test_reference_optima_are_in_order(problem: Problem) -> None:
    grid, starts, goals = problem.grid, problem.starts.tolist(), problem.goals.tolist()
    costs = reference.joint_optimum(grid, starts, goals)
    assert (costs is not None) == reference.all_plans_solvable(grid, starts, goals)
    if costs is None:
        return
    loss = reference.joint_optimum(grid, starts, goals, measure="sum_of_loss")
    span = reference.joint_optimum(grid, starts, goals, measure="makespan")
    assert span is not None
    assert loss is not None
    alone = [reference.steps_from(grid, start)[goal] for start, goal in zip(starts, goals, strict=True)]
    assert sum(alone) <= loss <= costs <= span * len(starts)
    assert max(alone) <= span <= costs


@given(reference.small_problems())
def test_reference_joint_moves_are_what_the_judge_allows(problem: Problem) -> None:
    here = tuple(problem.starts.tolist())
    for there in reference.joint_moves(problem.grid, here):
        assert check(Plan(problem.grid, np.array([here, there], np.int32))) == []
