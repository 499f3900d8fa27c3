"""One move at a time: look at the neighbours, learn, and move to the one through which the goal seems nearest.

RTA* and LRTA*: Korf, "Real-time heuristic search", Artificial Intelligence 1990. LRTA*(k): Hernandez and Meseguer,
IJCAI 2005. LRTA*_LS(k): the same, "Improving LRTA*(k)", IJCAI 2007. P-LRTA*: Rayner et al., "Real-time learning with
prioritized LRTA*", IJCAI 2007.

`look_and_move` is the same for all of them; the type of the rule decides what is learned before each move and how far the
agent looks ahead. Looking at the neighbours of one cell is an expansion.

Invariants  learned heuristics never overestimate (except RTA*'s), and stay consistent where a cell is raised to what its
            own neighbours imply: by all but RTA* and LRTA* with a depth of 2 or more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._flood import is_cut_off
from wayfolk.algorithms.realtime._hints import HintedGraph, known, learn
from wayfolk.algorithms.realtime._look_ahead.plans import LocalSpace, teach
from wayfolk.algorithms.realtime._state import ARRIVED, STUCK, UNDECIDED, WALKING
from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels.best_first import FUZZ, STAMP, SearchMemory
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost

FRAME = np.dtype([("cell", np.int64), ("edge", np.int64), ("g", np.float64)], align=True)
CHANGE = np.dtype([("size", np.float64), ("cell", np.int64)], align=True)
CHOICE = np.dtype(
    [(name, np.int64) for name in ("edge", "level", "best")]
    + [(name, np.float64) for name in ("least", "second", "value", "limit")],
    align=True,
)
"""A depth-first search below neighbour number `edge` of the agent. It is at `level` of its stack (0: it has ended), and the
least `value` so far must be below `limit` to matter. Of the neighbours before, `best` is the best, `least` its value, and
`second` the second best value."""


class Minimin(NamedTuple):
    """Searches `depth` moves ahead, depth first, and remembers the value of the best neighbour, or of the second best."""

    depth: int
    second: bool
    stack: NDArray[np.void]
    choice: NDArray[np.void]


class Queued(NamedTuple):
    """Looks at up to `most` cells in the order of a queue: when one is raised, the cells that relied on it join the queue.

    Only cells where the agent has been (`visited`) are raised.
    """

    most: int
    queue: NDArray[np.int32]
    visited: NDArray[np.uint8]
    support: NDArray[np.int32]


class Nearby(NamedTuple):
    """Raises up to `most` cells around the agent at once, each to the least cost to the cells around them plus their h."""

    most: int
    queue: NDArray[np.int32]
    inside: NDArray[np.int32]
    memory: SearchMemory
    space: LocalSpace


class Prioritised(NamedTuple):
    """Looks at up to `most` cells, those first whose neighbour was raised most; the others wait for the next move.

    `changes[: used[0]]` are waiting, and `place` is the index of a cell in there, counted from 1.
    """

    most: int
    changes: NDArray[np.void]
    place: NDArray[np.int32]
    used: NDArray[np.int64]


_CHOOSE: dict[type, Callable[..., Any]] = {}


def choose(rule: Any, graph: Any, agent: Any, events: Any, kind: Any, stop: Any) -> Any:
    """Learn, and return the cell to move to; NOWHERE if the agent's cell has no neighbours.

    A rule whose work for a move can be large returns UNDECIDED when the agent has made `stop` expansions, and goes on
    when it is called again.
    """
    return _CHOOSE[type(rule)](rule, graph, agent, events, kind, stop)


specialise(choose, _CHOOSE)


@kernel
def look_and_move(world, hints, rule, flood, agents, trail, kind, limits):
    """Plan and move within `limits`; WALKING, ARRIVED, or STUCK if the goal cannot be reached.

    Once the agent has expanded more cells than there are, each move also floods as many cells as it expanded, to find out
    whether there is a way at all.
    """
    graph, agent = HintedGraph(world, hints), agents[0]
    stop = agent["expanded"] + limits.work
    for _ in range(limits.moves):
        here, goal = agent["here"], agent["goal"]
        if here == goal:
            return ARRIVED
        if agent["expanded"] >= stop:
            return WALKING
        if not agent["is_planning"]:
            agent["is_planning"], agent["before"] = 1, agent["expanded"]
        cell = choose(rule, graph, agent, trail.events, kind, stop)
        if cell == UNDECIDED:
            return WALKING
        agent["is_planning"] = 0
        n_expanded = agent["expanded"] - agent["before"]
        agent["plans"] += 1
        agent["most"] = max(agent["most"], n_expanded)
        if cell == NOWHERE:
            return STUCK
        agent["travel"] += edge_cost(world, here, cell)
        agent["here"] = cell
        trail.walked[agent["moves"]] = cell
        agent["moves"] += 1
        if agent["expanded"] > flood.order.size and is_cut_off(world, flood, cell, goal, n_expanded):
            return STUCK
    return ARRIVED if agent["here"] == agent["goal"] else WALKING


@inner
def _expand(agent, events, cell):
    """Count an expansion, and record it if there is room."""
    if agent["expanded"] < events.size:
        events[agent["expanded"]] = cell
    agent["expanded"] += 1


@inner
def _look(graph, agent, events, cell, kind):
    """The neighbour of `cell` through which the goal seems nearest, and the cost to the goal that way."""
    _expand(agent, events, cell)
    best, least = np.int64(NOWHERE), np.inf
    for k in range(slots(graph, cell)):
        other = there(graph, cell, k)
        if other != NOWHERE and other != cell:
            agent["generated"] += 1
            value = cost(graph, cell, k) + heuristic(graph, other, agent["goal"], kind)
            if best == NOWHERE or value < least - FUZZ:
                best, least = np.int64(other), value
    return best, least


@inner
def _raise(graph, agent, cell, value, kind):
    """Raise the heuristic of `cell` to `value`; by how much it was raised."""
    before = heuristic(graph, cell, agent["goal"], kind)
    if value <= before + FUZZ:
        return 0.0
    learn(graph.hints, cell, value)
    agent["raised"] += value - before
    return value - before


@inner
def _enter(rule, graph, agent, events, root, limit, kind):
    """Begin the search below the neighbour `root` for a value below `limit`."""
    choice = rule.choice[0]
    choice["value"], choice["limit"] = np.inf, limit
    if heuristic(graph.world, root, agent["goal"], kind) < limit - FUZZ:
        _push(rule.stack, 0, root, 0.0)
        _expand(agent, events, root)
        choice["level"] = 1


@inner
def _deepen(rule, graph, agent, events, kind, stop):
    """Search on below a neighbour of the agent; False if `stop` came first.

    The value is the least cost of a path to the horizon plus the heuristic there, infinite if it is not below the limit.
    Paths do not visit a cell twice. The remembered value of a cell where the agent has been replaces the search below
    it. Pruned by the initial heuristic, along which f never falls, whatever was learned.
    """
    choice, goal, stack = rule.choice[0], agent["goal"], rule.stack
    level, best, limit = choice["level"], choice["value"], choice["limit"]
    while level > 0 and agent["expanded"] < stop:
        frame = stack[level - 1]
        cell, k = frame["cell"], frame["edge"]
        if k == slots(graph, cell):
            level -= 1
            continue
        frame["edge"] = k + 1
        other = there(graph, cell, k)
        if other == NOWHERE or _is_on_path(agent["here"], stack, level, other):
            continue
        agent["generated"] += 1
        g = frame["g"] + cost(graph, cell, k)
        if g + heuristic(graph.world, other, goal, kind) >= limit - FUZZ:
            continue
        if other != goal and level < rule.depth - 1 and known(graph.hints, other) == 0.0:
            _push(stack, level, other, g)
            _expand(agent, events, other)
            level += 1
            continue
        value = g + heuristic(graph, other, goal, kind)
        if value < limit:
            best = limit = value
    choice["level"], choice["value"], choice["limit"] = level, best, limit
    return level == 0


@inner
def _push(stack, level, cell, g):
    stack[level]["cell"], stack[level]["edge"], stack[level]["g"] = cell, 0, g


@inner
def _is_on_path(here, stack, level, cell):
    is_on = here == cell
    for k in range(level):
        is_on |= stack[k]["cell"] == cell
    return is_on


def _choose_minimin(rule, graph, agent, events, kind, stop):
    here, goal, choice = agent["here"], agent["goal"], rule.choice[0]
    best, least, second, edge = np.int64(NOWHERE), np.inf, np.inf, np.int64(0)
    if choice["level"] > 0:  # it was stopped below neighbour number `edge`
        best, least, second, edge = choice["best"], choice["least"], choice["second"], choice["edge"]
    else:
        _expand(agent, events, here)
    for k in range(edge, slots(graph, here)):
        other = there(graph, here, k)
        if other == NOWHERE or here == other:
            continue
        step = cost(graph, here, k)
        if choice["level"] == 0:
            agent["generated"] += 1
        if other == goal:
            value = step
        elif rule.depth == 1 or known(graph.hints, other) > 0.0:
            value = step + heuristic(graph, other, goal, kind)
        else:
            if choice["level"] == 0:
                _enter(rule, graph, agent, events, other, (second if rule.second else least) - step, kind)
            if not _deepen(rule, graph, agent, events, kind, stop):
                choice["best"], choice["least"], choice["second"], choice["edge"] = best, least, second, k
                return np.int64(UNDECIDED)
            value = step + choice["value"]
        if best == NOWHERE or value < least - FUZZ:
            if best != other:
                second = least
            best, least = np.int64(other), value
        elif other != best:
            second = min(second, value)
    if best != NOWHERE:
        before = heuristic(graph, here, goal, kind)
        value = second if rule.second else max(before, least)
        learn(graph.hints, here, value)  # even if it is not higher: it marks that the agent has been here
        if before + FUZZ < value < np.inf:
            agent["raised"] += value - before
    return best


def _choose_queued(rule, graph, agent, events, kind, stop):
    here, goal = agent["here"], agent["goal"]
    rule.visited[here] = 1
    rule.queue[0] = here
    best, at, n = np.int64(NOWHERE), 0, 1
    while at < n:
        cell = rule.queue[at]
        at += 1
        nearest, value = _look(graph, agent, events, cell, kind)
        rule.support[cell] = nearest
        if at == 1:
            best = nearest
        if _raise(graph, agent, cell, value, kind) > 0.0:
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if n < rule.most and other != NOWHERE and other != goal:
                    if rule.visited[other] and rule.support[other] == cell:
                        rule.queue[n] = other
                        n += 1
    if n > 1:
        best, _ = _look(graph, agent, events, here, kind)
    return best


def _choose_nearby(rule, graph, agent, events, kind, stop):
    here, goal, cells = agent["here"], agent["goal"], rule.memory.cells
    _forget(rule.memory)
    stamp = rule.memory.counts[STAMP]
    rule.queue[0] = here
    cells[here]["mark"] = stamp
    best, at, n, n_inside = np.int64(NOWHERE), 0, 1, 0
    while at < n and n_inside < rule.most:
        cell = rule.queue[at]
        at += 1
        if cell == goal:
            continue
        _expand(agent, events, cell)
        nearest, least = np.int64(NOWHERE), np.inf
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == stamp + 1:
                continue
            agent["generated"] += 1
            value = cost(graph, cell, k) + heuristic(graph, other, goal, kind)
            if nearest == NOWHERE or value < least - FUZZ:
                nearest, least = np.int64(other), value
        if at == 1:
            best = nearest
        if heuristic(graph, cell, goal, kind) < least - FUZZ:
            cells[cell]["mark"] = stamp + 1
            rule.inside[n_inside] = cell
            n_inside += 1
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if other != NOWHERE and cells[other]["mark"] < stamp:
                    cells[other]["mark"] = stamp
                    rule.queue[n] = other
                    n += 1
    if n_inside > 0:
        agent["raised"] += teach(rule.space, graph, rule.memory, rule.inside[:n_inside], 0.0, goal, kind)
        best, _ = _look(graph, agent, events, here, kind)
    return best


@inner
def _forget(memory):
    """Invalidate all marks: those below `counts[STAMP]` mean nothing from now on."""
    if memory.counts[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        memory.counts[STAMP] = 0
    memory.counts[STAMP] += 2


def _choose_prioritised(rule, graph, agent, events, kind, stop):
    best = _sweep(rule, graph, agent, events, agent["here"], kind)
    done = 0
    while done < rule.most and rule.used[0] > 0:
        _sweep(rule, graph, agent, events, _take_greatest(rule), kind)
        done += 1
    if done > 0:
        best, _ = _look(graph, agent, events, agent["here"], kind)
    return best


@inner
def _sweep(rule, graph, agent, events, cell, kind):
    """Look at the neighbours of `cell`; if it is raised, they join those that wait. Returns the best of them."""
    best, value = _look(graph, agent, events, cell, kind)
    more = _raise(graph, agent, cell, value, kind)
    if more > 0.0:
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other != NOWHERE and other != agent["goal"] and other != cell:
                _wait(rule, other, more)
    return best


@inner
def _wait(rule, cell, size):
    """Let `cell` wait, once; if there is no room left, it replaces the one with the smallest change if that is smaller."""
    changes, n = rule.changes, rule.used[0]
    if rule.place[cell] > 0:
        row = changes[rule.place[cell] - 1]
        row["size"] = max(row["size"], size)
        return
    at = n
    if n < changes.size:
        rule.used[0] = n + 1
    else:
        at = 0
        for k in range(1, n):
            if changes[k]["size"] < changes[at]["size"]:
                at = k
        if changes[at]["size"] >= size:
            return
        rule.place[changes[at]["cell"]] = 0
    changes[at]["size"], changes[at]["cell"] = size, cell
    rule.place[cell] = at + 1


@inner
def _take_greatest(rule):
    """Remove the cell with the largest change from those that wait, and return it."""
    changes = rule.changes
    at, last = 0, rule.used[0] - 1
    for k in range(1, last + 1):
        if changes[k]["size"] > changes[at]["size"]:
            at = k
    cell = changes[at]["cell"]
    changes[at] = changes[last]
    rule.place[changes[at]["cell"]] = at + 1
    rule.place[cell] = 0
    rule.used[0] = last
    return cell


_CHOOSE[Minimin], _CHOOSE[Queued] = _choose_minimin, _choose_queued
_CHOOSE[Nearby], _CHOOSE[Prioritised] = _choose_nearby, _choose_prioritised
