"""Many agents: `solve` finds a plan, `simulate` lets a controller move the agents."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.entry import GRID
from wayfolk.algorithms.paths import tiny_grid
from wayfolk.algorithms.refusals import shared_goals
from wayfolk.algorithms.suitability import complete_for, with_objective
from wayfolk.algorithms.task import Task, begin_task, begin_within, checked_limits, finish
from wayfolk.errors import BadProblem, NotSupported
from wayfolk.kernels.distances import UNREACHED
from wayfolk.machine import memory_limit
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.problem.result import Result, Status
from wayfolk.simulation.run import Run
from wayfolk.simulation.simulation import Simulation
from wayfolk.world.graph import Graph
from wayfolk.world.spots import fewest_steps


def begin_plan(problem: Problem, algorithm: Any, *, seed: int = 0, **options: Any) -> Task:
    """The task that `solve` advances: a planner, or the simulation of a controller."""
    entry = catalogue.find(algorithm, "planners", "controllers")
    return _begin(problem, entry, seed, _checked_objective(entry, options))


def _begin(problem: Problem, entry: catalogue.Entry, seed: int, options: dict[str, Any]) -> Task:
    if entry.family == "controllers":
        return Simulation(problem, entry, seed=seed, own=options)
    return begin_task(entry, (problem,), options, seed)


def _checked_objective(entry: catalogue.Entry, options: dict[str, Any]) -> dict[str, Any]:
    """`options`, if the objective among them is one that the algorithm can minimise."""
    return with_objective(entry, options["objective"], options) if "objective" in options else options


def solve(
    problem: Problem,
    algorithm: Any = "auto",
    *,
    seconds: float | None = None,
    expansions: int | None = None,
    steps: int | None = None,
    memory: int | None = None,
    first_plan: bool = False,
    seed: int = 0,
    objective: str | None = None,
    tell: Callable[[Task], None] | None = None,
    **options: Any,
) -> Result:
    """Find a plan for all agents, by a planner, or by a controller that is simulated for at most `steps`.

    `seconds` is the deadline; preparations count, compiling does not. `memory` is how many bytes more the process may take,
    by default until it holds half of the machine's; at the limit the best plan so far is returned. An anytime planner
    improves its plan until the deadline; with `first_plan`, or without `seconds` and `expansions`, it returns its first
    plan. `expansions` limit a planner; a controller that has an option of that name, such as BMAA*, gets it as its option.
    Without `steps`, a controller may take 1,000 steps more than ten times the map's width and height; in other worlds and
    for other bodies, more than ten times the steps that the farthest agent needs alone. `objective` is what an algorithm
    with that option minimises: "makespan", "sum_of_costs" or "sum_of_loss". `tell` is called with the task now and then.
    Returns a Result: its `plan` is PARTIAL if a controller does not bring all agents to their goals; if agents share a
    goal, its `detail` names them. If the problem is not solved, `blockages` says who stands in whose way, and `complete`
    which algorithms to try.
    """
    if not problem.is_one_shot:
        raise BadProblem("only agents with one goal each have a plan: simulate patrols and tasks")
    entry = catalogue.find(algorithm, "planners", "controllers")
    options = _checked_objective(entry, options if objective is None else options | {"objective": objective})
    is_controller = entry.family == "controllers"
    if expansions is not None and is_controller:
        if "expansions" not in [option.name for option in entry.options]:
            raise NotSupported(f"{entry.name} is limited by steps or seconds, not by expansions: it is a controller")
        options["expansions"], expansions = expansions, None
    checked_limits(seconds=seconds, expansions=expansions, steps=steps, memory=memory)
    if steps is not None and not is_controller:
        raise NotSupported(f"{entry.name} is limited by expansions or seconds, not by steps: it is a planner")
    first_plan = first_plan or (seconds is None and expansions is None)
    make_ready(entry, first_plan, problem.is_plain)
    with memory_limit(memory):
        task, spent = begin_within(seconds, entry, lambda: _begin(problem, entry, seed, options))
        if isinstance(task, Simulation):
            most = _usual_steps(problem) if steps is None else steps
            result = finish(task, seconds=seconds, budget=most, what="steps", tell=tell, portion=8, spent=spent)
        else:
            result = finish(task, seconds=seconds, budget=expansions, tell=tell, first_plan=first_plan, spent=spent)
    if isinstance(task, Simulation):
        if not result.is_solved and result.plan is not None:
            why = result.detail or result.status.value
            result.detail = f"stopped after {result.plan.n_steps} steps: {why}"
            result.status = Status.PARTIAL
            if problem.shared_goals:
                result.detail += f"; {shared_goals(problem)}"
    elif result.plan is None and not result.detail:
        if result.status is Status.OUT_OF_TIME:
            result.detail = f"no plan within {seconds:g} seconds"
        elif result.status is Status.OUT_OF_BUDGET:
            result.detail = f"no plan within the limit of {expansions:,} expansions"
    result.seed = seed
    result.problem = problem
    if not result.is_solved and result.status is not Status.IMPOSSIBLE:
        result.complete = complete_for(problem)
    if result.first_seconds is None and result.plan is not None:
        result.first_seconds = result.seconds
    return result


def _usual_steps(problem: Problem) -> int:
    """How many steps a controller may take to bring all agents to their goals, if the caller does not say."""
    if problem.is_plain:
        return int(1000 + 10 * (problem.grid.width + problem.grid.height))
    steps = fewest_steps(problem.states, problem.starts, problem.goals)
    return 1000 + 10 * int(steps[steps != UNREACHED].max(initial=0))


def simulate(
    problem: Problem,
    controller: Any = "whca",
    *,
    until: float | None = None,
    seconds: float | None = None,
    memory: int | None = None,
    tell: Callable[[Task], None] | None = None,
    **options: Any,
) -> Run:
    """Let `controller` move the agents until all are done, the clock shows `until`, or `seconds` have passed.

    `memory` is how many bytes more the process may take, by default until it holds half of the machine's.
    Other options go to the simulation (`model`, `tick`, `events`, `vision`, `seed`, `clock`, `own`) and to the controller.
    `tell` is called with the simulation now and then. Returns the Run, with its record and metrics.
    """
    entry = catalogue.find(controller, "controllers")
    checked_limits(seconds=seconds, until=until, memory=memory)
    until = None if until == np.inf else until
    if problem.pool.size and until is None and seconds is None:
        raise BadProblem("tasks never end: say until which time, or for how many seconds, to simulate")
    if seconds is not None:
        make_ready(entry, is_plain=problem.is_plain)
    with memory_limit(memory):
        simulation, spent = begin_within(None, entry, lambda: Simulation(problem, entry, **options))
        assert isinstance(simulation, Simulation)
        ticks = None if until is None else max(1, int(np.ceil(until / simulation.tick)))
        result = finish(simulation, seconds=seconds, budget=ticks, what="ticks", tell=tell, portion=8, spent=spent)
    run = simulation.run()
    run.status, run.detail = result.status, result.detail
    return run


@cache
def make_ready(algorithm: Any, first_plan: bool = False, is_plain: bool = True) -> None:
    """Load or compile the kernels of `algorithm` by solving something tiny: compiling does not count as planning.

    The kernels are those for points on a square grid (`is_plain`), or those for all other worlds and bodies, if there are
    such. With `first_plan`, those that an anytime planner needs for better plans only are left out.
    A controller of the caller's own, which is for one run, is left alone.
    """
    entry = catalogue.find(algorithm, "planners", "controllers")
    if entry.once:
        return
    if not is_plain and entry.worlds == GRID:
        return
    grid = tiny_grid(entry)
    problem = one_shot(grid if is_plain else Graph.from_grid(grid), [(0, 0), (3, 0)], [(3, 3), (0, 3)])
    finish(_begin(problem, entry, 0, {}), budget=1000, what="steps", portion=8, first_plan=first_plan)
