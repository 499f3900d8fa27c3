"""Trials: the same walk repeated, with all that was learned, until a walk learns nothing new."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from wayfolk.algorithms import catalogue
from wayfolk.algorithms.paths import begin_path
from wayfolk.algorithms.task import finish
from wayfolk.errors import BadInput, NotSupported
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid


@dataclass
class Trials:
    """Repeated walks: for each its cost, the cells it expanded, and by how much it raised heuristics in all.

    `converged` says that the last walk learned nothing: all later ones would be the same. `status` is that of the last
    walk, and `path` its path, None if it did not arrive.
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
        """The cost of the last walk, infinite if it did not arrive."""
        return self.costs[-1]

    def __len__(self) -> int:
        return len(self.costs)


def trials(
    world: Grid | Graph, start: Any, goal: Any, algorithm: Any = "lrta", *, most: int = 1000, **options: Any
) -> Trials:
    """Repeat the walk from `start` to `goal` until one learns nothing, at most `most` times; returns all of them.

    `algorithm` is a real-time search that learns, and `options` are its options.
    """
    entry = catalogue.find(algorithm, "realtime")
    if not entry.facts.get("LEARNS"):
        raise NotSupported(f"{entry.name} learns nothing that a later walk could use")
    if most < 1:
        raise BadInput(f"most must be 1 or more, not {most}")
    agent: Any = begin_path(world, start, goal, entry, **options)
    runs = Trials(entry.name, options=options)
    while not runs.converged and len(runs) < most:
        if runs.costs:
            agent.again()
        result = finish(agent)
        runs.status = result.status
        runs.costs.append(result.cost)
        runs.expanded.append(result.expanded)
        runs.learned.append(result.counters.learned)  # type: ignore[attr-defined]
        if not result.is_solved:
            break
        runs.path = result.path
        runs.converged = runs.learned[-1] == 0.0
    return runs
