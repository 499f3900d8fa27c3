"""Work: run one cell and say what came of it, as a row. Whatever goes wrong becomes a row that says so.

A row has the store's METRICS and whatever else the run itself counts: every field of the result's counters, every entry
of a simulation's summary. An algorithm that counts something new returns a subclass of `Counters` with a field for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from wayfolk import catalogue, generate, metrics
from wayfolk.check import check
from wayfolk.check_log import check_record
from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.experiments.cell import Cell
from wayfolk.experiments.papers.jansen_measures import of_patrol
from wayfolk.formats import read_map, read_queries, read_scen
from wayfolk.graph import MANHATTAN, OCTILE, guess
from wayfolk.grid import SQRT2, Grid, Moves
from wayfolk.plan import Plan
from wayfolk.problem import Problem, one_shot, patrol, tasks
from wayfolk.result import Result
from wayfolk.run import find_path, make_ready, solve
from wayfolk.runs import Run
from wayfolk.simulation import Simulation, simulate
from wayfolk.task import Task

MAKERS: dict[str, Callable[..., Grid]] = {
    "random": generate.random_map,
    "maze": generate.maze,
    "rooms": generate.rooms,
    "warehouse": generate.warehouse,
}
FAILURES = ("crashed", "error", "out_of_memory")
ONE_AGENT = ("search", "realtime")  # families
SELDOM = ("generated", "reopened", "restarts")  # which most planners and controllers do not count: their 0 says nothing
SUMMED = ("solved", "cost", "seconds", "fuel", "estimate")  # over the queries of a run; other metrics are means
MOST_DRAWS = 1000  # for each pair whose cost must lie between bounds
Pair = tuple[int, int]


def run_cell(data: dict[str, Any]) -> dict[str, Any]:
    """The row of a cell: `key`, `status`, metrics, and lists `agents` and `loops` of finer rows."""
    cell = Cell(**data)
    began = time.perf_counter()
    row: dict[str, Any] = {"key": cell.key, "status": "error", "detail": "", "agents": [], "loops": []}
    try:
        row |= _run(cell)
    except (MemoryError, TooLarge) as error:
        row |= {"status": "out_of_memory", "detail": str(error)}
    except WayfolkError as error:
        row |= {"detail": str(error)}
    except Exception as error:
        row |= {"detail": f"{type(error).__name__}: {error}"}
    row["wall_seconds"] = time.perf_counter() - began
    return row


def _run(cell: Cell) -> dict[str, Any]:
    grid = _grid(tuple(sorted(cell.map.items())), cell.moves)
    if catalogue.find(cell.algorithm).family in ONE_AGENT:
        return _paths(cell, grid)
    problem = _problem(cell, grid)
    if problem.is_one_shot:
        return _plan(cell, problem)
    return _simulation(cell, problem)


@lru_cache(8)
def _grid(described: tuple[tuple[str, Any], ...], moves: str) -> Grid:
    """The map; the last few are kept, since neighbouring cells share theirs."""
    told = dict(described)
    kind = told.pop("make", "file")
    told.pop("name", None)
    if kind == "file":
        return read_map(told["file"], moves)
    if kind == "scaled":
        grid = generate.scale(read_map(told["file"], moves), told["width"], told["height"])
        length = told.get("diagonal", SQRT2)
        grid = Grid(grid.free, moves, costs=grid.costs, links=grid.links, diagonal=length, name=grid.name)
        return generate.without_islands(grid)
    if kind == "thesis":
        return generate.thesis_map(told["letter"]).grid.with_moves(moves)
    return MAKERS[kind](**told, moves=moves)


def _problem(cell: Cell, grid: Grid) -> Problem:
    told = dict(cell.problem)
    kind = told.pop("kind")
    seed = cell.seed + 1_000_003 * cell.repeat
    if kind == "scen":
        return read_scen(told["file"], grid, told["agents"])
    if kind == "random":
        starts, goals = generate.draw_pairs(grid, told["agents"], seed=seed)
        return one_shot(grid, grid.places(starts), grid.places(goals))
    if kind == "patrol":
        zones = generate.thesis_map(cell.map["letter"]).zones if cell.map.get("make") == "thesis" else None
        return patrol(grid, told["agents"], told["loops"], seed=seed, zones=zones)
    if kind == "tasks":
        return tasks(grid, told["agents"], seed=seed)
    raise BadInput(f"{cell.algorithm} cannot run problems of the kind {kind!r}")


def _plan(cell: Cell, problem: Problem) -> dict[str, Any]:
    is_controller = catalogue.find(cell.algorithm).family == "controllers"
    limits: dict[str, Any] = {
        name: cell.limits.get(name) for name in ("seconds", "steps" if is_controller else "expansions")
    }
    make_ready(cell.algorithm)
    watch = _Watch()
    result = solve(problem, cell.algorithm, seed=cell.seed, tell=watch, **limits, **cell.options)
    counted = {name: value for name, value in vars(result.counters).items() if value or name not in SELDOM}
    row: dict[str, Any] = counted | {
        "status": result.status.value,
        "detail": result.detail,
        "n_agents": problem.n_agents,
        "seconds": result.seconds,
        "lower_bound": metrics.lower_bound(problem),
    }
    if result.plan is None:
        return row | {"completion_rate": 0.0}
    row |= metrics.summary(result.plan, problem)
    row["faults"] = len(check(result.plan, problem, arrive=result.is_solved))
    row |= _arrivals(result.plan, problem)
    if is_controller:
        steps = [entry["steps"] if entry["arrived"] else math.inf for entry in row["agents"]]
        row["completion_seconds"] = watch.mean_seconds(steps, cell.limits.get("seconds", result.seconds))
    return row


def _arrivals(plan: Plan, problem: Problem) -> dict[str, Any]:
    """When each agent arrived for good, and the latest of those who did."""
    steps = metrics.rest_steps(plan, problem.goals)
    home = plan.cells[-1] == problem.goals
    agents = [{"agent": k, "arrived": bool(home[k]), "steps": int(steps[k])} for k in range(problem.n_agents)]
    return {"agents": agents, "longest_path": int(steps[home].max()) if home.any() else None}


class _Watch:
    """A clock that is looked at now and then while a simulation runs, to know when which step was over."""

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


def _simulation(cell: Cell, problem: Problem) -> dict[str, Any]:
    limits: dict[str, Any] = {name: cell.limits.get(name) for name in ("seconds", "until")}
    run = simulate(problem, cell.algorithm, model=cell.model, seed=cell.seed, **limits, **cell.options)
    found = run.summary()
    row: dict[str, Any] = {"simulation_time": found.pop("time"), "n_agents": int(found.pop("agents")), **found}
    row |= {"status": run.status.value, "faults": len(check_record(run.record))}
    if cell.problem["kind"] == "patrol":
        row |= of_patrol(cell, run)
    return row | {"agents": _by(run, 1, "agent"), "loops": _by(run, 0, "loop")}


def _by(run: Run, axis: int, name: str) -> list[dict[str, Any]]:
    """Means over loops for each agent, or over agents for each loop."""
    columns = {metric: getattr(run, metric).mean(axis) for metric in ("expanded", "replans", "distance", "collisions")}
    n = len(columns["distance"])
    return [{name: k, **{metric: float(values[k]) for metric, values in columns.items()}} for k in range(n)]


def _paths(cell: Cell, grid: Grid) -> dict[str, Any]:
    """Over all queries the sums of SUMMED, the largest of what ends in `_most`, the least of `_least`, else means."""
    told = cell.problem
    if told["kind"] == "queries":
        rows = read_queries(told["file"], grid)
        part = slice(told.get("first", 0), told.get("first", 0) + told.get("count", len(rows.starts)))
        pairs, optima = list(zip(rows.starts[part], rows.goals[part], strict=True)), rows.lengths[part].tolist()
    elif told["kind"] == "pairs":
        pairs, optima = _drawn(cell, grid)
    else:
        raise BadInput(f"{cell.algorithm} finds single paths: its problems are queries or pairs, not {told['kind']!r}")
    work = "steps" if catalogue.find(cell.algorithm).family == "realtime" else "expansions"
    limits: dict[str, Any] = {name: cell.limits.get(name) for name in ("seconds", work)}
    found: dict[str, list[Any]] = {name: [] for name in SUMMED}
    for start, goal in pairs:
        result = find_path(grid, start, goal, cell.algorithm, **limits, **cell.options)
        for name, value in _measures(grid, (start, goal), result).items():
            found.setdefault(name, []).append(value)
    for name in ("expanded_least", "expanded_most"):
        found.setdefault(name, found.get("expanded", []))
    row: dict[str, Any] = {name: _over_queries(name, values) for name, values in found.items()}
    if told["kind"] == "queries":
        row["wrong_cost"] = sum(abs(cost - best) > 0.006 for cost, best in zip(found["cost"], optima, strict=True))
    return row | {
        "status": "solved" if row["solved"] == len(pairs) else "partial",
        "n_agents": 1,
        "queries": len(pairs),
        "optimum": sum(optima) if optima else None,
        "seconds_per_move": row["seconds"] / row["fuel"] if row["fuel"] else None,
    }


def _measures(grid: Grid, pair: Pair, result: Result) -> dict[str, Any]:
    """What one query comes to; without a path there are no cost and no moves."""
    steps = np.diff(np.array(result.path if result.is_solved else [pair], dtype=np.float64), axis=0)
    steps = steps[steps.any(1)]
    turned = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    ahead = (steps[:-1] * steps[1:]).sum(1)
    measures = {
        "solved": int(result.is_solved),
        "cost": result.cost if result.is_solved else 0.0,
        "seconds": result.seconds,
        "fuel": len(steps),
        "estimate": float(guess(grid.graph, *pair, MANHATTAN if grid.moves is Moves.FOUR else OCTILE)),
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


def _drawn(cell: Cell, grid: Grid) -> tuple[list[Pair], list[float]]:
    """Random pairs in the largest part of the map; if their costs have bounds, with the optimal costs.

    A pair with bounds is drawn until A* finds a cost between them. Cells and pairs may come up again.
    """
    told = cell.problem
    rng = np.random.default_rng(cell.seed + 1_000_003 * cell.repeat)
    part_sizes = np.bincount(grid.components[grid.free_cells])
    cells = grid.free_cells[grid.components[grid.free_cells] == part_sizes.argmax()]
    if not told.keys() & {"least", "most"}:
        return [(start, goal) for start, goal in rng.choice(cells, (told["count"], 2))], []
    least, most = told.get("least", 0.0), told.get("most", math.inf)
    pairs: list[Pair] = []
    optima: list[float] = []
    for _ in range(MOST_DRAWS * told["count"]):
        start, goal = rng.choice(cells, 2)
        cost = find_path(grid, start, goal, "astar").cost
        if least <= cost <= most:
            pairs.append((start, goal))
            optima.append(cost)
        if len(pairs) == told["count"]:
            return pairs, optima
    raise BadInput(f"of {MOST_DRAWS * told['count']} random pairs {len(pairs)} cost between {least} and {most}")
