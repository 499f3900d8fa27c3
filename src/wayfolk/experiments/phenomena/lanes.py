"""Lanes: two groups in a corridor that walk in opposite directions part into lanes.

Helbing and Molnár, "Social force model for pedestrian dynamics", Physical Review E 51, 1995: lanes form by themselves. The
order parameter is that of `wayfolk.crowds.measures.lane_order`; it is compared with the same places and ways dealt out at
random.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.measures.lanes import lane_order
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.experiments.phenomena.corridor import corridor


class LaneRun(NamedTuple):
    """Times in seconds, the order at each, that of the same places with random ways, and the trajectory."""

    times: Any
    order: Any
    random: Any
    trajectory: Trajectory


def two_way_corridor(
    model: str = "social_force",
    *,
    agents: int = 80,
    length: float = 30.0,
    width: float = 4.0,
    seconds: float = 60.0,
    radius: float = 0.2,
    speed: float = 1.3,
    seed: int = 0,
    **options: Any,
) -> LaneRun:
    """Half of the agents walk to the right and half to the left; who leaves at one end comes in again at the other."""
    crowd = Crowd(corridor(length, width), model, seed=seed, **options)
    rng = np.random.default_rng(seed)
    rows = int(width / (2.5 * radius))
    columns = -(-agents // rows)
    apart = length / columns
    lattice = np.array([(k // rows * apart + 0.5 * apart, (k % rows + 0.5) * width / rows) for k in range(agents)])
    ways = rng.permutation(np.where(np.arange(agents) % 2 == 0, 1.0, -1.0))
    speeds = np.clip(rng.normal(speed, 0.1 * speed, agents), 0.5 * speed, 1.5 * speed)
    crowd.add(lattice + rng.uniform(-0.02, 0.02, lattice.shape), radius=radius, speed=speeds, group=(ways > 0))

    def go_on(crowd: Crowd) -> None:
        places = crowd.bodies.places[:agents]
        places[:, 0] %= length  # as on a ring: the corridor goes on at its other end
        crowd.bodies.aims[:agents] = places + np.stack([5.0 * ways, np.zeros(agents)], 1)

    trajectory = crowd.run(seconds, every=1.0, before_step=go_on)
    order = lane_order(trajectory, band=0.4, kinds=ways)
    mixed = np.mean([lane_order(trajectory, band=0.4, kinds=rng.permutation(ways)) for _ in range(5)], axis=0)
    return LaneRun(np.arange(trajectory.n_frames) * trajectory.seconds, order, mixed, trajectory)
