"""Steering behaviours: each agent has a list of behaviours, combined by a weighted sum or by priority.

Reynolds, "Steering behaviors for autonomous characters", Game Developers Conference 1999.

Guarantees  none; an agent that is alone and seeks its goal arrives.
Invariants  the steering is truncated after summing, to `force`; by priority, the first behaviour that wants something
            decides alone.
Cost        O(agents x behaviours + pairs within `reach`) in a step.
Deviations  the plane instead of space. Walls are straight segments, avoided by where the agent would be within
            `look_ahead` seconds; other bodies are avoided as circles.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfolk.algorithms.crowds import Bodies, Model, Moment, Space
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner, kernel
from wayfolk.errors import BadInput, UnknownName, hint
from wayfolk.kernels.bodies.flocking import FlockRules, flock
from wayfolk.kernels.bodies.motion import truncated
from wayfolk.kernels.bodies.near import RADIUS, VX, VY, X, Y
from wayfolk.kernels.bodies.steering import (
    arrive,
    avoid_bodies,
    avoid_walls,
    evade,
    flee,
    follow_leader,
    noise,
    pursue,
    seek,
    wander,
)  # fmt: skip

PAPER = "Reynolds 1999"
OPTIMAL = False
COMPLETE = False
STEP = 0.05
BEHAVIOURS = (
    "none",
    "seek",
    "flee",
    "arrive",
    "pursue",
    "evade",
    "wander",
    "avoid_walls",
    "avoid_bodies",
    "follow",
    "flock",
)
"""What an agent can do. Those that need another agent are `pursue`, `evade` and `follow`."""
NONE, SEEK, FLEE, ARRIVE, PURSUE, EVADE, WANDER, AVOID_WALLS, AVOID_BODIES, FOLLOW, FLOCK = range(11)
MOST = 6  # behaviours of one agent
USUAL = (("avoid_walls", 2.0), ("avoid_bodies", 1.0), ("arrive", 1.0))


def begin(
    space: Space,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed."] = 0,
    combine: Annotated[
        Literal["sum", "priority"], "Add all behaviours up, or take the first that is not zero."
    ] = "sum",
    tau: Annotated[float, Range(0.01, 60.0), "Seconds in which an agent takes up its wanted velocity."] = 0.3,
    force: Annotated[float, Range(0.0, 1e6), "Longest steering in metres a second squared."] = 8.0,
    reach: Annotated[float, Range(0.1, 1000.0), "Metres within which agents look at each other."] = 4.0,
    look_ahead: Annotated[float, Range(0.0, 60.0), "Seconds within which walls and others are avoided."] = 1.0,
    slowing: Annotated[float, Range(0.0, 1000.0), "Metres before the goal at which agents slow down."] = 1.0,
    behind: Annotated[float, Range(0.0, 1000.0), "Metres behind a leader at which others follow."] = 1.0,
) -> Steering:
    """Agents that avoid walls and others and arrive at their goals, unless `behave` gives them other behaviours."""
    settings = (float(tau), float(force), float(reach), float(look_ahead), float(slowing), float(behind))
    return Steering(space, seed, combine == "priority", settings)


class Steering(Model):
    """Agents with lists of behaviours; see `behave`."""

    def __init__(self, space: Space, seed: int, by_priority: bool, settings: tuple[float, ...]) -> None:
        super().__init__(space, reach=settings[2], wall_reach=max(5.0, settings[3]))
        self.seed, self.by_priority, self.settings = seed, by_priority, settings
        reach = settings[2]
        self.rules = FlockRules(
            0.5 * reach,
            -0.707,
            separation_weight=1.5,
            alignment_radius=0.75 * reach,
            alignment_cosine=0.7,
            alignment_weight=1.0,
            cohesion_radius=reach,
            cohesion_cosine=-0.15,
            cohesion_weight=1.0,
        )
        self.codes, self.others = np.zeros((0, MOST), np.int32), np.zeros((0, MOST), np.int32)
        self.weights, self.angles = np.zeros((0, MOST)), np.zeros(0)

    def behave(self, agents: ArrayLike, behaviour: str, *, weight: float = 1.0, of: int | None = None) -> None:
        """Add a behaviour to the lists of agents, after those they have; `of` is the agent to pursue, evade or follow.

        The first call for an agent replaces the usual list: avoid walls, avoid others, arrive.
        """
        if behaviour not in BEHAVIOURS[1:]:
            raise UnknownName(f"there is no behaviour {behaviour!r}{hint(behaviour, BEHAVIOURS[1:])}")
        if not np.isfinite(weight):
            raise BadInput(f"the weight of a behaviour must be a number, not {weight}")
        code = BEHAVIOURS.index(behaviour)
        if (code in (PURSUE, EVADE, FOLLOW)) != (of is not None):
            needs = "needs `of`, the number of another agent" if of is None else "takes no `of`"
            raise BadInput(f"the behaviour {behaviour} {needs}")
        for agent in np.atleast_1d(np.asarray(agents, np.int64)).tolist():
            self._need(max(agent, of or 0) + 1)
            if self.weights[agent, MOST - 1] < 0.0:  # the usual list
                self.codes[agent], self.weights[agent] = NONE, 0.0
            free = np.flatnonzero(self.codes[agent] == NONE)
            if not len(free):
                raise BadInput(f"agent {agent} has {MOST} behaviours already, which is all it can have")
            self.codes[agent, free[0]], self.weights[agent, free[0]] = code, weight
            self.others[agent, free[0]] = 0 if of is None else of

    def _need(self, room: int) -> None:
        """Make room; new agents have the usual list, which is marked by a negative weight in its last place."""
        more = room - len(self.codes)
        if more > 0:
            codes, weights = np.zeros((more, MOST), np.int32), np.zeros((more, MOST))
            for k, (name, weight) in enumerate(USUAL):
                codes[:, k], weights[:, k] = BEHAVIOURS.index(name), weight
            weights[:, MOST - 1] = -1.0
            self.codes, self.weights = np.concatenate([self.codes, codes]), np.concatenate([self.weights, weights])
            self.others = np.pad(self.others, ((0, more), (0, 0)))
            self.angles = np.pad(self.angles, (0, more))

    def prepare(self, space: Space, bodies: Bodies, agents: NDArray[np.int32]) -> None:
        """Give new agents the usual list."""
        super().prepare(space, bodies, agents)
        self._need(len(bodies.radii))

    def steer(self, moment: Moment, first: int, last: int) -> None:
        """Combine the behaviours of each agent."""
        lists: Any = (self.codes, self.others)
        _combine(
            moment.bodies,
            moment.near,
            walls=moment.walls,
            lists=lists,
            weights=self.weights,
            angles=self.angles,
            rules=self.rules,
            settings=self.settings,
            by_priority=self.by_priority,
            seed=self.seed,
            tick=moment.tick,
            first=first,
            last=last,
        )


@kernel
def _combine(
    bodies, near, walls, lists, weights, angles, rules, settings, by_priority, seed, tick, first, last
):  # fmt: skip
    """Write the force of the combined behaviours."""
    tau, longest = settings[0], settings[1]
    codes = lists[0]
    for row in range(first, last):
        agent = near.agents[row]
        sum_x, sum_y = 0.0, 0.0
        for k in range(codes.shape[1]):
            if codes[agent, k] == NONE:
                continue
            dx, dy = _one(
                bodies,
                near,
                walls=walls,
                lists=lists,
                k=k,
                angles=angles,
                rules=rules,
                settings=settings,
                seed=seed,
                tick=tick,
                row=row,
            )
            if by_priority and dx * dx + dy * dy > 1e-6:
                sum_x, sum_y = dx, dy
                break
            sum_x += weights[agent, k] * dx
            sum_y += weights[agent, k] * dy
        fx, fy = truncated(sum_x / tau, sum_y / tau, longest)
        bodies.forces[agent, 0], bodies.forces[agent, 1] = fx * bodies.masses[agent], fy * bodies.masses[agent]


@inner
def _one(bodies, near, walls, lists, k, angles, rules, settings, seed, tick, row):
    """The change of velocity that one behaviour wants."""
    _, _, reach, look_ahead, slowing, behind = settings
    agent = near.agents[row]
    code, other = lists[0][agent, k], lists[1][agent, k]
    x, y, vx, vy = near.rows[row, X], near.rows[row, Y], near.rows[row, VX], near.rows[row, VY]
    speed = bodies.speeds[agent]
    aim_x, aim_y = bodies.aims[agent, 0], bodies.aims[agent, 1]
    if code == AVOID_WALLS:
        return avoid_walls(walls, x, y, vx, vy, near.rows[row, RADIUS], look_ahead)
    if code == AVOID_BODIES:
        return avoid_bodies(near, row, reach, look_ahead, 0.1)
    if code == FLOCK:
        heading = bodies.headings[agent]
        return flock(near, row, bodies.groups, rules, np.cos(heading), np.sin(heading))
    if code == WANDER:
        angle, dx, dy = wander(bodies.headings[agent], angles[agent], 0.5, 1.0, 1.4142, noise(seed, agent, tick))
        angles[agent] = angle
        return dx * speed - vx, dy * speed - vy
    if code in (PURSUE, EVADE, FOLLOW):
        if not bodies.is_active[other]:
            return -vx, -vy
        at_x, at_y = bodies.places[other, 0], bodies.places[other, 1]
        to_vx, to_vy = bodies.velocities[other, 0], bodies.velocities[other, 1]
        if code == PURSUE:
            return pursue(
                x,
                y,
                vx=vx,
                vy=vy,
                to_x=at_x,
                to_y=at_y,
                to_vx=to_vx,
                to_vy=to_vy,
                speed=speed,
                longest=5.0,
            )
        if code == EVADE:
            return evade(
                x,
                y,
                vx=vx,
                vy=vy,
                from_x=at_x,
                from_y=at_y,
                from_vx=to_vx,
                from_vy=to_vy,
                speed=speed,
                longest=5.0,
            )
        return follow_leader(
            x,
            y,
            vx=vx,
            vy=vy,
            to_x=at_x,
            to_y=at_y,
            to_vx=to_vx,
            to_vy=to_vy,
            behind=behind,
            speed=speed,
            slowing=slowing,
        )
    if np.isnan(aim_x):
        return -vx, -vy
    if code == SEEK:
        return seek(x, y, vx, vy, aim_x, aim_y, speed)
    if code == FLEE:
        return flee(x, y, vx, vy, aim_x, aim_y, speed)
    is_goal = aim_x == bodies.goals[agent, 0] and aim_y == bodies.goals[agent, 1]
    return arrive(x, y, vx, vy, aim_x, aim_y, speed, slowing if is_goal else 0.0)
