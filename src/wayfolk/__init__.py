"""Wayfolk: the workbench for many agents finding their way at once.

    import wayfolk as wf

    grid = wf.read_map("den312d.map")
    path = wf.find_path(grid, (3, 4), (50, 60), "astar")
    problem = wf.read_scen("den312d-random-1.scen", grid, agents=200)
    result = wf.solve(problem, "whca", seconds=10)
    assert not wf.check(result.plan, problem)

Names are loaded when they are first used: importing the package loads neither numba nor numpy.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Controller": "controllers",
    "DirectionMap": "directions",
    "Event": "events",
    "Fault": "check",
    "Flow": "flow",
    "Graph": "graph",
    "Grid": "grid",
    "Herd": "herd",
    "Many": "many",
    "Moves": "grid",
    "Navmesh": "navmesh",
    "Plan": "plan",
    "Problem": "problem",
    "Record": "record",
    "Result": "result",
    "Run": "runs",
    "Scene": "scene",
    "Simulation": "simulation",
    "Status": "result",
    "Trials": "convergence",
    "View": "controllers",
    "WayfolkError": "errors",
    "Waypoints": "waypoints",
    "add_strategy": "realtime._time_bounded",
    "begin_path": "run",
    "begin_plan": "run",
    "check": "check",
    "check_record": "check_log",
    "coherence_over_time": "directions",
    "distances": "fields",
    "find_many": "many",
    "find_path": "run",
    "flow_of": "flow",
    "one_shot": "problem",
    "parse_ascii": "formats",
    "patrol": "problem",
    "play": "scene",
    "read_map": "formats",
    "read_plan": "formats",
    "read_queries": "formats",
    "read_scen": "formats",
    "read_scene": "scene",
    "simulate": "simulation",
    "solve": "run",
    "tasks": "problem",
    "thesis_map": "generate",
    "thesis_problem": "generate",
    "trials": "convergence",
    "walk": "walker",
    "write_map": "formats",
    "write_replay": "replay",
    "write_scen": "formats",
}

__all__ = sorted(_HOME)

if TYPE_CHECKING:
    from wayfolk.check import Fault, check
    from wayfolk.check_log import check_record
    from wayfolk.controllers import Controller, View
    from wayfolk.convergence import Trials, trials
    from wayfolk.directions import DirectionMap, coherence_over_time
    from wayfolk.errors import WayfolkError
    from wayfolk.events import Event
    from wayfolk.fields import distances
    from wayfolk.flow import Flow, flow_of
    from wayfolk.formats import parse_ascii, read_map, read_plan, read_queries, read_scen, write_map, write_scen
    from wayfolk.generate import thesis_map, thesis_problem
    from wayfolk.graph import Graph
    from wayfolk.grid import Grid, Moves
    from wayfolk.herd import Herd
    from wayfolk.many import Many, find_many
    from wayfolk.navmesh import Navmesh
    from wayfolk.plan import Plan
    from wayfolk.problem import Problem, one_shot, patrol, tasks
    from wayfolk.realtime._time_bounded import add_strategy
    from wayfolk.record import Record
    from wayfolk.replay import write_replay
    from wayfolk.result import Result, Status
    from wayfolk.run import begin_path, begin_plan, find_path, solve
    from wayfolk.runs import Run
    from wayfolk.scene import Scene, play, read_scene
    from wayfolk.simulation import Simulation, simulate
    from wayfolk.walker import walk
    from wayfolk.waypoints import Waypoints


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'wayfolk' has no attribute {name!r}")
    value = getattr(import_module(f"wayfolk.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """Keeps `wayfolk.check` the function: importing the module of that name would put itself there."""

    @property
    def check(self) -> Any:
        return import_module("wayfolk.check").check

    @check.setter
    def check(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package
