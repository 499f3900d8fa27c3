"""Social force: agents accelerate to their wanted velocity, and others and walls push them away.

Helbing, Farkas and Vicsek, "Simulating dynamical features of escape panic", Nature 407, 2000.

Guarantees  none; it shows arching at doors, lanes in two-way traffic, and that haste makes exits slower.
Invariants  forces between two agents are opposite and equal, apart from their own drive; the same seed gives the same
            trajectories.
Cost        O(agents + pairs within `cutoff`) in a step.
Deviations  forces end at `cutoff` metres between centres. A wall pushes from its nearest point; at a corner it pushes
            once. Friction is limited so that it does not reverse the sliding within a step: as it stands in the paper it
            is unstable for steps above a millisecond. `noise` is a random force that the paper mentions without a size.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from wayfolk.algorithms.crowds import Model, Moment, Space
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.bodies.near import MASS, RADIUS, VX, VY, X, Y, span, window
from wayfolk.kernels.bodies.steering import noise, wanted_velocity
from wayfolk.kernels.bodies.walls import facing, is_own_point, nearest_on, walls_near

PAPER = "Helbing, Farkas and Vicsek 2000"
OPTIMAL = False
COMPLETE = False
CONTACTS = False
STEP = 0.01


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    strength: Annotated[
        float, Range(0.0, 1e6), "A of the paper: the repulsion of two bodies that touch, in newtons."
    ] = 2000.0,
    fall: Annotated[float, Range(0.001, 10.0), "B of the paper: metres in which the repulsion falls to 1/e."] = 0.08,
    body: Annotated[
        float, Range(0.0, 1e7), "k of the paper: against compression, in kilograms a second squared."
    ] = 1.2e5,
    friction: Annotated[
        float, Range(0.0, 1e7), "kappa of the paper: sliding friction, in kg a metre and second."
    ] = 2.4e5,
    tau: Annotated[float, Range(0.01, 60.0), "Seconds in which an agent takes up its wanted velocity."] = 0.5,
    cutoff: Annotated[float, Range(0.1, 100.0), "Metres between centres beyond which agents do not push."] = 2.5,
    noise: Annotated[float, Range(0.0, 1e5), "Largest random force in newtons."] = 0.0,
) -> SocialForce:
    """The model with the parameters of the paper."""
    return SocialForce(space, seed, (strength, fall, body, friction, tau, cutoff, noise))


class SocialForce(Model):
    """Agents that push each other."""

    def __init__(self, space: Space, seed: int, settings: tuple[float, ...]) -> None:
        cutoff = settings[5]
        super().__init__(space, reach=cutoff, wall_reach=cutoff)
        self.seed, self.settings = seed, tuple(map(float, settings))

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Sum up the forces on each agent."""
        settings = (*self.settings, moment.seconds)
        _push(moment.bodies, moment.near, moment.walls, settings, self.seed, moment.tick, first, last)


@kernel
def _push(bodies, near, walls, settings, seed, tick, first, last):
    """Write the sum of the driving, social and contact forces."""
    strength, fall, body, friction, tau, cutoff, size, seconds = settings
    for row in range(first, last):
        agent = near.agents[row]
        x, y, vx, vy = near.rows[row, X], near.rows[row, Y], near.rows[row, VX], near.rows[row, VY]
        radius, mass = near.rows[row, RADIUS], near.rows[row, MASS]
        want_x, want_y = wanted_velocity(bodies, agent)
        fx = mass * (want_x - vx) / tau
        fy = mass * (want_y - vy) / tau
        first_line, last_line, first_column, last_column = window(near, x, y, cutoff)
        for line in range(first_line, last_line + 1):
            begin, end = span(near, line, first_column, last_column)
            for other in range(begin, end):
                dx, dy = x - near.rows[other, X], y - near.rows[other, Y]
                square = dx * dx + dy * dy
                if square < cutoff * cutoff and other != row:
                    overlap = radius + near.rows[other, RADIUS] - np.sqrt(square)
                    dvx, dvy = near.rows[other, VX] - vx, near.rows[other, VY] - vy
                    most = mass * near.rows[other, MASS] / (mass + near.rows[other, MASS]) / seconds
                    px, py = _pair(
                        dx,
                        dy,
                        square=square,
                        overlap=overlap,
                        dvx=dvx,
                        dvy=dvy,
                        strength=strength,
                        fall=fall,
                        body=body,
                        friction=friction,
                        most=most,
                    )
                    fx += px
                    fy += py
        begin, end = walls_near(walls, x, y)
        for place in range(begin, end):
            wall = walls.listed[place]
            if facing(walls, wall, x, y) < 0.0:
                continue
            share, on_x, on_y = nearest_on(walls, wall, x, y)
            dx, dy = x - on_x, y - on_y
            square = dx * dx + dy * dy
            if square < cutoff * cutoff and is_own_point(walls, wall, share, x, y):
                overlap = radius - np.sqrt(square)
                px, py = _pair(
                    dx,
                    dy,
                    square=square,
                    overlap=overlap,
                    dvx=-vx,
                    dvy=-vy,
                    strength=strength,
                    fall=fall,
                    body=body,
                    friction=friction,
                    most=mass / seconds,
                )
                fx += px
                fy += py
        if size > 0.0:
            angle = 2.0 * np.pi * noise(seed, agent, 2 * tick)
            fx += size * noise(seed, agent, 2 * tick + 1) * np.cos(angle)
            fy += size * noise(seed, agent, 2 * tick + 1) * np.sin(angle)
        bodies.forces[agent, 0], bodies.forces[agent, 1] = fx, fy


@inner
def _pair(dx, dy, square, overlap, dvx, dvy, strength, fall, body, friction, most):
    """The force by another body or a wall at (-dx, -dy), which moves by (dvx, dvy) against this one.

    Friction stays below `most` times the sliding speed, which would end the sliding within the step.
    """
    if square < 1e-18 or overlap < -20.0 * fall:  # less than a hundred-millionth of the strength
        return 0.0, 0.0
    inverse = 1.0 / np.sqrt(square)
    nx, ny = dx * inverse, dy * inverse
    push = strength * np.exp(overlap / fall)
    if overlap <= 0.0:
        return push * nx, push * ny
    push += body * overlap
    rub = friction * overlap
    slide = rub / (1.0 + rub / most) * (-dvx * ny + dvy * nx)  # along (-ny, nx)
    return push * nx - slide * ny, push * ny + slide * nx
