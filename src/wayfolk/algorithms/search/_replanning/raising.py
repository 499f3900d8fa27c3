"""The search under D* and Focussed D*: each cell points to the next one on its path to the root; pointers are repaired.

Each cell has h, the cost of its path as far as is known, and k, the least h since the cell was last put into the queue. A
cell with k < h has become costlier: it is a RAISE cell, which passes its new cost to the cells that point to it and looks
for a cheaper path among its neighbours. One with k = h is a LOWER cell, which offers its path to its neighbours. (NEW, OPEN
and CLOSED in the papers are: mark is 0, `at` is not 0, neither.)

Guarantees  a cheapest path from the agent to the root along the edges of `out`.
Invariants  a cell that is not in the queue and points somewhere has h = h[back] + cost, unless `back` is in the queue.
            `process` ends when no cell in the queue has f = k + heuristic(to the agent) below h of the agent.
Keys        all numbers are integers (see `integer_costs`). The queue is not sorted again when the agent moves: newer
            entries have a BIAS added, as much as heuristics may have fallen, so that old keys are at most too low. They
            are corrected when they reach the top.
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
from wayfolk.kernels.graph import ZERO, slots, there
from wayfolk.kernels.heap import ROW, place, remove
from wayfolk.kernels.path_costs import edge_cost

# places in `counts`; FOCUS counts the agent's places that keys were worked out for, from 1
EXPANDED, GENERATED, N_QUEUE, BIAS, FOCUS = range(5)
NODE = np.dtype(
    [("h", np.int64), ("k", np.int64), ("back", np.int32), ("at", np.int32), ("mark", np.int32)], align=True
)


class RaisingMemory(NamedTuple):
    """What is known of each cell (its `mark` is the FOCUS its key was made for, 0 if it is new), and the queue."""

    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    counts: NDArray[np.int64]


def new_memory(n_cells: int, root: int, counts: NDArray[np.int64]) -> RaisingMemory:
    """Nothing is known but that the root costs nothing. What `counts` says of the work done so far is kept."""
    memory = RaisingMemory(np.zeros(n_cells, NODE), np.empty(n_cells, ROW), counts)
    counts[GENERATED] += 1
    counts[N_QUEUE], counts[BIAS], counts[FOCUS] = 1, 0, 2
    # its key is for no place of the agent's, and is worked out when it comes up
    memory.nodes[root] = (0, 0, root, 1, 1)
    memory.rows[0] = (0, 0, root)
    return memory


class Raising(Incremental):
    """A search of RAISE and LOWER cells."""

    def new_memory(self) -> Any:
        """Memory of a search that has not begun."""
        return new_memory(self.world.n_cells, self.root, self.counts)

    def work(self, budget: int) -> bool:
        """Expand up to `budget` cells; whether the path from `aim` is settled."""
        is_settled = process(
            self.roads.out, self.roads.into, self.memory, self.aim, self.kind, self.scale, budget, self.events
        )
        return bool(is_settled)

    def revise(self, cells: NDArray[np.int32], all_keys: bool) -> None:
        """Edges of `cells` have changed and the agent may have moved."""
        gone_from = self.aim if self.kind == ZERO else self.keyed_for  # without heuristics keys stay as they are
        revise(
            self.roads.out,
            self.memory,
            root=self.root,
            agent=self.aim,
            kind=self.kind,
            scale=self.scale,
            gone_from=gone_from,
            is_afresh=all_keys or bool(self.counts[BIAS] > FAR),
            cells=cells,
        )

    def search_view(self) -> SearchView:
        """Cells in the queue and those that have left it; g is the cost to the root, the paper's h."""
        nodes = self.memory.nodes
        state = np.where(nodes["mark"] != 0, CLOSED, 0).astype(np.uint8)
        state[(nodes["mark"] != 0) & (nodes["at"] != 0)] = OPEN
        g = np.where(nodes["h"] < INF, nodes["h"] / self.scale, np.inf)
        return super().search_view()._replace(state=state, g=g, parent=nodes["back"])

    def has_path(self) -> bool:
        """Whether the settled values describe a path."""
        node = self.memory.nodes[self.aim]
        return bool(node["mark"] and node["h"] < INF)

    def trace(self, cells: NDArray[np.int32]) -> tuple[int, float]:
        """Write the path from `aim` to `root`; its number of cells and its cost."""
        n, total = trace(self.roads.out, self.memory, self.root, self.aim, cells)
        return int(n), float(total)


