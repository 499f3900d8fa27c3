"""The page of a result: the search that found its path, or its plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wayfolk.errors import BadInput, NotSupported
from wayfolk.problem.result import Result
from wayfolk.replay import search_page, track_of_plan
from wayfolk.replay.blockages import blocked_layers
from wayfolk.replay.page import Page
from wayfolk.world.grid import Grid


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
        raise NotSupported("searches on grids can be watched, not those on other graphs")
    ends = np.int32(start), np.int32(goal)
    if not others:
        return search_page(world, *ends, result.algorithm, options=_plain(result))
    return search_page(world, *ends, result.algorithm, *others)


def _plain(result: Result) -> dict[str, Any]:
    """The options of the search, without the one to watch it, which is set anyway."""
    return {name: value for name, value in result.options.items() if name != "watch"}
