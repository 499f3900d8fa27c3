"""Events: what happens to a simulation from outside, at a time that was fixed before or just now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wayfolk.errors import BadProblem
from wayfolk.record import BLOCK, FREE, GOAL, JOIN, LEAVE, RELEASE

Place = tuple[int, int]


@dataclass(frozen=True)
class Event:
    """At `time`, `kind` (of `wayfolk.record`) happens to `agent` or at `places`."""

    time: float
    kind: int
    agent: int = 0
    places: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        if not self.time >= 0:
            raise BadProblem(f"an event cannot be at time {self.time}")


def retask(time: float, agent: int, goal: Place) -> Event:
    """Give `agent` another goal; a patrol goes on from there."""
    return Event(time, GOAL, agent, (goal,))


def join(time: float, start: Place, goal: Place) -> Event:
    """A new agent appears at `start`, as soon as that is empty; it gets the next number."""
    return Event(time, JOIN, 0, (start, goal))


def leave(time: float, agent: int) -> Event:
    """`agent` disappears."""
    return Event(time, LEAVE, agent)


def release(time: float, agent: int) -> Event:
    """`agent` is no longer ours: it wanders about at random from now on."""
    return Event(time, RELEASE, agent)


def block(time: float, places: Sequence[Place]) -> Event:
    """Cells become walls, each as soon as nobody stands there."""
    return Event(time, BLOCK, 0, tuple(places))


def free(time: float, places: Sequence[Place]) -> Event:
    """Walls become free cells."""
    return Event(time, FREE, 0, tuple(places))
