"""The three verbs of the library: `find_path`, `solve` and (in `simulation`) `simulate`."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from wayfolk import catalogue
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.problem import Problem, one_shot
from wayfolk.result import Result, Status
from wayfolk.simulation import Simulation
from wayfolk.task import Task, finish


def begin_path(world: Grid | Graph, start: Any, goal: Any, algorithm: str = "astar", **options: Any) -> Task:
    """A search or a walker that can be advanced step by step; `start` and `goal` are places, checked here."""
    entry = catalogue.find(algorithm, "search", "realtime")
    refuse(entry, world)
    ends = _end(world, start, "start"), _end(world, goal, "goal")
    task: Task = entry.load()(world, *ends, **entry.checked(options))
    return task


def _end(world: Grid | Graph, place: Any, what: str) -> int:
    """The cell of `place`, which must be free."""
    cell = int(place) if isinstance(place, np.integer) and isinstance(world, Grid) else world.cell(place)
    if not world.is_free(cell):
        raise BadProblem(f"the {what} {world.place(cell)} is in a wall")
    return cell


def refuse(entry: catalogue.Entry, world: Grid | Graph) -> None:
    """Complain if the facts of an algorithm say that it is not for this world."""
    allowed = entry.facts.get("MOVES")
    if not isinstance(world, Grid):
        if entry.facts.get("WORLDS") == "grid":
            raise NotSupported(f"{entry.name} works on grids, not on graphs")
    elif allowed and world.moves.value not in allowed:
        raise NotSupported(f"{entry.name} works with the moves {', '.join(allowed)}, not {world.moves.value}")
    elif entry.facts.get("TERRAIN") is False and world.costs is not None:
        raise NotSupported(f"{entry.name} works where all cells cost the same, and this map has terrain costs")


def find_path(
    world: Grid | Graph,
    start: Any,
    goal: Any,
    algorithm: str = "astar",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    steps: int | None = None,
    **options: Any,
) -> Result:
    """The path from `start` to `goal` (places: `(x, y)` on a grid), or why there is none.

    A search is limited by `expansions`; a real-time search walks, and is limited by `steps` (its own `expansions`, where
    it has such an option, are for each plan).
    """
    entry = catalogue.find(algorithm, "search", "realtime")
    is_walk = entry.family == "realtime"
    if expansions is not None and any(option.name == "expansions" for option in entry.options):
        options["expansions"], expansions = expansions, None
    if (expansions if is_walk else steps) is not None:
        raise NotSupported(f"{algorithm} is limited by {'steps' if is_walk else 'expansions'} or seconds")
    if seconds is not None:
        make_ready(algorithm)
    task = begin_path(world, start, goal, algorithm, **options)
    result = finish(task, seconds=seconds, expansions=steps if is_walk else expansions)
    result.algorithm, result.options = algorithm, options
    return result


def begin_plan(problem: Problem, algorithm: str, *, seed: int = 0, **options: Any) -> Task:
    """A planner or a simulated controller that can be advanced; what `solve` runs."""
    entry = catalogue.find(algorithm, "planners", "controllers")
    if seed < 0:
        raise BadProblem(f"seed must be 0 or more, not {seed}")
    if entry.family == "planners":
        if problem.shared_goals:
            raise BadProblem(f"{_told(problem)}: there is no plan for that, but controllers will do what they can")
        task: Task = entry.load()(problem, seed=seed, **entry.checked(options))
        return task
    return Simulation(problem, entry.name, seed=seed, own=options)


def _told(problem: Problem) -> str:
    """Who has the same goal, in a sentence."""
    place = problem.grid.place
    named = [
        f"agents {', '.join(map(str, agents))} share the goal {place(goal)}" for goal, agents in problem.shared_goals
    ]
    return "; ".join(named)


def solve(
    problem: Problem,
    algorithm: str = "whca",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    steps: int | None = None,
    seed: int = 0,
    tell: Callable[[Task], None] | None = None,
    **options: Any,
) -> Result:
    """A plan for everyone, by a planner, or by a controller that is simulated for at most `steps`.

    `expansions` limit a planner; to a controller that has such an option, BMAA* for one, they are that. Without `steps`, a
    controller may take 1,000 steps more than ten times the map's width and height. A controller's legal plan in which some
    do not arrive is PARTIAL; if agents share a goal, its `detail` names them.
    """
    if not problem.is_one_shot:
        raise BadProblem("only agents with one goal each have a plan: simulate patrols and tasks")
    if steps is not None and steps < 1:
        raise BadProblem(f"steps must be 1 or more, not {steps}")
    entry = catalogue.find(algorithm, "planners", "controllers")
    if expansions is not None and entry.family == "controllers":
        if "expansions" not in [option.name for option in entry.options]:
            raise NotSupported("a controller is limited by steps or seconds, not by expansions")
        options["expansions"] = expansions
    if steps is not None and entry.family == "planners":
        raise NotSupported("a planner is limited by expansions or seconds, not by steps")
    if seconds is not None:
        make_ready(algorithm)
    began = time.perf_counter()
    task = begin_plan(problem, algorithm, seed=seed, **options)
    if isinstance(task, Simulation):
        limit = 1000 + 10 * (problem.grid.width + problem.grid.height) if steps is None else steps
        result = finish(task, seconds=seconds, expansions=limit, tell=tell, portion=8)
        if not result.is_solved and result.plan is not None:
            result.detail = f"stopped after {result.plan.n_steps} steps: {result.status.value}"
            result.status = Status.PARTIAL
            if problem.shared_goals:
                result.detail += f"; {_told(problem)}"
    else:
        result = finish(task, seconds=seconds, expansions=expansions, tell=tell)
    result.algorithm, result.options, result.seed = algorithm, options, seed
    result.seconds = time.perf_counter() - began
    if result.plan is not None and result.first_seconds is None:
        result.first_seconds = result.seconds
    return result


@cache
def make_ready(algorithm: str) -> None:
    """Load or compile the kernels of `algorithm` by solving something tiny: a deadline is not for compiling."""
    entry = catalogue.find(algorithm)
    grid = Grid(np.ones((4, 4)), entry.facts.get("MOVES", ["eight"])[0])
    if entry.family in ("search", "realtime"):
        find_path(grid, (0, 0), (3, 3), entry.name)
    else:
        solve(one_shot(grid, [(0, 0), (3, 0)], [(3, 3), (0, 3)]), entry.name)
