"""OD+ID: groups that do not collide, each with a plan of least cost for itself."""

import itertools

import numpy as np
import pytest

import body_reference as twin
from reference import meets
from wayfolk.algorithms.planners._groups.joint_moves import moves_of
from wayfolk.algorithms.planners._groups.other_paths import first_conflict
from wayfolk.files.maps import parse_ascii
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.kernels.codes import NOBODY
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Moves


def crowd(n_agents, seed, moves="four", side=16):
    grid = random_map(side, side, 0.15, seed=seed, moves=moves)
    starts, goals = draw_pairs(grid, n_agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


def ended(problem, **options):
    task = begin_plan(problem, "od_id", **options)
    while not task.advance(5000).is_final:
        pass
    return task


@pytest.mark.parametrize("moves", ["four", "eight"])
@pytest.mark.parametrize("detection", ["simple", "enhanced"])
def test_groups_are_optimal_alone_and_independent(moves, detection):
    problem = crowd(10, seed=2, moves=moves)
    task = ended(problem, detection=detection)
    assert check(task.result().plan, problem) == []
    assert sorted(agent for group in task.groups for agent in group.agents) == list(range(10))
    for group in task.groups:
        agents = list(group.agents)
        alone = solve(Problem(problem.grid, problem.starts[agents], problem.routes[agents]), "od")
        assert group.cost == group.least == sum_of_costs(alone.plan, problem.goals[agents])
    assert sum_of_costs(task.result().plan, problem.goals) == task.cost


def test_enhanced_detection_merges_less_at_the_same_cost():
    n_groups = {}
    for detection in ("simple", "enhanced"):
        tasks = [ended(crowd(10, seed), detection=detection) for seed in range(6)]
        n_groups[detection] = [len(task.groups) for task in tasks]
        n_groups[detection, "costs"] = [task.cost for task in tasks]
        assert any(task.counters.replans for task in tasks) == (detection == "enhanced")
    assert n_groups["simple", "costs"] == n_groups["enhanced", "costs"]
    assert sum(n_groups["simple"]) < sum(n_groups["enhanced"])


@pytest.mark.plain
def test_a_group_without_a_plan_makes_all_impossible():
    grid = parse_ascii("...##\n##.##\n.....\n.....", moves="four")
    problem = one_shot(grid, [(0, 0), (1, 0), (0, 2), (4, 2)], [(1, 0), (0, 0), (4, 2), (0, 2)])
    result = solve(one_shot(parse_ascii("..\n##\n..", moves="four"), [(0, 0), (1, 0)], [(1, 0), (0, 0)]), "od_id")
    assert result.status is Status.IMPOSSIBLE
    assert "agents 0, 1 have no plan" in result.detail
    assert check(solve(problem, "od_id").plan, problem) == []


@pytest.mark.plain
def test_conflicts_are_found_as_the_rules_say():
    """Random paths of two to four agents, compared with the rules for every pair of moves."""
    rng = np.random.default_rng(4)
    grid = random_map(4, 4, 0.0, moves=Moves.EIGHT)
    moves = moves_of(grid)
    n_without = 0
    for _ in range(200):
        n_agents, n_steps = int(rng.integers(2, 5)), int(rng.integers(0, 4))
        paths = np.zeros((n_agents, n_steps + 1), np.int32)
        paths[:, 0] = rng.choice(grid.free_cells, n_agents, replace=False)
        for agent, step in itertools.product(range(n_agents), range(n_steps)):
            legal = [k for k in range(8) if (grid.legal[paths[agent, step]] >> k) & 1]
            paths[agent, step + 1] = paths[agent, step] + grid.offsets[rng.choice(legal)]
        ends = rng.integers(0, n_steps + 1, n_agents).astype(np.int32)
        stays = paths[np.arange(n_agents)[:, None], np.minimum(np.arange(n_steps + 1), ends[:, None])]
        one, other = first_conflict(moves, paths, ends)
        assert (moves.before == NOBODY).all()
        assert (moves.after == NOBODY).all()
        expected = [
            (step, {a, b})
            for step, a, b in itertools.product(range(n_steps), range(n_agents), range(n_agents))
            if a < b and meets(grid, tuple(stays[a, step : step + 2]), tuple(stays[b, step : step + 2]))
        ]
        n_without += not expected
        if expected:
            assert {int(one), int(other)} in [pair for step, pair in expected if step == expected[0][0]]
        else:
            assert one == NOBODY
    assert 20 < n_without < 180


@pytest.mark.plain
@pytest.mark.parametrize("kind", ["squares", "mixed squares", "turning", "cubes", "discs", "slow discs"])
def test_conflicts_of_bodies_are_found_as_the_rules_say(kind):
    """Random paths in tiny worlds, compared with the rules for every pair of moves."""
    n_found, n_without = 0, 0
    for number in range(30):
        problem, rng = twin.drawn_problem(kind, number), np.random.default_rng(number)
        moves, n_agents, n_steps = moves_of(problem.states), problem.n_agents, int(rng.integers(1, 4))
        graph = problem.states.graph
        paths = np.repeat(problem.starts[:, None], n_steps + 1, axis=1)
        for agent, step in itertools.product(range(n_agents), range(n_steps)):
            here = paths[agent, step]
            ends = [here, *graph.target[graph.first[here] : graph.first[here + 1]]]
            paths[agent, step + 1] = rng.choice(ends)
        one, other = first_conflict(moves, paths, np.full(n_agents, n_steps, np.int32))
        assert (moves.holder == NOBODY).all()
        states = [[twin.state_of(problem, int(node)) for node in path] for path in paths]
        expected = [
            (step, {a, b})
            for step, (a, b) in itertools.product(range(n_steps), itertools.combinations(range(n_agents), 2))
            if twin.clash(
                problem.world, problem.body(a), tuple(states[a][step : step + 2]),
                problem.body(b), tuple(states[b][step : step + 2]),
            )
        ]  # fmt: skip
        if expected:
            assert {int(one), int(other)} in [pair for step, pair in expected if step == expected[0][0]], number
        else:
            assert one == NOBODY, number
        n_found, n_without = n_found + bool(expected), n_without + (not expected)
    assert min(n_found, n_without) > 3
