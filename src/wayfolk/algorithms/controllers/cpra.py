"""CPRA*: each agent follows an abstract path among groups of cells, and plans the next steps around the others inside it.

Sturtevant and Buro, "Improving collaborative pathfinding using map abstraction", 2006; Jansen, "Direction Maps", 2008,
section 2.5: PRA* with WHCA* in place of A* on the lowest level.

Guarantees  for each agent the cheapest way to spend the next `window` steps, among the cells below its abstract path.
            Nothing is guaranteed for all of them.
Invariants  an agent plans over cells below its abstract path and so many rings of its neighbours only. In the `steps` time
            model no move is ever refused as long as every agent finds a way.
Cost        that of WHCA*, but the search for distances covers the next part of the way and not all of it; and an A* among
            the groups whenever that part is walked. An edit of the map builds the groups anew, in time proportional to
            the cells, and every agent searches another abstract path when it plans next. Reservations stay.
Deviations  the abstract path is on one level, half-way up unless `level` says so, and refined as far as two windows reach.
            Children of its neighbours belong to the corridor as well, so that agents can give way to each other, and one
            more ring of them for each plan by which an agent did not get on: what blocks it may be there for good.
"""

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers import Change, Controller, View
from wayfolk.algorithms.controllers._seats import take_seats
from wayfolk.algorithms.controllers.whca import WindowArrays, Windowed, begin_round, plan_window
from wayfolk.algorithms.options import Range
from wayfolk.algorithms.search._corridor import seek
from wayfolk.compile.jit import inner
from wayfolk.kernels import best_first, rra
from wayfolk.kernels.best_first import EXPANDED
from wayfolk.kernels.codes import FOUND, FULL, NOWHERE
from wayfolk.kernels.crew import N_ASKED, report
from wayfolk.kernels.graph import MANHATTAN, OCTILE, CsrGraph
from wayfolk.kernels.heap import ROW
from wayfolk.kernels.planning import planned_by
from wayfolk.kernels.rows import with_rows
from wayfolk.problem.problem import Problem
from wayfolk.problem.result import NO_LIMIT
from wayfolk.world.abstraction.cliques import cliques_of, grouped
from wayfolk.world.grid import Grid, Moves

if TYPE_CHECKING:
    from wayfolk.algorithms.memory import Memory

PAPER = "Sturtevant and Buro 2006; Jansen 2008"
OPTIMAL = False
COMPLETE = False
SEES = "all"

MOST = 64  # abstract steps that are refined at a time, at most
WIDEST = 16  # rings of neighbours around an abstract path
LEG = np.dtype(
    [("goal", np.int32), ("end", np.int32), ("n_nodes", np.int32), ("was", np.int32), ("rings", np.int32)], align=True
)


def begin(
    problem: Problem,
    *,
    seed: Annotated[int, Range(0, 4611686018427387904), "Random seed. Nothing here is random."] = 0,
    window: Annotated[int, Range(2, 1000), "Steps ahead that agents reserve; after half of them they plan again."] = 16,
    level: Annotated[int, Range(0, 1000), "Level of the abstract paths; 0 is half-way up."] = 0,
) -> Controller:
    """A controller that lets the agents of `problem` reserve their next steps below abstract paths."""
    return Cpra(problem, window, level)


