"""Greedy direction maps: agents drift along the lanes of a map that others have learned, by a look around at each step.

Jansen, "Multi-agent pathfinding with direction maps", 2008, section 3.6: flow fields that need not be drawn by hand.

Guarantees  none: these agents have nowhere to go, and reach a goal by chance only.
Invariants  an agent on a vector takes the cheapest step to an empty cell that has a vector too, or with the probability
            `second` the next best if that costs hardly more; only where no such cell is empty does it leave the lanes.
Cost        one expansion for each step.
Deviations  Jansen does not say how similar two steps must be for the second to be chosen: `similar` is ours. The map is
            not changed.
"""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.options import Range
from wayfolk.compile.jit import inner
from wayfolk.kernels import random
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.crew import asked, report, wait
from wayfolk.kernels.graph import cost, there
from wayfolk.kernels.laned_graphs import LanedGrid
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.random import new_random
from wayfolk.problem.problem import Problem
from wayfolk.world.direction_map import DirectionMap

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"
SEEKS_GOALS = False

OFF_THE_MAP = 1e9  # what a step to a cell without a vector costs more


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed of the steps that are drawn."] = 0,
    saved: Annotated[str, "File of a direction map (`DirectionMap.save`); without one agents walk at random."] = "",
    w_max: Annotated[float, Range(0, 100000), "Extra cost of a move straight against a vector."] = 10.0,
    second: Annotated[float, Range(0, 1), "Probability of the next best step, if it is similar to the best."] = 0.25,
    similar: Annotated[float, Range(0, None), "Share by which the next best step may cost more."] = 0.1,
) -> Controller:
    """A controller that lets the agents of `problem` drift on a direction map."""
    learned = DirectionMap.load(saved, problem.grid) if saved else DirectionMap(problem.grid)
    return Drifting(problem, learned, w_max, second, similar, seed)


class Drifting(Controller):
    """All agents on the lanes of one map."""

    lookahead = 1

    def __init__(
        self, problem: Problem, drawn: DirectionMap, w_max: float, second: float, similar: float, seed: int
    ) -> None:
        super().__init__(problem.n_agents)
        self.map = drawn
        laned: Any = drawn.laned(w_max)
        self.arrays = DriftArrays(laned, new_random(seed), float(second), float(similar))

    def prepare(self, view: View) -> None:
        """Drift on the map as it is known."""
        self.arrays = self.arrays._replace(laned=self.arrays.laned._replace(grid=view.grid.graph))

    def update(self, view: View, change: Change) -> None:
        """Drift on the changed map; the vectors of cells that have become walls are forgotten."""
        if change.cells.size:
            self.map.forget(change.cells[view.grid.legal[change.cells] == 0])
            self.prepare(view)

    def remember(self, memory: "Memory") -> None:
        """The vectors, and the random numbers."""
        memory.vectors("vectors", self.arrays.laned.cells)
        memory.luck("luck", self.arrays.luck)


class DriftArrays(NamedTuple):
    """The map with its lanes, random numbers, and how steps are chosen."""

    laned: LanedGrid
    luck: NDArray[np.uint64]
    second: float
    similar: float


def _plan_routes(arrays, crew, log, now):
    """Choose a step for each of the asked agents."""
    laned, numbers = arrays.laned, asked(crew)
    for number in numbers:
        here = crew.agents[number]["here"]
        wait(crew, number, 1)
        if laned.cells[here]["known"] > 0.0:
            crew.route[number, 0] = _step_on_the_map(arrays, crew.occupant, here)
        else:
            crew.route[number, 0] = _step_off_the_map(arrays, crew.occupant, here)
        report(crew, number, 1)
    return numbers.size


planned_by(DriftArrays, _plan_routes)


@inner
def _step_on_the_map(arrays, occupant, here):
    """The cheapest empty neighbour, at times the next, preferably one with a vector; `here` if there is none."""
    best, then = here, here
    cheapest, next_cheapest = np.inf, np.inf
    for k in range(8):
        other = there(arrays.laned, here, k)
        if other == NOWHERE or occupant[other] != NOBODY:
            continue
        price = cost(arrays.laned, here, k)
        if arrays.laned.cells[other]["known"] == 0.0:
            price += OFF_THE_MAP
        if price < cheapest:
            then, next_cheapest = best, cheapest
            best, cheapest = other, price
        elif price < next_cheapest:
            then, next_cheapest = other, price
    is_close = next_cheapest <= (1.0 + arrays.similar) * cheapest and next_cheapest < OFF_THE_MAP
    if is_close and random.uniform(arrays.luck) < arrays.second:
        return then
    return best


@inner
def _step_off_the_map(arrays, occupant, here):
    """Any empty neighbour; `here` if there is none."""
    chosen, n_choices = here, 0
    for k in range(8):
        other = there(arrays.laned, here, k)
        if other != NOWHERE and occupant[other] == NOBODY:
            n_choices += 1
            if random.below(arrays.luck, n_choices) == 0:
                chosen = other
    return chosen
