"""Work: run one cell and say what came of it, as a row. Whatever goes wrong becomes a row that says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from wayfolk import catalogue, generate, metrics
from wayfolk.check import check, check_record
from wayfolk.errors import BadInput, TooLarge, WayfolkError
from wayfolk.experiments.cell import Cell
from wayfolk.formats import read_map, read_queries, read_scen
from wayfolk.grid import Grid
from wayfolk.problem import Problem, one_shot, patrol, tasks
from wayfolk.run import find_path, solve
from wayfolk.runs import Run
from wayfolk.simulation import simulate

MAKERS: dict[str, Callable[..., Grid]] = {
    "random": generate.random_map,
    "maze": generate.maze,
    "rooms": generate.rooms,
    "warehouse": generate.warehouse,
}
FAILURES = ("crashed", "error", "out_of_memory")


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
    family = catalogue.find(cell.algorithm).family
    if family == "search":
        return _paths(cell, grid)
    problem = _problem(cell, grid)
    if problem.is_one_shot:
        return _plan(cell, problem)
    return _simulation(cell, problem)


@lru_cache(8)
def _grid(described: tuple[tuple[str, Any], ...], moves: str) -> Grid:
    """The map; the last few are kept, since neighbouring cells share theirs."""
    told = dict(described)
    if "file" in told:
        return read_map(told["file"], moves)
    kind = told.pop("make")
    told.pop("name", None)
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
    kind = "steps" if catalogue.find(cell.algorithm).family == "controllers" else "expansions"
    limits: dict[str, Any] = {name: cell.limits.get(name) for name in ("seconds", kind)}
    result = solve(problem, cell.algorithm, seed=cell.seed, **limits, **cell.options)
    row: dict[str, Any] = {
        "status": result.status.value,
        "detail": result.detail,
        "n_agents": problem.n_agents,
        "seconds": result.seconds,
        "expanded": result.counters.expanded,
        "replans": result.counters.replans,
        "collisions": result.counters.collisions,
        "lower_bound": metrics.lower_bound(problem),
    }
    if result.plan is None:
        return row | {"completion_rate": 0.0}
    row |= metrics.summary(result.plan, problem)
    row["faults"] = len(check(result.plan, problem, arrive=result.is_solved))
    arrived = metrics.rest_steps(result.plan, problem.goals)
    home = result.plan.cells[-1] == problem.goals
    row["agents"] = [{"agent": k, "arrived": bool(home[k]), "steps": int(arrived[k])} for k in range(problem.n_agents)]
    return row


def _simulation(cell: Cell, problem: Problem) -> dict[str, Any]:
    limits: dict[str, Any] = {name: cell.limits.get(name) for name in ("seconds", "until")}
    run = simulate(problem, cell.algorithm, model=cell.model, seed=cell.seed, **limits, **cell.options)
    found = run.summary()
    row: dict[str, Any] = {
        "status": run.status.value,
        "n_agents": problem.n_agents,
        "seconds": run.seconds,
        "simulation_time": found["time"],
        "expanded": found["expanded"],
        "replans": found["replans"],
        "distance": found["distance"],
        "collisions": found["collisions"],
        "throughput": found["throughput"],
        "faults": len(check_record(run.record)),
    }
    row["agents"] = _by(run, 1, "agent")
    row["loops"] = _by(run, 0, "loop")
    return row


def _by(run: Run, axis: int, name: str) -> list[dict[str, Any]]:
    """Means over loops for each agent, or over agents for each loop."""
    columns = {metric: getattr(run, metric).mean(axis) for metric in ("expanded", "replans", "distance", "collisions")}
    n = len(columns["distance"])
    return [{name: k, **{metric: float(values[k]) for metric, values in columns.items()}} for k in range(n)]


def _paths(cell: Cell, grid: Grid) -> dict[str, Any]:
    told = cell.problem
    if told["kind"] == "queries":
        rows = read_queries(told["file"], grid)
        part = slice(told.get("first", 0), told.get("first", 0) + told.get("count", len(rows.starts)))
        pairs, lengths = list(zip(rows.starts[part], rows.goals[part], strict=True)), rows.lengths[part]
    elif told["kind"] == "pairs":
        rng = np.random.default_rng(cell.seed + 1_000_003 * cell.repeat)
        part_sizes = np.bincount(grid.components[grid.free_cells])
        cells = grid.free_cells[grid.components[grid.free_cells] == part_sizes.argmax()]
        pairs, lengths = [tuple(pair) for pair in rng.choice(cells, (told["count"], 2))], np.zeros(0)
    else:
        raise BadInput(f"{cell.algorithm} finds single paths: its problems are queries or pairs, not {told['kind']!r}")
    costs, expanded, took, solved = [], [], [], 0
    for start, goal in pairs:
        result = find_path(grid, start, goal, cell.algorithm, seconds=cell.limits.get("seconds"), **cell.options)
        solved += result.is_solved
        costs.append(result.cost if result.is_solved else 0.0)
        expanded.append(result.expanded)
        took.append(result.seconds)
    wrong = int((np.abs(np.array(costs) - lengths) > 0.006).sum()) if len(lengths) else None
    return {
        "status": "solved" if solved == len(pairs) else "partial",
        "n_agents": 1,
        "queries": len(pairs),
        "solved": solved,
        "wrong_cost": wrong,
        "cost": float(np.sum(costs)),
        "expanded": float(np.mean(expanded)) if pairs else 0.0,
        "expanded_least": float(np.min(expanded)) if pairs else 0.0,
        "expanded_most": float(np.max(expanded)) if pairs else 0.0,
        "seconds": float(np.sum(took)),
    }
