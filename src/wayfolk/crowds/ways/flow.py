"""Ways of flow: agents follow the flow field of their goal, one field for each goal and each width of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds._fields import GoalFields
from wayfolk.crowds.ways.base import Ways, going
from wayfolk.kernels.bodies.following import follow_flows
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd


class FlowWays(Ways):
    """Flow fields below any model."""

    def __init__(self, space: Space) -> None:
        super().__init__(space)
        self.fields = self._new_fields(space)
        self.field_of = np.zeros(0, np.int32)
        self._has_changed = False

    def _new_fields(self, space: Space) -> GoalFields:
        return GoalFields(space, "flow fields")

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Find the fields of the agents' goals."""
        room = len(crowd.bodies.radii)
        if len(self.field_of) != room:
            self.field_of = np.pad(self.field_of, (0, room - len(self.field_of)))
        some = going(crowd, agents)
        numbers = self.fields.numbers_of(crowd.bodies, some, crowd.areas)
        if self._has_changed:
            for agent in self.fields.cut_off(crowd.bodies, some, numbers).tolist():
                crowd.note(agent, "has no way to its goal any more, and waits")
        else:
            self.fields.check_ways(crowd.bodies, some, numbers)
        self.field_of[some] = numbers
        crowd.bodies.aims[agents] = crowd.bodies.goals[agents]

    def aim(self, crowd: Crowd) -> None:
        """Let each agent head down its field."""
        grid = self.fields.grid
        follow_flows(crowd.bodies, crowd.n_agents, self.fields.arrays, self.field_of, grid.stride, self.space.cell)

    def changed(self, crowd: Crowd, space: Space) -> None:
        """Compute the fields again."""
        super().changed(crowd, space)
        self.fields = self._new_fields(space)
        self._has_changed = True
        self.plan(crowd, crowd.active)
        self._has_changed = False
