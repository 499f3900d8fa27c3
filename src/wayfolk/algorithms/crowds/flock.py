"""Flock: agents keep apart from their neighbours, fly in the same direction and stay together.

Reynolds, "Flocks, herds and schools: a distributed behavioral model", SIGGRAPH 1987; radii, angles and weights of his
library OpenSteer.

Guarantees  none; a flock forms where agents see each other.
Invariants  the force is truncated after summing, to `force`; walls come first: who would hit one within `wall_time` steers
            away from it and does nothing else.
Cost        O(agents + pairs within the largest radius) in a step.
Deviations  the plane instead of space. Agents with a goal seek it with the weight `seek`; only agents of one group align
            and stay together, but all keep apart. Forces are those of OpenSteer times the mass.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.crowds import Model, Moment, Space
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import kernel
from wayfolk.kernels.bodies.flocking import FlockRules, flock
from wayfolk.kernels.bodies.motion import truncated
from wayfolk.kernels.bodies.near import RADIUS, VX, VY, X, Y
from wayfolk.kernels.bodies.steering import avoid_walls, noise, wander, wanted_velocity

PAPER = "Reynolds 1987"
OPTIMAL = False
COMPLETE = False
STEP = 0.05


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    separation_radius: Annotated[float, Range(0.0, 1000.0), "Metres within which agents keep apart."] = 5.0,
    separation_cosine: Annotated[float, Range(-1.0, 1.0), "Cosine of the angle within which they do."] = -0.707,
    separation_weight: Annotated[float, Range(0.0, 1e6), "Weight of keeping apart."] = 12.0,
    alignment_radius: Annotated[float, Range(0.0, 1000.0), "Metres within which agents take the same direction."] = 7.5,
    alignment_cosine: Annotated[float, Range(-1.0, 1.0), "Cosine of the angle within which they do."] = 0.7,
    alignment_weight: Annotated[float, Range(0.0, 1e6), "Weight of taking the same direction."] = 8.0,
    cohesion_radius: Annotated[float, Range(0.0, 1000.0), "Metres within which agents stay together."] = 9.0,
    cohesion_cosine: Annotated[float, Range(-1.0, 1.0), "Cosine of the angle within which they do."] = -0.15,
    cohesion_weight: Annotated[float, Range(0.0, 1e6), "Weight of staying together."] = 8.0,
    seek: Annotated[float, Range(0.0, 1e6), "Weight of going to the goal, for agents that have one."] = 8.0,
    wander: Annotated[float, Range(0.0, 1e6), "Weight of a direction that changes at random."] = 0.0,
    force: Annotated[float, Range(0.0, 1e6), "Longest steering in metres a second squared."] = 27.0,
    wall_time: Annotated[float, Range(0.0, 60.0), "Seconds before a wall at which agents steer away."] = 1.0,
) -> Flock:
    """The model with the parameters of OpenSteer."""
    rules = FlockRules(
        float(separation_radius),
        float(separation_cosine),
        separation_weight=float(separation_weight),
        alignment_radius=float(alignment_radius),
        alignment_cosine=float(alignment_cosine),
        alignment_weight=float(alignment_weight),
        cohesion_radius=float(cohesion_radius),
        cohesion_cosine=float(cohesion_cosine),
        cohesion_weight=float(cohesion_weight),
    )
    return Flock(space, seed, rules, (float(seek), float(wander), float(force), float(wall_time)))


class Flock(Model):
    """Agents that flock."""

    def __init__(self, space: Space, seed: int, rules: FlockRules, settings: tuple[float, float, float, float]) -> None:
        reach = max(rules.separation_radius, rules.alignment_radius, rules.cohesion_radius)
        super().__init__(space, reach=reach, wall_reach=5.0)
        self.seed, self.rules, self.settings = seed, rules, settings
        self.angles = np.zeros(0)

    def update(self, moment: Moment) -> None:
        """Keep a wander angle for each agent."""
        if len(self.angles) != len(moment.bodies.radii):
            self.angles = np.pad(self.angles, (0, len(moment.bodies.radii) - len(self.angles)))

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Sum up the rules for each agent."""
        _fly(
            moment.bodies,
            moment.near,
            walls=moment.walls,
            rules=self.rules,
            settings=self.settings,
            angles=self.angles,
            seed=self.seed,
            tick=moment.tick,
            first=first,
            last=last,
        )


@kernel
def _fly(bodies, near, walls, rules, settings, angles, seed, tick, first, last):
    """Write the force on each agent: away from a wall, or the weighted sum of the other behaviours."""
    seek_weight, wander_weight, longest, wall_time = settings
    for row in range(first, last):
        agent = near.agents[row]
        x, y, vx, vy = near.rows[row, X], near.rows[row, Y], near.rows[row, VX], near.rows[row, VY]
        fx, fy = avoid_walls(walls, x, y, vx, vy, near.rows[row, RADIUS], wall_time)
        if fx != 0.0 or fy != 0.0:
            length = np.sqrt(fx * fx + fy * fy)
            fx, fy = fx / length * longest, fy / length * longest
        else:
            heading = bodies.headings[agent]
            fx, fy = flock(near, row, bodies.groups, rules, np.cos(heading), np.sin(heading))
            if seek_weight > 0.0 and not np.isnan(bodies.aims[agent, 0]):
                want_x, want_y = wanted_velocity(bodies, agent)
                fx += seek_weight * (want_x - vx) / max(bodies.speeds[agent], 1e-9)
                fy += seek_weight * (want_y - vy) / max(bodies.speeds[agent], 1e-9)
            if wander_weight > 0.0:
                angles[agent], dx, dy = wander(heading, angles[agent], 0.5, 1.0, 1.4142, noise(seed, agent, tick))
                fx += wander_weight * dx
                fy += wander_weight * dy
            fx, fy = truncated(fx, fy, longest)
        bodies.forces[agent, 0], bodies.forces[agent, 1] = fx * bodies.masses[agent], fy * bodies.masses[agent]
