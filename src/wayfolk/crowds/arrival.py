"""Arrival: which agents of a crowd are at their goals, and to which point of an area each heads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.kernels.bodies.arrays import Bodies
from wayfolk.kernels.bodies.arrival import head_for_areas, spread_arrival
from wayfolk.kernels.bodies.near import Near, new_near, sort
from wayfolk.world.area import AreaGoals
from wayfolk.world.space import Space

Flags = NDArray[np.bool_]


class Arrival:
    """The goals that are areas, and the rule by which agents are there.

    An agent is there within `near` metres of its point, or with its centre in its area; an area that is too small for its
    body counts as a point. Unless agents `leave`, one is also there if others with the same goal are there and keep it
    away: if no body of its size would fit between it and one of them. So those who gather around one point are all there in
    the end.
    """

    def __init__(self, space: Space, near: float | None, leave: bool) -> None:
        if near is not None and not near > 0:
            raise BadInput(f"agents are at their goals within some metres, not {near}")
        self.areas, self.near, self.leave = AreaGoals(space), near, leave
        self._beside: Near | None = None

    def head_for_areas(self, bodies: Bodies, n: int) -> None:
        """Let the first `n` bodies whose goals are areas head for the nearest point of them."""
        if self.areas.areas:
            head_for_areas(bodies, n, self.areas.of, self.areas.starts, self.areas.targets)

    def at_goal(self, bodies: Bodies, n: int) -> Flags:
        """Which of the first `n` bodies are within `near` metres of their goals, or in their areas."""
        places, goals, radii, is_active = bodies.places[:n], bodies.goals[:n], bodies.radii[:n], bodies.is_active[:n]
        apart = ((places - goals) ** 2).sum(1)
        near = 2.0 * radii if self.near is None else np.float64(self.near)
        there: Flags = is_active & (apart <= near**2)
        for k, area in enumerate(self.areas.areas):
            agents = np.flatnonzero(is_active & (self.areas.of[:n] == k))
            there[agents] &= radii[agents] > area.depth  # it counts as a point
            there[agents] |= area.contains(places[agents])
        return there

    def there(self, bodies: Bodies, n: int, largest: float) -> Flags:
        """Which of the first `n` bodies are at their goals, or kept away by others who are; `largest` bounds radii."""
        there = self.at_goal(bodies, n)
        if not self.leave and there.any():
            if self._beside is None or len(self._beside.agents) != len(bodies.radii):
                self._beside = new_near(len(bodies.radii))
            reach = 4.0 * largest
            sort(bodies, n, reach, self._beside)
            spread_arrival(bodies, self._beside, self.areas.of, reach, there, np.zeros(n, np.int32))
        return there
