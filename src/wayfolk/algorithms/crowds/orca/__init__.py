"""ORCA: each agent takes the velocity nearest to the one it wants that avoids collisions if others do their half.

van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", Robotics Research, 2011.

Guarantees  no two agents that both find a velocity collide within `horizon` seconds. In a crowd so dense that there is no
            such velocity, agents take the one that violates the constraints least.
Invariants  the velocity satisfies all half-planes if there is one that does, and is then the nearest to the wanted one;
            the half-planes of walls are never violated for others.
Cost        O(agents x (neighbours + bins)) in a step, expected; a linear program of two dimensions for each agent.
Deviations  the half-plane of a wall is the tangent of its velocity obstacle nearest to the agent's velocity, as in the
            authors' library RVO2; the paper says less about walls. A tiny random velocity is added to the wanted one, so
            that agents in a symmetric formation do not wait for ever.
"""

from __future__ import annotations

import threading
from typing import Annotated

import numpy as np

from wayfolk.algorithms.crowds import Model, Moment, Space
from wayfolk.algorithms.crowds.orca.planes import avoid
from wayfolk.algorithms.crowds.orca.programs import new_planes
from wayfolk.algorithms.options import Range

PAPER = "van den Berg, Guy, Lin and Manocha 2011"
OPTIMAL = False
COMPLETE = False
STEP = 0.1


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    horizon: Annotated[float, Range(0.05, 100.0), "Seconds for which velocities avoid other agents."] = 2.0,
    wall_horizon: Annotated[float, Range(0.05, 100.0), "Seconds for which velocities avoid walls."] = 0.5,
    reach: Annotated[float, Range(0.1, 1000.0), "Metres within which an agent looks at others."] = 5.0,
    neighbours: Annotated[int, Range(1, 64), "How many others an agent looks at: the nearest."] = 10,
    jitter: Annotated[float, Range(0.0, 1.0), "Largest random part of the wanted velocity, in metres a second."] = 0.01,
) -> Orca:
    """The model with horizons for pedestrians."""
    return Orca(space, seed, horizon, wall_horizon, reach, neighbours, jitter)


class Orca(Model):
    """Agents that avoid collisions, each taking half of the responsibility.

    squeezed  for each agent, whether no velocity was permitted in the last step: it took the one that violates least
    """

    def __init__(
        self, space: Space, seed: int, horizon: float, wall_horizon: float, reach: float, neighbours: int, jitter: float
    ) -> None:
        super().__init__(space, reach=reach, wall_reach=min(reach, 5.0))
        self.seed = seed
        self.settings = (float(horizon), float(wall_horizon), float(reach), float(jitter))
        self.neighbours = neighbours
        self._scratch = threading.local()
        self._ranges = np.zeros(0)
        self.squeezed = np.zeros(0, np.bool_)

    def update(self, moment: Moment) -> None:
        """Keep the range of each agent's neighbours."""
        more = len(moment.bodies.radii) - len(self._ranges)
        if more > 0:
            self._ranges = np.pad(self._ranges, (0, more), constant_values=np.inf)
            self.squeezed = np.pad(self.squeezed, (0, more))

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Find a velocity for each agent."""
        if not hasattr(self._scratch, "planes"):
            self._scratch.planes = new_planes(self.neighbours)
        avoid(
            moment.bodies,
            moment.near,
            walls=moment.walls,
            room=self._scratch.planes,
            ranges=self._ranges,
            squeezed=self.squeezed,
            settings=self.settings,
            seconds=moment.seconds,
            seed=np.int64(self.seed),
            tick=moment.tick,
            first=first,
            last=last,
        )
