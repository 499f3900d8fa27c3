"""Result: the answer of a search or a planner, with the options and the random seed to run it again."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from wayfolk.judge.blockage import Blockage
    from wayfolk.problem.layers import Layer
    from wayfolk.problem.plan import Plan
    from wayfolk.problem.problem import Problem
    from wayfolk.replay.page import Page

NO_LIMIT = 1 << 62
"""A budget that is never used up."""


class Status(enum.Enum):
    """The state or the outcome of a task."""

    RUNNING = "running"
    """Not finished: advance it further."""
    SOLVED = "solved"
    """There is a path to the goal, or a plan that brings every agent to its goal."""
    IMPOSSIBLE = "impossible"
    """It is proved that there is no path or plan."""
    OUT_OF_TIME = "out_of_time"
    """The limit of seconds was reached first."""
    OUT_OF_BUDGET = "out_of_budget"
    """The limit of expansions or steps was reached first."""
    PARTIAL = "partial"
    """A legal plan in which some agents do not arrive."""
    GAVE_UP = "gave_up"
    """An incomplete algorithm found nothing; there may still be a plan."""

    @property
    def is_final(self) -> bool:
        """Whether advancing further changes nothing."""
        return self is not Status.RUNNING


@dataclass
class Counters:
    """The work of a task, in numbers."""

    expanded: int = 0
    generated: int = 0
    reopened: int = 0
    replans: int = 0
    collisions: int = 0
    restarts: int = 0


@dataclass(repr=False)
class Result:
    """The outcome of one run.

    `path` lists places (`(x, y)` on a grid, names on a graph) and `cost` is its cost; `plan` is for many agents.
    `bound` is the proven ratio to the optimum (1.0 = optimal, None = nothing proven). `detail` is a sentence about a
    failure. `events` holds expanded cells in order, if they were asked for. `layers` are what a controller lets a replay of
    its plan show. `problem` is that of many agents; if it is not solved, `complete` names algorithms that find a plan
    if there is one, by their facts. `query` is what a path was searched for: the world, and the cells of start and goal.
    """

    status: Status
    algorithm: str
    path: list[Hashable] | None = None
    cost: float = float("inf")
    plan: Plan | None = None
    counters: Counters = field(default_factory=Counters)
    seconds: float = 0.0
    first_seconds: float | None = None
    seed: int | None = None
    bound: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    detail: str = ""
    events: NDArray[np.int32] | None = None
    layers: tuple[Layer, ...] = ()
    problem: Problem | None = field(default=None, compare=False)
    complete: tuple[str, ...] = ()
    query: tuple[Any, int, int] | None = field(default=None, compare=False)

    @cached_property
    def blockages(self) -> list[Blockage]:
        """Why agents did not arrive, for a plan that does not bring all of them to their goals."""
        if self.is_solved or self.plan is None or self.problem is None:
            return []
        from wayfolk.judge.blockage import why

        return why(self.plan, self.problem)

    @property
    def is_solved(self) -> bool:
        """Whether the goal, or the goal of every agent, is reached."""
        return self.status is Status.SOLVED

    @property
    def expanded(self) -> int:
        """Cells expanded."""
        return self.counters.expanded

    def show(self, *others: Any) -> Page:
        """Watch how it came about: the replay of the search, beside those of `others` (algorithms); or that of the plan.

        In a notebook the page is shown at the end of a cell, elsewhere it is opened in the browser.
        """
        from wayfolk.replay.page import show_page
        from wayfolk.replay.results import page_of_result

        return show_page(page_of_result(self, others))

    def _repr_html_(self) -> str:
        from wayfolk.replay.notebook import result_html

        return result_html(self)

    def __repr__(self) -> str:
        parts = [self.algorithm, self.status.value]
        if self.path is not None:
            parts.append(f"{len(self.path)} cells")
        if self.is_solved and self.path is not None:
            parts.append(f"cost {self.cost:.4f}")
        if self.plan is not None:
            parts.append(repr(self.plan))
        parts += [f"{self.expanded} expanded", f"{self.seconds:.6f} s"]
        return f"Result({', '.join(parts)})"
