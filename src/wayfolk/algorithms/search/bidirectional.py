"""Bidirectional A*: searches from the start and from the goal at once, until neither side can improve the path.

Pijls and Post, "Yet another bidirectional algorithm for finding the shortest path", 2009 (NBA*).
With a heuristic of zero: Nicholson, "Finding the shortest route between two points in a network", 1966.

Guarantees  a cheapest path, if there is one.
Invariants  a cell is closed by one side only. `best` is the cost of the cheapest path seen through a cell that both have
            reached. While there is a cheaper path, each side has an open cell, closed by neither, whose f is below
            `best`: when one of them has none left, `best` is the least cost.
Cost        time and memory proportional to the cells closed: on open maps far fewer than Dijkstra closes, and about as
            many as A*, whose heuristic leaves little to save.
Deviations  the side with the shorter open list is next (Pohl, "Bi-directional search", 1971). A cell that is closed but
            not worth expanding (the paper rejects it) is not counted as expanded. The side of the goal follows directed
            edges backwards, in a copy of the graph that is made once.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._best_first import best_heuristic
from wayfolk.algorithms.search._expanding import Expanding, fresh_stamp
from wayfolk.algorithms.search_view import OPEN_BACK, SearchView, states_by_stamp
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.best_first import EXPANDED, FUZZ, GENERATED, STAMP, SearchMemory, trace
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import HEURISTICS, CsrGraph, GridGraph, cost, heuristic, slots, there
from wayfolk.kernels.heap import FLOAT_ROW
from wayfolk.world.cache import cached
from wayfolk.world.graph import Graph
from wayfolk.world.grid import Grid

PAPER = "Pijls and Post 2009; Nicholson 1966"
OPTIMAL = True
COMPLETE = True

MET = 8  # a further place in the counts of the search: where the best path crosses over


class Side(NamedTuple):
    """One of the two searches: what it knows of each cell, its open list, and how many rows and the least f of that."""

    memory: SearchMemory
    rows: NDArray[np.void]
    n_rows: NDArray[np.int64]
    least: NDArray[np.float64]


def begin(
    world: Grid | Graph,
    start: int,
    goal: int,
    *,
    heuristic: Annotated[
        Literal["best", "zero"], "Lower bound of costs; zero makes it Dijkstra's search from both ends."
    ] = "best",
    watch: Annotated[bool, "Record the expanded cells, in order."] = False,
) -> Bidirectional:
    """A search from `start` to `goal`."""
    return Bidirectional(world, start, goal, best_heuristic(world) if heuristic == "best" else heuristic, watch)


class Bidirectional(Expanding):
    """A bidirectional search that can be advanced; `best` holds the cost of the best path so far."""

    def __init__(self, world: Grid | Graph, start: int, goal: int, heuristic: str, watch: bool) -> None:
        super().__init__(world, start, goal, watch)
        self.bound = 1.0
        self.kind = HEURISTICS[heuristic]
        self.backwards = backwards(world)
        self.ahead, self.behind = (
            Side(self.borrow(), np.empty(1024, FLOAT_ROW), np.zeros(1, np.int64), np.zeros(1)) for _ in range(2)
        )
        self.best = np.full(1, np.inf)
        _seed(world.graph, self.ahead, self.behind, self.counts, self.best, start, goal, self.kind)

    def expand(self, budget: int) -> int:
        """Expand cells of the two sides in turn."""
        code: int = _meet(
            self.world.graph,
            backwards=self.backwards,
            ahead=self.ahead,
            behind=self.behind,
            counts=self.counts,
            best=self.best,
            start=self.start,
            goal=self.goal,
            kind=self.kind,
            budget=budget,
            events=self.events,
        )
        self.expanded = int(self.counts[EXPANDED])
        if code == FULL:
            self._grow()
            return RUNNING
        return code

    def _grow(self) -> None:
        """Longer open lists."""
        self.ahead, self.behind = (
            side._replace(rows=np.concatenate([side.rows, np.empty_like(side.rows)]))
            for side in (self.ahead, self.behind)
        )

    def read(self) -> tuple[NDArray[np.int32], float]:
        """The way of one side to where they met, and from there the way of the other."""
        parts, met = [], int(self.counts[MET])
        for side, end in ((self.ahead, self.start), (self.behind, self.goal)):
            cells = np.empty(trace(side.memory, end, met, np.empty(0, np.int32)), np.int32)
            trace(side.memory, end, met, cells)
            parts.append(cells)
        return np.concatenate([parts[0][::-1], parts[1][1:]]), float(self.best[0])

    def search_view(self) -> SearchView:
        """The cells of both sides; where both have been, those of the side that is nearer."""
        near, far = self.ahead.memory, self.behind.memory
        state, other = (states_by_stamp(side.cells["mark"], int(side.counts[STAMP])) for side in (near, far))
        is_far = (other > 0) & ((state == 0) | (far.cells["g"] < near.cells["g"]))
        return (
            super()
            .search_view()
            ._replace(
                state=np.where(is_far, other + (OPEN_BACK - 1), state).astype(np.uint8),
                g=np.where(is_far, far.cells["g"], near.cells["g"]),
                parent=np.where(is_far, far.cells["parent"], near.cells["parent"]),
            )
        )


def backwards(world: Grid | Graph) -> GridGraph | CsrGraph:
    """The graph with every edge turned round: itself for a grid, whose moves can all be undone at the same cost."""
    if isinstance(world, Grid):
        return world.graph
    return cached(world, "backwards", _turned_round)


def _turned_round(world: Graph) -> CsrGraph:
    graph = world.graph
    order = np.argsort(graph.target, kind="stable")
    sources = np.repeat(np.arange(world.n_cells, dtype=np.int32), np.diff(graph.first))
    first = np.searchsorted(graph.target[order], np.arange(world.n_cells + 1)).astype(np.int32)
    return graph._replace(first=first, target=sources[order], weight=graph.weight[order])


@kernel
def _seed(graph, ahead, behind, counts, best, start, goal, kind):
    """Open `start` on one side and `goal` on the other."""
    _open_first(graph, ahead, start, goal, kind)
    _open_first(graph, behind, goal, start, kind)
    counts[GENERATED] = 2
    if start == goal:
        best[0], counts[MET] = 0.0, start


@inner
def _open_first(graph, side, first, aim, kind):
    fresh_stamp(side.memory)
    cell = side.memory.cells[first]
    cell["g"], cell["parent"], cell["mark"] = 0.0, first, side.memory.counts[STAMP]
    side.least[0] = heuristic(graph, first, aim, kind)
    side.n_rows[0] = heap.push(side.rows, 0, side.least[0], 0.0, first)


@kernel
def _meet(graph, backwards, ahead, behind, counts, best, start, goal, kind, budget, events):
    """Expand up to `budget` cells; FOUND or EXHAUSTED as soon as one side has nothing left that could help."""
    stop = counts[EXPANDED] + budget
    while True:
        if not (_can_help(ahead, behind, best) and _can_help(behind, ahead, best)):
            return FOUND if best[0] < np.inf else EXHAUSTED
        if counts[EXPANDED] >= stop:
            return RUNNING
        if ahead.n_rows[0] <= behind.n_rows[0]:
            has_room = _close(
                graph=graph, side=ahead, other=behind, counts=counts, best=best, origin=start, aim=goal, kind=kind,
                events=events,
            )  # fmt: skip
        else:
            has_room = _close(
                graph=backwards, side=behind, other=ahead, counts=counts, best=best, origin=goal, aim=start, kind=kind,
                events=events,
            )  # fmt: skip
        if not has_room:
            return FULL


@inner
def _can_help(side, other, best):
    """Whether `side` has an open cell with f below the best path; rows that are out of date are dropped on the way."""
    stamp, closed_there = side.memory.counts[STAMP], other.memory.counts[STAMP] + 1
    while side.n_rows[0] > 0:
        top = side.rows[0]
        mine = side.memory.cells[top["item"]]
        if (
            mine["mark"] == stamp
            and mine["g"] == -top["tie"]
            and other.memory.cells[top["item"]]["mark"] != closed_there
        ):
            side.least[0] = top["f"]
            return top["f"] < best[0] - FUZZ
        side.n_rows[0] = heap.pop(side.rows, side.n_rows[0])
    return False


@inner
def _close(graph, side, other, counts, best, origin, aim, kind, events):
    """Close the first cell of `side`, and expand it if a better path may lead through it; False if there is no room."""
    cells, stamp, stamp_there = side.memory.cells, side.memory.counts[STAMP], other.memory.counts[STAMP]
    cell = side.rows[0]["item"]
    edges = slots(graph, cell)
    if side.n_rows[0] + edges > side.rows.size:
        return False
    side.n_rows[0] = heap.pop(side.rows, side.n_rows[0])
    cells[cell]["mark"] = stamp + 1
    here = cells[cell]["g"]
    if here + other.least[0] - heuristic(graph, cell, origin, kind) >= best[0] - FUZZ:
        return True
    if counts[EXPANDED] < events.size:
        events[counts[EXPANDED]] = cell
    counts[EXPANDED] += 1
    for k in range(edges):
        next_cell = there(graph, cell, k)
        if next_cell == NOWHERE:
            continue
        child, over_there = cells[next_cell], other.memory.cells[next_cell]
        if child["mark"] == stamp + 1 or over_there["mark"] == stamp_there + 1:
            continue
        reached = here + cost(graph, cell, k)
        if child["mark"] != stamp:
            counts[GENERATED] += 1
        elif reached >= child["g"] - FUZZ:
            continue
        child["g"], child["parent"], child["mark"] = reached, cell, stamp
        f = reached + heuristic(graph, next_cell, aim, kind)
        side.n_rows[0] = heap.push(side.rows, side.n_rows[0], f, -reached, next_cell)
        if over_there["mark"] == stamp_there and reached + over_there["g"] < best[0]:
            best[0] = reached + over_there["g"]
            counts[MET] = next_cell
    return True
