"""Moving by a rough plan: look ahead among groups of cells, learn there, and search the cells of the groups to cross.

Bulitko, Sturtevant, Lu and Yau, "Graph abstraction in real-time heuristic search", JAIR 2007.

Invariants  the cells of a path of nodes contain a path of cells. For each move at most `ahead.budget` nodes are expanded,
            and each cell of the nodes to cross at most once.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._hints import DenseHints, HintedGraph
from wayfolk.algorithms.realtime._look_ahead.plans import Ahead, step
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, PLANNING, STUCK, WALKING
from wayfolk.algorithms.search._corridor import seek
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.best_first import EXPANDED, SearchMemory
from wayfolk.kernels.codes import NOWHERE, RUNNING
from wayfolk.kernels.graph import CsrGraph
from wayfolk.kernels.path_costs import edge_cost


class Overview(NamedTuple):
    """The nodes (groups), a cell of each, the node of each cell, what was learned about nodes, and how to plan there."""

    graph: CsrGraph
    cells: NDArray[np.int32]
    node: NDArray[np.int32]
    hints: DenseHints
    ahead: Ahead


class Corridor(NamedTuple):
    """Arrays to search the cells of the nodes to cross; `nodes` are those, and `route` the path through them."""

    memory: SearchMemory
    rows: NDArray[np.void]
    marks: NDArray[np.int32]
    nodes: NDArray[np.int32]
    route: NDArray[np.int32]
    kind: int


@kernel
def move_by_groups(world, over, corridor, agents, above, trail, limits):
    """Plan and move within `limits`; WALKING, ARRIVED, STUCK, or NO_ROOM to plan among the nodes.

    `above` is the agent as one that moves among the nodes.
    """
    agent = agents[0]
    stop = agent["expanded"] + limits.work
    for _ in range(limits.moves):
        here = agent["here"]
        if here == agent["goal"]:
            return ARRIVED
        if agent["expanded"] >= stop:
            return WALKING
        if agent["at"] >= agent["n_route"]:
            code = _plan(world, over, corridor, agent, above[0], trail.events, stop - agent["expanded"])
            if code == PLANNING:
                return WALKING
            if code != WALKING:
                return code
            agent["plans"] += 1
            agent["most"] = max(agent["most"], agent["expanded"] - agent["before"])
        cell = corridor.route[agent["at"]]
        agent["travel"] += edge_cost(world, here, cell)
        agent["here"] = cell
        agent["at"] += 1
        trail.walked[agent["moves"]] = cell
        agent["moves"] += 1
    return ARRIVED if agent["here"] == agent["goal"] else WALKING


@inner
def _plan(world, over, corridor, agent, above, events, work):
    """Choose nodes to cross, and write a path through them to the route: to the goal, or into the last node.

    Returns WALKING, STUCK, NO_ROOM, or PLANNING if the path is not found after `work` expansions of cells.
    """
    nodes, last, is_new = corridor.nodes, over.node[agent["goal"]], not agent["is_planning"]
    if is_new:
        code = _cross(over, corridor, agent, above, events)
        if code in (STUCK, NO_ROOM):
            return code
        agent["is_planning"], corridor.memory.counts[EXPANDED] = 1, 0
    n_nodes = 1 + (min(above["n_route"], over.ahead.steps) if nodes[0] != last else 0)
    end = NOWHERE if nodes[n_nodes - 1] == last else nodes[n_nodes - 1]
    nothing = nodes[:0]
    code, n = seek(
        graph=world, memory=corridor.memory, rows=corridor.rows, start=agent["here"], goal=agent["goal"],
        kind=corridor.kind, parents=over.node, marks=corridor.marks, last=np.int64(end), above=nodes[:n_nodes],
        first=nothing, target=nothing, cells=nothing, budget=work, events=events[agent["expanded"] :], is_new=is_new,
        path=corridor.route,
    )  # fmt: skip
    if code == RUNNING:
        return PLANNING
    agent["is_planning"] = 0
    agent["expanded"] += corridor.memory.counts[EXPANDED]
    route = corridor.route
    n -= 1  # it is backwards, and ends with the agent's own cell
    for k in range(n // 2):
        route[k], route[n - 1 - k] = route[n - 1 - k], route[k]
    agent["n_route"], agent["at"] = n, 0
    return WALKING


@inner
def _cross(over, corridor, agent, above, events):
    """Choose the nodes to cross: look ahead among the nodes, and learn there. Returns what `step` returns."""
    node, last = over.node[agent["here"]], over.node[agent["goal"]]
    corridor.nodes[0] = node
    agent["before"] = agent["expanded"]
    if node == last:
        return ARRIVED
    above["here"], above["goal"], above["n_route"], above["at"] = node, last, 0, 0
    before, raised = above["expanded"], above["raised"]
    code = step(HintedGraph(over.graph, over.hints), over.ahead, above, corridor.nodes[1:], over.ahead.budget)
    if code in (STUCK, NO_ROOM):
        return code
    for k in range(above["expanded"] - before):
        if events.size > 0:
            events[agent["expanded"] + k] = over.cells[over.ahead.closed[k]]
    agent["expanded"] += above["expanded"] - before
    agent["raised"] += above["raised"] - raised
    return code
