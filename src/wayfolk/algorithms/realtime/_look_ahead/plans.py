"""Look-ahead: A* with a small budget from the agent's cell, learning from what it expanded, and moves along its path.

RTAA*: Koenig and Likhachev, "Real-time adaptive A*", AAMAS 2006. LSS-LRTA*: Koenig and Sun, "Comparing real-time and
incremental heuristic search for real-time situated agents", JAAMAS 2009. Depression avoidance: Hernandez and Baier,
"Avoiding and escaping depressions in real-time heuristic search", JAIR 2012.

Each plan is an A* from the agent that stops when the goal is next or `budget` cells are expanded. A rule then raises the
heuristic of the expanded cells, and the agent moves towards the best open cell.

Invariants  learned heuristics never overestimate and stay consistent: |h(a) - h(b)| <= cost(a, b). At most `budget`
            expansions for each move. A plan that is stopped half-way and resumed is the same plan.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._flood import is_cut_off
from wayfolk.algorithms.realtime._hints import USED, GrowingHints, RaisedGraph, learn
from wayfolk.algorithms.realtime._state import ARRIVED, NO_ROOM, PLANNING, STUCK, WALKING
from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import CLOSING, EXPANDED, FUZZ, STAMP
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOBODY, NOWHERE, RUNNING
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost

WAITING = np.dtype([("h", np.float64), ("cell", np.int32), ("after", np.int32)], align=True)


class Rtaa(NamedTuple):
    """Sets h of every expanded cell to f of the best open cell minus g."""

    nothing: int = 0


class LocalSpace(NamedTuple):
    """Sets h of every expanded cell to the least cost to an open cell plus its h, by Dijkstra's algorithm from the rim."""

    rows: NDArray[np.void]
    heads: NDArray[np.int32]
    per_unit: float


class Ahead(NamedTuple):
    """How to plan: the arrays of A*, the rule to learn by, the expansions of a plan (`budget`) and the moves along it."""

    memory: best_first.SearchMemory
    queue: buckets.Buckets
    rule: Any
    closed: NDArray[np.int32]
    kind: int
    per_unit: float
    budget: int
    steps: int
    avoid: bool


_TEACH: dict[type, Callable[..., Any]] = {}


def teach(rule: Any, graph: Any, memory: Any, closed: Any, best_f: Any, goal: Any, kind: Any) -> Any:
    """Raise the heuristic of the cells in `closed`; by how much in all."""
    return _TEACH[type(rule)](rule, graph, memory, closed, best_f, goal, kind)


specialise(teach, _TEACH)


def _teach_rtaa(rule, graph, memory, closed, best_f, goal, kind):
    raised = 0.0
    for cell in closed:
        more = best_f - memory.cells[cell]["g"] - heuristic(graph, cell, goal, kind)
        if more > FUZZ:
            learn(graph.hints, cell, best_f - memory.cells[cell]["g"])
            raised += more
    return raised


def _teach_local_space(rule, graph, memory, closed, best_f, goal, kind):
    """Open cells are in lists as wide as the cheapest step: whatever is taken from the first list cannot improve.

    g is not needed any more: it holds the new h, and on the rim the old h.
    """
    cells, stamp, rows, heads = memory.cells, memory.counts[STAMP], rule.rows, rule.heads
    for cell in closed:
        if cells[cell]["mark"] == stamp + 1:  # else it was opened again, and is on the rim
            cells[cell]["g"] = np.inf
    first, n = np.inf, 0
    for cell in closed:
        if cells[cell]["mark"] != stamp + 1:
            continue
        least = np.inf
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            near = cells[cell if other == NOWHERE else other]
            if near["mark"] == stamp:
                near["g"], near["mark"] = heuristic(graph, other, goal, kind), stamp - 1
            least = min(least, cost(graph, cell, k) + near["g"])
        if least < np.inf:
            rows[n]["h"], rows[n]["cell"] = least, cell
            first = min(first, least)
            n += 1
    for row in range(n):
        h = rows[row]["h"]
        cells[rows[row]["cell"]]["g"] = h
        at = int((h - first) * rule.per_unit)
        rows[row]["after"], heads[at] = heads[at], row
    raised, at, left = 0.0, 0, n
    while left > 0:
        if heads[at] == NOWHERE:
            at += 1
            continue
        row = rows[heads[at]]
        heads[at] = row["after"]
        left -= 1
        cell, here = row["cell"], row["h"]
        if here != cells[cell]["g"] or cells[cell]["mark"] != stamp + 1:  # a better copy came before
            continue
        more = here - heuristic(graph, cell, goal, kind)
        if more > FUZZ:
            learn(graph.hints, cell, here)
            raised += more
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            near = cells[cell if other == NOWHERE else other]
            value = here + cost(graph, cell, k)
            if value < near["g"] - FUZZ:
                near["g"] = value
                to = int((value - first) * rule.per_unit)
                rows[n]["h"], rows[n]["cell"] = value, other
                rows[n]["after"], heads[to] = heads[to], n
                n += 1
                left += 1
    return raised


_TEACH[Rtaa], _TEACH[LocalSpace] = _teach_rtaa, _teach_local_space


@inner
def _best_open(graph, memory, queue, goal, kind):
    """The open cell with the least f, the one with the largest g among equals, and its f."""
    cells, stamp = memory.cells, memory.counts[STAMP]
    best, best_f, best_g = NOWHERE, np.inf, 0.0
    if memory.counts[CLOSING]:
        best, best_f, best_g = np.int32(goal), cells[goal]["g"], cells[goal]["g"]
    while queue.counts[buckets.N_ENTRIES] > 0:
        lane = queue.lists[buckets.settle(queue) & (queue.lists.size - 1)]
        entry = lane["head"]
        has_open = False
        while entry != NOBODY:
            cell, g = queue.entries[entry]["item"], queue.entries[entry]["g"]
            if g == cells[cell]["g"] and cells[cell]["mark"] == stamp:
                has_open = True
                f = g + heuristic(graph, cell, goal, kind)
                if f < best_f - FUZZ or (f < best_f + FUZZ and g > best_g):
                    best, best_f, best_g = cell, min(f, best_f), g
            entry = queue.entries[entry]["after"]
        if has_open:
            break
        while lane["head"] != NOBODY:
            buckets.take(queue)
    return best, best_f


