"""One algorithm on one problem: how many agents arrive, at which cost, and how long its steps take.

Problems are drawn at random, by seed, so that all algorithms get the same ones. In a trial with one goal for each agent a
planner is asked for a plan, and a controller is simulated. In a lifelong trial agents get a new goal whenever they arrive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wayfolk.algorithms.catalogue import Entry
from wayfolk.algorithms.task import Task, finish
from wayfolk.errors import NotSupported, WayfolkError
from wayfolk.judge import metrics
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import REFUSED
from wayfolk.problem.problem import Problem, tasks
from wayfolk.problem.result import Status
from wayfolk.replay import Track, track_of_plan
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import make_ready, solve, usual_steps
from wayfolk.world.body import Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

SECONDS = 30.0  # the limit of a trial, unless another one is given
Tell = Callable[[Task], None] | None


@dataclass(frozen=True)
class Trial:
    """The numbers of one algorithm on one problem, and a panel for the replay."""

    algorithm: str
    seed: int
    numbers: dict[str, Any]
    agents: int = 0
    track: Track | None = field(default=None, repr=False)


def try_once(
    entry: Entry, problem: Problem, seed: int, *, seconds: float | None, steps: int | None = None, tell: Tell = None
) -> Trial:
    """Let an algorithm bring all agents to their goals, in at most so many seconds and steps."""
    make_ready(entry)
    if entry.family == "planners":
        return _planned(entry, problem, seed, seconds, tell)
    world = Simulation(problem, entry, seed=seed, clock=True)
    most = usual_steps(problem) if steps is None else steps
    result = finish(
        world, seconds=SECONDS if seconds is None else seconds, budget=most, what="steps", tell=tell, portion=8
    )
    run = world.run()
    plan, goals = run.plan(), problem.goals
    numbers = {
        "status": "solved" if result.status is Status.SOLVED else "partial",
        **_costs(metrics.summary(plan, problem), problem),
        "seconds": run.seconds,
        **_steps(run.laps),
        "refused_moves": len(run.record.of(REFUSED)),
        "faults": len([fault for fault in check(plan, problem) if fault.kind != "goal"]),
    }
    return Trial(entry.name, seed, numbers, track=track_of_plan(plan, goals, entry.label, _facts(numbers)))


def _planned(entry: Entry, problem: Problem, seed: int, seconds: float | None, tell: Tell) -> Trial:
    limit = SECONDS if seconds is None else seconds
    result = solve(problem, entry, seconds=limit, first_plan=seconds is None, seed=seed, tell=tell)
    plan = result.plan
    measured = metrics.summary(plan, problem) if plan is not None else {}
    numbers = {
        "status": result.status.value,
        **_costs(measured, problem),
        "seconds": result.seconds,
        **_steps(np.zeros(0)),
        "refused_moves": None,
        "faults": 0 if plan is None else len([fault for fault in check(plan, problem) if fault.kind != "goal"]),
    }
    track = None if plan is None else track_of_plan(plan, problem.goals, entry.label, _facts(numbers))
    return Trial(entry.name, seed, numbers, track=track)


def work_on(
    entry: Entry,
    world: Grid | Graph,
    agents: int,
    seed: int,
    *,
    steps: int,
    seconds: float | None,
    body: Body | None = None,
    tell: Tell = None,
) -> Trial:
    """Let a controller serve tasks for `steps` steps, or as many as fit into `seconds`."""
    if entry.family != "controllers":
        raise NotSupported(f"{entry.name} is a planner, and lifelong work needs a controller: leave it out")
    make_ready(entry)
    simulation = Simulation(tasks(world, agents, seed=seed, bodies=body), entry, seed=seed, clock=True)
    finish(simulation, seconds=seconds, budget=steps, what="steps", tell=tell, portion=8)
    run = simulation.run()
    service = run.service.summary()
    numbers = {
        "status": "ended" if round(run.time) >= steps else "out_of_time",
        "steps": round(run.time),
        "tasks": int(service["tasks"]),
        "throughput": service["throughput"],
        "waiting": service["waiting"],
        **{name: service[name] for name in ("service_p50", "service_p90", "service_p99")},
        "seconds": run.seconds,
        **_steps(run.laps),
        "refused_moves": len(run.record.of(REFUSED)),
        "faults": len(check_record(run.record)),
    }
    track = Track(entry.label, run.record, _facts(numbers), layers=run.layers)
    return Trial(entry.name, seed, numbers, track=track)


def _costs(measured: dict[str, float], problem: Problem) -> dict[str, Any]:
    """The costs of a plan, and how much they are above the lower bound; costs are those of plans in which all arrive."""
    arrived, bound = measured.get("completion_rate", 0.0), metrics.lower_bound(problem)
    cost = measured["sum_of_costs"] if arrived == 1.0 else None
    return {
        "arrived": arrived,
        "makespan": measured["makespan"] if arrived == 1.0 else None,
        "sum_of_costs": cost,
        "above_bound": None if cost is None or not bound else cost / bound,
    }


def _steps(laps: Any) -> dict[str, float | None]:
    """The milliseconds of the first step, in which much is prepared, and of the others: median and 99th percentile."""
    if not len(laps):
        return {"first_step_ms": None, "step_p50_ms": None, "step_p99_ms": None}
    others = laps["seconds"][1:] if len(laps) > 1 else laps["seconds"]
    half, most = (np.percentile(others, (50, 99)) * 1e3).tolist()
    return {"first_step_ms": float(laps["seconds"][0]) * 1e3, "step_p50_ms": half, "step_p99_ms": most}


def _facts(numbers: dict[str, Any]) -> dict[str, str]:
    """The numbers, for the panel of a replay; all panels have the same, so that their maps are side by side."""
    shown = {name.replace("_", " "): value for name, value in numbers.items() if not isinstance(value, str)}
    return {
        name: "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
        for name, value in shown.items()
    }


def tried(trial: Callable[[], Trial], name: str, seed: int) -> Trial:
    """The trial, or a row that says why the algorithm refuses the problem."""
    try:
        return trial()
    except WayfolkError as why:
        return Trial(name, seed, {"status": "refused", "detail": str(why)})