class Cpra(Windowed):
    """Gives each agent a reserved path through the next window, inside its abstract path."""

    def __init__(self, problem: Problem, window: int, level: int) -> None:
        super().__init__(problem, window, resume=True)
        self.level = level

    def prepare(self, view: View) -> None:
        """Begin with empty reservations and without abstract paths."""
        self.grid = view.grid
        grid, n = view.grid, len(view.here)
        window, inside = self._new_band(view)
        self.arrays = CorridorArrays(
            window=window,
            inside=inside,
            nodes=np.zeros((n, MOST + 1), np.int32),
            legs=_new_legs(n),
            stamp=np.zeros(1, np.int64),
            kind=MANHATTAN if grid.moves is Moves.FOUR else OCTILE,
            reach=2.0 * self.window,
            offsets=grid.offsets,
            **self._groups(grid),
        )

    def _groups(self, grid: Grid) -> dict[str, Any]:
        """The arrays that hold a level of groups above the cells, and that searches among these groups use."""
        cliques, cells = cliques_of(grid), grid.free_cells
        n_levels = len(cliques.graphs)
        level = min(self.level or max(n_levels // 2, 1), n_levels)
        node = cliques.parents[0].copy()
        groups = node[cells]
        for parents in cliques.parents[1:level]:
            groups = parents[groups]
        node[cells] = groups
        graph = cliques.graphs[level - 1]
        n_nodes = len(graph.first) - 1
        begins, order = grouped(groups, n_nodes)
        return {
            "legal": grid.legal,
            "graph": graph,
            "node": node,
            "order": cells[order],
            "begins": begins,
            "memory": best_first.new_memory(n_nodes),
            "rows": np.zeros(len(graph.target) + 16, ROW),
            "listed": np.zeros(n_nodes, np.int32),
            "marks": np.zeros(n_nodes, np.int64),
        }

    def update(self, view: View, change: Change) -> None:
        """Make places for those who have joined; if the map has changed, group its cells and drop the abstract paths."""
        arrays: CorridorArrays = self.arrays
        n, n_old = len(view.here), len(arrays.legs)
        if n > n_old:
            arrays = arrays._replace(
                window=self._enlarged(arrays.window, view.grid, n),
                nodes=with_rows(arrays.nodes, n),
                legs=np.concatenate([arrays.legs, _new_legs(n - n_old)]),
            )
        if change.cells.size:
            self.grid = view.grid
            arrays = arrays._replace(legs=_new_legs(n), **self._groups(view.grid))
        self.arrays = arrays

    def remember(self, memory: "Memory") -> None:
        """What WHCA* remembers, and the abstract paths."""
        arrays: CorridorArrays = self.arrays
        nodes, n_nodes = arrays.nodes, len(arrays.begins) - 1
        memory.records(
            "legs", arrays.legs, goal=memory.cells_or_none, end=memory.cells, n_nodes=(0, MOST + 1),
            was=memory.cells_or_none,
            rings=(0, WIDEST),
        )  # fmt: skip
        used = np.arange(nodes.shape[1]) < arrays.legs["n_nodes"][:, None]
        nodes[...] = memory.numbers("nodes", np.where(used, nodes, 0), (0, n_nodes - 1))
        if memory.is_read and any(len(np.unique(row[k])) < k.sum() for row, k in zip(nodes, used, strict=True)):
            memory.refuse("nodes", "has a group twice in one path")
        self.arrays = arrays._replace(window=self._remembered(memory, arrays.window))

    def make_room(self, view: View) -> None:
        """Enlarge the tree of the search in the window, and the open list of that among the groups."""
        arrays: CorridorArrays = self.arrays
        self.arrays = arrays.window
        super().make_room(view)
        self.arrays = arrays._replace(
            window=self.arrays, rows=np.concatenate([arrays.rows, np.zeros_like(arrays.rows)])
        )


def _new_legs(n: int) -> NDArray[np.void]:
    """Agents without an abstract path."""
    legs = np.zeros(n, LEG)
    legs["goal"] = legs["was"] = NOWHERE
    return legs


class CorridorArrays(NamedTuple):
    """A window, a level of groups above the cells, and each agent's next groups.

    `inside` are the moves within the corridor of who plans just now; `cells` below node k are order[begins[k]] and on.
    """

    window: WindowArrays
    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    inside: NDArray[np.uint8]
    graph: CsrGraph
    node: NDArray[np.int32]
    order: NDArray[np.int32]
    begins: NDArray[np.int32]
    memory: best_first.SearchMemory
    rows: NDArray[np.void]
    nodes: NDArray[np.int32]
    listed: NDArray[np.int32]
    marks: NDArray[np.int64]
    legs: NDArray[np.void]
    stamp: NDArray[np.int64]
    kind: int
    reach: float


def _plan_routes(arrays, crew, log, now):
    """Plan a window for the asked agents, another one of them first each time; how many have a route."""
    window, n_asked = arrays.window, crew.counts[N_ASKED]
    order = window.order[:n_asked]
    take_seats(crew, window.seats, window.turn, order)
    slot = begin_round(window, crew, order, now)
    for k in range(n_asked):
        agent = order[k]
        spent = _aim(arrays, agent, crew.agents[agent]["here"], crew.agents[agent]["goal"])
        if spent < 0:
            return k
        n_inside = _enclose(arrays, agent)
        planned = plan_window(window, crew, agent, arrays.legs[agent]["end"], slot, slot + window.span // 2)
        _open_up(arrays, n_inside)
        if not planned:
            return k
        report(crew, agent, spent)
    return n_asked


planned_by(CorridorArrays, _plan_routes)


@inner
def _aim(arrays, agent, here, goal):
    """Find the next part of the abstract path, unless there is enough left of the last one; what that expanded.

    Less than 0 if there was no room to search.
    """
    leg, searches = arrays.legs[agent], arrays.window.searches
    rings = min(leg["rings"] + 1, WIDEST) if leg["was"] == here and here != goal else 1
    if rings != leg["rings"]:
        searches.state[agent, 0] = NOWHERE  # distances were found inside another corridor
    leg["rings"], leg["was"] = rings, here
    if leg["goal"] == goal and (leg["end"] == goal or rra.heuristic(searches, here, leg["end"]) > arrays.window.span):
        return 0
    start, last = arrays.node[here], arrays.node[goal]
    if start == NOWHERE or last == NOWHERE:  # a wall belongs to no group: there is no abstract path
        searches.state[agent, 0] = NOWHERE
        leg["goal"], leg["end"], leg["n_nodes"] = goal, goal, 0 if start == NOWHERE else 1
        arrays.nodes[agent, 0] = start
        return 0
    nothing = arrays.listed[:0]
    arrays.memory.counts[EXPANDED] = 0
    code, n = seek(
        arrays.graph, arrays.memory, arrays.rows,
        start=start, goal=last, kind=arrays.kind, parents=nothing, marks=nothing, last=np.int64(NOWHERE), above=nothing,
        first=nothing, target=nothing, cells=nothing, budget=NO_LIMIT, events=nothing, is_new=True, path=arrays.listed,
    )  # fmt: skip
    if code == FULL:
        return -1
    searches.state[agent, 0] = NOWHERE
    nodes, graph = arrays.nodes[agent], arrays.graph
    nodes[0] = start
    leg["goal"], leg["end"], leg["n_nodes"] = goal, goal, 1
    if code != FOUND:
        return arrays.memory.counts[EXPANDED]
    for k in range(1, n):
        node = arrays.listed[n - 1 - k]  # it is backwards
        nodes[k] = node
        leg["n_nodes"] = k + 1
        dx, dy = graph.x[node] - graph.x[start], graph.y[node] - graph.y[start]
        if node != last and (k == MOST or max(abs(dx), abs(dy)) > arrays.reach):
            leg["end"] = arrays.order[arrays.begins[node]]
            break
    return arrays.memory.counts[EXPANDED]


@inner
def _enclose(arrays, agent):
    """Let the moves inside the corridor of `agent` be the only ones; how many groups of cells it holds."""
    graph, marks, listed = arrays.graph, arrays.marks, arrays.listed
    arrays.stamp[0] += 1
    stamp = arrays.stamp[0]
    n = arrays.legs[agent]["n_nodes"]
    for k in range(n):
        listed[k] = arrays.nodes[agent, k]
        marks[listed[k]] = stamp
    inner_ring = 0
    for _ in range(arrays.legs[agent]["rings"]):
        outer_ring = n
        for k in range(inner_ring, outer_ring):
            for edge in range(graph.first[listed[k]], graph.first[listed[k] + 1]):
                if marks[graph.target[edge]] != stamp:
                    marks[graph.target[edge]] = stamp
                    listed[n] = graph.target[edge]
                    n += 1
        inner_ring = outer_ring
    for k in range(n):
        for place in range(arrays.begins[listed[k]], arrays.begins[listed[k] + 1]):
            cell = arrays.order[place]
            bits = 0
            for move in range(8):
                if (arrays.legal[cell] >> move) & 1 and marks[arrays.node[cell + arrays.offsets[move]]] == stamp:
                    bits |= 1 << move
            arrays.inside[cell] = bits
    return n


@inner
def _open_up(arrays, n):
    """Mark no agent as enclosed."""
    for k in range(n):
        for place in range(arrays.begins[arrays.listed[k]], arrays.begins[arrays.listed[k] + 1]):
            arrays.inside[arrays.order[place]] = 0
