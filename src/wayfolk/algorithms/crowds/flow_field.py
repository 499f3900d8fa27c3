"""Flow field: each agent walks down the field of distances to its goal, and bodies push each other aside.

Emerson, "Crowd pathfinding and steering using flow field tiles", Game AI Pro, 2013; fast marching: Sethian 1996.

Guarantees  an agent that is alone arrives. There is one field for each goal, not for each agent.
Invariants  the distance falls along the flow, which does not lead into walls or across their corners.
Cost        O(cells log cells) for each goal and width of bodies, once; O(agents) in a step. 24 bytes a goal and cell.
Deviations  one field over the whole grid instead of tiles with portals. Distances are by fast marching, where the article
            counts moves; agents take the mean of the flow of the four cells around them.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds import Bodies, Model, Moment, Space
from wayfolk.algorithms.crowds._fields import GoalFields
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.potential import flow_at, is_in_sight
from wayfolk.kernels.bodies.steering import arrive, avoid_bodies

PAPER = "Emerson 2013"
OPTIMAL = False
COMPLETE = False
FINDS_WAY = True
STEP = 0.05


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed, not used."] = 0,
    tau: Annotated[float, Range(0.01, 60.0), "Seconds in which an agent takes up its wanted velocity."] = 0.3,
    slowing: Annotated[float, Range(0.0, 1000.0), "Metres before the goal at which agents slow down."] = 0.5,
    avoid: Annotated[float, Range(0.0, 100.0), "Weight of steering away from others that would be hit."] = 0.5,
    look_ahead: Annotated[float, Range(0.0, 60.0), "Seconds within which others would be hit."] = 1.0,
) -> FlowField:
    """A model in which agents follow flow fields."""
    return FlowField(space, tau, slowing, avoid, look_ahead)


class FlowField(Model):
    """Agents that walk down the fields of their goals."""

    def __init__(self, space: Space, tau: float, slowing: float, avoid: float, look_ahead: float) -> None:
        super().__init__(space, reach=3.0 * min(look_ahead, 2.0) if avoid else 0.0)
        self.tau, self.slowing, self.avoid, self.look_ahead = tau, slowing, avoid, look_ahead
        self.fields = GoalFields(space, "flow fields")
        self.field_of = np.zeros(0, np.int32)

    def prepare(self, space: Space, bodies: Bodies, agents: NDArray[np.int32]) -> None:
        """Find the fields of the agents' goals."""
        has_changed = space is not self.space
        if has_changed:
            self.fields = GoalFields(space, "flow fields")
        super().prepare(space, bodies, agents)
        if len(self.field_of) != len(bodies.radii):
            self.field_of = np.pad(self.field_of, (0, len(bodies.radii) - len(self.field_of)))
        going = agents[~np.isnan(bodies.goals[agents, 0])]
        numbers = self.fields.numbers_of(bodies, going, self.areas)
        if not has_changed:  # who has no way any more waits
            self.fields.check_ways(bodies, going, numbers)
        self.field_of[going] = numbers

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Let each agent take up the velocity it wants."""
        settings = (self.tau, self.slowing, self.avoid, self.look_ahead, self.reach, self.space.cell)
        _walk(
            moment.bodies,
            moment.near,
            self.fields.arrays,
            self.field_of,
            self.fields.grid.stride,
            settings,
            first,
            last,
        )


@kernel
def _walk(bodies, near, fields, field_of, stride, settings, first, last):
    """Write the force that brings each agent to its wanted velocity."""
    tau, slowing, weight, look_ahead, reach, side = settings
    for row in range(first, last):
        agent = near.agents[row]
        x, y = bodies.places[agent, 0], bodies.places[agent, 1]
        vx, vy = bodies.velocities[agent, 0], bodies.velocities[agent, 1]
        goal_x, goal_y = bodies.goals[agent, 0], bodies.goals[agent, 1]
        dx, dy = -vx, -vy
        if not np.isnan(goal_x):
            k = field_of[agent]
            if not is_in_sight(fields.potentials[k], stride, side, x, y, goal_x, goal_y):
                flow_x, flow_y = flow_at(fields.flows[k], fields.potentials[k], stride, side, x, y)
                dx, dy = flow_x * bodies.speeds[agent] - vx, flow_y * bodies.speeds[agent] - vy
                bodies.aims[agent, 0], bodies.aims[agent, 1] = x + flow_x, y + flow_y
            else:
                dx, dy = arrive(x, y, vx, vy, goal_x, goal_y, bodies.speeds[agent], slowing)
                bodies.aims[agent, 0], bodies.aims[agent, 1] = goal_x, goal_y
        if weight > 0.0:
            side_x, side_y = avoid_bodies(near, row, reach, look_ahead, 0.1)
            dx += weight * side_x
            dy += weight * side_y
        bodies.forces[agent, 0] = bodies.masses[agent] / tau * dx
        bodies.forces[agent, 1] = bodies.masses[agent] / tau * dy
