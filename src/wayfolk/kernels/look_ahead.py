"""Looking ahead: a few expansions of A* from where the agent is, learning from them, and a few steps.

RTAA*: Koenig and Likhachev, "Real-time adaptive A*", AAMAS 2006. LSS-LRTA*: Koenig and Sun, "Comparing real-time and
incremental heuristic search for real-time situated agents", JAAMAS 2009. Depression avoidance: Hernandez and Baier,
"Avoiding and escaping depressions in real-time heuristic search", JAIR 2012.

Each plan: A* from the agent until the goal is next or `budget` cells are expanded; a rule learns from what was expanded;
the agent then walks towards the best open cell.

Keeps    what is learned never overestimates and stays consistent: |h(a) - h(b)| <= cost(a, b). At most `budget`
         expansions for each move.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, cost, guess, slots, there
from wayfolk.kernels import best_first, buckets
from wayfolk.kernels.best_first import CLOSING, EXHAUSTED, EXPANDED, FOUND, FUZZ, QUEUE_FULL, STAMP
from wayfolk.kernels.flood import is_cut_off
from wayfolk.kernels.hints import USED, GrowingHints, RaisedGraph, learn
from wayfolk.kernels.jit import inner, kernel, specialise

WALKING, ARRIVED, STUCK, NO_ROOM = range(4)
WAITING = np.dtype([("h", np.float64), ("cell", np.int32), ("after", np.int32)], align=True)
WALKER = np.dtype(
    [(name, np.int64) for name in (
        "here", "goal", "n_route", "at", "moves", "expanded", "generated", "most", "plans", "code",
    )] + [("travel", np.float64), ("raised", np.float64)],
    align=True,
)  # fmt: skip


class Rtaa(NamedTuple):
    """h := f of the best open cell - g, for what was expanded."""

    nothing: int = 0


class LocalSpace(NamedTuple):
    """h := the least cost to an open cell plus its h, for what was expanded, by Dijkstra's algorithm from there inwards."""

    rows: NDArray[np.void]
    heads: NDArray[np.int32]
    per_unit: float


class Ahead(NamedTuple):
    """How to plan: the arrays of A*, what to learn by, and how far to look and go."""

    memory: best_first.Memory
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
    """Learn from the cells in `closed`; by how much h was raised in all."""
    return _TEACH[type(rule)](rule, graph, memory, closed, best_f, goal, kind)


specialise(teach, _TEACH)


def _teach_rtaa(rule, graph, memory, closed, best_f, goal, kind):
    raised = 0.0
    for cell in closed:
        more = best_f - memory.cells[cell]["g"] - guess(graph, cell, goal, kind)
        if more > FUZZ:
            learn(graph.hints, cell, best_f - memory.cells[cell]["g"])
            raised += more
    return raised


