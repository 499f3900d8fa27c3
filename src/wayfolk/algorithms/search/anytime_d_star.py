"""Anytime D*: finds a path soon and better ones later, and repairs them where the world has changed.

Likhachev, Ferguson, Gordon, Stentz and Thrun, "Anytime dynamic A*: an anytime, replanning algorithm", 2005.

Guarantees  first a path at most epsilon times as long as a shortest one, then, as epsilon falls step by step, better ones;
            with the last epsilon 1 a cheapest path. `result` holds the best so far and, as its bound, its epsilon.
Invariants  as D* Lite, but heuristics are multiplied by epsilon for cells that became cheaper (g > rhs), and not for those
            that became costlier. A cell is closed once in a round; if it changes after that, it waits for the next.
Cost        rounds of the cost of D* Lite, each of which starts from the last; the queue is sorted again for each.
Deviations  when more than the share `significant` of all cells has changed, epsilon goes back to its first value (the paper
            leaves open when); else it stays. As LPA* in its numbers and in the order of ties.
"""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._replanning.lifelong import Lifelong
from wayfolk.algorithms.search._replanning.task import NOTHING
from wayfolk.errors import BadInput
from wayfolk.problem.result import Status
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Likhachev, Ferguson, Gordon, Stentz and Thrun 2005"
OPTIMAL = True
COMPLETE = True


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    epsilon: Annotated[float, Range(1.0, 1_000_000.0), "Bound of the first path: its cost over the least cost."] = 2.5,
    step: Annotated[float, Range(0.001, 1_000_000.0), "By how much epsilon falls from round to round."] = 0.5,
    last_epsilon: Annotated[float, Range(1.0, 1_000_000.0), "Bound at which it ends."] = 1.0,
    significant: Annotated[
        float, Range(0.0, 1.0), "Share of the cells whose change makes it begin with epsilon again."
    ] = 0.05,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Lifelong:
    """A search from `start` to `goal` that can be repaired when the world changes or the agent moves."""
    if last_epsilon > epsilon:
        raise BadInput(f"epsilon must fall, and cannot from {epsilon} to {last_epsilon}")
    return Anytime(world, start, goal, (epsilon - 1.0, step, last_epsilon - 1.0), significant, watch)


class Anytime(Lifelong):
    """An Anytime D* search; `excess` is epsilon - 1."""

    has_rounds = True

    def __init__(
        self,
        world: Grid | Graph,
        start: int,
        goal: int,
        schedule: tuple[float, float, float],
        significant: float,
        watch: bool,
    ) -> None:
        self.first, self.step, self.last = schedule
        self.significant = significant
        super().__init__(world, start, goal, watch=watch)

    def begin_afresh(self) -> None:
        """Forget all."""
        super().begin_afresh()
        self.excess = self.first
        self.revise(NOTHING, True)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Begin a round: edges of `cells` have changed, the agent may have moved, or epsilon has fallen."""
        if cells.size > self.significant * self.world.n_cells:
            self.excess = self.first
        super().revise(cells, all_keys)

    def settle(self) -> None:
        """Take the path of this round; the next one is better."""
        self.read_path(1.0 + self.excess)
        if not self.has_path():
            self.status = Status.IMPOSSIBLE
        elif self.excess <= self.last:
            self.status = Status.SOLVED
        else:
            self.excess = max(self.last, round(self.excess - self.step, 9))
            self.revise(NOTHING, True)
