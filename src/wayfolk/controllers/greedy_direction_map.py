"""Greedy direction maps: agents drift along the lanes of a map that others have made, one look around for each step.

Jansen, "Multi-agent pathfinding with direction maps", 2008, section 3.6: flow fields that nobody has to draw.

Finds    nothing: these agents have nowhere to go, and reach a goal by chance only.
Keeps    an agent on a vector takes the cheapest step to an empty cell that has a vector too, or with the chance `second`
         the next best if that costs hardly more; only where no such cell is empty does it leave the lanes.
Takes    one expansion for each step.
Differs  the thesis does not say how similar two steps must be for the second to be chosen: `similar` is ours. The map is
         not changed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.controllers import Controller, View
from wayfolk.directions import DirectionMap
from wayfolk.errors import BadInput
from wayfolk.graph import NOWHERE, cost, there
from wayfolk.kernels import random
from wayfolk.kernels.crew import N_ASKED, NOBODY, note
from wayfolk.kernels.directions import LanedGrid
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.kernels.random import new_random
from wayfolk.problem import Problem
from wayfolk.record import THOUGHT

PAPER = "Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"
SEEKS_GOALS = False

OFF_THE_MAP = 1e9  # what a step to a cell without a vector costs more


def begin(
    problem: Problem,
    *,
    seed: int = 0,
    saved: str = "",
    w_max: float = 10.0,
    second: float = 0.25,
    similar: float = 0.1,
) -> Controller:
    """Agents on the map in the file `saved` (see `DirectionMap.save`); without one they walk at random.

    A step is taken for the best with the chance `second` if it is the next best, and costs at most the share `similar`
    more.
    """
    if not 0.0 <= second <= 1.0:
        raise BadInput(f"second must be from 0 to 1, not {second}")
    if not similar >= 0.0:
        raise BadInput(f"similar must be 0 or more, not {similar}")
    made = DirectionMap.load(saved, problem.grid) if saved else DirectionMap(problem.grid)
    return Drifting(problem, made, w_max, second, similar, seed)


class Drifting(Controller):
    """Everyone on the lanes of one map."""

    lookahead = 1

    def __init__(
        self, problem: Problem, drawn: DirectionMap, w_max: float, second: float, similar: float, seed: int
    ) -> None:
        super().__init__(problem.n_agents)
        self.map = drawn
        laned: Any = drawn.laned(w_max)
        self.mind = DriftMind(laned, new_random(seed), float(second), float(similar))

    def prepare(self, view: View) -> None:
        """Look at the map anew; cells that have become walls are forgotten."""
        self.map.forget(view.changed[view.grid.legal[view.changed] == 0])
        self.mind = self.mind._replace(laned=self.mind.laned._replace(grid=view.grid.graph))


class DriftMind(NamedTuple):
    """What it takes to drift."""

    laned: LanedGrid
    luck: NDArray[np.uint64]
    second: float
    similar: float


def _think(mind, crew, log, now):
    """Choose a step for each of those who ask; all can be served."""
    laned = mind.laned
    n_asked = crew.counts[N_ASKED]
    for k in range(n_asked):
        number = crew.asked[k]
        agent = crew.agents[number]
        here = agent["here"]
        if laned.cells[here]["known"] > 0.0:
            crew.route[number, 0] = _step_on_the_map(mind, crew.occupant, here)
        else:
            crew.route[number, 0] = _step_off_the_map(mind, crew.occupant, here)
        agent["n_route"] = 1
        note(log, crew.counts, now, number, THOUGHT, 1)
    return n_asked


thinking(DriftMind, _think)


@inner
def _step_on_the_map(mind, occupant, here):
    """The cheapest empty neighbour, at times the next, preferably one with a vector; `here` if there is none."""
    best, then = here, here
    cheapest, next_cheapest = np.inf, np.inf
    for k in range(8):
        other = there(mind.laned, here, k)
        if other == NOWHERE or occupant[other] != NOBODY:
            continue
        price = cost(mind.laned, here, k)
        if mind.laned.cells[other]["known"] == 0.0:
            price += OFF_THE_MAP
        if price < cheapest:
            then, next_cheapest = best, cheapest
            best, cheapest = other, price
        elif price < next_cheapest:
            then, next_cheapest = other, price
    is_close = next_cheapest <= (1.0 + mind.similar) * cheapest and next_cheapest < OFF_THE_MAP
    if is_close and random.uniform(mind.luck) < mind.second:
        return then
    return best


@inner
def _step_off_the_map(mind, occupant, here):
    """Any empty neighbour; `here` if there is none."""
    chosen, n_choices = here, 0
    for k in range(8):
        other = there(mind.laned, here, k)
        if other != NOWHERE and occupant[other] == NOBODY:
            n_choices += 1
            if random.below(mind.luck, n_choices) == 0:
                chosen = other
    return chosen
