"""A joint search of all agents that finds out whether there is a plan, interleaved with a search that cannot prove it.

The two take turns, so that each has about half of the time. The joint search ends when it has found a plan: the other
search continues alone, or takes the plan over if it is optimal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._groups.search import NO_MEMORY, JointSearch, SharedFields
from wayfolk.kernels.codes import EXHAUSTED, FOUND


class SolvabilitySearch:
    """The joint search of `agents`: it gets `share` expansions for each `turn` units of work of the other search.

    `weight` is that of h: with 1, its plan is optimal in `measure`.
    """

    def __init__(
        self,
        ground: SharedFields,
        agents: list[int],
        *,
        turn: int,
        share: int,
        weight: int,
        measure: str = "sum_of_costs",
    ) -> None:
        self.ground, self.agents = ground, agents
        self.turn, self.share = turn, share
        self.weight, self.measure = weight, measure
        self.spent = self.owed = 0
        self.is_over = False
        self.search: JointSearch | None = None  # until its first turn
        self.cells: NDArray[np.int32] | None = None
        """`cells[step, k]` of the k-th agent, if it has found a plan."""

    @property
    def is_due(self) -> bool:
        """Whether it is the turn of the joint search."""
        return not self.is_over and self.owed > 0

    @property
    def left(self) -> int:
        """The units of work of the other search until its turn is over."""
        return self.turn - self.spent

    def count(self, work: int) -> None:
        """Note that the other search has done `work` units."""
        self.spent += work
        if self.spent >= self.turn:
            self.spent, self.owed = 0, self.share

    def advance(self, budget: int) -> tuple[int, bool]:
        """Expand up to `budget` nodes; the number of expanded nodes, and whether it is proved that there is no plan."""
        if self.search is None:
            self.search = JointSearch(self.ground, self.agents, weight=self.weight, measure=self.measure)
        before = self.search.expanded
        code = self.search.advance(min(budget, self.owed))
        used = self.search.expanded - before
        self.owed -= used
        if code == FOUND:
            self.cells = self.search.cells()
        if code in (FOUND, NO_MEMORY):
            self.search, self.is_over = None, True
        return used, code == EXHAUSTED
