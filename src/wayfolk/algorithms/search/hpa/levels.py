"""The kernel under HPA*: an A* search among the nodes of clusters, and the cells of the path it finds.

A node enters the open list when a cluster is entered there: expanding it looks at all paths across that cluster and
through its exits at once. The distances from the start to the nodes around it, and from those around the goal, come from
following the moves stored for every cell; nothing is searched for that.

Invariants  g[node] is the cost of the path by `parent`. The goal is the last row of `states`; when it is found, no open
            node has a smaller f than its g.
Stamps      as in `best_first`: `mark` is `stamp` for an open node and `stamp + 1` for a closed one.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.search._taut import pull
from wayfolk.algorithms.search.hpa.path import (
    EXPANDED,
    LEVEL,
    N_DONE,
    N_LIST,
    N_OPEN,
    N_PATH,
    PATH_FULL,
    PHASE,
    STAMP,
    home_of,
    length,
    note,
    refine,
    spot_of,
    trace,
)
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import DX, DY, EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.graph import MANHATTAN, cost
from wayfolk.world.abstraction._clusters import ARRIVED, NO_WAY, flood, key_of
from wayfolk.world.abstraction.clusters import ClusterTables

NEW, SEEKING, REFINING, ENDED = range(4)  # phases
FUZZ = 1e-9

STATE = np.dtype([("g", np.float64), ("parent", np.int32), ("mark", np.int32)], align=True)


class ClusterMemory(NamedTuple):
    """What a search knows of each node, and room to work; reused from query to query.

    `near[0]` and `near[1]` hold, for each level, the distances between start or goal and the nodes of its cluster.
    `lists` are nodes on the way; `path` has one row for cells and one of scratch.
    """

    states: NDArray[np.void]
    rows: NDArray[np.void]
    near: NDArray[np.float64]
    lists: NDArray[np.int32]
    path: NDArray[np.int32]
    costs: NDArray[np.float64]
    field: NDArray[np.uint8]
    counts: NDArray[np.int64]


def new_memory(tables: ClusterTables) -> ClusterMemory:
    """Room for searches in these clusters."""
    n, square = len(tables.nodes), tables.size * tables.size
    first = tables.clusters["first"]
    most, most_exits = int(np.diff(first).max()), int(np.diff(tables.nodes["exit"][first]).max())
    return ClusterMemory(
        np.zeros(n + 1, STATE),
        np.zeros(max(1024, 8 * square, most_exits), heap.ROW),
        np.zeros((2, len(tables.spans), max(most, 1))),
        np.zeros((2, 2 * n + 8), np.int32),
        np.zeros((2, 1024 + 2 * square), np.int32),
        np.zeros(square),
        np.zeros(square, np.uint8),
        np.zeros(32, np.int64),
    )


@kernel
def search(graph, tables, memory, start, goal, kind, smooth, budget, events):
    """Go on with the search in `memory`, or begin it; RUNNING, FOUND, EXHAUSTED, FULL or PATH_FULL.

    Expanding a node and writing out one step between nodes are a unit of `budget` each. The path is left in the first
    row of `memory.path`, counts[N_PATH] cells, and what it costs in the last row of `memory.states`.
    """
    counts = memory.counts
    stop = counts[EXPANDED] + budget
    if counts[PHASE] == NEW:
        stop = budget
        _begin(graph, tables, memory, start, goal, kind, events)
        counts[PHASE] = SEEKING
    if counts[PHASE] == SEEKING:
        outcome = _seek(graph, tables, memory, goal, kind, stop, events)
        if outcome != FOUND:
            return outcome
        counts[N_LIST] = trace(tables, memory, start, goal, graph.stride)
        counts[N_DONE], counts[N_PATH] = 0, 1
        memory.path[0, 0] = start
        counts[PHASE] = REFINING
    if counts[PHASE] == REFINING:
        outcome = refine(graph, tables, memory, goal, stop, events)
        if outcome != FOUND:
            return outcome
        if smooth:
            counts[N_PATH] = pull(graph, memory.path[0], memory.path[1], counts[16:24], counts[24:32], counts[N_PATH])
        memory.states[memory.states.size - 1]["g"] = length(graph, memory.path[0], counts[N_PATH])
        counts[PHASE] = ENDED
    return FOUND


@kernel
def search_many(graph, tables, memory, starts, goals, kind, smooth, first, answers):
    """Whole searches from query `first` on, while there is room; how many are done, and how the last one stopped.

    Paths are written one after another; `answers.ends[k]` is where that of query k ends.
    """
    counts, path, ends = memory.counts, answers.path, answers.ends
    for k in range(first, starts.size):
        used = ends[k - 1] if k else 0
        counts[PHASE] = NEW
        start, goal = np.int64(starts[k]), np.int64(goals[k])
        outcome = search(
            graph,
            tables,
            memory,
            start=start,
            goal=goal,
            kind=kind,
            smooth=smooth,
            budget=np.int64(1 << 62),
            events=path[:0],
        )
        n = counts[N_PATH] if outcome == FOUND else 0
        if outcome in (FULL, PATH_FULL) or used + n > path.size:
            return k, outcome
        for j in range(n):
            path[used + j] = memory.path[0, j]
        answers.costs[k] = memory.states[memory.states.size - 1]["g"]
        answers.expanded[k] = counts[EXPANDED]
        ends[k] = used + n
    return starts.size, FOUND


@inner
def _begin(graph, tables, memory, start, goal, kind, events):
    """Forget the last search, and open the nodes behind the exits of the start's cluster."""
    counts, states = memory.counts, memory.states
    if counts[STAMP] > 2**31 - 8:
        for node in range(states.size):
            states[node]["mark"] = 0
        counts[STAMP] = 0
    counts[STAMP] += 2
    counts[EXPANDED] = counts[N_OPEN] = 0
    end = states[states.size - 1]
    end["g"], end["parent"] = np.inf, NOWHERE
    home, target = (
        home_of(tables.numbers, tables.size, graph.stride, start),
        home_of(tables.numbers, tables.size, graph.stride, goal),
    )
    # the highest level on which start and goal are in two clusters: inside one, that level knows nothing
    level = len(tables.spans) - 1
    while level > 0 and home // tables.spans[level, 1] == target // tables.spans[level, 1]:
        level -= 1
    counts[LEVEL] = level
    if home == target:
        square = tables.clusters[home]
        flood(
            graph,
            left=square["left"], top=square["top"], size=tables.size, source=goal, wanted=start, kind=kind,
            rows=memory.rows, costs=memory.costs, field=memory.field,
        )  # fmt: skip
        end["g"] = memory.costs[spot_of(square, tables.size, graph.stride, start)]
        note(counts, events, start)
    _measure(graph, tables, memory.near[0], start, home, level)
    _measure(graph, tables, memory.near[1], goal, target, level)
    which = tables.spans[level, 0] + home // tables.spans[level, 1]
    first, after = tables.clusters[which]["first"], tables.clusters[which + 1]["first"]
    counts[N_OPEN] = _open(
        tables.exits,
        begin=tables.nodes[first]["exit"], end=tables.nodes[after]["exit"], ways=memory.near[0, level], parent=NOWHERE,
        before=0.0, aim=_aim(graph, goal, kind), limit=end["g"], states=states, stamp=counts[STAMP], rows=memory.rows,
        n=np.int64(0),
    )  # fmt: skip


