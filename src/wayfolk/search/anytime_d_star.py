"""Anytime D*: a path soon, better ones later, all mended where the world has changed.

Likhachev, Ferguson, Gordon, Stentz and Thrun, "Anytime dynamic A*: an anytime, replanning algorithm", 2005.

Finds    first a path at most epsilon times as long as a shortest one, then, as epsilon falls step by step, better ones;
         with the last epsilon 1 a cheapest path. `result` holds the best so far and, as its bound, the epsilon it has.
Keeps    as D* Lite, but hopes are inflated by epsilon for cells that became cheaper (g > rhs), and not for those that
         became dearer. A cell is closed once in a round; if it changes after that, it waits for the next.
Takes    rounds of what D* Lite takes, each using what the last has left; the queue is sorted again for each.
Differs  when more than the share `significant` of all cells has changed, epsilon goes back to where it began (the paper
         leaves open when); else it stays. As LPA* in its numbers and in the order of ties.
"""

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.result import Status
from wayfolk.search._incremental import NOTHING
from wayfolk.search._lifelong import Lifelong

PAPER = "Likhachev, Ferguson, Gordon, Stentz and Thrun 2005"
OPTIMAL = True
COMPLETE = True


def begin(
    world,
    start: int,
    goal: int,
    *,
    epsilon: float = 2.5,
    step: float = 0.5,
    last_epsilon: float = 1.0,
    significant: float = 0.05,
    watch: bool = False,
) -> Lifelong:
    """A search from `start` to `goal` that can be told of changes and moves."""
    if not 1.0 <= last_epsilon <= epsilon <= 1e6:
        raise BadInput(f"epsilon must fall from {epsilon} to {last_epsilon}, neither below 1 nor above a million")
    if not step > 0:
        raise BadInput(f"the step by which epsilon falls must be more than 0, not {step}")
    return Anytime(world, start, goal, (epsilon - 1.0, step, last_epsilon - 1.0), significant, watch)


class Anytime(Lifelong):
    """An Anytime D* search; `excess` is epsilon - 1."""

    has_rounds = True

    def __init__(
        self, world, start: int, goal: int, schedule: tuple[float, float, float], significant: float, watch: bool
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
