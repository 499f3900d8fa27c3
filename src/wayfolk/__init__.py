"""Wayfolk: a workbench for multi-agent pathfinding.

    import wayfolk as wf

    grid = wf.read_map("den312d.map")
    path = wf.find_path(grid, (3, 4), (50, 60), "astar")
    problem = wf.read_scen("den312d-random-1.scen", grid, agents=200)
    result = wf.solve(problem, seconds=10)
    assert not wf.check(result.plan, problem)

Names are loaded when they are first used: importing the package loads neither numba nor numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "AgentState": "simulation.states",
    "Area": "world.area",
    "Blockage": "judge.blockage",
    "Brain": "crowds.brains",
    "Controller": "algorithms.controllers",
    "Crowd": "crowds.crowd",
    "Dependencies": "simulation.dependencies",
    "DirectionMap": "world.direction_map",
    "Event": "problem.events",
    "Fault": "judge.plans",
    "Finder": "algorithms.paths",
    "Fleet": "simulation.fleet",
    "Flow": "world.flow",
    "Graph": "world.graph",
    "Grid": "world.grid",
    "Herd": "algorithms.herd",
    "Many": "algorithms.batch",
    "Moves": "world.grid",
    "Navmesh": "world.mesh.navmesh",
    "Order": "problem.orders",
    "Page": "replay.page",
    "Plan": "problem.plan",
    "Problem": "problem.problem",
    "Record": "problem.record",
    "Result": "problem.result",
    "Run": "simulation.run",
    "Scene": "simulation.scene.scene",
    "Simulation": "simulation.simulation",
    "Space": "world.space",
    "Status": "problem.result",
    "Street": "crowds.street",
    "Trace": "problem.trace",
    "Trajectory": "crowds.trajectory",
    "Trials": "algorithms.trials",
    "View": "algorithms.controllers",
    "WayfolkError": "errors",
    "Waypoints": "world.mesh.waypoints",
    "add_strategy": "algorithms.realtime._time_bounded",
    "begin_path": "algorithms.paths",
    "begin_plan": "simulation.solving",
    "check": "judge.plans",
    "check_record": "judge.records",
    "coherence_over_time": "judge.coherence",
    "deliveries": "problem.problem",
    "dependencies": "simulation.dependencies",
    "distances": "algorithms.distances",
    "export_plan": "files.exchange",
    "find_many": "algorithms.batch",
    "find_path": "algorithms.paths",
    "finder": "algorithms.paths",
    "flow_of": "world.flow",
    "import_plan": "files.exchange",
    "one_shot": "problem.problem",
    "parse_ascii": "files.maps",
    "patrol": "problem.problem",
    "play": "simulation.scene.scene",
    "play_street": "simulation.scene.street",
    "read_map": "files.maps",
    "read_orders": "files.orders",
    "read_plan": "files.plans",
    "read_queries": "files.scenarios",
    "read_runs": "experiments.sweeps.store",
    "read_scen": "files.scenarios",
    "read_scene": "simulation.scene.reader",
    "read_stations": "files.orders",
    "read_street": "simulation.scene.street",
    "read_trajectory": "crowds.trajectory",
    "read_world": "simulation.saved",
    "search_page": "replay",
    "shorten": "simulation.dependencies",
    "simulate": "simulation.solving",
    "solve": "simulation.solving",
    "tasks": "problem.problem",
    "thesis_map": "world.thesis_maps",
    "thesis_problem": "problem.thesis",
    "trials": "algorithms.trials",
    "walk": "algorithms.walk",
    "walk_plan": "crowds.fleet",
    "watch_path": "algorithms.watching",
    "why": "judge.blockage",
    "write_map": "files.maps",
    "write_replay": "replay",
    "write_scen": "files.scenarios",
}

_MODULES = {
    "env": "simulation.env",
    "events": "problem.events",
    "generate": "world.generate",
    "metrics": "judge.metrics",
}

__all__ = sorted([*_HOME, *_MODULES])

if TYPE_CHECKING:
    from wayfolk.algorithms.batch import Many, find_many
    from wayfolk.algorithms.controllers import Controller, View
    from wayfolk.algorithms.distances import distances
    from wayfolk.algorithms.herd import Herd
    from wayfolk.algorithms.paths import Finder, begin_path, find_path, finder
    from wayfolk.algorithms.realtime._time_bounded import add_strategy
    from wayfolk.algorithms.trials import Trials, trials
    from wayfolk.algorithms.walk import walk
    from wayfolk.algorithms.watching import watch_path
    from wayfolk.crowds.brains import Brain
    from wayfolk.crowds.crowd import Crowd
    from wayfolk.crowds.fleet import walk_plan
    from wayfolk.crowds.street import Street
    from wayfolk.crowds.trajectory import Trajectory, read_trajectory
    from wayfolk.errors import WayfolkError
    from wayfolk.experiments.sweeps.store import read_runs
    from wayfolk.files.exchange import export_plan, import_plan
    from wayfolk.files.maps import parse_ascii, read_map, write_map
    from wayfolk.files.orders import read_orders, read_stations
    from wayfolk.files.plans import read_plan
    from wayfolk.files.scenarios import read_queries, read_scen, write_scen
    from wayfolk.judge import metrics
    from wayfolk.judge.blockage import Blockage, why
    from wayfolk.judge.coherence import coherence_over_time
    from wayfolk.judge.plans import Fault, check
    from wayfolk.judge.records import check_record
    from wayfolk.problem import events
    from wayfolk.problem.events import Event
    from wayfolk.problem.orders import Order
    from wayfolk.problem.plan import Plan
    from wayfolk.problem.problem import Problem, deliveries, one_shot, patrol, tasks
    from wayfolk.problem.record import Record
    from wayfolk.problem.result import Result, Status
    from wayfolk.problem.thesis import thesis_problem
    from wayfolk.problem.trace import Trace
    from wayfolk.replay import search_page, write_replay
    from wayfolk.replay.page import Page
    from wayfolk.simulation import env
    from wayfolk.simulation.dependencies import Dependencies, dependencies, shorten
    from wayfolk.simulation.fleet import Fleet
    from wayfolk.simulation.run import Run
    from wayfolk.simulation.saved import read_world
    from wayfolk.simulation.scene.reader import read_scene
    from wayfolk.simulation.scene.scene import Scene, play
    from wayfolk.simulation.scene.street import play_street, read_street
    from wayfolk.simulation.simulation import Simulation
    from wayfolk.simulation.solving import begin_plan, simulate, solve
    from wayfolk.simulation.states import AgentState
    from wayfolk.world import generate
    from wayfolk.world.area import Area
    from wayfolk.world.direction_map import DirectionMap
    from wayfolk.world.flow import Flow, flow_of
    from wayfolk.world.graph import Graph
    from wayfolk.world.grid import Grid, Moves
    from wayfolk.world.mesh.navmesh import Navmesh
    from wayfolk.world.mesh.waypoints import Waypoints
    from wayfolk.world.space import Space
    from wayfolk.world.thesis_maps import thesis_map


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = import_module(f"wayfolk.{_MODULES[name]}")
    elif name in _HOME:
        value = getattr(import_module(f"wayfolk.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'wayfolk' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