@inner
def _measure(graph, tables, near, cell, home, level):
    """The distances from `cell` to the nodes of its cluster on each level up to `level`."""
    cluster = tables.clusters[home]
    n = tables.clusters[home + 1]["first"] - cluster["first"]
    spot = spot_of(cluster, tables.size, graph.stride, cell)
    for k in range(n):
        field = cluster["field"] + k * tables.size * tables.size
        here, place, total = cell, spot, 0.0
        move = tables.fields[field + place]
        while move < ARRIVED:
            total += cost(graph, here, move)
            here += graph.offsets[move]
            place += DX[move] + DY[move] * tables.size
            move = tables.fields[field + place]
        near[0, k] = np.inf if move == NO_WAY else total
    for above in range(1, level + 1):
        first = cluster["first"]
        which = tables.spans[above, 0] + home // tables.spans[above, 1]
        cluster = tables.clusters[which]
        n_inside = tables.clusters[which + 1]["inner"] - cluster["inner"]
        n_above = tables.clusters[which + 1]["first"] - cluster["first"]
        for k in range(n_above):
            row = cluster["field"] + k * n_inside + first - cluster["inner"]
            least = np.inf
            for j in range(n):
                least = min(least, near[above - 1, j] + tables.reach[row + j])
            near[above, k] = least
        n = n_above