def _teach_local_space(rule, graph, memory, closed, best_f, goal, kind):
    """Cells wait in lists as wide as the cheapest step: whatever is taken from the first one cannot be improved.

    g is not needed any more: it takes the new h, or on the rim h.
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
                near["g"], near["mark"] = guess(graph, other, goal, kind), stamp - 1
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
        more = here - guess(graph, cell, goal, kind)
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
    """The open cell with the least f, the farther one among equals, and its f."""
    cells, stamp = memory.cells, memory.counts[STAMP]
    best, best_f, best_g = NOWHERE, np.inf, 0.0
    if memory.counts[CLOSING]:
        best, best_f, best_g = np.int32(goal), cells[goal]["g"], cells[goal]["g"]
    while queue.counts[buckets.N_ENTRIES] > 0:
        lane = queue.lists[buckets.settle(queue) & (queue.lists.size - 1)]
        entry = lane["head"]
        found = False
        while entry != buckets.NOBODY:
            cell, g = queue.entries[entry]["item"], queue.entries[entry]["g"]
            if g == cells[cell]["g"] and cells[cell]["mark"] == stamp:
                found = True
                f = g + guess(graph, cell, goal, kind)
                if f < best_f - FUZZ or (f < best_f + FUZZ and g > best_g):
                    best, best_f, best_g = cell, min(f, best_f), g
            entry = queue.entries[entry]["after"]
        if found:
            break
        while lane["head"] != buckets.NOBODY:
            buckets.take(queue)
    return best, best_f


@inner
def _least_learned(graph, memory, queue, goal, kind, best):
    """The open cell about which least was learned, the one with the least f among those."""
    cells, stamp = memory.cells, memory.counts[STAMP]
    least, least_f = np.inf, np.inf
    for lane in queue.lists:
        entry = lane["head"]
        while entry != buckets.NOBODY:
            cell, g = queue.entries[entry]["item"], queue.entries[entry]["g"]
            if g == cells[cell]["g"] and cells[cell]["mark"] == stamp:
                h = guess(graph, cell, goal, kind)
                more = h - guess(graph.world, cell, goal, kind)
                if more < least - FUZZ or (more < least + FUZZ and g + h < least_f):
                    best, least, least_f = cell, min(more, least), g + h
            entry = queue.entries[entry]["after"]
    return best


@inner
def _plan(graph, ahead, walker, route):
    """Look ahead, learn, and write the way to the chosen cell to `route`; WALKING, STUCK or NO_ROOM."""
    memory, queue, here, goal = ahead.memory, ahead.queue, walker["here"], walker["goal"]
    best_first.seed(graph, memory, queue, here, goal)
    code = best_first.advance(
        graph, memory, queue, here, goal, 1.0, ahead.kind, ahead.per_unit, False, False, ahead.budget, ahead.closed
    )
    if code == QUEUE_FULL:
        return NO_ROOM
    n_closed = memory.counts[EXPANDED]
    walker["expanded"] += n_closed
    walker["generated"] += memory.counts[best_first.GENERATED]
    walker["most"] = max(walker["most"], n_closed)
    walker["plans"] += 1
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
    walker["n_route"], walker["at"] = n, 0
    walker["raised"] += teach(ahead.rule, graph, memory, ahead.closed[:n_closed], best_f, goal, ahead.kind)
    return WALKING


@inner
def step(graph, ahead, walker, route):
    """One move, with a plan before it if the last one has been walked; WALKING, ARRIVED, STUCK or NO_ROOM."""
    if walker["here"] == walker["goal"]:
        return ARRIVED
    if walker["at"] >= min(walker["n_route"], ahead.steps):
        code = _plan(graph, ahead, walker, route)
        if code != WALKING:
            return code
    here, cell = walker["here"], route[walker["at"]]
    cheapest = np.inf
    for k in range(slots(graph, here)):
        if there(graph, here, k) == cell:
            cheapest = min(cheapest, cost(graph, here, k))
    walker["travel"] += cheapest
    walker["here"] = cell
    walker["at"] += 1
    walker["moves"] += 1
    return ARRIVED if cell == walker["goal"] else WALKING


@kernel
def walk(world, hints, ahead, flood, walkers, route, walked, n_moves):
    """One walker, up to `n_moves` moves; WALKING, ARRIVED, STUCK or NO_ROOM.

    Once it has expanded more cells than there are, each plan also floods `budget` cells to see whether there is a way.
    """
    graph, walker = RaisedGraph(world, hints), walkers[0]
    code = WALKING
    for _ in range(n_moves):
        plans = walker["plans"]
        code = step(graph, ahead, walker, route)
        if code in (STUCK, NO_ROOM):
            break
        walked[walker["moves"] - 1] = walker["here"]
        if code == ARRIVED:
            break
        if walker["plans"] > plans and walker["expanded"] > flood.order.size:
            if is_cut_off(world, flood, walker["here"], walker["goal"], ahead.budget):
                return STUCK
    return code


@kernel
def walk_all(world, table, old, counts, ahead, walkers, routes, first):
    """One move of each walker from number `first` on; how many are done. Fewer than all: there is no room."""
    for k in range(first, walkers.size):
        walker = walkers[k]
        if walker["code"] != WALKING:
            continue
        if 2 * (counts[USED] + ahead.budget) > table.size:
            return k
        hints = GrowingHints(table, old, counts, k, world.legal.size)
        code = step(RaisedGraph(world, hints), ahead, walker, routes[k])
        if code == NO_ROOM:
            return k
        walker["code"] = code
    return walkers.size
