"""Fringe search: IDA* that remembers where it stopped, in one list that is never sorted.

Björnsson, Enzenberger, Holte and Schaeffer, "Fringe search: beating A* at pathfinding on game maps", 2005.

Finds    a cheapest path, if there is one.
Keeps    the list holds each open cell once: what lies before the current cell is for later (its f is above the limit),
         what lies from there on is for now. `cells` is the paper's cache: the cost at which a cell was last reached.
Takes    O(cells) memory; time for each pass in proportion to the list, besides the expansions.
Differs  with costs of 1 and the root of 2 hardly two cells have the same f, and a limit raised to the least f left over
         would mean thousands of passes: it rises by `step` cheapest moves at least. A pass that meets the goal goes on
         until the list holds nothing cheaper, so paths stay optimal. A step of 0 is the paper's rule.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import BadInput
from wayfolk.graph import GUESSES, NOWHERE, Graph, cost, guess, slots, there
from wayfolk.grid import Grid
from wayfolk.kernels.best_first import EXHAUSTED, EXPANDED, FOUND, FUZZ, GENERATED, REOPENED, RUNNING, STAMP, trace
from wayfolk.kernels.jit import inner, kernel
from wayfolk.search._best_first import best_guess
from wayfolk.search._expanding import Expanding, cheapest_edge, fresh_stamp

PAPER = "Björnsson et al. 2005"
OPTIMAL = True
COMPLETE = True

AT, PASSES = 8, 9  # further places in `counts`: the current cell
LIMIT, CUT, LOWEST, BEST = range(4)  # places in `numbers`: CUT is the least f left for later, LOWEST that of all paths
LINK = np.dtype([("before", np.int32), ("after", np.int32)], align=True)


def begin(world, start: int, goal: int, *, step: float = 1.0, watch: bool = False) -> Fringe:
    """A search from `start` to `goal`."""
    if not 0.0 <= step < 1e6:
        raise BadInput(f"step must be from 0 to a million, not {step}")
    return Fringe(world, start, goal, step, watch)


class Fringe(Expanding):
    """A fringe search under way. `links` has one more row than there are cells: the two ends of the list, as a ring."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, step: float, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.bound = 1.0
        self.kind = GUESSES[best_guess(world)]
        self.step = step * cheapest_edge(world)
        self.memory = self.borrow()
        self.links = np.empty(world.n_cells + 1, LINK)
        self.numbers = np.full(4, np.inf)
        _seed(world.graph, self.memory, self.links, self.counts, self.numbers, start, goal, self.kind)

    def expand(self, budget: int) -> int:
        """Go on through the list."""
        code: int = _sweep(
            self.world.graph, self.memory, self.links, self.counts, self.numbers, self.goal, self.kind, self.step,
            budget, self.events,
        )  # fmt: skip
        return code

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        cells = np.empty(1024, np.int32)
        n = trace(self.memory, self.start, self.goal, cells)
        if n > cells.size:
            cells = np.empty(n, np.int32)
            trace(self.memory, self.start, self.goal, cells)
        return cells[:n][::-1], float(self.numbers[BEST])


@kernel
def _seed(graph, memory, links, counts, numbers, start, goal, kind):
    """A list of `start` alone."""
    fresh_stamp(memory)
    ends = links.size - 1
    links[ends]["before"] = links[ends]["after"] = ends
    first = memory.cells[start]
    first["g"], first["parent"], first["mark"] = 0.0, start, memory.counts[STAMP] + 1
    _link(links, ends, start)
    counts[GENERATED] = counts[PASSES] = 1
    counts[AT] = start
    numbers[LIMIT] = numbers[LOWEST] = guess(graph, start, goal, kind)


@kernel
def _sweep(graph, memory, links, counts, numbers, goal, kind, step, budget, events):
    """Expand up to `budget` cells; a cell's mark is `stamp` if it was seen and `stamp + 1` if it is in the list."""
    cells, stamp, ends = memory.cells, memory.counts[STAMP], links.size - 1
    at, expanded, generated = counts[AT], counts[EXPANDED], counts[GENERATED]
    limit, cut, best = numbers[LIMIT], numbers[CUT], numbers[BEST]
    stop = expanded + budget
    outcome = RUNNING
    while True:
        if at == ends:
            if best < np.inf:
                outcome = FOUND
                break
            if links[ends]["after"] == ends:
                outcome = EXHAUSTED
                break
            numbers[LOWEST] = cut
            limit = max(cut, limit + step)
            cut = np.inf
            at = links[ends]["after"]
            counts[PASSES] += 1
        node = cells[at]
        here = node["g"]
        f = here + guess(graph, at, goal, kind)
        if f > limit + FUZZ or f >= best - FUZZ:
            cut = min(cut, f)
            at = links[at]["after"]
            continue
        if at == goal:
            best = here
            if best <= numbers[LOWEST] + FUZZ:
                outcome = FOUND
                break
        else:
            if expanded >= stop:
                break
            if expanded < events.size:
                events[expanded] = at
            expanded += 1
            for k in range(slots(graph, at) - 1, -1, -1):
                other = there(graph, at, k)
                if other == NOWHERE:
                    continue
                reached = here + cost(graph, at, k)
                child = cells[other]
                seen = child["mark"]
                if seen < stamp:
                    generated += 1
                else:
                    if reached >= child["g"] - FUZZ:
                        continue
                    if seen == stamp:
                        counts[REOPENED] += 1
                    else:
                        _unlink(links, other)
                child["g"], child["parent"], child["mark"] = reached, at, stamp + 1
                _link(links, at, other)
        node["mark"] = stamp
        _unlink(links, at)
        at = links[at]["after"]
    counts[AT], counts[EXPANDED], counts[GENERATED] = at, expanded, generated
    numbers[LIMIT], numbers[CUT], numbers[BEST] = limit, cut, best
    return outcome


@inner
def _link(links, before, cell):
    """Put `cell` into the list after `before`."""
    after = links[before]["after"]
    links[cell]["before"], links[cell]["after"] = before, after
    links[before]["after"] = cell
    links[after]["before"] = cell


@inner
def _unlink(links, cell):
    """Take `cell` out of the list; its own row still says where it was."""
    before, after = links[cell]["before"], links[cell]["after"]
    links[before]["after"] = after
    links[after]["before"] = before