@kernel
def process(out, into, memory, agent, kind, scale, budget, events):
    """Expand up to `budget` cells; whether the path from `agent` is settled.

    `into` holds the edges of `out` backwards. Expanded cells are written to `events` while there is room.
    """
    nodes, rows, counts = memory.nodes, memory.rows, memory.counts
    n, expanded, bias, focus = counts[N_QUEUE], counts[EXPANDED], counts[BIAS], counts[FOCUS]
    stop = expanded + budget
    is_settled = True
    while n > 0:
        cell = np.int64(rows[0]["item"])
        node = nodes[cell]
        k_old = node["k"]
        if node["mark"] != focus:  # its key was worked out when the agent was elsewhere
            node["mark"] = focus
            first = k_old + integer_heuristic(out, cell, agent, kind, scale) + bias
            n = place(rows, nodes, n, cell, first, k_old)
            continue
        f = rows[0]["f"] - bias
        known = nodes[agent]["h"] if nodes[agent]["mark"] else INF
        if f > known or (f == known and k_old >= known):
            break
        if expanded >= stop:
            is_settled = False
            break
        if expanded < events.size:
            events[expanded] = cell
        expanded += 1
        n = remove(rows, nodes, n, cell)
        if k_old < node["h"]:
            _ask(out, nodes, cell, agent, kind, scale, f, k_old)
        is_lower = k_old == node["h"]
        for k in range(slots(into, cell)):
            other = np.int64(there(into, cell, k))
            if other == NOWHERE:
                continue
            peer = nodes[other]
            h = min(INF, node["h"] + integer_cost(into, cell, k, scale))
            if peer["mark"] == 0:
                if h == INF:
                    continue
                peer["back"] = cell
                counts[GENERATED] += 1
            elif peer["back"] == cell:
                if peer["h"] == h:
                    continue
            elif peer["h"] <= h:
                continue
            elif is_lower:
                peer["back"] = cell
            else:  # its own value is not sure yet: it comes again as a LOWER cell
                other, h = cell, node["h"]
            n = _insert(nodes, rows, counts, n, other, integer_heuristic(out, other, agent, kind, scale), h)
        for k in range(0 if is_lower else slots(out, cell)):
            # closed neighbours that could help a RAISE cell, but are not sure yet, come up again
            other = np.int64(there(out, cell, k))
            if other == NOWHERE:
                continue
            peer = nodes[other]
            h = peer["h"]
            if peer["mark"] == 0 or peer["at"] or peer["back"] == cell:
                continue
            if node["h"] > h + integer_cost(out, cell, k, scale):
                estimate = integer_heuristic(out, other, agent, kind, scale)
                if h + estimate > f or (h + estimate == f and h > k_old):
                    n = _insert(nodes, rows, counts, n, other, estimate, h)
    counts[N_QUEUE], counts[EXPANDED] = n, expanded
    return is_settled


@kernel
def revise(out, memory, root, agent, kind, scale, gone_from, is_afresh, cells):
    """The agent has moved from `gone_from` to `agent`, and edges of `cells` have changed; `is_afresh`: heuristics too."""
    nodes, rows, counts = memory.nodes, memory.rows, memory.counts
    if gone_from != agent:
        counts[BIAS] += integer_heuristic(out, gone_from, agent, kind, scale) + 1
        counts[FOCUS] += 1
    n = counts[N_QUEUE]
    for i in range(cells.size):
        cell = np.int64(cells[i])
        node = nodes[cell]
        if cell == root:
            continue
        if node["mark"]:
            kept = INF
            for k in range(slots(out, cell)):
                if there(out, cell, k) == node["back"]:
                    kept = min(INF, nodes[node["back"]]["h"] + integer_cost(out, cell, k, scale))
            if kept != node["h"]:
                n = _insert(nodes, rows, counts, n, cell, integer_heuristic(out, cell, agent, kind, scale), kept)
        for k in range(slots(out, cell)):
            other = np.int64(there(out, cell, k))
            if other != NOWHERE and nodes[other]["mark"] and not nodes[other]["at"]:
                h = nodes[other]["h"]
                if h < INF and (node["mark"] == 0 or node["h"] > h + integer_cost(out, cell, k, scale)):
                    n = _insert(nodes, rows, counts, n, other, integer_heuristic(out, other, agent, kind, scale), h)
    if is_afresh:
        queued, n, counts[BIAS] = n, 0, 0
        for k in range(queued):
            cell = np.int64(rows[k]["item"])
            nodes[cell]["at"] = 0
            nodes[cell]["mark"] = counts[FOCUS]
            first = nodes[cell]["k"] + integer_heuristic(out, cell, agent, kind, scale)
            n = place(rows, nodes, n, cell, first, nodes[cell]["k"])
    counts[N_QUEUE] = n


@kernel
def trace(out, memory, root, agent, path):
    """Write the path from `agent` to `root` to `path`; its number of cells and its cost."""
    cell, n, total = agent, 1, 0.0
    path[0] = agent
    while cell != root and n < path.size:
        back = memory.nodes[cell]["back"]
        total += edge_cost(out, cell, back)
        cell = back
        path[n] = cell
        n += 1
    return n, total


@inner
def _ask(out, nodes, cell, agent, kind, scale, f, k_old):
    """Point a RAISE cell to the best of the neighbours whose values are sure: those not above (f, k_old)."""
    node = nodes[cell]
    for k in range(slots(out, cell)):
        other = there(out, cell, k)
        if other != NOWHERE and nodes[other]["mark"]:
            h = nodes[other]["h"]
            reached = h + integer_cost(out, cell, k, scale)
            if node["h"] > reached:
                its_f = h + integer_heuristic(out, other, agent, kind, scale)
                if its_f < f or (its_f == f and h <= k_old):
                    node["back"] = other
                    node["h"] = reached


@inner
def _insert(nodes, rows, counts, n, cell, estimate, h):
    """Give a cell the value `h` and put it into the queue of length `n`, unless no way is known from it; the new length.

    k depends on where the cell is: new, in the queue, or out of it.
    """
    node = nodes[cell]
    k = h
    if node["at"]:
        k = min(node["k"], h)
    elif node["mark"]:
        k = min(node["h"], h)
    node["k"], node["h"], node["mark"] = k, h, counts[FOCUS]
    if k < INF:
        n = place(rows, nodes, n, cell, k + estimate + counts[BIAS], k)
    return n
