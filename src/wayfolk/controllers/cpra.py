"""CPRA*: everybody follows a rough path among groups of cells, and plans the next steps around the others inside it.

Sturtevant and Buro, "Improving collaborative pathfinding using map abstraction", 2006; Jansen, "Direction Maps", 2008,
section 2.5: PRA* with WHCA* in place of A* on the lowest level.

Finds    for each agent the cheapest way to spend the next `window` steps, among the cells below its abstract path.
         Nothing is promised for all of them.
Keeps    an agent plans over cells below its abstract path and so many rings of its neighbours only. In the `steps` time
         model no move is ever refused as long as every agent finds a way.
Takes    what WHCA* takes, but the search for distances covers the next part of the way and not all of it; and an A* among
         the groups whenever that part is walked.
Differs  the abstract path is on one level, half-way up unless `level` says so, and refined as far as two windows reach.
         Children of its neighbours belong to the corridor as well, so that agents can give way to each other, and one
         more ring of them for each plan by which an agent did not get on: what blocks it may be there for good.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.abstraction.cliques import cliques_of
from wayfolk.controllers import Controller, View
from wayfolk.controllers.whca import Windowed, WindowMind, _make_room, _plan
from wayfolk.errors import BadInput
from wayfolk.graph import MANHATTAN, NOWHERE, OCTILE, CsrGraph
from wayfolk.grid import Moves
from wayfolk.kernels import best_first, rra
from wayfolk.kernels.best_first import EXPANDED, FOUND, QUEUE_FULL
from wayfolk.kernels.crew import N_ASKED, N_LOG, NOBODY
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.jit import inner
from wayfolk.kernels.mind import thinking
from wayfolk.problem import Problem
from wayfolk.result import NO_LIMIT
from wayfolk.search._corridor import seek

PAPER = "Sturtevant and Buro 2006; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"

MOST = 64  # abstract steps that are refined at a time, at most
WIDEST = 16  # rings of neighbours around an abstract path
LEG = np.dtype(
    [("goal", np.int32), ("end", np.int32), ("n_nodes", np.int32), ("was", np.int32), ("rings", np.int32)], align=True
)


def begin(problem: Problem, *, seed: int = 0, window: int = 16, level: int = 0) -> Controller:
    """Agents that cooperate for `window` steps below abstract paths on `level`, 0 for half-way up. Nothing is random."""
    if not 2 <= window <= 1000:
        raise BadInput(f"window must be from 2 to 1000 steps, not {window}")
    if level < 0:
        raise BadInput(f"level must be 0, for half-way up, or that of the abstract paths, not {level}")
    return Refining(problem, window, level)


class Refining(Windowed):
    """Everyone with a reserved way through the next window, below an abstract path."""

    def __init__(self, problem: Problem, window: int, level: int) -> None:
        super().__init__(problem, window, resume=True)
        self.level = level

    def prepare(self, view: View) -> None:
        """Begin anew with the map and the agents as they are."""
        super().prepare(view)
        grid, n, cliques = view.grid, len(view.here), cliques_of(view.grid)
        n_levels = len(cliques.graphs)
        level = min(self.level or max(n_levels // 2, 1), n_levels)
        node = cliques.parents[0].copy()
        for parents in cliques.parents[1:level]:
            node[grid.free_cells] = parents[node[grid.free_cells]]
        order = grid.free_cells[np.argsort(node[grid.free_cells], kind="stable")]
        graph = cliques.graphs[level - 1]
        n_nodes = len(graph.first) - 1
        begins = np.searchsorted(node[order], np.arange(n_nodes + 1)).astype(np.int32)
        inside = np.zeros(grid.n_cells, np.uint8)
        seen = inside.view()
        seen.flags.writeable = False  # as the map is: else kernels would be compiled for either
        window: WindowMind = self.mind
        window = window._replace(rules=window.rules._replace(legal=seen), searches=window.searches._replace(legal=seen))
        legs = np.zeros(n, LEG)
        legs["goal"] = legs["was"] = NOWHERE
        self.mind = CorridorMind(
            window, grid.legal, grid.offsets, inside, graph, node, order, begins, best_first.new_memory(n_nodes),
            np.zeros(len(graph.target) + 16, ROW), np.zeros((n, MOST + 1), np.int32), np.zeros(n_nodes, np.int32),
            np.zeros(n_nodes, np.int64), legs, np.zeros(1, np.int64),
            MANHATTAN if grid.moves is Moves.FOUR else OCTILE, 2.0 * self.window,
        )  # fmt: skip

    def decide(self, view: View) -> None:
        """Make room."""
        mind: CorridorMind = self.mind
        self.mind = mind.window
        super().decide(view)
        self.mind = mind._replace(window=self.mind, rows=np.concatenate([mind.rows, np.zeros_like(mind.rows)]))


class CorridorMind(NamedTuple):
    """A window, a level of groups above the cells, and each agent's next groups.

    `inside` are the moves within the corridor of who plans just now; `cells` below node k are order[begins[k]] and on.
    """

    window: WindowMind
    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    inside: NDArray[np.uint8]
    graph: CsrGraph
    node: NDArray[np.int32]
    order: NDArray[np.int32]
    begins: NDArray[np.int32]
    memory: best_first.Memory
    rows: NDArray[np.void]
    nodes: NDArray[np.int32]
    listed: NDArray[np.int32]
    marks: NDArray[np.int64]
    legs: NDArray[np.void]
    stamp: NDArray[np.int64]
    kind: int
    reach: float


def _think(mind, crew, log, now):
    """Plan a window for those who ask, another one of them first each time; how many could be served."""
    window, agents, n_asked = mind.window, crew.agents, crew.counts[N_ASKED]
    slot = np.int64(now * window.per_step + 0.5)
    seats, order = window.seats, window.order[:n_asked]
    seats[:] = NOBODY
    for k in range(n_asked):
        agent = crew.asked[k]
        rests = agents[agent]["here"] == agents[agent]["goal"]
        seats[(agent - window.turn[0]) % agents.size + (agents.size if rests else 0)] = agent
    n = 0
    for agent in seats:
        if agent != NOBODY:
            order[n] = agent
            n += 1
    window.turn[0] += 1
    _make_room(window, crew, order, slot)
    for k in range(n_asked):
        agent = order[k]
        goal = agents[agent]["goal"]
        spent = _aim(mind, agent, agents[agent]["here"], goal)
        if spent < 0:
            return k
        n_inside = _enclose(mind, agent)
        agents[agent]["goal"] = mind.legs[agent]["end"]  # for the time of this plan
        planned = _plan(window, crew, log, now, agent, slot)
        agents[agent]["goal"] = goal
        _open_up(mind, n_inside)
        if not planned:
            return k
        log[crew.counts[N_LOG] - 1]["cell"] += spent
    return n_asked


thinking(CorridorMind, _think)


@inner
def _aim(mind, agent, here, goal):
    """Find the next part of the abstract path, unless there is enough left of the last one; what that expanded.

    Less than 0 if there was no room to search.
    """
    leg, searches = mind.legs[agent], mind.window.searches
    rings = min(leg["rings"] + 1, WIDEST) if leg["was"] == here and here != goal else 1
    if rings != leg["rings"]:
        searches.state[agent, 0] = NOWHERE  # distances were found inside another corridor
    leg["rings"], leg["was"] = rings, here
    if leg["goal"] == goal and (leg["end"] == goal or rra.guess(searches, here, leg["end"]) > mind.window.span):
        return 0
    start, last = mind.node[here], mind.node[goal]
    nothing = mind.listed[:0]
    mind.memory.counts[EXPANDED] = 0
    code, n = seek(
        mind.graph, mind.memory, mind.rows, start, last, mind.kind, nothing, nothing, np.int64(NOWHERE), nothing,
        nothing, nothing, nothing, NO_LIMIT, nothing, True, mind.listed,
    )  # fmt: skip
    if code == QUEUE_FULL:
        return -1
    searches.state[agent, 0] = NOWHERE
    nodes, graph = mind.nodes[agent], mind.graph
    nodes[0] = start
    leg["goal"], leg["end"], leg["n_nodes"] = goal, goal, 1
    if code != FOUND:
        return mind.memory.counts[EXPANDED]
    for k in range(1, n):
        node = mind.listed[n - 1 - k]  # it is backwards
        nodes[k] = node
        leg["n_nodes"] = k + 1
        dx, dy = graph.x[node] - graph.x[start], graph.y[node] - graph.y[start]
        if node != last and (k == MOST or max(abs(dx), abs(dy)) > mind.reach):
            leg["end"] = mind.order[mind.begins[node]]
            break
    return mind.memory.counts[EXPANDED]


@inner
def _enclose(mind, agent):
    """Let the moves inside the corridor of `agent` be the only ones; how many groups of cells it holds."""
    graph, marks, listed = mind.graph, mind.marks, mind.listed
    mind.stamp[0] += 1
    stamp = mind.stamp[0]
    n = mind.legs[agent]["n_nodes"]
    for k in range(n):
        listed[k] = mind.nodes[agent, k]
        marks[listed[k]] = stamp
    inner_ring = 0
    for _ in range(mind.legs[agent]["rings"]):
        outer_ring = n
        for k in range(inner_ring, outer_ring):
            for edge in range(graph.first[listed[k]], graph.first[listed[k] + 1]):
                if marks[graph.target[edge]] != stamp:
                    marks[graph.target[edge]] = stamp
                    listed[n] = graph.target[edge]
                    n += 1
        inner_ring = outer_ring
    for k in range(n):
        for place in range(mind.begins[listed[k]], mind.begins[listed[k] + 1]):
            cell = mind.order[place]
            bits = 0
            for move in range(8):
                if (mind.legal[cell] >> move) & 1 and marks[mind.node[cell + mind.offsets[move]]] == stamp:
                    bits |= 1 << move
            mind.inside[cell] = bits
    return n


@inner
def _open_up(mind, n):
    """Nobody is enclosed any more."""
    for k in range(n):
        for place in range(mind.begins[mind.listed[k]], mind.begins[mind.listed[k] + 1]):
            mind.inside[mind.order[place]] = 0
