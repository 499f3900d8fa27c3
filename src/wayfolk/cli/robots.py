"""Robots on a map, for the verb run: endless tasks, or the orders of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wayfolk.cli.progress import spinner
from wayfolk.cli.worlds import BodyOptions, problem_of, read_world_file

if TYPE_CHECKING:
    from wayfolk.algorithms.catalogue import Entry
    from wayfolk.problem.problem import Problem
    from wayfolk.simulation.run import Run
    from wayfolk.simulation.simulation import Simulation

UNTIL = 1000.0  # the end of a run on a map, unless another one is given


@dataclass(frozen=True)
class Robots:
    """Where robots begin: `random` of them are drawn by the seed, or they have the starts of the first rows of `scen`.

    All have the body that the `options` say.
    """

    random: int | None
    scen: Path | None
    agents: int | None
    options: BodyOptions


@dataclass(frozen=True)
class Done:
    """A run on a map that is over: its numbers, sentences about it, whether all its work is done, and its moves."""

    answer: dict[str, Any]
    notes: list[str]
    is_done: bool
    run: Run


def run_on_map(
    map_file: Path, moves: str, robots: Robots, orders: Path | None, stations: Path | None, entry: Entry,
    options: dict[str, Any], limits: dict[str, Any],
) -> Done:  # fmt: skip
    """Let robots carry out the orders of a file, or random tasks if there is none.

    In Python these are `Fleet(grid, starts, orders, entry, seed=seed)` and `simulate(tasks(grid, agents, seed=seed), entry,
    seed=seed)`, with the same numbers.
    """
    import time

    from wayfolk.algorithms.task import finish
    from wayfolk.files.orders import read_orders, read_stations
    from wayfolk.problem.problem import tasks
    from wayfolk.simulation.fleet import Fleet
    from wayfolk.simulation.simulation import Simulation
    from wayfolk.simulation.solving import make_ready

    world_file = read_world_file(map_file, moves)
    listed = None
    if orders is not None:
        listed = read_orders(orders, world_file, None if stations is None else read_stations(stations, world_file))
    body, starts = robots.options.one(), None
    if robots.scen is not None:
        drawn = problem_of(world_file, robots.scen, None, robots.agents, robots.options, limits["seed"])
        starts = _places(drawn)
    problem = tasks(world_file, robots.random or 0, seed=limits["seed"], starts=starts, bodies=body)
    make_ready(entry)
    world: Simulation
    began = time.perf_counter()
    if listed is None:
        world, what = Simulation(problem, entry, seed=limits["seed"], clock=True, own=options), "endless tasks"
    else:
        what = f"{len(listed)} orders"
        own = {"seed": limits["seed"], "clock": True, "own": options}
        world = Fleet(world_file, _places(problem), listed, entry, bodies=body, **own)
    prepared = time.perf_counter() - began
    with spinner(f"{world_file.name}: {entry.name}, {problem.n_agents} agents, {what}") as tell:
        result = finish(
            world, seconds=limits["seconds"], budget=_ceiling(limits["until"]), what="ticks", tell=tell, portion=8
        )
    is_out_of_time = result.status.value == "out_of_time"
    is_done = not result.detail and (result.is_solved or (listed is None and not is_out_of_time))
    status = "solved" if result.is_solved else "out_of_time" if is_out_of_time else "ended"
    run = world.run()
    notes = [result.detail] if result.detail else []
    notes += world.reasons() if isinstance(world, Fleet) else []
    numbers = world.report() if isinstance(world, Fleet) else _numbers_of_tasks(run)
    return Done(_answer(problem, world, status, numbers, prepared, run) | {"notes": notes}, notes, is_done, run)


def _places(problem: Problem) -> Any:
    """Where agents begin."""
    return problem.states.places(problem.starts)


def _answer(
    problem: Problem, world: Simulation, status: str, numbers: dict[str, Any], prepared: float, run: Run
) -> dict[str, Any]:
    from wayfolk.judge.metrics import clock_summary, ending
    from wayfolk.judge.records import check_record

    return {
        "map": problem.world.name, "algorithm": run.algorithm, "status": status, "agents": problem.n_agents,
        "steps": round(world.time), **numbers, "travel_distance": ending(run.record).travel_distance,
        "seconds": run.seconds, "prepare_seconds": prepared, **clock_summary(run.laps),
        "faults": len(check_record(run.record)),
    }  # fmt: skip


def _numbers_of_tasks(run: Run) -> dict[str, Any]:
    """The measures of endless tasks, which never complete."""
    from wayfolk.judge.metrics import arrivals, collisions

    service = run.service.summary()
    return {
        "completion_rate": None, "completion_time": None, "completion_seconds": None,
        "tasks": run.service.tasks, "throughput": run.service.throughput, "waiting_share": service["waiting"],
        **{name: service[name] for name in ("service_p50", "service_p90", "service_p99")},
        "arrivals": arrivals(run.record), "refused_moves": collisions(run.record),
    }  # fmt: skip


def _ceiling(until: float) -> int:
    import math

    return math.ceil(until)
