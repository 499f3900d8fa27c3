"""Random small worlds with random streams of events, for tests of whatever must survive them.

All of it follows from one number, so that a failing world can be played again: `play(seed, "cpra")`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from wayfolk.algorithms import catalogue
from wayfolk.errors import BadProblem
from wayfolk.problem import events
from wayfolk.problem.events import Event
from wayfolk.problem.problem import Problem, one_shot, patrol, tasks
from wayfolk.problem.record import STEPS
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.time_models import models_of
from wayfolk.world.grid import Grid, Moves

IS_PLAIN = os.environ.get("NUMBA_DISABLE_JIT") == "1"
LASTS = 12 if IS_PLAIN else 40
"""Units of time that a world is played for; plain Python is slow."""

_BMAA: dict[str, list[Any]] = {
    "expansions": [1, 4, 32], "moves": [1, 3, 32], "vision": [1, 1.5, 4], "push": [False, True],
    "flow": [False, True], "order": ["fixed", "rotated", "shuffled"], "avoid": [False, True],
    "initial": ["octile", "sectors"], "yielding": [False, True],
}  # fmt: skip
_FAR: dict[str, list[Any]] = {
    "reservation": [1, 2, 3, 7], "whole": [True, False], "expansions": [1, 20, 262_144],
    "order": ["fixed", "rotated", "shuffled"], "jams": ["break", "leave", "replan"],
}  # fmt: skip
VALUES: dict[str, dict[str, list[Any]]] = {
    "a_star_replan": _FAR,
    "bmaa": _BMAA,
    "bmaa_c": {name: values for name, values in _BMAA.items() if name != "push"},
    "bmaa_f": {name: values for name, values in _BMAA.items() if name != "flow"},
    "bmaa_f_c": {name: values for name, values in _BMAA.items() if name not in ("push", "flow")},
    "co_whca": {"window": [2, 5, 16]},
    "cpra": {"window": [2, 5, 16], "level": [0, 1, 2, 9]},
    "direction_map": {
        "w_max": [0.0, 4.0, 10.0], "alpha": [0.1, 0.5], "radius": [0.0, 2.0, 5.0], "weight": [1.0, 2.0],
        "alpha_s": [0.0, 0.2], "around": [1, 2], "fading": [1.0, 0.5], "rule": ["text", "simulator", "average"],
        "decay": [0.0, 0.1], "unvisited": ["free", "half"], "predict": [False, True], "rewards": [False, True],
    },
    "far": _FAR | {"parity": [0, 1, 2, 3]},
    "greedy_direction_map": {"w_max": [0.0, 10.0], "second": [0.0, 0.25, 1.0], "similar": [0.0, 0.1]},
    "jansen_direction_map": {
        "w_max": [0.0, 4.0, 10.0], "alpha": [0.1, 0.5], "radius": [0.0, 2.0, 5.0], "weight": [1.0, 2.0],
        "alpha_s": [0.0, 0.2], "rule": ["text", "simulator", "average"], "unvisited": ["free", "half"],
    },
    "lra": {"radius": [0.0, 1.5, 5.0], "weight": [1.0, 2.0]},
    "pibt": {
        "guidance": ["none", "criss_cross", "directions"], "w_max": [0.0, 4.0], "alpha": [0.3], "every": [1, 5, 20],
        "effort": [1, 100, 50_000],
    },
    "rwt": {"window": [2, 5, 16], "narrow": [0, 1, 4], "expansions": [1, 20, 262_144]},
    "whca": {"window": [2, 5, 16], "resume": [True, False]},
}  # fmt: skip
"""Values that options of controllers are drawn from; options that exclude each other are in `_EITHER`.