@inner
def _least_learned(graph, memory, queue, goal, kind, best):
    """The open cell whose heuristic was raised least, the one with the least f among those."""
    cells, stamp = memory.cells, memory.counts[STAMP]
    least, least_f = np.inf, np.inf
    for lane in queue.lists:
        entry = lane["head"]
        while entry != NOBODY:
            cell, g = queue.entries[entry]["item"], queue.entries[entry]["g"]
            if g == cells[cell]["g"] and cells[cell]["mark"] == stamp:
                h = heuristic(graph, cell, goal, kind)
                more = h - heuristic(graph.world, cell, goal, kind)
                if more < least - FUZZ or (more < least + FUZZ and g + h < least_f):
                    best, least, least_f = cell, min(more, least), g + h
            entry = queue.entries[entry]["after"]
    return best


@inner
def _plan(graph, ahead, agent, route, work):
    """Go on planning for up to `work` expansions; at the end learn, and write the path to the chosen cell to `route`.

    Returns WALKING, STUCK, NO_ROOM, or PLANNING if the plan is unfinished.
    """
    memory, queue, here, goal = ahead.memory, ahead.queue, agent["here"], agent["goal"]
    if not agent["is_planning"]:
        best_first.open_start(memory, queue, here)
        agent["is_planning"] = 1
    ordering = best_first.Ordering(1.0, ahead.kind, ahead.per_unit, False, False)
    left = min(work, ahead.budget - memory.counts[EXPANDED])
    code = best_first.advance(graph, memory, queue, ordering, here, goal, left, ahead.closed)
    n_closed = memory.counts[EXPANDED]
    if code == RUNNING and n_closed < ahead.budget:
        return PLANNING
    agent["is_planning"] = 0
    if code == FULL:
        return NO_ROOM
    agent["expanded"] += n_closed
    agent["generated"] += memory.counts[best_first.GENERATED]
    agent["most"] = max(agent["most"], n_closed)
    agent["plans"] += 1
    if code == EXHAUSTED:
        return STUCK
    if code == FOUND:
        target, best_f = np.int32(goal), memory.cells[goal]["g"]
    else:
        target, best_f = _best_open(graph, memory, queue, goal, ahead.kind)
        if target == NOWHERE:
            return STUCK
        if ahead.avoid and target != goal:
            target = _least_learned(graph, memory, queue, goal, ahead.kind, target)
    n = best_first.trace(memory, here, target, route) - 1
    for k in range(n // 2):  # it is backwards, and ends with the agent's own cell
        route[k], route[n - 1 - k] = route[n - 1 - k], route[k]
    agent["n_route"], agent["at"] = n, 0
    agent["raised"] += teach(ahead.rule, graph, memory, ahead.closed[:n_closed], best_f, goal, ahead.kind)
    return WALKING


@inner
def step(graph, ahead, agent, route, work):
    """One move, after a plan of up to `work` expansions if the agent is at the end of its route.

    Returns WALKING, ARRIVED, STUCK, NO_ROOM or PLANNING. `work` of `ahead.budget` or more finishes any plan.
    """
    if agent["here"] == agent["goal"]:
        return ARRIVED
    if agent["at"] >= min(agent["n_route"], ahead.steps):
        code = _plan(graph, ahead, agent, route, work)
        if code != WALKING:
            return code
    cell = route[agent["at"]]
    agent["travel"] += edge_cost(graph, agent["here"], cell)
    agent["here"] = cell
    agent["at"] += 1
    agent["moves"] += 1
    return ARRIVED if cell == agent["goal"] else WALKING


@kernel
def plan_and_move(world, hints, ahead, flood, agents, route, walked, limits):
    """Plan and move one agent within `limits`; WALKING, ARRIVED, STUCK or NO_ROOM.

    Once it has expanded more cells than there are, each plan also floods `budget` cells to find out whether there is a
    way at all.
    """
    graph, agent = RaisedGraph(world, hints), agents[0]
    stop = agent["expanded"] + limits.work
    code = WALKING
    for _ in range(limits.moves):
        if agent["expanded"] >= stop:
            break
        plans = agent["plans"]
        code = step(graph, ahead, agent, route, stop - agent["expanded"])
        if code == PLANNING:
            return WALKING
        if code in (STUCK, NO_ROOM):
            break
        walked[agent["moves"] - 1] = agent["here"]
        if code == ARRIVED:
            break
        if agent["plans"] > plans and agent["expanded"] > flood.order.size:
            if is_cut_off(world, flood, agent["here"], agent["goal"], ahead.budget):
                return STUCK
    return code


@kernel
def move_all(world, table, old, counts, ahead, agents, routes, first):
    """One move of each agent from number `first` on; how many are done. Fewer than all: an array must grow."""
    for k in range(first, agents.size):
        agent = agents[k]
        if agent["code"] != WALKING:
            continue
        if 2 * (counts[USED] + ahead.budget) > table.size:
            return k
        hints = GrowingHints(table, old, counts, k, world.legal.size)
        code = step(RaisedGraph(world, hints), ahead, agent, routes[k], ahead.budget)
        if code == NO_ROOM:
            return k
        agent["code"] = code
    return agents.size
