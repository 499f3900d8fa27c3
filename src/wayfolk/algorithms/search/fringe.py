"""Fringe search: IDA* that remembers where it stopped, in one list that is never sorted.

Björnsson, Enzenberger, Holte and Schaeffer, "Fringe search: beating A* at pathfinding on game maps", 2005.

Guarantees  a cheapest path, if there is one.
Invariants  the list holds each open cell once: cells before the current one are for a later pass (their f is above the
            limit), cells from there on for this one. `cells` is the paper's cache: the cost at which a cell was reached.
Cost        O(cells) memory; time for each pass proportional to the list, besides the expansions.
Deviations  with costs of 1 and the root of 2 hardly two cells have the same f, and a limit raised to the least f left over
            would mean thousands of passes: it rises by `step` cheapest moves at least. A pass that reaches the goal
            continues until the list holds nothing cheaper, so paths stay optimal. A step of 0 is the paper's rule.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search._expanding import Expanding, cheapest_edge, fresh_stamp
from wayfolk.algorithms.search_view import CLOSED, SearchView
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.best_first import EXPANDED, FUZZ, GENERATED, REOPENED, STAMP, trace
from wayfolk.kernels.codes import EXHAUSTED, FOUND, NOWHERE, RUNNING
from wayfolk.kernels.graph import HEURISTICS, cost, heuristic, slots, there
from wayfolk.kernels.watching import estimate_to
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Björnsson et al. 2005"
OPTIMAL = True
COMPLETE = True

AT, PASSES = 8, 9  # further places in `counts`: the current cell
LIMIT, CUT, LOWEST, BEST = range(4)  # places in `numbers`: CUT is the least f left for later, LOWEST that of all paths
LINK = np.dtype([("before", np.int32), ("after", np.int32)], align=True)


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    step: Annotated[float, Range(0.0, 1_000_000.0), "Least rise of the limit between passes, in cheapest moves."] = 1.0,
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Fringe:
    """A search from `start` to `goal`."""
    return Fringe(world, start, goal, step, watch)


class Fringe(Expanding):
    """A fringe search that can be advanced. `links` has one row more than there are cells: both ends of the list."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, step: float, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.bound = 1.0
        self.kind = HEURISTICS[best_heuristic(world)]
        self.step = step * cheapest_edge(world)
        self.memory = self.borrow()
        self.links = np.empty(world.n_cells + 1, LINK)
        self.numbers = np.full(4, np.inf)
        _open_start(world.graph, self.memory, self.links, self.counts, self.numbers, start, goal, self.kind)

    def expand(self, budget: int) -> int:
        """Resume the pass through the list."""
        code: int = _sweep(
            self.world.graph,
            self.memory,
            self.links,
            counts=self.counts,
            numbers=self.numbers,
            goal=self.goal,
            kind=self.kind,
            step=self.step,
            budget=budget,
            events=self.events,
        )
        self.expanded = int(self.counts[EXPANDED])
        return code

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The path and its cost."""
        cells = np.empty(1024, np.int32)
        n = trace(self.memory, self.start, self.goal, cells)
        if n > cells.size:
            cells = np.empty(n, np.int32)
            trace(self.memory, self.start, self.goal, cells)
        return cells[:n][::-1], float(self.numbers[BEST])

    def search_view(self) -> SearchView:
        """The cells of the list, and those that have left it."""
        cells, stamp = self.memory.cells, int(self.memory.counts[STAMP])
        seen = cells["mark"] >= stamp
        state = np.where(seen, CLOSED, 0).astype(np.uint8) - (cells["mark"] > stamp)
        h = estimate_to(self.world.graph, self.goal, self.kind)
        return super().search_view()._replace(state=state, g=cells["g"], parent=cells["parent"], h=h)


@kernel
def _open_start(graph, memory, links, counts, numbers, start, goal, kind):
    """A list of `start` alone."""
    fresh_stamp(memory)
    ends = links.size - 1
    links[ends]["before"] = links[ends]["after"] = ends
    first = memory.cells[start]
    first["g"], first["parent"], first["mark"] = 0.0, start, memory.counts[STAMP] + 1
    _link(links, ends, start)
    counts[GENERATED] = counts[PASSES] = 1
    counts[AT] = start
    numbers[LIMIT] = numbers[LOWEST] = heuristic(graph, start, goal, kind)


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
        f = here + heuristic(graph, at, goal, kind)
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
