"""The page of a result: the search that found its path, an agent that walks on it, or its plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wayfolk.errors import BadInput, NotSupported
from wayfolk.problem.plan import Plan
from wayfolk.problem.result import Result
from wayfolk.replay import Track, search_page, track_of_plan
from wayfolk.replay.blockages import blocked_layers
from wayfolk.replay.page import Page
from wayfolk.world.body import POINT, Body
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import states_of


def page_of_result(result: Result, others: Sequence[Any] = ()) -> Page:
    """Return the replay of `result`; a search is run again to watch it, beside those of the algorithms `others`."""
    if result.plan is not None:
        if others:
            raise BadInput("a plan is shown alone: `wayfolk.write_replay` shows several side by side")
        goals = None if result.problem is None or not result.problem.is_one_shot else result.problem.goals
        layers = result.layers + blocked_layers(result.blockages, result.plan)
        track = track_of_plan(result.plan, goals, result.algorithm, layers=layers)
        return Page([track], f"{result.plan.states.name or 'Plan'}: {result.algorithm}")
    if result.query is None:
        raise NotSupported("there is nothing to show: this result has no plan, and does not know its query")
    world, start, goal = result.query
    if not isinstance(world, Grid):
        if others or not result.is_solved:
            raise NotSupported("searches on grids can be watched side by side; on other graphs a path is shown")
        return Page([track_of_path(result, world)], f"{world.name or 'Path'}: {result.algorithm}")
    ends = np.int32(start), np.int32(goal)
    if not others:
        return search_page(world, *ends, result.algorithm, options=_plain(result))
    return search_page(world, *ends, result.algorithm, *others)


def track_of_path(result: Result, world: Grid | Graph, body: Body = POINT) -> Track:
    """An agent with this `body` that walks in `world` on the path that was found, one move in a step."""
    if result.query is None or result.path is None:
        raise NotSupported("there is nothing to show: this result has no path, or does not know its query")
    places: list[Any] = result.path
    cells = np.array([[world.cell(place)] for place in places], np.int32)
    goal, states = result.query[2], states_of(world, (body,))
    facts = {"Cost": f"{result.cost:,.4f}", "Moves": f"{len(cells) - 1:,}", "Expanded": f"{result.expanded:,}"}
    return track_of_plan(Plan(states, cells), np.array([goal]), result.algorithm, facts)


def _plain(result: Result) -> dict[str, Any]:
    """The options of the search, without the one to watch it, which is set anyway."""
    return {name: value for name, value in result.options.items() if name != "watch"}
