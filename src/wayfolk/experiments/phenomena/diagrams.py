"""Fundamental diagrams: how fast people walk at a density, in a corridor in which all walk the same way.

Compared with Weidmann, "Transporttechnik der Fussgaenger", 1993, who fits the speeds that many measured.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from wayfolk.crowds.crowd import Crowd
from wayfolk.crowds.measures.flow import fundamental_diagram, weidmann_speed
from wayfolk.errors import BadInput
from wayfolk.experiments.phenomena.corridor import corridor

MOST_DENSITY = 6.0


class DiagramPoint(NamedTuple):
    """The mean density, speed and specific flow in the middle of the corridor, and the speed that Weidmann gives."""

    density: float
    speed: float
    flow: float
    weidmann: float


def walk_round(
    model: str = "social_force",
    *,
    density: float = 1.0,
    length: float = 20.0,
    width: float = 3.0,
    seconds: float = 20.0,
    radius: float = 0.2,
    speed: float = 1.34,
    seed: int = 0,
    **options: Any,
) -> DiagramPoint:
    """Let so many people on a square metre walk along a corridor; who leaves at its end comes in again at its start."""
    if not 0 < density <= MOST_DENSITY:
        raise BadInput(f"a density is above 0 and at most {MOST_DENSITY:g} persons on a square metre, not {density}")
    crowd = Crowd(corridor(length, width), model, seed=seed, **options)
    rng = np.random.default_rng(seed)
    agents = max(2, round(density * length * width))
    rows = max(1, min(int(width / (2.05 * radius)), round(np.sqrt(agents * width / length))))
    columns = -(-agents // rows)
    lattice = np.array([((k // rows + 0.5) * length / columns, (k % rows + 0.5) * width / rows) for k in range(agents)])
    speeds = np.clip(rng.normal(speed, 0.15 * speed, agents), 0.5 * speed, 1.5 * speed)
    crowd.add(lattice + rng.uniform(-0.01, 0.01, lattice.shape), radius=radius, speed=speeds, overlap=True)

    def go_on(crowd: Crowd) -> None:
        places = crowd.bodies.places[:agents]
        places[:, 0] %= length  # as on a ring
        crowd.bodies.aims[:agents] = places + np.array([5.0, 0.0])

    trajectory = crowd.run(seconds, every=0.5, before_step=go_on)
    found = fundamental_diagram(trajectory, (0.25 * length, 0.0, 0.75 * length, width), by="area")
    late = found.times > seconds / 2
    mean_density, mean_speed = float(found.density[late].mean()), float(found.speed[late].mean())
    return DiagramPoint(
        mean_density,
        mean_speed,
        float(found.flow[late].mean()),
        float(weidmann_speed(np.array([mean_density]))[0]),
    )
