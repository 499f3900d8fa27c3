"""Planners look at the clock often: between two looks they do a bounded amount of work, also on large maps."""

from functools import cache

import pytest

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.planners._cbs.search import ConflictSearch
from wayfolk.algorithms.planners._cbs.tables import EXPANDED
from wayfolk.algorithms.planners.lacam.task import AT_ONCE
from wayfolk.algorithms.planners.mapp.paths import WORK
from wayfolk.algorithms.planners.mapp.task import Mapp
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_scen
from wayfolk.problem.result import Status
from wayfolk.simulation.solving import begin_plan, solve

MAPS = ("maze-128-128-1", "w_woundedcoast", "orz900d", "warehouse-20-40-10-2-2", "Paris_1_256")
MOST = 1 << 16  # expansions in a slice: some milliseconds
NO_END = 1 << 40  # a budget that no slice uses up, so that only the clock ends it
SLICES = 60
PLANNERS = [entry.name for entry in catalogue.entries("planners")]


@cache
def problem_on(folder, name, agents=20):
    return read_scen(folder / f"{name}-random-1.scen", read_map(folder / f"{name}.map", "four"), agents)


def work_of(task):
    """The expansions so far: of a conflict-based search also those for single agents, of MAPP the cells it looked at."""
    if isinstance(task, ConflictSearch):
        return int(task.tables.counts[EXPANDED])
    return int(task.paths.counts[WORK]) if isinstance(task, Mapp) else task.result().expanded


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("name", MAPS)
def test_a_slice_that_is_over_ends_soon(planner, name, movingai):
    problem = problem_on(movingai / "mapf", name)
    most = MOST + len(problem.grid.free_cells)  # a search for distances may cross the map
    if planner == "auto":  # two planners at a time
        most *= 2
    if planner == "mapp":  # it looks for ways around many cells of a path
        most *= 32
    task = begin_plan(problem, planner)
    slices = 6 if planner == "mapp" else SLICES
    for _ in range(slices):
        before = work_of(task)
        task.until = 0.0  # it is over already: the task returns when it looks at the clock first
        if task.advance(NO_END).is_final:
            break
        done = work_of(task) - before
        assert done <= most
        assert NO_END - task.unspent - done <= (
            AT_ONCE if planner == "lacam" else 1
        )  # distance fields count as one each
    assert work_of(task) > 0  # slices without any time go on, too


@pytest.mark.parametrize("planner", ["cbs", "eecbs"])
def test_long_routes_take_little_memory(planner, movingai):
    problem = problem_on(movingai / "mapf", "maze-128-128-1")
    task = begin_plan(problem, planner)
    for _ in range(SLICES):
        task.until = 0.0
        task.advance(1 << 12)
    arrays = task.tables._asdict()
    arrays |= arrays.pop("moves")._asdict()
    head = arrays.pop("head")  # mapped, but taken for the cells that routes use only
    assert sum(array.nbytes for array in arrays.values()) < 64e6
    assert head.nbytes < 200e6


def test_a_search_that_was_interrupted_everywhere_finds_the_same_plan(movingai):
    problem = problem_on(movingai / "mapf", "random-32-32-20", 40)
    whole = solve(problem, "cbs", expansions=1000)
    task = begin_plan(problem, "cbs")
    n_slices = 0
    while not task.status.is_final:
        task.until = 0.0
        task.advance()
        n_slices += 1
    assert task.status is whole.status is Status.SOLVED
    assert (task.result().plan.cells == whole.plan.cells).all()
    assert n_slices > problem.n_agents
