"""The names for authors of algorithms, beside those of `wayfolk`: docs/add-an-algorithm.md shows how each is used.

    tasks        Task, NO_LIMIT, Status, Result, Counters, Plan; Range for options; SearchView for what a replay shows
    controllers  Controller, View, Change, Memory; layers of a replay: CellLayer, MarkLayer, LayerKind
    crowds       Model, Moment, Bodies, Space; Brain and State
    strategies   add_strategy, Seen: for Salient Search
    compiling    kernel, inner, inlined, specialise
    kernels      graphs: slots, there, cost, heuristic. Controllers: Crew, StateCrew, asked, give_route, wait, report,
                 is_goal, planned_by.
                 Distances: StepFields, new_fields, restart, steps_between. Random numbers: new_random, below, uniform.
                 Crowds: arrive, avoid_bodies, avoid_walls
    numbers      NOBODY and NOWHERE; kinds of rows in a log: MOVE, REFUSED, ARRIVE and others

Machine code is compiled again whenever a module that its source imports has changed. Modules that import this one depend
on most of Wayfolk: their kernels are compiled again after each new version of it.
"""

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.crowds import Bodies, Model, Moment, Space
from wayfolk.algorithms.memory import Memory
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.realtime._time_bounded.strategies import Seen, add_strategy
from wayfolk.algorithms.search_view import SearchView
from wayfolk.algorithms.task import Task
from wayfolk.compile.jit import inlined, inner, kernel, specialise
from wayfolk.crowds.brains import Brain, State
from wayfolk.kernels.bodies.steering import arrive, avoid_bodies, avoid_walls
from wayfolk.kernels.codes import (
    ARRIVE,
    BLOCK,
    FREE,
    GOAL,
    JOIN,
    LEAVE,
    MOVE,
    NOBODY,
    NOWHERE,
    REFUSED,
    RELEASE,
    THOUGHT,
)
from wayfolk.kernels.crew import Crew, StateCrew, asked, give_route, is_goal, report, wait
from wayfolk.kernels.distances import StepFields, restart, steps_between
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import below, new_random, uniform
from wayfolk.problem.layers import CellLayer, LayerKind, MarkLayer
from wayfolk.problem.plan import Plan
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT, Counters, Result, Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.spots import new_fields

__all__ = [
    "ARRIVE",
    "BLOCK",
    "FREE",
    "GOAL",
    "JOIN",
    "LEAVE",
    "MOVE",
    "NOBODY",
    "NOWHERE",
    "NO_LIMIT",
    "REFUSED",
    "RELEASE",
    "THOUGHT",
    "Bodies",
    "Brain",
    "CellLayer",
    "Change",
    "Controller",
    "Counters",
    "Crew",
    "Graph",
    "Grid",
    "LayerKind",
    "MarkLayer",
    "Memory",
    "Model",
    "Moment",
    "Plan",
    "Problem",
    "Range",
    "Result",
    "SearchView",
    "Seen",
    "Space",
    "State",
    "StateCrew",
    "Status",
    "StepFields",
    "Task",
    "View",
    "add_strategy",
    "arrive",
    "asked",
    "avoid_bodies",
    "avoid_walls",
    "below",
    "cost",
    "give_route",
    "heuristic",
    "inlined",
    "inner",
    "is_goal",
    "kernel",
    "new_fields",
    "new_random",
    "planned_by",
    "report",
    "restart",
    "slots",
    "specialise",
    "steps_between",
    "there",
    "uniform",
    "wait",
]
