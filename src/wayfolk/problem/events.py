"""Events: changes of a simulation from outside, planned in advance or given while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wayfolk.errors import BadProblem
from wayfolk.kernels.codes import BLOCK, FREE, GOAL, HOLD, JOIN, LEAVE, MOVE, PUT, RELEASE, RESUME

Place = tuple[int, int]
ABOUT_AGENTS = (GOAL, LEAVE, RELEASE, HOLD, RESUME, MOVE, PUT)
"""Kinds of events that concern one agent, which is there or will join."""


@dataclass(frozen=True)
class Event:
    """At `time`, `kind` (of `wayfolk.kernels.codes`) happens to `agent` or at `places`."""

    time: float
    kind: int
    agent: int = 0
    places: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        if not self.time >= 0:
            raise BadProblem(f"an event cannot be at time {self.time}")


def retask(time: float, agent: int, goal: Place) -> Event:
    """At `time`, give `agent` another goal; a patrol continues from there."""
    return Event(time, GOAL, agent, (goal,))


def join(time: float, start: Place, goal: Place) -> Event:
    """At `time`, or as soon as `start` is empty, a new agent appears there; it gets the next number."""
    return Event(time, JOIN, 0, (start, goal))


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
    """At `time`, cells become walls, each as soon as no agent stands there."""
    return Event(time, BLOCK, 0, tuple(places))


def free(time: float, places: Sequence[Place]) -> Event:
    """At `time`, walls become free cells."""
    return Event(time, FREE, 0, tuple(places))
