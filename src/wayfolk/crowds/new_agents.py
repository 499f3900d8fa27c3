"""Checks of what a crowd is given: new agents, goals, numbers of agents. Each mistake is one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.errors import BadInput, BadProblem
from wayfolk.kernels.bodies.arrays import Bodies, new_bodies
from wayfolk.kernels.bodies.near import new_near, overlaps, sort
from wayfolk.kernels.codes import NOWHERE
from wayfolk.world.area import Area, AreaGoals
from wayfolk.world.space import Space

if TYPE_CHECKING:
    from wayfolk.crowds.crowd import Crowd

Floats = NDArray[np.float64]
SLACK = 1e-9  # metres by which bodies may overlap, and be in a wall, when they are added


class Newcomers(NamedTuple):
    """Agents to be added, one row for each."""

    places: Floats
    velocities: Floats
    radii: Floats
    masses: Floats
    speeds: Floats
    top_speeds: Floats
    top_forces: Floats
    groups: NDArray[np.int32]

    def write(self, bodies: Bodies, rows: slice) -> None:
        """Write all but their goals to `rows` of `bodies`."""
        bodies.places[rows], bodies.velocities[rows] = self.places, self.velocities
        bodies.radii[rows], bodies.masses[rows] = self.radii, self.masses
        bodies.speeds[rows], bodies.top_speeds[rows] = self.speeds, self.top_speeds
        bodies.top_forces[rows], bodies.groups[rows], bodies.is_active[rows] = self.top_forces, self.groups, True

    def look_ahead(self, bodies: Bodies, rows: slice) -> None:
        """Let them look where they move, or to their goals."""
        stand = (self.velocities == 0.0).all(1)[:, None]
        ahead = np.where(stand, bodies.goals[rows] - self.places, self.velocities)
        ahead[np.isnan(ahead)] = 0.0
        bodies.headings[rows] = np.arctan2(ahead[:, 1], ahead[:, 0])


def checked_new(
    crowd: Crowd,
    places: ArrayLike,
    radius: ArrayLike,
    speed: ArrayLike,
    mass: ArrayLike,
    top_speed: ArrayLike | None,
    top_force: ArrayLike,
    velocity: ArrayLike,
    group: ArrayLike,
    overlap: bool,
) -> Newcomers:
    """The new agents, or an error that names the one that cannot be added."""
    points = _points(places, "place")
    first, n = crowd.n_agents, len(points)
    radii = _numbers(radius, n, "radius", first, least_open=0.0)
    speeds = _numbers(speed, n, "speed", first, least=0.0)
    masses = _numbers(mass, n, "mass", first, least_open=0.0)
    tops = 1.3 * speeds if top_speed is None else _numbers(top_speed, n, "top speed", first, least=0.0, most=np.inf)
    forces = _numbers(top_force, n, "top force", first, least_open=0.0, most=np.inf)
    moving = np.broadcast_to(np.asarray(velocity, np.float64), (n, 2)).copy()
    if not np.isfinite(moving).all():
        raise BadProblem(f"agent {first + int(np.argmin(np.isfinite(moving).all(1)))} has a velocity that is no number")
    solid = crowd.space.is_solid(points)
    if solid.any():
        k = int(solid.argmax())
        raise BadProblem(f"agent {first + k} starts in a wall at {_shown(points[k])}", first + k)
    largest = float(radii.max(initial=0.0))
    tight = crowd.space.clearance(points, max(2.0 * largest, 1e-3)) < radii - SLACK
    if tight.any() and not overlap:
        k = int(tight.argmax())
        raise BadProblem(
            f"agent {first + k} at {_shown(points[k])} touches a wall: its radius is {radii[k]:g} m", first + k
        )
    if not overlap:
        _refuse_overlaps(crowd, points, radii)
    groups = np.broadcast_to(np.asarray(group, np.int32), n).copy()
    return Newcomers(points, moving, radii, masses, speeds, tops, forces, groups)


Goals = ArrayLike | Area | Sequence[Any]
"""Points (x, y), one for all or one for each agent; or an area, or a list in which some are areas."""


class NewGoals(NamedTuple):
    """A row for each agent: a point, or NaN and the number of an area."""

    points: Floats
    areas: NDArray[np.int32]


def checked_goals(space: Space, goals: Goals, n: int, areas: AreaGoals) -> NewGoals:
    """A goal for each of `n` agents, or an error that names the first in a wall; new areas are entered in `areas`."""
    listed: Any = [goals] if isinstance(goals, Area) else goals
    if not (isinstance(listed, (list, tuple)) and any(isinstance(goal, Area) for goal in listed)):
        return NewGoals(_checked_points(space, goals, n), np.full(n, NOWHERE, np.int32))  # type: ignore[arg-type]
    if len(listed) == 1:
        listed = list(listed) * n
    if len(listed) != n:
        raise BadProblem(f"there are {len(listed)} goals for {n} agents")
    points = [goal for goal in listed if not isinstance(goal, Area)]
    rows = np.full((n, 2), np.nan)
    rows[[not isinstance(goal, Area) for goal in listed]] = _checked_points(space, points, len(points))
    numbers = [areas.number(goal) if isinstance(goal, Area) else NOWHERE for goal in listed]
    return NewGoals(rows, np.array(numbers, np.int32))


def _checked_points(space: Space, goals: ArrayLike, n: int) -> Floats:
    """A point outside walls for each of `n` agents."""
    points = _points(goals, "goal")
    if len(points) == 1 and n != 1:
        points = np.repeat(points, n, 0)
    if len(points) != n:
        raise BadProblem(f"there are {len(points)} goals for {n} agents")
    solid = space.is_solid(points)
    if solid.any():
        raise BadProblem(f"the goal {_shown(points[int(solid.argmax())])} is in a wall")
    return points


def numbers_of(crowd: Crowd, agents: ArrayLike) -> NDArray[np.int32]:
    """Numbers of agents, all of which are there."""
    numbers = np.atleast_1d(np.asarray(agents))
    if numbers.dtype == np.bool_ and len(numbers) == crowd.n_agents:
        numbers = np.flatnonzero(numbers)
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise BadInput(f"agents are whole numbers, not {numbers.dtype}")
    unknown = (numbers < 0) | (numbers >= crowd.n_agents)
    if unknown.any():
        raise BadInput(f"there is no agent {numbers[unknown][0]}: there have been {crowd.n_agents}")
    gone = ~crowd.is_active[numbers]
    if gone.any():
        raise BadInput(f"agent {numbers[gone][0]} is not there any more")
    return numbers.astype(np.int32)


def _points(rows: ArrayLike, what: str) -> Floats:
    try:
        points = np.array(rows, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"a {what} is two numbers (x, y), not {rows!r}") from None
    if points.size == 0:
        return points.reshape(0, 2)
    if points.shape[-1:] != (2,) or points.ndim > 2:
        raise BadInput(f"{what}s are rows of two numbers (x, y), not an array of the shape {points.shape}")
    points = points.reshape(-1, 2)
    finite = np.isfinite(points).all(1)
    if not finite.all():
        raise BadProblem(
            f"the {what} of agent {int(np.argmin(finite))} of these is {_shown(points[int(np.argmin(finite))])}"
        )
    return points


def _numbers(
    values: ArrayLike, n: int, what: str, first: int, *, least: float | None = None, least_open: float | None = None,
    most: float = 1e12,
) -> Floats:  # fmt: skip
    """One number for each of `n` agents, within bounds."""
    try:
        numbers: Any = np.array(np.broadcast_to(np.asarray(values, np.float64), n))
    except (TypeError, ValueError):
        raise BadInput(f"the {what} is one number for all, or one for each of the {n} agents") from None
    bad = np.isnan(numbers) | (numbers > most)
    if least is not None:
        bad |= numbers < least
    if least_open is not None:
        bad |= numbers <= least_open
    if bad.any():
        k = int(bad.argmax())
        span = "above 0" if least_open is not None else "0 or more"
        raise BadProblem(f"the {what} of agent {first + k} is {numbers[k]:g}: it must be a number {span}", first + k)
    return numbers  # type: ignore[no-any-return]


def _refuse_overlaps(crowd: Crowd, points: Floats, radii: Floats) -> None:
    """Raise an error if a new body overlaps another, new or not."""
    old = crowd.active
    n = len(old) + len(points)
    bodies, near = new_bodies(n), new_near(n)
    bodies.places[:], bodies.radii[:] = (
        np.concatenate([crowd.places[old], points]),
        np.concatenate([crowd.radii[old], radii]),
    )
    bodies.is_active[:] = True
    largest = float(bodies.radii.max(initial=0.0))
    sort(bodies, n, max(2.0 * largest, 1e-3), near)
    pairs = np.zeros((1, 2), np.int64)
    if overlaps(near, len(old), 2.0 * largest, SLACK, pairs):
        pair = sorted(pairs[0].tolist())
        one, other = (int(old[k]) if k < len(old) else crowd.n_agents + k - len(old) for k in pair)
        place = points[pair[1] - len(old)]
        raise BadProblem(f"agent {other} at {_shown(place)} overlaps agent {one}", other)


def _shown(point: Floats) -> str:
    return f"({point[0]:g}, {point[1]:g})"
