"""Runs scenes: agents until all are done, streets until their end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, overload

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.refusals import check_states
from wayfolk.algorithms.task import checked_limits, finish
from wayfolk.problem.record import DISTANCE
from wayfolk.simulation.scene.scene import Scene
from wayfolk.simulation.scene.scene_run import SceneRun
from wayfolk.simulation.scene.scene_simulation import SceneSimulation
from wayfolk.simulation.scene.street_scene import StreetRun, StreetScene, run_street
from wayfolk.simulation.solving import make_ready
from wayfolk.world.vision import Vision

SHORTEST = 1e-6  # seconds that are left where preparing took all of them


@overload
def run_scene(scene: Scene, *, seconds: float | None = None, tell: Callable[[Any], None] | None = None) -> SceneRun: ...
@overload
def run_scene(
    scene: StreetScene, *, seconds: float | None = None, tell: Callable[[Any], None] | None = None
) -> StreetRun: ...
def run_scene(
    scene: Scene | StreetScene, *, seconds: float | None = None, tell: Callable[[Any], None] | None = None
) -> SceneRun | StreetRun:
    """Run a scene until all its agents are done, or its end has come.

    `seconds` limits how long that takes. For a scene of agents it replaces the scene's own limit, and counts planning from
    the controller's preparation on; compiling does not count. `tell` is called now and then with the simulation or the
    street, whose `time` is what its clock shows.
    """
    checked_limits(seconds=seconds, until=scene.until)
    if isinstance(scene, StreetScene):
        return run_street(scene, seconds, tell)
    return _run_agents(scene if seconds is None else replace(scene, seconds=seconds), tell)


def _run_agents(scene: Scene, tell: Callable[[Any], None] | None) -> SceneRun:
    """Run a scene until all agents are done, its end has come, or its seconds of planning are used up."""
    checked_limits(seconds=scene.seconds)
    problem, _ = scene.written_out
    check_states(catalogue.find(scene.controller, "controllers"), problem)
    make_ready(scene.controller)
    if scene.vision is not None:
        Vision(scene.grid, scene.vision).look(problem.starts[:1])  # compiles
    began = time.perf_counter()
    simulation = SceneSimulation(scene)
    prepared = time.perf_counter() - began
    left = None if scene.seconds is None else max(scene.seconds - prepared, SHORTEST)
    portion = 1 if scene.model != DISTANCE else math.ceil(1 / simulation.tick)
    result = finish(simulation, seconds=left, what="ticks", tell=tell, portion=portion, largest=portion)
    run = simulation.run()
    run.status, run.detail = result.status, result.detail
    return SceneRun(scene, run, simulation, prepared)
