"""Work: run one job and return its results as a row. A failure becomes a row with its status.

A row has the columns of `runs` and all else that the run counts: every field of the result's counters, every entry of a
simulation's summary. An algorithm that counts something new returns a subclass of `Counters` with a field for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import find_path, finder
from wayfolk.algorithms.task import Task
from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.experiments.sweeps.job import Job
from wayfolk.experiments.sweeps.patrols import of_patrol, paper_map_of
from wayfolk.files.agents import BODY, SUFFIXES, read_agents
from wayfolk.files.any_world import read_world_for_agents
from wayfolk.files.made_maps import make_map
from wayfolk.files.maps import read_map
from wayfolk.files.scenarios import read_queries, read_scen
from wayfolk.judge import metrics
from wayfolk.judge.blockage import in_short
from wayfolk.judge.plans import check
from wayfolk.judge.records import check_record
from wayfolk.kernels.codes import SQRT2
from wayfolk.kernels.graph import MANHATTAN, OCTILE, heuristic
from wayfolk.problem import papers
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem, deliveries, one_shot, patrol, random_problem, tasks
from wayfolk.problem.result import Result
from wayfolk.simulation.run import Run
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import make_ready, simulate, solve
from wayfolk.world import generate
from wayfolk.world.body import Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid, Moves

FAILURES = ("crashed", "error", "out_of_memory")
ONE_AGENT = ("search", "realtime")  # families
SELDOM = ("generated", "reopened", "restarts")  # which most planners and controllers do not count: their 0 says nothing
SUMMED = ("solved", "cost", "seconds", "fuel", "estimate")  # over the queries of a run; other metrics are means
MOST_DRAWS = 1000  # for each pair whose cost must lie between bounds
Pair = tuple[int, int]


def run_job(data: dict[str, Any]) -> dict[str, Any]:
    """The row of a job: `key`, `status`, metrics, and lists `agents` and `loops` of finer rows."""
    job = Job(**data)
    began = time.perf_counter()
    row: dict[str, Any] = {"key": job.key, "status": "error", "detail": "", "agents": [], "loops": []}
    try:
        row |= _run(job)
    except (MemoryError, TooLarge) as error:
        row |= {"status": "out_of_memory", "detail": str(error)}
    except WayfolkError as error:
        row |= {"detail": str(error)}
    except Exception as error:
        row |= {"detail": f"{type(error).__name__}: {error}"}
    row["wall_seconds"] = time.perf_counter() - began
    return row


def _run(job: Job) -> dict[str, Any]:
    world = _world(tuple(sorted(job.map.items())), job.moves)
    if catalogue.find(job.algorithm).family in ONE_AGENT:
        if not isinstance(world, Grid):
            raise BadInput(f"queries and pairs are for maps of squares, not for {world!r}")
        return _paths(job, world)
    problem = _problem(job, world)
    if problem.is_one_shot:
        return _plan(job, problem)
    return _simulation(job, problem)


@lru_cache(8)
def _world(described: tuple[tuple[str, Any], ...], moves: str) -> Grid | Graph:
    """The map, or another world; the last few are kept, since neighbouring jobs share theirs."""
    settings = dict(described)
    kind = settings.pop("make", "file")
    if kind == "paper":
        return papers.paper_map(**settings).grid.with_moves(moves)
    settings.pop("name", None)
    if kind == "file":
        return read_world_for_agents(settings["file"], moves)
    if kind == "scaled":
        grid = generate.scale(read_map(settings["file"], moves), settings["width"], settings["height"])
        length = settings.get("diagonal", SQRT2)
        links = grid.links if settings.get("cliffs", True) else None
        grid = Grid(grid.free, moves, costs=grid.costs, links=links, diagonal=length, name=grid.name)
        return generate.without_islands(grid)
    return make_map(kind, settings, moves)


def _problem(job: Job, world: Grid | Graph) -> Problem:
    settings = dict(job.problem)
    kind = settings.pop("kind")
    seed = job.seed + 1_000_003 * job.repeat
    said = {name: settings.pop(name) for name in BODY if name in settings}
    body = Body(**said) if said else None
    if kind == "random" and (body is not None or not isinstance(world, Grid)):
        return random_problem(world, settings["agents"], seed=seed, bodies=body)
    if kind == "scen" and Path(settings["file"]).suffix.lower() in SUFFIXES:
        return read_agents(settings["file"], world, settings["agents"])
    if kind == "patrol" and (body is not None or not isinstance(world, Grid)):
        return patrol(world, settings["agents"], settings["loops"], seed=seed, bodies=body)
    if kind == "tasks":
        return tasks(world, settings["agents"], seed=seed, bodies=body)
    if kind == "deliveries":
        return deliveries(world, settings["agents"], seed=seed, bodies=body)
    if not isinstance(world, Grid):
        raise BadInput(f"problems of the kind {kind!r} are for maps of squares, not for {world!r}")
    return _problem_on_grid(job, world, kind, settings, seed)


def _problem_on_grid(job: Job, grid: Grid, kind: str, settings: dict[str, Any], seed: int) -> Problem:
    """A problem of points on a map of squares."""
    if kind == "scen":
        return read_scen(settings["file"], grid, settings["agents"])
    if kind == "paper":
        drawn: Problem = papers.registered("PROBLEMS", settings["name"], "problem")(grid, settings["agents"], seed)
        return drawn
    if kind == "random":
        starts, goals = generate.draw_pairs(grid, settings["agents"], seed=seed)
        return one_shot(grid, grid.places(starts), grid.places(goals))
    if kind == "patrol" and (place := paper_map_of(job)) is not None:
        settings.pop("digest", None)
        return replace(place, grid=grid).problem(seed=seed, **settings)
    if kind == "patrol":
        return patrol(grid, settings["agents"], settings["loops"], seed=seed)
    raise BadInput(f"{job.algorithm} cannot run problems of the kind {kind!r}")


def _plan(job: Job, problem: Problem) -> dict[str, Any]:
    is_controller = catalogue.find(job.algorithm).family == "controllers"
    limits: dict[str, Any] = {
        name: job.limits.get(name) for name in ("seconds", "steps" if is_controller else "expansions")
    }
    make_ready(job.algorithm)
    watch = _Watch()
    began = time.process_time()
    result = solve(problem, job.algorithm, seed=job.seed, tell=watch, **limits, **job.options)
    counted = {name: value for name, value in vars(result.counters).items() if value or name not in SELDOM}
    row: dict[str, Any] = counted | {
        "status": result.status.value,
        "detail": "; ".join(filter(None, (result.detail, in_short(result.blockages)))),
        "n_agents": problem.n_agents,
        "seconds": result.seconds,
        "cpu_seconds": time.process_time() - began,
        "lower_bound": metrics.lower_bound(problem),
    }
    if result.plan is None:
        return row | {"completion_rate": 0.0}
    row |= metrics.summary(result.plan, problem)
    row["faults"] = len(check(result.plan, problem, arrive=result.is_solved))
    row |= _arrivals(result.plan, problem)
    if is_controller:
        steps = [entry["steps"] if entry["arrived"] else math.inf for entry in row["agents"]]
        row["completion_seconds"] = watch.mean_seconds(steps, job.limits.get("seconds", result.seconds))
    return row


def _arrivals(plan: Plan, problem: Problem) -> dict[str, Any]:
    """The step at which each agent arrived for good, the latest of these steps, and who left its goal for good."""
    steps = metrics.rest_steps(plan, problem.goals)
    home = plan.home(problem.goals)[-1]
    agents = [{"agent": k, "arrived": bool(home[k]), "steps": int(steps[k])} for k in range(problem.n_agents)]
    strayed = metrics.strayed_units(plan, problem.goals)
    longest = int(steps[home].max()) if home.any() else None
    return {"agents": agents, "longest_path": longest, "strayed_units": strayed}


class _Watch:
    """A clock that is read now and then while a simulation runs, to know at which second a step was over."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.steps, self.seconds = [0.0], [0.0]

    def __call__(self, task: Task) -> None:
        if isinstance(task, Simulation):
            self.steps.append(task.time)
            self.seconds.append(time.perf_counter() - self.began)

    def mean_seconds(self, steps: Sequence[float], limit: float) -> float:
        """The mean second in which `steps` were over; a step that never came counts as `limit`."""
        return float(np.interp(steps, self.steps, self.seconds, right=limit).mean())


