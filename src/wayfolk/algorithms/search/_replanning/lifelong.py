"""The search under LPA*, D* Lite and Anytime D*: a shortest-path tree that is repaired where the world has changed.

Each cell has two values: g, the cost from the cell to the root when it was last expanded, and rhs, what follows from its
neighbours' g now. Where the two agree nothing is to be done. The queue holds the cells where they differ, and `repair`
makes them agree in the order of their keys until the path from `aim` to `root` cannot change any more.

Guarantees  a cheapest path from aim to root along the edges of `out`; with `excess`, one at most 1 + excess times as long.
Order       by f = min(g, rhs) + heuristic. Among equals come first the cells whose value must rise (g < rhs), the lowest
            first: no other value may depend on them. Then those whose value falls, the highest first: that goes deep and,
            as in A*, ends soon.
Invariants  rhs[root] = 0, and rhs[cell] = least integer_cost(edge) + g[there] for every other cell. A cell with g != rhs
            is in the queue or in `later`; no other is in the queue. A key there is at most its present value.
Numbers     all are integers (see `integer_costs`), so that equal sums are equal. A node that was never generated is all
            zeros: no array is cleared, and only what is used takes memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._replanning.integer_costs import FAR, INF, integer_cost, integer_heuristic
from wayfolk.algorithms.search._replanning.task import Incremental
from wayfolk.algorithms.search_view import CLOSED, OPEN, SearchView
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, slots, there
from wayfolk.kernels.heap import ROW, place, remove

# places in `counts`; KM is how far the agent has moved, ROUND the number of the round, 0 where cells are never closed
EXPANDED, GENERATED, N_QUEUE, N_LATER, KM, ROUND = range(6)
FALLS = INF // 2  # the second part of a key is below this for a value that must rise, above it for one that falls
# the `mark` of a cell that has been seen, and of one in `later`; one closed in a round has the number of the round
SEEN, WAITS = np.int32(1), NOWHERE
NODE = np.dtype([("g", np.int64), ("rhs", np.int64), ("at", np.int32), ("mark", np.int32)], align=True)


class IncrementalMemory(NamedTuple):
    """What is known of each cell, the queue, and the cells that wait for the next round."""

    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    later: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_memory(n_cells: int, root: int, counts: NDArray[np.int64], rounds: bool) -> IncrementalMemory:
    """Nothing is known but that the root costs nothing. What `counts` says of the work done so far is kept."""
    memory = IncrementalMemory(
        np.zeros(n_cells, NODE),
        np.empty(n_cells, ROW),
        np.empty(n_cells if rounds else 0, np.int32),
        counts,
    )
    memory.nodes[root] = (INF, 0, 1, SEEN)
    memory.rows[0] = (0, 0, root)
    counts[GENERATED] += 1
    counts[N_QUEUE], counts[N_LATER], counts[KM], counts[ROUND] = 1, 0, 0, SEEN if rounds else 0
    return memory


class Lifelong(Incremental):
    """A search of cells whose g and rhs differ."""

    excess = 0.0  # how much longer than a shortest path the answer may be
    has_rounds = False

    def new_memory(self) -> Any:
        """Memory of a search that has not begun."""
        return new_memory(self.world.n_cells, self.root, self.counts, self.has_rounds)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the path from `aim` is settled."""
        is_settled = repair(
            self.roads.out,
            self.roads.into,
            self.memory,
            aim=self.aim,
            kind=self.kind,
            scale=self.scale,
            excess=self.excess,
            budget=budget,
            events=self.events,
        )
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        revise(
            self.roads.out,
            self.memory,
            root=self.root,
            aim=self.aim,
            kind=self.kind,
            scale=self.scale,
            excess=self.excess,
            gone_from=self.keyed_for,
            is_new_round=all_keys or self.has_rounds or bool(self.counts[KM] > FAR),
            cells=cells,
        )

    def search_view(self) -> SearchView:
        """Cells in the queue, and those whose two values agree; g is the cost to the root."""
        nodes = self.memory.nodes
        value = np.minimum(nodes["g"], nodes["rhs"])
        state = np.where((nodes["mark"] != 0) & (value < INF), CLOSED, 0).astype(np.uint8)
        state[(nodes["mark"] != 0) & (nodes["at"] != 0)] = OPEN
        return super().search_view()._replace(state=state, g=np.where(value < INF, value / self.scale, np.inf))

    def has_path(self) -> bool:
        """Whether the settled values describe a path."""
        return bool(self.memory.nodes[self.aim]["rhs"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the path from `aim` to `root`; its number of cells and its cost."""
        n, total = trace(self.roads.out, self.memory, self.root, self.aim, self.scale, cells)
        return int(n), float(total)


@kernel
def repair(out, into, memory, aim, kind, scale, excess, budget, events):
    """Expand up to `budget` cells; whether the path from `aim` is settled.

    `into` holds the edges of `out` backwards. Expanded cells are written to `events` while there is room. The root needs
    no exception: every edge costs at least 1, so no neighbour can change its value.
    """
    nodes, rows, later, counts = memory.nodes, memory.rows, memory.later, memory.counts
    end = nodes[aim]
    _meet(nodes, counts, aim)
    n, expanded, km = counts[N_QUEUE], counts[EXPANDED], counts[KM]
    stop = expanded + budget
    is_settled = True
    while n > 0:
        top = rows[0]
        known = min(end["g"], end["rhs"]) + km
        if end["rhs"] <= end["g"] and (top["f"] > known or (top["f"] == known and top["tie"] >= FALLS)):
            break
        cell = np.int64(top["item"])
        node = nodes[cell]
        before = node["g"]
        if km > 0:
            first, second = _key(before, node["rhs"], integer_heuristic(out, cell, aim, kind, scale), excess, km)
            if top["f"] < first:  # it was worked out when the agent was elsewhere
                n = place(rows, nodes, n, cell, first, second)
                continue
        if expanded >= stop:
            is_settled = False
            break
        if expanded < events.size:
            events[expanded] = cell
        expanded += 1
        falls = before > node["rhs"]
        node["g"] = node["rhs"] if falls else INF
        if falls and counts[ROUND]:
            node["mark"] = counts[ROUND]
        for k in range(-1, slots(into, cell)):  # the cell itself, then those whose way may lead through it
            other = cell
            if k >= 0:
                other = np.int64(there(into, cell, k))
                if other == NOWHERE:
                    continue
                _meet(nodes, counts, other)
                rhs = nodes[other]["rhs"]
                step = integer_cost(into, cell, k, scale)
                if falls and rhs > node["g"] + step:
                    nodes[other]["rhs"] = node["g"] + step
                elif not falls and rhs == before + step:
                    nodes[other]["rhs"] = _least(out, nodes, other, scale)
                else:
                    continue
            n = _file(nodes, rows, later, counts, n, other, integer_heuristic(out, other, aim, kind, scale), excess)
    counts[N_QUEUE], counts[EXPANDED] = n, expanded
    return is_settled


@kernel
def revise(out, memory, root, aim, kind, scale, excess, gone_from, is_new_round, cells):
    """The agent has gone from `gone_from` to `aim`, and edges of `cells` have changed.

    In a new round all keys are worked out afresh, and what waits for it joins the queue.
    """
    nodes, rows, later, counts = memory.nodes, memory.rows, memory.later, memory.counts
    if gone_from != aim:
        counts[KM] += integer_heuristic(out, gone_from, aim, kind, scale)
    n = counts[N_QUEUE]
    for k in range(cells.size):
        cell = np.int64(cells[k])
        if cell != root:
            _meet(nodes, counts, cell)
            nodes[cell]["rhs"] = _least(out, nodes, cell, scale)
            n = _file(nodes, rows, later, counts, n, cell, integer_heuristic(out, cell, aim, kind, scale), excess)
    if is_new_round:
        counts[KM] = 0
        if counts[ROUND]:
            counts[ROUND] += 1
        for k in range(counts[N_LATER]):
            nodes[later[k]]["mark"] = SEEN
            rows[n + k]["item"] = later[k]
        queued, n = n + counts[N_LATER], 0
        counts[N_LATER] = 0
        for k in range(queued):
            cell = np.int64(rows[k]["item"])
            nodes[cell]["at"] = 0
            n = _file(nodes, rows, later, counts, n, cell, integer_heuristic(out, cell, aim, kind, scale), excess)
    counts[N_QUEUE] = n


@kernel
def trace(out, memory, root, aim, scale, path):
    """Write the path from `aim` to `root` to `path`; its number of cells and its cost."""
    nodes = memory.nodes
    cell, n, total = np.int64(aim), 1, 0.0
    path[0] = aim
    while cell != root and n < path.size:
        least, way = INF, 0
        for k in range(slots(out, cell)):
            other = there(out, cell, k)
            if other != NOWHERE and nodes[other]["mark"] and nodes[other]["g"] < INF:
                value = nodes[other]["g"] + integer_cost(out, cell, k, scale)
                if value < least:
                    least, way = value, k
        total += cost(out, cell, way)
        cell = np.int64(there(out, cell, way))
        path[n] = cell
        n += 1
    return n, total


@inner
def _file(nodes, rows, later, counts, n, cell, h, excess):
    """Put a cell where it belongs: into the queue of length `n`, aside if it is closed, or nowhere; the new length."""
    node = nodes[cell]
    is_in = node["g"] != node["rhs"] and node["mark"] != WAITS
    if is_in and node["mark"] == counts[ROUND]:
        is_in = False
        node["mark"] = WAITS
        later[counts[N_LATER]] = cell
        counts[N_LATER] += 1
    if is_in:
        first, second = _key(node["g"], node["rhs"], h, excess, counts[KM])
        n = place(rows, nodes, n, cell, first, second)
    elif node["at"]:
        n = remove(rows, nodes, n, cell)
    return n


@inner
def _key(g, rhs, h, excess, km):
    """What orders the queue. A value that must rise is not inflated: it has to come before any that rely on it."""
    if g < rhs:
        first, second = g + h + km, g
    else:
        first, second = rhs + h + np.int64(min(excess * h, float(FAR))) + km, INF - rhs
    return first, second


@inner
def _least(out, nodes, cell, scale):
    """The rhs of a cell: the least cost by way of a neighbour."""
    least = INF
    for k in range(slots(out, cell)):
        other = there(out, cell, k)
        if other != NOWHERE and nodes[other]["mark"] and nodes[other]["g"] < INF:
            least = min(least, nodes[other]["g"] + integer_cost(out, cell, k, scale))
    return least


@inner
def _meet(nodes, counts, cell):
    """See a cell for the first time."""
    node = nodes[cell]
    if node["mark"] == 0:
        node["g"] = node["rhs"] = INF
        node["mark"] = SEEN
        counts[GENERATED] += 1
