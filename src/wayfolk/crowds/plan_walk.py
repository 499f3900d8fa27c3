"""The walk of a plan: bodies with momentum go from cell to cell as it says, and the log of where they collide, if they do.

    run = walk_plan(result.plan, radius=0.3, acceleration=2.0)
    run.log             empty if no two bodies have touched
    run.trajectory      where they were

All bodies share one clock. It runs at one step of the plan in 1 / `speed` seconds, and more slowly while a body is farther
than `slack` from where the plan has it: so bodies that need time to turn and to brake do not fall behind others.

Invariants  while no body is farther than `slack` from its place in the plan, two bodies of a legal plan are at least
            0.7 cells apart with FOUR moves and 0.44 with diagonals, less twice the slack.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.crowds import Model, Moment
from wayfolk.crowds.crowd import Crowd, Note
from wayfolk.crowds.trajectory import Trajectory
from wayfolk.crowds.ways.base import Ways
from wayfolk.errors import BadInput
from wayfolk.kernels.bodies.near import overlaps
from wayfolk.problem.plan import Plan
from wayfolk.world.space import Space

Floats = NDArray[np.float64]
MOST_PAIRS = 1024  # overlapping pairs that are noticed in one step
TOUCH = 0.01  # share of the radius up to which two bodies touch
SLOWEST = 0.1  # share of the speed at which the clock runs at least: bodies that block each other get past


@dataclass(frozen=True)
class PlanWalk:
    """A plan as bodies walked it: `seconds` until all were at their goals, infinite if they were not in time."""

    trajectory: Trajectory
    log: list[Note]
    seconds: float


def walk_plan(
    plan: Plan,
    *,
    cell: float = 1.0,
    radius: float = 0.2,
    speed: float = 1.0,
    acceleration: float = 4.0,
    slack: float = 0.1,
    step: float = 0.02,
    limit: float = 3600.0,
) -> PlanWalk:
    """Let bodies walk `plan`: `radius`, `slack` and `speed` are in cells, and the rest in metres and seconds."""
    for name, value in (("radius", radius), ("speed", speed), ("acceleration", acceleration), ("slack", slack)):
        if not (np.isfinite(value) and value > 0):
            raise BadInput(f"{name} must be above 0, not {value}")
    if radius >= 0.5:
        raise BadInput(f"bodies of a plan must be smaller than a cell: radius must be below 0.5, not {radius}")
    space = Space(plan.grid, cell=cell)
    ways = PlanWays(space, plan, speed, slack * cell)
    crowd = Crowd(space, _tracking, ways=ways, step=step, cell=cell)
    crowd.add(
        ways.points[0], radius=radius * cell, speed=speed * cell, top_speed=2.0 * speed * cell,
        top_force=80.0 * acceleration * cell,
    )  # fmt: skip
    touching: set[tuple[int, int]] = set()

    def watch(crowd: Crowd) -> None:
        nonlocal touching
        pairs = np.zeros((MOST_PAIRS, 2), np.int64)
        n = overlaps(crowd.near, 0, 2.1 * radius * cell, -TOUCH * radius * cell, pairs) if crowd.tick else 0
        now = {(min(pair), max(pair)) for pair in pairs[:n].tolist()}
        for one, other in sorted(now - touching):
            x, y = crowd.places[one]
            crowd.note(one, f"touches agent {other} at ({x:.2f}, {y:.2f}), step {ways.clock:.1f} of the plan")
        touching = now

    seconds = float("inf")

    def is_over(crowd: Crowd) -> bool:
        nonlocal seconds
        if ways.is_over(crowd):
            seconds = crowd.time
        return seconds < np.inf

    trajectory = crowd.run(limit, every=0.1, until=is_over, before_step=watch)
    return PlanWalk(trajectory, crowd.log, seconds)


class PlanWays(Ways):
    """Where the plan has each agent now: `bodies.aims`, and how fast it moves there."""

    def __init__(self, space: Space, plan: Plan, speed: float, slack: float) -> None:
        super().__init__(space)
        self.points = np.stack([space.middles(row) for row in plan.cells])
        self.speed, self.slack, self.clock = speed, slack, 0.0
        self.velocities = np.zeros_like(self.points[0])

    def plan(self, crowd: Crowd, agents: NDArray[np.int32]) -> None:
        """Begin at the start."""
        crowd.bodies.aims[agents] = self.points[0]

    def aim(self, crowd: Crowd) -> None:
        """Let the clock run, more slowly if a body is late."""
        last = len(self.points) - 1
        aims = crowd.bodies.aims[: crowd.n_agents]
        lag = float(np.sqrt(((crowd.places - aims) ** 2).sum(1)).max(initial=0.0))
        rate = self.speed * min(1.0, max(SLOWEST, 2.0 - 2.0 * lag / self.slack))
        self.clock = min(self.clock + rate * crowd.step_seconds, float(last))
        at = min(int(self.clock), last - 1) if last else 0
        there = self.points[min(at + 1, last)]
        aims[:] = self.points[at] + (self.clock - at) * (there - self.points[at])
        is_over = self.clock >= last
        self.velocities = np.zeros_like(there) if is_over else (there - self.points[at]) * rate
        crowd.model.wanted = self.velocities  # type: ignore[attr-defined]

    def is_over(self, crowd: Crowd) -> bool:
        """Whether all bodies are at the end of the plan."""
        apart = ((crowd.places - self.points[-1]) ** 2).sum(1)
        return self.clock >= len(self.points) - 1 and bool((apart <= (0.5 * self.slack) ** 2).all())


class _Tracker(Model):
    """Bodies that keep to a moving point."""

    wanted: Floats

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Take up the velocity of the point, and some more to catch up with it."""
        agents, bodies = moment.agents(first, last), moment.bodies
        velocity = self.wanted[agents] + 4.0 * (bodies.aims[agents] - bodies.places[agents])
        change = velocity - bodies.velocities[agents]
        bodies.forces[agents] = bodies.masses[agents, None] * change / (2.0 * moment.seconds)


def _tracking(space: Space, *, seed: int = 0) -> Model:
    """A model whose bodies keep to the points of a plan."""
    return _Tracker(space)