def _simulation(job: Job, problem: Problem) -> dict[str, Any]:
    limits: dict[str, Any] = {name: job.limits.get(name) for name in ("seconds", "until")}
    run = simulate(problem, job.algorithm, model=job.model, seed=job.seed, **limits, **job.options)
    summary = run.summary()
    row: dict[str, Any] = {"simulation_time": summary.pop("time"), "n_agents": int(summary.pop("agents")), **summary}
    row |= {"status": run.outcome, "faults": len(check_record(run.record))}
    if job.problem["kind"] == "patrol" and problem.is_plain:
        row |= of_patrol(job, run)
    return row | {"agents": _by(run, 1, "agent"), "loops": _by(run, 0, "loop")}


def _by(run: Run, axis: int, name: str) -> list[dict[str, Any]]:
    """Means over loops for each agent, or over agents for each loop."""
    columns = {metric: getattr(run, metric).mean(axis) for metric in ("expanded", "replans", "distance", "collisions")}
    n = len(columns["distance"])
    return [{name: k, **{metric: float(values[k]) for metric, values in columns.items()}} for k in range(n)]


def _paths(job: Job, grid: Grid) -> dict[str, Any]:
    """Run all queries; return sums of SUMMED, the largest of `..._most`, the least of `..._least`, else means."""
    problem = job.problem
    if problem["kind"] == "queries":
        rows = read_queries(problem["file"], grid)
        part = slice(problem.get("first", 0), problem.get("first", 0) + problem.get("count", len(rows.starts)))
        pairs, optima = list(zip(rows.starts[part], rows.goals[part], strict=True)), rows.lengths[part].tolist()
    elif problem["kind"] == "pairs":
        pairs, optima = _drawn(job, grid)
    else:
        raise BadInput(
            f"{job.algorithm} finds single paths: its problems are queries or pairs, not {problem['kind']!r}"
        )
    work = "steps" if catalogue.find(job.algorithm).family == "realtime" else "expansions"
    limits: dict[str, Any] = {name: job.limits.get(name) for name in ("seconds", work)}
    measured: dict[str, list[Any]] = {name: [] for name in SUMMED}
    finder(grid, job.algorithm, **job.options).begin(*pairs[0])  # the map is prepared before the clock runs
    for start, goal in pairs:
        result = find_path(grid, start, goal, job.algorithm, **limits, **job.options)
        for name, value in _measures(grid, (start, goal), result).items():
            measured.setdefault(name, []).append(value)
    for name in ("expanded_least", "expanded_most"):
        measured.setdefault(name, measured.get("expanded", []))
    row: dict[str, Any] = {name: _over_queries(name, values) for name, values in measured.items()}
    if problem["kind"] == "queries":
        row["wrong_cost"] = sum(abs(cost - best) > 0.006 for cost, best in zip(measured["cost"], optima, strict=True))
    return row | {
        "status": "solved" if row["solved"] == len(pairs) else "partial",
        "n_agents": 1,
        "queries": len(pairs),
        "optimum": sum(optima) if optima else None,
        "seconds_per_move": row["seconds"] / row["fuel"] if row["fuel"] else None,
    }


