"""Walking by a rough plan: look ahead among groups of cells, learn there, and search the cells of the groups to cross.

Bulitko, Sturtevant, Lu and Yau, "Graph abstraction in real-time heuristic search", JAIR 2007.

Keeps    the cells below a path of nodes hold a path of cells. For each move at most `ahead.budget` nodes are expanded, and
         each cell below the nodes to cross at most once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, CsrGraph, cost, slots, there
from wayfolk.kernels.best_first import EXPANDED, Memory
from wayfolk.kernels.hints import DenseHints, HintedGraph
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.look_ahead import ARRIVED, NO_ROOM, STUCK, WALKING, Ahead, step
from wayfolk.search._corridor import seek


class Overview(NamedTuple):
    """Nodes above the cells, a cell below each, the node of each cell, what was learned, and how to plan up there."""

    graph: CsrGraph
    cells: NDArray[np.int32]
    node: NDArray[np.int32]
    hints: DenseHints
    ahead: Ahead


class Corridor(NamedTuple):
    """Arrays to search the cells below the nodes to cross with; `nodes` are those, and `route` the way through."""

    memory: Memory
    rows: NDArray[np.void]
    marks: NDArray[np.int32]
    nodes: NDArray[np.int32]
    route: NDArray[np.int32]
    kind: int


@kernel
def walk(world, over, corridor, walkers, above, walked, events, n_moves):
    """Think and move up to `n_moves` times; WALKING, ARRIVED, STUCK, or NO_ROOM to plan above.

    `above` is the agent as a walker among the nodes.
    """
    walker = walkers[0]
    for _ in range(n_moves):
        here = walker["here"]
        if here == walker["goal"]:
            return ARRIVED
        if walker["at"] >= walker["n_route"]:
            before = walker["expanded"]
            code = _plan(world, over, corridor, walker, above[0], events)
            if code != WALKING:
                return code
            walker["plans"] += 1
            walker["most"] = max(walker["most"], walker["expanded"] - before)
        cell = corridor.route[walker["at"]]
        for k in range(slots(world, here)):
            if there(world, here, k) == cell:
                walker["travel"] += cost(world, here, k)
        walker["here"] = cell
        walker["at"] += 1
        walked[walker["moves"]] = cell
        walker["moves"] += 1
    return ARRIVED if walker["here"] == walker["goal"] else WALKING


@inner
def _plan(world, over, corridor, walker, above, events):
    """Choose nodes to cross and write a way through to the route: to the goal, or to where it leads into the last one."""
    node, last = over.node[walker["here"]], over.node[walker["goal"]]
    nodes, n_nodes = corridor.nodes, 1
    nodes[0] = node
    if node != last:
        above["here"], above["goal"], above["n_route"], above["at"] = node, last, 0, 0
        before, raised = above["expanded"], above["raised"]
        code = step(HintedGraph(over.graph, over.hints), over.ahead, above, nodes[1:])
        if code in (STUCK, NO_ROOM):
            return code
        n_nodes += min(above["n_route"], over.ahead.steps)
        for k in range(above["expanded"] - before):
            if events.size > 0:
                events[walker["expanded"] + k] = over.cells[over.ahead.closed[k]]
        walker["expanded"] += above["expanded"] - before
        walker["raised"] += above["raised"] - raised
    end = NOWHERE if nodes[n_nodes - 1] == last else nodes[n_nodes - 1]
    nobody = nodes[:0]
    corridor.memory.counts[EXPANDED] = 0
    _, n = seek(
        world, corridor.memory, corridor.rows, walker["here"], walker["goal"], corridor.kind, over.node, corridor.marks,
        np.int64(end), nodes[:n_nodes], nobody, nobody, nobody, 1 << 62, events[walker["expanded"] :], True,
        corridor.route,
    )  # fmt: skip
    walker["expanded"] += corridor.memory.counts[EXPANDED]
    route = corridor.route
    n -= 1  # it is backwards, and ends with the agent's own cell
    for k in range(n // 2):
        route[k], route[n - 1 - k] = route[n - 1 - k], route[k]
    walker["n_route"], walker["at"] = n, 0
    return WALKING