An algorithm that is not named here gets values from the ranges of its options; see `values_of`.
"""
_TBA: dict[str, list[Any]] = {"limit": [4, 25], "share": [0.5, 0.9], "traces": [1.0, 10.0]}
OTHER_VALUES: dict[str, dict[str, list[Any]]] = {
    "anytime_d_star": {"epsilon": [1.0, 2.5], "step": [0.5, 3.0], "significant": [0.0, 0.05]},
    "astar": {"weight": [1.0, 1.5, 5.0], "heuristic": ["best", "octile", "euclidean", "zero"], "ties": ["oldest"]},
    "bidirectional": {"heuristic": ["best", "zero"]},
    "fringe": {"step": [0.0, 1.0, 4.0]},
    "hpa": {"cluster": [2, 4, 8], "levels": [1, 2, 3], "narrow": [1, 3, 6], "smooth": [True, False]},
    "ida": {"table": [True, False], "rise": ["adapted", "least"]},
    "jps_plus": {"landmarks": [0, 1, 4]},
    "pra": {"refine": [0, 1, 3], "level": [0, 1, 2, 9], "wide": [True, False], "smooth": [True, False]},
    "d_lrta": {"regions": [1, 3, 20], "expansions": [1, 8, 64], "seed": [0, 7]},
    "knn_lrta": {"records": [0, 1, 20], "nearest": [1, 8], "cutoff": [1, 8, 64], "expansions": [2, 32], "seed": [0, 7]},
    "lrta": {"depth": [1, 2, 3]},
    "lrta_k": {"k": [1, 8]},
    "lrta_ls_k": {"k": [1, 8]},
    "lss_lrta": {"expansions": [1, 4, 32], "moves": [0, 1, 3]},
    "p_lrta": {"beta": [0, 1, 8], "room": [1, 64]},
    "pr_lrta": {"level": [1, 2, 3], "expansions": [1, 16], "groups": [1, 2]},
    "rta": {"depth": [1, 3]},
    "rtaa": {"expansions": [1, 4, 32], "moves": [0, 1, 3], "avoid": [True, False]},
    "salient": {"share": [0.5, 0.9], "traces": [5.0, 10.0], "switch": ["always", "longer"]},
    "tba": _TBA | {"switch": ["always", "longer"], "patient": [True, False], "shortcut": [True, False]},
    "bcp": {"order": ["given", "longest", "random"], "bias": [0.1, 1.0, 50.0], "at": ["moment", "place"]},
    "ca": {"order": ["given", "longest", "random"], "retries": [0, 3]},
    "hca": {"order": ["given", "longest", "random"], "retries": [0, 3]},
}
"""The same for searches, real-time searches and planners."""
_DEPTHS: list[dict[str, list[Any]]] = [
    {}, {"depth": [0, 5], "duplicates": ["all", "path"]}, {"depth": [5], "duplicates": ["none"]}
]  # fmt: skip
_EITHER: dict[str, list[dict[str, list[Any]]]] = {
    "bcp": [{"passes": [1, 5, 30]}],
    "dfs": _DEPTHS,
    "iddfs": _DEPTHS,
    "salient": [{}, {"limit": [5], "salient": [0, 1, 2]}],
    "direction_map": [
        {},
        {"window": [2.0, 5.0]},
        {"local": [1.0, 3.0]},
        {"sector": [2, 3, 8], "refinement": ["full", "partial"], "lanes": ["cells", "sectors", "both"]},
    ],
    "jansen_direction_map": [
        {"window": [0.0, 3.0]},
        {"sector": [0, 2, 3, 8], "refinement": ["full", "partial"], "local": [0.0, 2.0]},
    ],
}


def values_of(algorithm: str, *families: str) -> dict[str, list[Any]]:
    """The values that options are drawn from: the listed ones, or the default, the choices and the least value."""
    listed = VALUES | OTHER_VALUES
    if algorithm in listed or algorithm in _EITHER:
        return listed.get(algorithm, {})
    values: dict[str, list[Any]] = {}
    for option in catalogue.find(algorithm, *families).options:
        if option.choices or option.type == "bool":
            values[option.name] = list(option.choices or (False, True))
        elif option.range is not None and option.range.least is not None and option.name != "seed":
            is_open = option.range.open in ("low", "both")
            values[option.name] = [option.default] if is_open else [option.default, option.range.least]
    return values


def random_options(rng: np.random.Generator, algorithm: str, values: dict[str, list[Any]]) -> dict[str, Any]:
    """About half of the options that `values` names, and the other half at their defaults."""
    values = dict(values)
    other = _EITHER.get(algorithm, [{}])
    always = other[rng.integers(len(other))]
    drawn = {name: _one_of(rng, among) for name, among in values.items() if rng.random() < 0.5}
    return drawn | {name: _one_of(rng, among) for name, among in always.items()}


def random_grid(rng: np.random.Generator, *, terrain: bool = True) -> Grid:
    """A map of up to 12 rows and columns with two free cells or more: any move rule, sometimes terrain or cliffs."""
    while True:
        width, height = rng.integers(2, 13, 2).tolist()
        free = rng.random((height, width)) >= rng.choice([0.0, 0.1, 0.25, 0.4])
        if free.sum() >= 2:
            break
    costs = rng.integers(1, 6, free.shape) if terrain and rng.random() < 0.25 else None
    links = rng.choice([0, 1, 2, 3, 3, 3, 3, 3], free.shape) if rng.random() < 0.15 else None
    return Grid(free, list(Moves)[rng.integers(3)], costs=costs, links=links)


def random_problem(rng: np.random.Generator, grid: Grid) -> Problem:
    """Up to ten agents with one goal each (some share one), a patrol, or tasks that never end."""
    most = min(10, len(grid.free_cells))
    part = grid.components[grid.free_cells] == grid.components[rng.choice(grid.free_cells)]
    n_agents, seed = int(rng.integers(1, most + 1)), int(rng.integers(1000))
    try:
        if rng.random() < 0.2:
            return patrol(grid, agents=max(n_agents // 2, 1), loops=3, seed=seed, checkerboard=False)
        if rng.random() < 0.25:
            return tasks(grid, agents=n_agents, seed=seed)
    except BadProblem:  # there is no room for so many
        pass
    cells = grid.free_cells[part]
    starts = rng.choice(cells, min(n_agents, len(cells)), replace=False)
    goals = rng.choice(cells, len(starts), replace=bool(rng.random() < 0.3))
    return one_shot(grid, grid.places(starts), grid.places(goals))


def random_event(rng: np.random.Generator, grid: Grid, n_agents: int, goals: list[int]) -> Event:
    """Something that happens: walls come, at goals as well, and go; agents are sent elsewhere, join, leave, get loose."""
    time = float(rng.uniform(0, LASTS)) if rng.random() < 0.3 else float(rng.integers(0, LASTS))
    place, other = ((int(rng.integers(grid.width)), int(rng.integers(grid.height))) for _ in range(2))
    agent = int(rng.integers(n_agents + 2))
    kind = rng.integers(12)
    if kind < 2:
        return events.block(time, [place, other][: rng.integers(1, 3)])
    if kind < 4:
        return events.block(time, [grid.place(int(rng.choice(goals)))])
    if kind < 6:
        return events.free(time, [place, grid.place(int(rng.choice(goals)))])
    if kind < 9:
        return events.retask(time, agent, place)
    if kind == 9:
        return events.join(time, place, other)
    return events.leave(time, agent) if kind == 10 else events.release(time, agent)


def begin_stream(seed: int, controller: str) -> Simulation:
    """A random world under `controller` with everything that will happen in it. Orders that name a wall are left out."""
    rng = np.random.default_rng([seed, sum(controller.encode())])
    grid = random_grid(rng)
    problem = random_problem(rng, grid)
    models = models_of(catalogue.find(controller, "controllers"))
    simulation = Simulation(
        problem, controller, model=STEPS if rng.random() < 0.6 else models[int(rng.integers(len(models)))],
        vision=float(rng.choice([1.0, 1.5, 3.0])) if rng.random() < 0.3 else None, seed=int(rng.integers(100)),
        own=random_options(rng, controller, values_of(controller, "controllers")),
    )  # fmt: skip
    goals = problem.routes.ravel().tolist()
    for event in sorted(
        (random_event(rng, grid, problem.n_agents, goals) for _ in range(rng.integers(0, 16))),
        key=lambda event: event.time,
    ):
        try:
            simulation.happen(event)
        except BadProblem:
            continue
        if event.kind in (events.GOAL, events.JOIN):
            goals.append(grid.cell(event.places[-1]))
    return simulation


def edited(rng: np.random.Generator, grid: Grid) -> Grid:
    """`grid` with a few cells blocked and a few freed; at least one stays free."""
    cells = [grid.cell((int(x), int(y))) for x, y in rng.integers(0, (grid.width, grid.height), (4, 2))]
    n_blocked = int(rng.integers(5))
    other = grid.with_blocked(cells[:n_blocked]).with_freed(cells[n_blocked:])
    return other if other.free.any() else other.with_freed(cells)


def play(seed: int, controller: str) -> Simulation:
    """The random world `seed` under `controller`, played for `LASTS` units of time, whatever has been reached by then."""
    simulation = begin_stream(seed, controller)
    simulation.advance(round(LASTS / simulation.tick))
    return simulation


def _one_of(rng: np.random.Generator, among: list[Any]) -> Any:
    return among[rng.integers(len(among))]
