"""What the depth-first searches share: rounds of depth-first search, each cut off at a higher f than the one before.

f is the cost (or the number of moves) so far plus a heuristic of what is left. A stack holds the path to the current cell.
A table, which may be left unused, holds the least cost at which each cell was ever reached, and its floor.

Invariants  the frames of the stack are a path: each was reached from the one below by the last edge tried there.
            With the table, a cell is entered only at the least cost known so far, and once in a round unless that falls.
            When a round ends, every cell that a path can reach within the limit has been entered at its least cost, in
            this round or before.
Floors      a cell need not be entered again while its floor is above the limit. Cells beyond it are not lost: each
            cell's floor counts for the one it was entered from, and so on down to the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._expanding import Expanding, fresh_stamp
from wayfolk.algorithms.search._search import GIVEN_UP
from wayfolk.algorithms.search_view import CLOSED, OPEN, SearchView
from wayfolk.compile.jit import kernel
from wayfolk.errors import BadInput
from wayfolk.kernels.best_first import EXPANDED, FUZZ, GENERATED, REOPENED, STAMP
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import HEURISTICS, cost, heuristic, slots, there
from wayfolk.kernels.path_costs import path_cost
from wayfolk.kernels.watching import estimate_to
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

NO_CHECK, PATH, LEAST, ONCE = range(4)  # which cells are not entered: none, those of the path, costlier, seen ones
ROUND_OVER = GIVEN_UP + 1  # one more outcome
HEIGHT, LENGTH, BASE, IN_ROUND, FRESH = range(8, 13)  # further places in `counts`
LIMIT, ENOUGH, CUT, BEST = range(4)  # places in `numbers`
FRAME = np.dtype([("g", np.float64), ("floor", np.float64), ("cell", np.int32), ("k", np.int32)], align=True)


class Stack(NamedTuple):
    """The path now, with the next edge to try at each of its cells; the best path to the goal; floors; counts; numbers.

    The floor of a cell is the least f that was cut off beyond it when it was last entered, or its own f if it was cut
    off itself: while the limit is lower, there is nothing new beyond it. Of the numbers, CUT is the least f that was
    cut off in this round, BEST the cost of the best path to the goal, and a path of cost ENOUGH need not be improved.
    """

    frames: NDArray[np.void]
    path: NDArray[np.int32]
    floors: NDArray[np.float64]
    counts: NDArray[np.int64]
    numbers: NDArray[np.float64]


class DepthFirst(Expanding):
    """Rounds of depth-first search that can be advanced."""

    def __init__(
        self, world: Grid | Graph, start: int, goal: int, *, limit: float, enough: float, last: float, heuristic: str,
        by_moves: bool, check: int, watch: bool,
    ) -> None:  # fmt: skip
        super().__init__(world, start, goal, watch)
        self.kind, self.by_moves, self.check = HEURISTICS[heuristic], by_moves, check
        self.memory = self.borrow()
        self.stack = Stack(
            np.empty(1024, FRAME), np.empty(1024, np.int32), np.empty(world.n_cells if check == LEAST else 0),
            self.counts, np.array([limit, enough, np.inf, np.inf]),
        )  # fmt: skip
        self.limits, self.last = [limit], last
        new_round(self.memory, self.stack, start, True)

    def expand(self, budget: int) -> int:
        """Resume the round; when it is over, begin the next."""
        code: int = deepen(
            self.world.graph,
            self.memory,
            self.stack,
            goal=self.goal,
            kind=self.kind,
            by_moves=self.by_moves,
            check=self.check,
            budget=budget,
            events=self.events,
        )
        self.expanded = int(self.counts[EXPANDED])
        if code == FULL:
            self._grow()
            return RUNNING
        if code != ROUND_OVER:
            return code
        cut = float(self.stack.numbers[CUT])
        if cut == np.inf:
            return EXHAUSTED
        limit = self.raised(cut)
        if limit > self.last:
            marks, cut_off = self.memory.cells["mark"], self.memory.counts[STAMP] + 1
            if self.check == LEAST and not (marks == cut_off).any():  # whatever was cut off was entered later
                return EXHAUSTED
            self.detail = f"no path within {self.last:.0f} moves"
            return GIVEN_UP
        self.limits.append(limit)
        self.stack.numbers[:] = limit, cut, np.inf, np.inf
        new_round(self.memory, self.stack, self.start, False)
        return RUNNING

    def raised(self, cut: float) -> float:
        """The limit of the next round, at least `cut`, the least f that was cut off."""
        return cut

    def search_view(self) -> SearchView:
        """The cells of the path now, those beyond the limit, and those that this round has left."""
        frames = self.stack.frames[: self.counts[HEIGHT]]
        state = np.zeros(self.world.n_cells, np.uint8)
        if self.check != NO_CHECK:
            marks, stamp = self.memory.cells["mark"], int(self.memory.counts[STAMP])
            state[marks == stamp] = CLOSED
            state[marks == stamp + 1] = OPEN
        parent = np.full(self.world.n_cells, NOWHERE, np.int32)
        g = np.zeros(self.world.n_cells)
        parent[frames["cell"]] = np.concatenate([frames["cell"][:1], frames["cell"][:-1]])
        g[frames["cell"]] = frames["g"]
        state[frames["cell"]] = CLOSED
        h = estimate_to(self.world.graph, self.goal, self.kind)
        return super().search_view()._replace(state=state, g=g, parent=parent, h=h)

    def _grow(self) -> None:
        """A taller stack."""
        frames, path = self.stack.frames, self.stack.path
        self.stack = self.stack._replace(
            frames=np.concatenate([frames, np.empty_like(frames)]), path=np.concatenate([path, np.empty_like(path)])
        )

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The best path and its cost."""
        cells = self.stack.path[: self.counts[LENGTH]]
        return cells, float(path_cost(self.world.graph, cells))


