"""The task of the Direction Map thesis on one of its maps: patrols drawn by its rule."""

from __future__ import annotations

from typing import Literal

import numpy as np

from wayfolk.problem.problem import Problem, patrol_between
from wayfolk.world.generate import draw_pairs
from wayfolk.world.thesis_maps import ThesisMap, thesis_map

Sides = Literal["both", "left"]


def thesis_problem(letter: str, agents: int = 100, loops: int = 20, seed: int = 0, *, sides: Sides = "both") -> Problem:
    """The problem of the thesis on map `letter`: `agents` walk from one place to another and back, `loops` times.

    On maps with zones the first half of the agents begins on the left and the second half on the right; with `sides`
    "left" all of them begin on the left. x + y of every place is odd.
    """
    return draw_patrol(thesis_map(letter), agents, loops, seed, sides)


def draw_patrol(place: ThesisMap, agents: int, loops: int, seed: int = 0, sides: Sides = "both") -> Problem:
    """Return the same problem on any map with zones."""
    y, x = np.indices(place.grid.free.shape)
    is_odd = (x + y) % 2 == 1
    left, right = place.zones or (place.grid.free, place.grid.free)
    starts, far = draw_pairs(place.grid, agents, seed=seed, zones=(left & is_odd, right & is_odd), disjoint=True)
    if place.zones is not None and sides == "both":
        is_right = np.arange(agents) >= (agents + 1) // 2
        starts, far = np.where(is_right, far, starts), np.where(is_right, starts, far)
    return patrol_between(place.grid, starts, far, loops, seed=seed, name=place.name)
