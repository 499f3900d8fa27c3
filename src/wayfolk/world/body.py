"""Body: what an agent is. Agents of one problem may have different bodies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from wayfolk.errors import BadInput, BadProblem

MOST_SIZE = 64
MOST_STEPS = 16  # of one move
MOST_NAMES = 4  # of kinds of bodies in a sentence


@dataclass(frozen=True)
class Body:
    """What an agent is; the default is a point that moves to any neighbour in one step.

    `size` is the side of a square body in cells of a grid; the node of an agent is the upper left of its cells. `radius`
    is that of a disc on a graph with positions, in the unit of the positions. A body that `turns` has a heading on a grid:
    it moves ahead, or turns to the next direction where it stands. `speed` is a share of full speed: 1, 1/2, 1/3 and so
    on; a move of a body with the speed 1/3 takes three steps.
    """

    size: int = 1
    radius: float = 0.0
    turns: bool = False
    speed: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= MOST_SIZE:
            raise BadInput(f"the size of a body is a whole number of cells from 1 to {MOST_SIZE}, not {self.size!r}")
        if not isinstance(self.radius, (int, float)) or not (math.isfinite(self.radius) and self.radius >= 0.0):
            raise BadInput(f"the radius of a body is 0 or more, not {self.radius!r}")
        fits = isinstance(self.speed, (int, float)) and 0.0 < self.speed <= 1.0
        if not fits or abs(1.0 / self.speed - self.steps) > 1e-6 or self.steps > MOST_STEPS:
            raise BadInput(f"the speed of a body is 1, 1/2, 1/3 and so on down to 1/{MOST_STEPS}, not {self.speed!r}")

    @property
    def steps(self) -> int:
        """How many steps a move takes."""
        return round(1.0 / self.speed)

    @property
    def is_point(self) -> bool:
        """Whether this is the body that agents have by default."""
        return self == POINT

    def __str__(self) -> str:
        parts = [f"{self.size} x {self.size}"] if self.size > 1 else []
        parts += [f"radius {self.radius:g}"] if self.radius else []
        parts += ["turns"] if self.turns else []
        parts += [f"speed 1/{self.steps}"] if self.steps > 1 else []
        return ", ".join(parts) or "point"


POINT = Body()


def in_words(kinds: Iterable[Body]) -> str:
    """The kinds of bodies by name; of many only how many there are."""
    names = [str(body) for body in kinds]
    return "; ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} kinds"


def bodies_of(bodies: Body | Iterable[Body] | None, n_agents: int) -> tuple[tuple[Body, ...], list[int]]:
    """The kinds of bodies in the order of their first agents, and the number of the kind of each agent."""
    if bodies is None or isinstance(bodies, Body):
        return ((bodies or POINT,), [0] * n_agents)
    each = list(bodies)
    for agent, body in enumerate(each):
        if not isinstance(body, Body):
            raise BadProblem(f"agent {agent} has the body {body!r}, which is no wf.Body")
    if len(each) != n_agents:
        raise BadProblem(f"there are {n_agents} agents and {len(each)} bodies")
    kinds = tuple(dict.fromkeys(each))
    return kinds, [kinds.index(body) for body in each]
