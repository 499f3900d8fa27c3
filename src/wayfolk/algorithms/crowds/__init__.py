"""Many bodies, the next velocity. Each file is a model; see `wayfolk.algorithms.catalogue` for what a file holds.

    begin(space, *, seed=0, ...options) -> Model

A crowd owns the bodies, finds their ways, moves them and keeps them apart. A model only says with which force each agent
wants to move, from the bodies and walls near it and the point that it heads for, `bodies.aims`. A model is written in one
of two ways:

    in Python    `steer` writes `bodies.forces` with numpy, for the agents `moment.agents(first, last)`
    compiled     `steer` calls a kernel with the same arrays

`steer` is called in several threads, each for a range of rows of `moment.near`, and may write the forces of these agents
only. It reads places and velocities at the start of the step. So the outcome does not depend on the number of threads.
A model that draws random numbers takes them from `wayfolk.kernels.bodies.steering.noise`, by seed, agent and tick.

The fact STEP is the longest step in seconds for which a model is stable; it is the step of a crowd if its user gives none.
A model with the fact FINDS_WAY knows the way to the goals itself: it reads `bodies.goals`, and no paths are planned for it.
A model with CONTACTS = False has its own forces between bodies that touch, and the crowd does not keep its bodies apart.
An agent without a goal has NaN in `bodies.goals` and `bodies.aims`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.bodies.arrays import Bodies
from wayfolk.kernels.bodies.near import PRESENT, Near
from wayfolk.kernels.bodies.walls import Walls
from wayfolk.world.area import AreaGoals
from wayfolk.world.space import Space

__all__ = ["Bodies", "Model", "Moment", "Near", "Space", "Walls"]


@dataclass(frozen=True)
class Moment:
    """What a model sees in one step. `tick` counts steps, and `seconds` is how long a step lasts."""

    bodies: Bodies
    near: Near
    walls: Walls
    tick: int
    seconds: float

    @property
    def n_present(self) -> int:
        """How many bodies are there."""
        return int(self.near.shape[PRESENT])

    def agents(self, first: int, last: int) -> NDArray[np.int32]:
        """The numbers of the agents in the rows from `first` to before `last`."""
        return self.near.agents[first:last]


class Model(ABC):
    """Says with which force each agent wants to move.

    reach       how far it looks at others, in metres
    wall_reach  how far it looks at walls, in metres
    areas       which goals are areas; `bodies.goals` is then the point of the area that the agent heads for now
    """

    reach: float = 0.0
    wall_reach: float = 0.0
    areas: AreaGoals

    def __init__(self, space: Space, *, reach: float = 0.0, wall_reach: float = 0.0) -> None:
        self.space, self.reach, self.wall_reach = space, float(reach), float(wall_reach)

    def prepare(self, space: Space, bodies: Bodies, agents: NDArray[np.int32]) -> None:
        """Hear that `agents` have come or have a new goal, or that the space has changed: then they are all agents."""
        self.space = space

    def update(self, moment: Moment) -> None:  # noqa: B027 - most models need nothing
        """Do what has to be done once in a step, before `steer`."""

    @abstractmethod
    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Write `bodies.forces` for the agents in the rows of `moment.near` from `first` to before `last`."""
