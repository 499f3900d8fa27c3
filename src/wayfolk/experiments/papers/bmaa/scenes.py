"""Small worlds for single claims of the slides on BMAA*: the stuck agents of Figures 3 to 5, crowded rooms, lone agents.

The scenes of the figures are files: `wayfolk run` plays them, too.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from wayfolk.algorithms.controllers.bmaa.tiles import learned
from wayfolk.algorithms.paths import find_path
from wayfolk.algorithms.search.dijkstra import OneToAll
from wayfolk.algorithms.task import finish
from wayfolk.experiments.papers.tables import Row
from wayfolk.judge import metrics
from wayfolk.problem.problem import Problem, one_shot
from wayfolk.simulation.scene.reader import read_scene
from wayfolk.simulation.scene.run import run_scene
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.simulation import Simulation
from wayfolk.simulation.solving import simulate
from wayfolk.world.generate import draw_pairs, random_map, rooms

SIDE = 32
CROWD = 100


def read(figure: str) -> Scene:
    """The scene of a figure: `dead-end`, `corridor` or `parked`."""
    scene = read_scene(Path(__file__).parent / "data" / f"{figure}.toml")
    assert isinstance(scene, Scene), "it has no street"
    return scene


def run_figure(figure: str, algorithm: str, options: dict[str, Any], steps: int) -> Row:
    """The result of a scene after at most `steps` steps; `astar` stands for the path of its first agent alone."""
    scene = read(figure)
    problem, _ = scene.written_out
    if algorithm == "astar":
        path = find_path(scene.grid, scene.grid.place(problem.starts[0]), scene.grid.place(problem.goals[0]))
        return {"status": path.status.value, "cost": path.cost}
    run = run_scene(replace(scene, controller=algorithm, options=options, until=float(steps))).run
    return {"status": run.status.value, "n_agents": run.n_agents} | metrics.summary(run.record.plan(), problem)


def run_rooms(algorithm: str, options: dict[str, Any], steps: int, seed: int) -> Row:
    """A crowd in rooms with doors of one cell."""
    problem = _drawn(rooms(SIDE, SIDE, 7, seed=seed), CROWD, seed)
    run = simulate(problem, algorithm, seed=seed, until=steps, own=options)
    return {"status": run.status.value, "n_agents": CROWD} | metrics.summary(run.record.plan(), problem)


def run_alone(blocked: float, seed: int) -> Row:
    """One agent of BMAA* on a random map, and what it believes after each step, compared with the truth.

    `above` is by how much a belief was above the true distance at most, `gap` by how much two neighbours' beliefs
    differed more than the step between them costs.
    """
    problem = _drawn(random_map(SIDE, SIDE, blocked, seed=seed), 1, seed)
    grid, goal = problem.grid, int(problem.goals[0])
    world = Simulation(problem, "bmaa", seed=seed)
    cells, true = grid.free_cells, OneToAll(grid, goal)
    finish(true)
    apart = np.abs(grid.places(np.arange(grid.n_cells)) - grid.places([goal]))
    heuristic = apart.max(1) + (grid.diagonal - 1.0) * apart.min(1)
    above = gap = -np.inf
    while not world.status.is_final and world.time < 100 * SIDE * SIDE:
        world.advance(1)
        beliefs = heuristic + learned(world.controller.arrays.tiles, 0, grid.n_cells, grid.stride)
        above = max(above, float((beliefs - true.costs)[cells].max()))
        for k, (offset, length) in enumerate(zip(grid.offsets.tolist(), grid.lengths.tolist(), strict=True)):
            here = cells[(grid.legal[cells] >> k & 1).astype(bool)]
            gap = max(gap, float((beliefs[here] - beliefs[here + offset]).max(initial=-np.inf)) - length)
    return {"status": world.status.value, "arrived": float(world.status.value == "solved"), "above": above, "gap": gap}


def _drawn(grid: Any, agents: int, seed: int) -> Problem:
    starts, goals = draw_pairs(grid, agents, seed=seed)
    return one_shot(grid, grid.places(starts), grid.places(goals))
