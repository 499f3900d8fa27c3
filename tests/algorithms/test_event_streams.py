"""Every algorithm in random worlds in which things happen: nothing breaks a rule, and nothing is read beyond an array.

Compiled code does not look whether an index is inside an array. Plain Python does, so these tests run plain as well, in
fewer worlds, and bounds-checked by `make test-bounds`. WAYFOLK_WORLDS=10000 plays more worlds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import streams
from reference import N_WORLDS, dijkstra_costs, is_legal_step, step_cost
from streams import IS_PLAIN, edited, play, random_grid, random_options, values_of
from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.trials import trials
from wayfolk.algorithms.walk import walk
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.judge.angles import check_straight_path
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import MOVE
from wayfolk.problem.problem import one_shot
from wayfolk.problem.result import Result
from wayfolk.simulation.solving import solve
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

CONTROLLERS = [entry.name for entry in catalogue.entries("controllers")]
SEARCHES = [entry.name for entry in catalogue.entries("search")]
WALKERS = [entry.name for entry in catalogue.entries("search") if not entry.facts.get("ANY_ANGLE")]
REALTIME = [entry.name for entry in catalogue.entries("realtime")]
PLANNERS = [entry.name for entry in catalogue.entries("planners")]


def worlds_for(n_algorithms: int) -> range:
    """The numbers of the worlds that each of `n_algorithms` is tried in."""
    each = -(-N_WORLDS // n_algorithms)
    return range(max(5, each // 10) if IS_PLAIN else each)


def test_an_algorithm_that_is_not_listed_gets_values_from_its_ranges(monkeypatch) -> None:
    monkeypatch.delitem(streams.VALUES, "whca")
    assert values_of("whca") == {"window": [16, 2], "resume": [False, True]}


@pytest.mark.plain
@pytest.mark.parametrize("name", CONTROLLERS)
def test_a_controller_survives_whatever_happens(name: str) -> None:
    n_moves = 0
    for seed in worlds_for(len(CONTROLLERS)):
        record = play(seed, name).record()
        assert check_record(record) == [], f"world {seed}"
        n_moves += len(record.of(MOVE))
    assert n_moves > 5 * len(worlds_for(len(CONTROLLERS)))


def edited_worlds(seed: int, name: str) -> Iterator[tuple[np.random.Generator, Grid, dict[str, Any]]]:
    """Random numbers, a world that is edited again and again, and options of `name` that stay the same."""
    rng = np.random.default_rng([seed, sum(name.encode())])
    grid = random_grid(rng, terrain=catalogue.find(name).facts.get("TERRAIN", True))
    options = random_options(rng, name, values_of(name))
    for _ in range(4):
        yield rng, grid, options
        grid = edited(rng, grid)


def path_in(rng: np.random.Generator, grid: Grid, name: str, options: dict[str, Any], **limits: Any) -> Result | None:
    """A query between two places, sometimes in walls; None if the algorithm is not for them."""
    start, goal = ((int(x), int(y)) for x, y in rng.integers(0, (grid.width, grid.height), (2, 2)))
    try:
        result = find_path(grid, start, goal, name, **limits, **options)
    except NotSupported:
        return None
    except BadProblem:
        assert not (grid.is_free(grid.cell(start)) and grid.is_free(grid.cell(goal)))
        return None
    best = dijkstra_costs(grid, grid.cell(start)).get(grid.cell(goal))
    facts = catalogue.find(name).facts
    if best is None:
        assert not result.is_solved
    if result.is_solved:
        assert (result.path[0], result.path[-1]) == (start, goal)
        if facts.get("ANY_ANGLE"):
            assert check_straight_path(grid, result.path) == []
        else:
            assert_steps(grid, result)
            assert not (facts.get("OPTIMAL") and not options and best is not None) or result.cost == pytest.approx(best)
    return result


def assert_steps(grid: Grid, result: Result) -> None:
    """Every step of the path is legal, and together they cost what the result says; a real-time search may wait."""
    total = 0.0
    for (x, y), (to_x, to_y) in pairwise(result.path):
        if (x, y) == (to_x, to_y):
            assert catalogue.find(result.algorithm).family == "realtime"
            continue
        assert is_legal_step(grid, x, y, to_x - x, to_y - y)
        total += step_cost(grid, grid.cell((x, y)), grid.cell((to_x, to_y)))
    assert total == pytest.approx(result.cost)


@pytest.mark.plain
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_survives_a_world_that_is_edited(name: str) -> None:
    n_solved = 0
    for seed in worlds_for(len(SEARCHES)):
        for rng, grid, options in edited_worlds(seed, name):
            for _ in range(2):
                result = path_in(rng, grid, name, options, expansions=5000)
                n_solved += result is not None and result.is_solved
    assert n_solved > 0


@pytest.mark.plain
@pytest.mark.parametrize("name", WALKERS)
def test_a_walker_survives_walls_that_come_and_go(name: str) -> None:
    n_steps = 0
    for seed in worlds_for(len(WALKERS)):
        rng, grid, options = next(edited_worlds(seed, name))
        start, goal = (grid.place(cell) for cell in rng.choice(grid.free_cells, 2))
        places = [[(int(x), int(y)) for x, y in rng.integers(0, (grid.width, grid.height), (3, 2))] for _ in range(16)]
        changes = [(step, places[2 * step], places[2 * step + 1]) for step in range(8)]
        for world in (grid, Graph.from_grid(grid)):
            if isinstance(world, Graph):  # it has no places in walls
                changes = [(step, *([p for p in ends if grid.is_free(grid.cell(p))] for ends in both))
                           for step, *both in changes]  # fmt: skip
            try:
                result = walk(
                    world, start, goal, name, sight=float(rng.choice([0, 1.5, 3])), changes=changes, expansions=2000,
                    **options,
                )  # fmt: skip
            except NotSupported:
                continue
            assert result.path is not None
            n_steps += len(result.path)
    assert n_steps > 0


@pytest.mark.plain
@pytest.mark.parametrize("name", REALTIME)
def test_a_real_time_search_survives_a_world_that_is_edited(name: str) -> None:
    n_solved = 0
    for seed in worlds_for(len(REALTIME)):
        for rng, grid, options in edited_worlds(seed, name):
            result = path_in(rng, grid, name, options, steps=200)
            n_solved += result is not None and result.is_solved
            if result is not None and result.is_solved and catalogue.find(name).facts.get("LEARNS"):
                assert trials(grid, result.path[0], result.path[-1], name, most=3, **options).costs
    assert n_solved > 0


@pytest.mark.plain
@pytest.mark.parametrize("name", PLANNERS)
def test_a_planner_survives_a_world_that_is_edited(name: str) -> None:
    n_solved = 0
    for seed in worlds_for(4 * len(PLANNERS)):
        for rng, grid, options in edited_worlds(seed, name):
            part = grid.components[grid.free_cells] == grid.components[rng.choice(grid.free_cells)]
            cells = grid.free_cells[part]
            n_agents = min(len(cells), int(rng.integers(1, 9)))
            starts, goals = (grid.places(rng.choice(cells, n_agents, replace=False)) for _ in range(2))
            problem = one_shot(grid, starts, goals)
            limits = {"seconds": 2, "first_plan": True}
            result = solve(problem, name, seed=int(rng.integers(100)), **limits, **options)
            if result.plan is not None:
                assert check(result.plan, problem, arrive=result.is_solved) == []
            n_solved += result.is_solved
    assert n_solved > 0