def checked_depth(depth: int, duplicates: str) -> float:
    """The limit that the options of `dfs` and `iddfs` mean."""
    if duplicates == "none" and depth == 0:
        raise BadInput("a search that does not check for duplicates may go in circles: give it a depth")
    return float(depth) if depth else float("inf")


@kernel
def new_round(memory, stack, start, is_first):
    """Put `start` alone on the stack; the table stays, unless this is the first round."""
    count = stack.counts
    if fresh_stamp(memory) or is_first:
        count[BASE] = memory.counts[STAMP]
    memory.cells[start]["g"], memory.cells[start]["mark"] = 0.0, memory.counts[STAMP]
    bottom = stack.frames[0]
    bottom["g"], bottom["floor"], bottom["cell"], bottom["k"] = 0.0, np.inf, start, 0
    count[HEIGHT] = count[FRESH] = 1
    count[GENERATED] += 1
    count[IN_ROUND] = 0


@kernel
def deepen(graph, memory, stack, goal, kind, by_moves, check, budget, events):
    """Expand up to `budget` cells: RUNNING, FOUND, FULL (the stack is), or ROUND_OVER without a path."""
    cells, frames, floors, count, number = memory.cells, stack.frames, stack.floors, stack.counts, stack.numbers
    stamp, base = memory.counts[STAMP], count[BASE]
    height, expanded = count[HEIGHT], count[EXPANDED]
    limit, best = number[LIMIT], number[BEST]
    before, stop = expanded, expanded + budget
    outcome = RUNNING
    while True:
        top = frames[height - 1]
        cell, here, k = top["cell"], top["g"], top["k"]
        is_pushed = False
        if k == 0 and cell == goal:
            best = here
            for level in range(height):
                stack.path[level] = frames[level]["cell"]
            count[LENGTH] = height
            if best <= number[ENOUGH] + FUZZ:
                outcome = FOUND
                break
        else:
            if k == 0:
                if expanded >= stop:
                    break
                if height == frames.size:
                    outcome = FULL
                    break
                if expanded < events.size:
                    events[expanded] = cell
                expanded += 1
            edges = slots(graph, cell)
            while k < edges and not is_pushed:
                k += 1
                other = there(graph, cell, edges - k)
                if other == NOWHERE:
                    continue
                reached = here + (1.0 if by_moves else cost(graph, cell, edges - k))
                child = cells[other]
                seen = child["mark"]
                is_known = False
                if check == LEAST and seen >= base:
                    if reached > child["g"] + FUZZ:
                        continue
                    is_known = reached >= child["g"] - FUZZ
                    if is_known and seen == stamp:
                        continue
                elif (check == PATH and seen == stamp) or (check == ONCE and seen >= base):
                    continue
                f = floors[other] if is_known else reached + heuristic(graph, other, goal, kind)
                if f >= best - FUZZ:
                    continue
                is_pushed = f <= limit + FUZZ
                if is_pushed:
                    count[GENERATED] += 1
                    if seen != stamp:
                        count[FRESH] += 1
                    elif check == LEAST:
                        count[REOPENED] += 1
                    after = frames[height]
                    after["g"], after["floor"], after["cell"], after["k"] = reached, np.inf, other, 0
                else:
                    top["floor"] = min(top["floor"], f)
                    if check == LEAST:
                        floors[other] = f
                if not is_known:
                    child["g"] = reached
                if is_pushed or check == LEAST:
                    child["mark"] = stamp if is_pushed else stamp + 1
            top["k"] = k
        if is_pushed:
            height += 1
            continue
        height -= 1
        floor = top["floor"]
        if check == LEAST:
            floors[cell] = floor
        elif check == PATH:
            cells[cell]["mark"] = 0
        if height == 0:
            number[CUT] = floor
            outcome = FOUND if best < np.inf else ROUND_OVER
            break
        below = frames[height - 1]
        below["floor"] = min(below["floor"], floor)
    count[HEIGHT], count[EXPANDED] = height, expanded
    count[IN_ROUND] += expanded - before
    number[BEST] = best
    return outcome
