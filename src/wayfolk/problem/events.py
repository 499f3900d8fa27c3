"""Events: changes of a simulation from outside, planned in advance or given while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import BLOCK, CLOSE, FREE, GOAL, HOLD, JOIN, LEAVE, MOVE, OPEN, PUT, RELEASE, RESUME
from wayfolk.world.body import Body

Place = Any  # (x, y) on a grid, the name of a node elsewhere
ABOUT_AGENTS = (GOAL, LEAVE, RELEASE, HOLD, RESUME, MOVE, PUT)
"""Kinds of events that concern one agent, which is there or will join."""


@dataclass(frozen=True)
class Event:
    """At `time`, `kind` (of `wayfolk.kernels.codes`) happens to `agent` or at `places`; lanes are pairs of places.

    `body` is that of an agent that joins, by default the first one of the problem.
    """

    time: float
    kind: int
    agent: int = 0
    places: tuple[Place, ...] = ()
    body: Body | None = None

    def __post_init__(self) -> None:
        if not self.time >= 0:
            raise BadProblem(f"an event cannot be at time {self.time}")


def retask(time: float, agent: int, goal: Place) -> Event:
    """At `time`, give `agent` another goal; a patrol continues from there."""
    return Event(time, GOAL, agent, (goal,))


def join(time: float, start: Place, goal: Place, body: Body | None = None) -> Event:
    """At `time`, or as soon as `start` is empty, a new agent appears there; it gets the next number.

    Its `body` is one that agents of the problem have, by default the first of these.
    """
    return Event(time, JOIN, 0, (start, goal), body)


def leave(time: float, agent: int) -> Event:
    """At `time`, `agent` disappears."""
    return Event(time, LEAVE, agent)


def release(time: float, agent: int) -> Event:
    """From `time` on, `agent` is no longer controlled and moves at random."""
    return Event(time, RELEASE, agent)


def hold(time: float, agent: int) -> Event:
    """From `time` on, `agent` is moved by the caller alone: it stands still, except for what `move` and `put` do."""
    return Event(time, HOLD, agent)


def resume(time: float, agent: int) -> Event:
    """From `time` on, `agent`, which was held or released, is under control again and continues to its goal."""
    return Event(time, RESUME, agent)


def move(time: float, agent: int, place: Place) -> Event:
    """At `time`, or when its last move is over, `agent` takes a step to `place`, if no other agent is in its way.

    The referee judges it like all moves: if it is refused, the record says so. For an agent that is not held this replaces
    one step of its own.
    """
    return Event(time, MOVE, agent, (place,))


def put(time: float, agent: int, place: Place) -> Event:
    """At `time`, or as soon as `place` is empty, `agent` is taken away and appears there; it keeps its goal."""
    return Event(time, PUT, agent, (place,))


def block(time: float, places: Sequence[Place]) -> Event:
    """At `time`, cells become walls, each as soon as no agent stands there, or is on its way over it."""
    return Event(time, BLOCK, 0, tuple(places))


def free(time: float, places: Sequence[Place]) -> Event:
    """At `time`, walls become free cells."""
    return Event(time, FREE, 0, tuple(places))


def close_lanes(time: float, lanes: Sequence[tuple[Place, Place]]) -> Event:
    """At `time`, the lanes from the first to the second place of each pair close, each as soon as no slow agent is on it.

    The lanes back, from the second to the first place, stay open.
    """
    return Event(time, CLOSE, 0, tuple(tuple(lane) for lane in lanes))


def open_lanes(time: float, lanes: Sequence[tuple[Place, Place]]) -> Event:
    """At `time`, lanes that were closed open again."""
    return Event(time, OPEN, 0, tuple(tuple(lane) for lane in lanes))