@inner
def _open(exits, begin, end, ways, parent, before, aim, limit, states, stamp, rows, n):
    """Open the nodes behind the exits from `begin` to `end`, `ways` by rank from `parent`; the length of the queue.

    `before` is the cost so far; whatever cannot cost less than `limit` is left.
    """
    for k in range(begin, end):
        way = exits[k]
        reached = before + ways[way["rank"]] + way["cost"]
        other = way["to"]
        state = states[other]
        if state["mark"] >= stamp and reached >= state["g"] - FUZZ:
            continue
        dx, dy = abs(way["x"] - aim.x), abs(way["y"] - aim.y)
        rest = aim.straight * max(dx, dy) + aim.aside * min(dx, dy)
        if reached + rest < limit:
            state["g"], state["parent"], state["mark"] = reached, parent, stamp
            n = heap.push(rows, n, key_of(reached + rest), key_of(rest), np.int64(other))
    return n


class ClusterAim(NamedTuple):
    """Where the goal is, and what a straight step costs at least on the way there, and a step aside."""

    x: int
    y: int
    straight: float
    aside: float


@inner
def _aim(graph, goal, kind):
    y = goal // graph.stride
    aside = 1.0 if kind == MANHATTAN else graph.lengths[4] - 1.0
    return ClusterAim(goal - y * graph.stride - 1, y - 1, graph.cheapest, graph.cheapest * aside)


@inner
def _seek(graph, tables, memory, goal, kind, stop, events):
    """A* among the nodes of the level that has been chosen."""
    counts, states, rows = memory.counts, memory.states, memory.rows
    nodes, clusters, exits = tables.nodes, tables.clusters, tables.exits
    level, stamp, n = counts[LEVEL], counts[STAMP], counts[N_OPEN]
    target = tables.spans[level, 0] + home_of(tables.numbers, tables.size, graph.stride, goal) // tables.spans[level, 1]
    aim = _aim(graph, goal, kind)
    end = states[states.size - 1]
    limit = end["g"]
    outcome = FOUND
    while n > 0 and rows[0]["f"] < key_of(limit):
        node = rows[0]["item"]
        state = states[node]
        if state["mark"] != stamp:  # a better copy came before
            n = heap.pop(rows, n)
            continue
        which = nodes[node]["cluster"]
        first, after = clusters[which]["first"], clusters[which + 1]["first"]
        first_exit, after_exit = nodes[first]["exit"], nodes[after]["exit"]
        if counts[EXPANDED] >= stop:
            outcome = RUNNING
            break
        if n + after_exit - first_exit > rows.size:
            outcome = FULL
            break
        n = heap.pop(rows, n)
        state["mark"] = stamp + 1
        note(counts, events, np.int64(nodes[node]["cell"]))
        here = state["g"]
        if which == target and here + memory.near[1, level, node - first] < limit:
            limit = here + memory.near[1, level, node - first]
            end["g"], end["parent"] = limit, node
        row = clusters[which]["matrix"] + (node - first) * (after - first)
        ways = tables.matrix[row : row + after - first]
        n = _open(
            exits,
            begin=first_exit, end=after_exit, ways=ways, parent=node, before=here, aim=aim, limit=limit, states=states,
            stamp=stamp, rows=rows, n=n,
        )  # fmt: skip
    counts[N_OPEN] = n
    if outcome == FOUND and limit == np.inf:
        return EXHAUSTED
    return outcome