def _measures(grid: Grid, pair: Pair, result: Result) -> dict[str, Any]:
    """The measures of one query; without a path, cost and moves are 0."""
    steps = np.diff(np.array(result.path if result.is_solved else [pair], dtype=np.float64), axis=0)
    steps = steps[steps.any(1)]
    turned = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    ahead = (steps[:-1] * steps[1:]).sum(1)
    measures = {
        "solved": int(result.is_solved),
        "cost": result.cost if result.is_solved else 0.0,
        "seconds": result.seconds,
        "fuel": len(steps),
        "estimate": float(heuristic(grid.graph, *pair, MANHATTAN if grid.moves is Moves.FOUR else OCTILE)),
        "heading_changes": int(((np.abs(turned) > 1e-9) | (ahead < 0)).sum()) if result.is_solved else None,
    }
    return measures | vars(result.counters)


def _over_queries(name: str, values: Sequence[Any]) -> float | None:
    known: list[float] = [value for value in values if value is not None]
    if name in SUMMED:
        return sum(known)
    if not known:
        return None
    if name.endswith(("_most", "_least")):
        return max(known) if name.endswith("_most") else min(known)
    return sum(known) / len(known)


def _drawn(job: Job, grid: Grid) -> tuple[list[Pair], list[float]]:
    """Random pairs in the largest part of the map; if their costs have bounds, with the optimal costs.

    A pair with bounds is drawn until A* finds a cost between them. Cells and pairs may come up again.
    """
    problem = job.problem
    rng = np.random.default_rng(job.seed + 1_000_003 * job.repeat)
    part_sizes = np.bincount(grid.components[grid.free_cells])
    cells = grid.free_cells[grid.components[grid.free_cells] == part_sizes.argmax()]
    if not problem.keys() & {"least", "most"}:
        return [(start, goal) for start, goal in rng.choice(cells, (problem["count"], 2))], []
    least, most = problem.get("least", 0.0), problem.get("most", math.inf)
    pairs: list[Pair] = []
    optima: list[float] = []
    for _ in range(MOST_DRAWS * problem["count"]):
        start, goal = rng.choice(cells, 2)
        cost = find_path(grid, start, goal, "astar").cost
        if least <= cost <= most:
            pairs.append((start, goal))
            optima.append(cost)
        if len(pairs) == problem["count"]:
            return pairs, optima
    raise BadInput(f"of {MOST_DRAWS * problem['count']} random pairs {len(pairs)} cost between {least} and {most}")
