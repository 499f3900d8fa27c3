"""MAPF-LNS2 and MAPF-LNS with a hundred bodies: mixed ones on a grid, discs on a roadmap."""

import itertools

import numpy as np
import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.entry import GRID
from wayfolk.algorithms.planners._sipp.fleet import SUM
from wayfolk.errors import NotSupported
from wayfolk.judge.metrics import sum_of_costs
from wayfolk.judge.plans import check
from wayfolk.problem.problem import random_problem
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan
from wayfolk.world.body import Body
from wayfolk.world.generate import random_map
from wayfolk.world.hexagons import HexGrid
from wayfolk.world.roadmap import Lane, Roadmap

N_AGENTS = 100


def mixed_bodies():
    """Points, squares, and bodies that turn or are slow, on a map with some walls."""
    kinds = [Body(), Body(size=2), Body(turns=True), Body(speed=0.5)]
    bodies = [kinds[k] for k in np.random.default_rng(0).integers(4, size=N_AGENTS)]
    return random_problem(random_map(48, 48, 0.05, seed=2, moves="four"), N_AGENTS, seed=1, bodies=bodies)


def sampled_roadmap(side=18.0, n=300, seed=0):
    """Random points with some distance between them, and lanes between those that are near."""
    rng = np.random.default_rng(seed)
    points = np.zeros((0, 2))
    for point in rng.random((40 * n, 2)) * side:
        if len(points) < n and (np.linalg.norm(points - point, axis=1) > 0.75).all():
            points = np.vstack([points, point])
    pairs = itertools.combinations(range(len(points)), 2)
    near = [(a, b) for a, b in pairs if np.linalg.norm(points[a] - points[b]) < 1.6]
    return Roadmap({k: tuple(map(float, point)) for k, point in enumerate(points)}, [Lane(a, b) for a, b in near])


def discs():
    return random_problem(sampled_roadmap(), N_AGENTS, seed=1, bodies=Body(radius=0.3))


def hexagons():
    free = np.random.default_rng(3).random((18, 18)) >= 0.1
    return random_problem(HexGrid(free), N_AGENTS, seed=1)


@pytest.mark.parametrize("drawn", [mixed_bodies, discs, hexagons])
def test_a_hundred_bodies_find_a_plan_and_better_ones(drawn):
    problem = drawn()
    task, costs = begin_plan(problem, "lns", seed=1), []
    while not task.has_plan:
        assert task.advance(50_000) is Status.RUNNING
    for _ in range(5):
        plan = task.result().plan
        assert check(plan, problem) == []
        costs.append(sum_of_costs(plan, problem.goals))
        task.advance(20_000)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]
    assert task.improvement.fleet.counts[SUM] == sum_of_costs(task.result().plan, problem.goals)


@pytest.mark.parametrize("drawn", [mixed_bodies, discs])
def test_any_portions_give_the_same_plan(drawn):
    problem = drawn()
    plans = []
    for seed in range(2):
        task, rng, left = begin_plan(problem, "lns2", seed=5), np.random.default_rng(seed), 400_000
        while left > 0 and not task.status.is_final:
            portion = min(left, int(rng.integers(1, 4000)))
            task.advance(portion)
            left -= portion - task.unspent
        assert task.status is Status.SOLVED
        plans.append(task.result().plan.cells)
    assert np.array_equal(*plans)


def test_the_first_plan_comes_from_a_planner_that_works_there():
    first = next(entry.name for entry in catalogue.entries("planners") if entry.worlds == GRID)
    with pytest.raises(NotSupported, match=f"{first} works for points on square grids only"):
        begin_plan(hexagons(), "lns", first=first)
