"""Result: what a search or a planner answers, and enough to run it again."""

from __future__ import annotations

import enum
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from wayfolk.plan import Plan

NO_LIMIT = 1 << 62
"""A budget that nobody will use up."""


class Status(enum.Enum):
    """How it ended."""

    RUNNING = "running"
    """Not ended: advance it further."""
    SOLVED = "solved"
    """A path to the goal, or a plan that brings everyone to theirs."""
    IMPOSSIBLE = "impossible"
    """Proved that there is none."""
    OUT_OF_TIME = "out_of_time"
    """The seconds were over first."""
    OUT_OF_BUDGET = "out_of_budget"
    """The expansions or steps were over first."""
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
    """Work done."""

    expanded: int = 0
    generated: int = 0
    reopened: int = 0
    replans: int = 0
    collisions: int = 0
    restarts: int = 0


@dataclass
class Result:
    """The outcome of one run.

    `path` lists places (`(x, y)` on a grid, names on a graph) and `cost` is its cost; `plan` is for many agents.
    `bound` is the proven ratio to the optimum (1.0 = optimal, None = nothing proven). `detail` is a sentence about a
    failure. `events` holds expanded cells in order, if they were asked for.
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

    @property
    def is_solved(self) -> bool:
        """Whether the goal, or everyone's goal, is reached."""
        return self.status is Status.SOLVED

    @property
    def expanded(self) -> int:
        """Cells expanded."""
        return self.counters.expanded

    def _repr_html_(self) -> str:
        from html import escape

        rows = {"status": self.status.value, "seconds": f"{self.seconds:.4f}", "expanded": self.expanded}
        if self.path is not None:
            rows |= {"cost": f"{self.cost:.4f}", "cells": len(self.path)}
        cells = "".join(f"<tr><th>{escape(k)}</th><td>{escape(str(v))}</td></tr>" for k, v in rows.items())
        picture = self.plan._repr_html_() if self.plan is not None else ""
        return f"<b>{escape(self.algorithm)}</b><table>{cells}</table>{picture}"
