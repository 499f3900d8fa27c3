"""Auto: the parts work together, the plan is never worse than theirs, and small problems are proved."""

import subprocess
import sys

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.planners._parallel import parallelised
from wayfolk.compile.jit import is_plain
from wayfolk.contracts.reference import joint_optimum
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve
from wayfolk.world.body import Body
from wayfolk.world.generate import draw_pairs, random_map
from wayfolk.world.grid import Grid
from wayfolk.world.hexagons import HexGrid


def crowd(agents, side=24, seed=0):
    grid = random_map(side, side, 0.15, seed=seed, moves="four")
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))


NEEDS = """
import sys
from pathlib import Path
import wayfolk as wf
from wayfolk.compile import code_files
used, read = set(), code_files.read
def noted(file, *how):
    used.add(file.parent.name.rpartition("-")[0])
    return read(file, *how)
code_files.read = noted
grid = wf.read_map("rooms")
result = wf.solve(wf.read_scen("rooms", grid, agents=5), **eval(sys.argv[1]))
print(result.status.value, *sorted(used & {"config_search", "repair", "low_level"}))
"""


@pytest.mark.skipif(is_plain(), reason="nothing is compiled")
@pytest.mark.parametrize("limits", ["{}", "{'seconds': 5, 'first_plan': True}"])
def test_the_first_plan_waits_for_no_kernel_of_the_parts_that_improve_it(limits):
    done = subprocess.run(
        [sys.executable, "-c", NEEDS, limits], capture_output=True, text=True, check=True, timeout=300
    )
    assert done.stdout.split() == ["solved", "config_search"]


@pytest.mark.parametrize("seed", range(6))
def test_few_agents_get_a_plan_that_is_proved_to_be_optimal(seed):
    problem = crowd(3, side=4, seed=seed)
    result = solve(problem, "auto", seconds=60)
    assert (result.status, result.bound) == (Status.SOLVED, 1.0)
    best = joint_optimum(problem.grid, problem.starts, problem.goals)
    assert sum_of_costs(result.plan, problem.goals) == best


def test_the_plan_is_never_worse_than_those_of_its_parts():
    problem = crowd(120)
    task = begin_plan(problem, "auto", seed=1)
    last = np.inf
    for _ in range(12):
        task.advance(2000)
        result = task.result()
        if result.plan is None:
            continue
        assert check(result.plan, problem) == []
        cost = sum_of_costs(result.plan, problem.goals)
        plans = [part.result().plan for part in (task.lacam, task.improvement) if part is not None]
        assert cost <= min(sum_of_costs(plan, problem.goals) for plan in plans if plan is not None)
        assert cost <= last
        last = cost
    assert last < np.inf


def test_the_first_plan_has_no_detours_and_its_improvement_uses_the_distances_of_lacam():
    problem = crowd(120)
    task = begin_plan(problem, "auto", seed=1)
    while not task.has_plan:
        task.advance(1000)
    plan, raw = task.result().plan, task.lacam.result().plan
    assert sum_of_costs(plan, problem.goals) < sum_of_costs(raw, problem.goals)
    assert np.array_equal(plan.cells, parallelised(raw).cells)
    task.advance(10)
    assert np.shares_memory(task.improvement.fleet.fields.steps, task.lacam.fields.steps)


def test_the_seed_decides_the_first_plan():
    problem = crowd(80)
    one, two, other = (solve(problem, "auto", seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(one.plan.cells, two.plan.cells)
    assert not np.array_equal(one.plan.cells, other.plan.cells)


def test_what_cannot_be_solved_is_impossible():
    corridor = Grid(np.ones((1, 5), bool), "four")
    result = solve(one_shot(corridor, [(0, 0), (4, 0)], [(4, 0), (0, 0)]), "auto")
    assert result.status is Status.IMPOSSIBLE
    assert result.detail == "no plan brings all agents to their goals"


def test_solve_uses_auto_unless_told_otherwise():
    assert solve(crowd(10)).algorithm == "auto"


@pytest.mark.plain
def test_bodies_get_a_plan_that_is_proved_to_be_optimal():
    grid = Grid(np.ones((4, 5)), "four")
    problem = one_shot(grid, [(0, 0), (3, 0)], [(3, 0), (0, 0)], bodies=Body(size=2))
    result = solve(problem, "auto", seconds=200)
    assert check(result.plan, problem) == []
    least = sum_of_costs(solve(problem, "od").plan, problem.goals)
    assert (result.bound, sum_of_costs(result.plan, problem.goals)) == (1.0, least)


@pytest.mark.plain
def test_parts_that_do_not_work_in_a_world_are_left_out(monkeypatch):
    for name in ("lns", "cbs"):
        monkeypatch.setitem(catalogue.find(name, "planners").facts, "WORLDS", "grid")
    problem = one_shot(HexGrid(np.ones((3, 3))), [(0, 0), (2, 2)], [(2, 2), (0, 0)])
    task = begin_plan(problem, "auto")
    while not task.advance(1000).is_final:
        pass
    assert (task.proof, task.improvement) == (None, None)
    assert check(task.result().plan, problem) == []
