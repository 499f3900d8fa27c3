"""Bodies: where agents are, how fast they move, and what limits them. Lengths are metres, x to the right and y down."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Bodies(NamedTuple):
    """The bodies of a crowd, one row for each agent that ever was there; `is_active` says who is there now.

    places      x and y of the centre
    velocities  metres a second
    forces      newtons; a model writes them in each step
    aims        the point that each agent heads for now; the way to its goal writes it
    goals       the place where each agent wants to be
    radii       metres
    masses      kilograms
    speeds      metres a second at which the agent likes to move; 0 lets it wait
    top_speeds  a body is never faster
    top_forces  a longer force is truncated
    headings    radians from the x axis to the y axis; a body that stands keeps its heading
    groups      a number that models read: agents of a flock, or with one goal
    is_active   who is there
    """

    places: Floats
    velocities: Floats
    forces: Floats
    aims: Floats
    goals: Floats
    radii: Floats
    masses: Floats
    speeds: Floats
    top_speeds: Floats
    top_forces: Floats
    headings: Floats
    groups: NDArray[np.int32]
    is_active: NDArray[np.bool_]


def new_bodies(room: int) -> Bodies:
    """Arrays for `room` agents, none of which is there."""
    arrays: list[Any] = [np.zeros((room, 2)) for _ in range(5)] + [np.zeros(room) for _ in range(6)]
    arrays += [np.zeros(room, np.int32), np.zeros(room, np.bool_)]
    return Bodies(*arrays)


def larger(bodies: Bodies, room: int) -> Bodies:
    """The same bodies in arrays for `room` agents."""
    wide, n = new_bodies(room), len(bodies.places)
    for name, array in wide._asdict().items():
        array[:n] = getattr(bodies, name)
    return wide
