"""Trials: the same walk again and again, with all that was learned, until there is nothing left to learn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from wayfolk import catalogue
from wayfolk.errors import BadInput, NotSupported
from wayfolk.graph import Graph
from wayfolk.grid import Grid
from wayfolk.result import Status
from wayfolk.run import begin_path
from wayfolk.task import finish


@dataclass
class Trials:
    """What became of repeated walks: what each cost, and how much it had to think and to learn for that.

    `converged` says that the last walk changed nothing that was learned: all later ones would be the same. `status` is
    that of the last walk, and `path` the way it took, None if it did not arrive.
    """

    algorithm: str
    status: Status = Status.RUNNING
    costs: list[float] = field(default_factory=list)
    expanded: list[int] = field(default_factory=list)
    learned: list[float] = field(default_factory=list)
    converged: bool = False
    path: list[Hashable] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def cost(self) -> float:
        """What the last walk cost, infinite if it did not arrive."""
        return self.costs[-1]

    def __len__(self) -> int:
        return len(self.costs)


def trials(
    world: Grid | Graph, start: Any, goal: Any, algorithm: str = "lrta", *, most: int = 1000, **options: Any
) -> Trials:
    """Walk from `start` to `goal` until a walk changes nothing that was learned, at most `most` times."""
    if not catalogue.find(algorithm, "realtime").facts.get("LEARNS"):
        raise NotSupported(f"{algorithm} learns nothing that would be of use to a later walk")
    if most < 1:
        raise BadInput(f"most must be 1 or more, not {most}")
    walker: Any = begin_path(world, start, goal, algorithm, **options)
    made = Trials(algorithm, options=options)
    while not made.converged and len(made) < most:
        if made.costs:
            walker.again()
        result = finish(walker)
        made.status = result.status
        made.costs.append(result.cost)
        made.expanded.append(result.expanded)
        made.learned.append(result.counters.learned)  # type: ignore[attr-defined]
        if not result.is_solved:
            break
        made.path = result.path
        made.converged = made.learned[-1] == 0.0
    return made
