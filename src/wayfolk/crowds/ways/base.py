"""The base class of all ways: agents head straight for their goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd


class Ways:
    """Straight ways: agents head for their goals, whatever stands between. Other ways are subclasses."""

    def __init__(self, space: Space) -> None:
        self.space = space

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Find ways for `agents`, which have come or have a new goal."""
        crowd.bodies.aims[agents] = crowd.bodies.goals[agents]

    def aim(self, crowd: Crowd) -> None:
        """Write the point that each agent heads for; called before each step."""

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Hear that the walls have changed."""
        self.space = space


def going(crowd: Crowd, agents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Those of `agents` that have a goal."""
    some: NDArray[np.int32] = agents[~np.isnan(crowd.bodies.goals[agents, 0])]
    return some
