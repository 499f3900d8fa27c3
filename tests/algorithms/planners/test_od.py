"""OD: the least cost for all objectives, also when an agent has to leave its goal; a row of places is expanded once."""

import numpy as np
import pytest

import body_reference as twin
from reference import joint_optimum
from wayfolk.algorithms.planners._groups import search
from wayfolk.algorithms.planners._groups.nodes import N_NODES, N_ROWS
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import makespan, sum_of_costs, sum_of_loss
from wayfolk.judge.plans import check
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid, Moves

MEASURES = {"sum_of_costs": sum_of_costs, "makespan": makespan, "sum_of_loss": sum_of_loss}


def doorway():
    """The second agent begins on its goal, and has to let the first one pass."""
    grid = parse_ascii(".....\n##.##", moves="four")
    return one_shot(grid, [(0, 0), (2, 0)], [(4, 0), (2, 0)])


def crowd(n_agents, seed=1, moves="four"):
    grid = random_map(7, 7, 0.2, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


@pytest.mark.plain
@pytest.mark.parametrize(("objective", "least"), [("sum_of_costs", 7), ("sum_of_loss", 6), ("makespan", 4)])
def test_waits_on_a_goal_that_is_left_again_are_charged(objective, least):
    """It leaves at step 2 and is back at step 3: a sum of costs of 4 + 3, and a loss of 4 + 2."""
    problem = doorway()
    result = solve(problem, "od", objective=objective)
    assert check(result.plan, problem) == []
    assert MEASURES[objective](result.plan, problem.goals) == least
    assert joint_optimum(problem.grid, problem.starts, problem.goals, measure=objective) == least
    assert result.bound == 1.0


@pytest.mark.parametrize("objective", MEASURES)
def test_every_objective_is_least(objective):
    for seed in range(25):
        rng = np.random.default_rng(seed)
        grid = Grid(rng.random((3, 3)) >= 0.2, rng.choice(list(Moves)))
        n_agents = int(rng.integers(1, 4))
        if len(grid.free_cells) < n_agents:
            continue
        starts, goals = (rng.choice(grid.free_cells, n_agents, replace=False) for _ in range(2))
        problem = Problem(grid, starts, goals[:, None])
        result = solve(problem, "od", objective=objective)
        least = joint_optimum(grid, starts, goals, measure=objective)
        assert result.is_solved == (least is not None)
        if result.is_solved:
            assert check(result.plan, problem) == []
            assert MEASURES[objective](result.plan, goals) == least
        else:
            assert result.status is Status.IMPOSSIBLE


@pytest.mark.parametrize("kind", ["turning", "discs", "squares"])
def test_no_plan_of_another_objective_is_better_for_bodies(kind):
    n_solved = 0
    for number in range(12):
        problem, optimum = twin.tiny_problem(kind, number)
        results = {objective: solve(problem, "od", objective=objective) for objective in MEASURES}
        assert {result.is_solved for result in results.values()} == {optimum is not None}, number
        if optimum is None:
            continue
        n_solved += 1
        for objective, measure in MEASURES.items():
            values = {name: measure(result.plan, problem.goals) for name, result in results.items()}
            assert values[objective] == min(values.values()), (number, values)
            assert check(results[objective].plan, problem) == [], number
        assert sum_of_costs(results["sum_of_costs"].plan, problem.goals) == optimum, number
    assert n_solved > 4


@pytest.mark.plain
def test_what_cannot_be_solved_is_impossible():
    grid = parse_ascii("...#.", moves="four")
    swap = solve(one_shot(grid, [(0, 0), (2, 0)], [(2, 0), (0, 0)]), "od")
    assert (swap.status, swap.detail) == (Status.IMPOSSIBLE, "all that the agents can do was tried")
    starts, goals = (np.array([grid.cell((x, 0)) for x in row], np.int32) for row in ((0, 4), (2, 1)))
    apart = solve(Problem(grid, starts, goals[:, None]), "od")
    assert (apart.status, apart.detail) == (Status.IMPOSSIBLE, "agent 1 cannot reach its goal (1, 0)")


@pytest.mark.plain
@pytest.mark.parametrize("moves", ["four", "eight"])
def test_f_never_falls_and_no_row_is_there_twice(moves):
    task = begin_plan(crowd(4, moves=moves), "od")
    while not task.advance(500).is_final:
        pass
    nodes = task.search.nodes
    n_nodes, n_rows = int(nodes.counts[N_NODES]), int(nodes.counts[N_ROWS])
    tree = nodes.tree[:n_nodes]
    f = tree["g"] + tree["h"]
    assert (f[tree["parent"]] <= f).all()
    rows = nodes.places[:n_rows]
    assert len(np.unique(rows, axis=0)) == n_rows
    assert task.search.expanded > 20


@pytest.mark.plain
def test_memory_that_is_full_ends_it(monkeypatch):
    problem = crowd(6)
    task = begin_plan(problem, "od")
    monkeypatch.setattr(search, "available_bytes", lambda: 1 << 16)
    while not task.advance(1000).is_final:
        pass
    assert task.status is Status.OUT_OF_BUDGET
    assert "memory is full" in task.result().detail
    assert task.result().plan is None


def test_arrays_that_grow_change_nothing():
    problem = crowd(7)
    result = solve(problem, "od")
    assert result.counters.generated > 1 << 11
    assert check(result.plan, problem) == []
    assert sum_of_costs(result.plan, problem.goals) == sum_of_costs(solve(problem, "od_id").plan, problem.goals)
