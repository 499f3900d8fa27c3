"""One step at a time: look at the neighbours, learn, and go to the one through which the goal seems nearest.

RTA* and LRTA*: Korf, "Real-time heuristic search", Artificial Intelligence 1990. LRTA*(k): Hernandez and Meseguer,
IJCAI 2005. LRTA*_LS(k): the same, "Improving LRTA*(k)", IJCAI 2007. P-LRTA*: Rayner et al., "Real-time learning with
prioritized LRTA*", IJCAI 2007.

`walk` is the same for all of them; what is learned before each step, and how far is looked, is chosen by the type of the
rule. To look at the neighbours of one cell is an expansion.

Keeps    what is learned never overestimates, but by RTA*, and stays consistent where a cell is raised to what its own
         neighbours say: by all but RTA* and LRTA* with a depth of 2 or more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE, cost, guess, slots, there
from wayfolk.kernels.best_first import FUZZ, STAMP, Memory
from wayfolk.kernels.flood import is_cut_off
from wayfolk.kernels.hints import HintedGraph, known, learn
from wayfolk.kernels.jit import inner, kernel, specialise
from wayfolk.kernels.look_ahead import ARRIVED, STUCK, WALKING, LocalSpace, teach

FRAME = np.dtype([("cell", np.int64), ("edge", np.int64), ("g", np.float64)], align=True)
CHANGE = np.dtype([("size", np.float64), ("cell", np.int64)], align=True)


class Minimin(NamedTuple):
    """Looks `depth` steps ahead, depth first, and remembers what the best neighbour says, or the second best."""

    depth: int
    second: bool
    stack: NDArray[np.void]


class Queued(NamedTuple):
    """Looks at up to `most` cells, first come first served: when one is raised, those that relied on it come next.

    Only cells where the agent has been (`visited`) are raised.
    """

    most: int
    queue: NDArray[np.int32]
    visited: NDArray[np.uint8]
    support: NDArray[np.int32]


class Nearby(NamedTuple):
    """Raises up to `most` cells around the agent at once, each to the least cost to those around them."""

    most: int
    queue: NDArray[np.int32]
    inside: NDArray[np.int32]
    memory: Memory
    space: LocalSpace


class Prioritised(NamedTuple):
    """Looks at up to `most` cells, those first whose neighbour was raised most; the others are kept for the next step.

    `changes[: used[0]]` are waiting, and `place` is where in there a cell is, counted from 1.
    """

    most: int
    changes: NDArray[np.void]
    place: NDArray[np.int32]
    used: NDArray[np.int64]


_CHOOSE: dict[type, Callable[..., Any]] = {}


def choose(rule: Any, graph: Any, walker: Any, events: Any, kind: Any) -> Any:
    """Learn, and say where to go; NOWHERE if the agent's cell has no neighbours."""
    return _CHOOSE[type(rule)](rule, graph, walker, events, kind)


specialise(choose, _CHOOSE)


@kernel
def walk(world, hints, rule, flood, walkers, walked, events, kind, n_moves):
    """Think and move up to `n_moves` times; WALKING, ARRIVED, or STUCK if the goal cannot be reached.

    Once it has expanded more cells than there are, each move also floods as many cells as it expanded.
    """
    graph, walker = HintedGraph(world, hints), walkers[0]
    for _ in range(n_moves):
        here, goal, before = walker["here"], walker["goal"], walker["expanded"]
        if here == goal:
            return ARRIVED
        cell = choose(rule, graph, walker, events, kind)
        n_looked = walker["expanded"] - before
        walker["plans"] += 1
        walker["most"] = max(walker["most"], n_looked)
        if cell == NOWHERE:
            return STUCK
        cheapest = np.inf
        for k in range(slots(world, here)):
            if there(world, here, k) == cell:
                cheapest = min(cheapest, cost(world, here, k))
        walker["travel"] += cheapest
        walker["here"] = cell
        walked[walker["moves"]] = cell
        walker["moves"] += 1
        if walker["expanded"] > flood.order.size and is_cut_off(world, flood, cell, goal, n_looked):
            return STUCK
    return ARRIVED if walker["here"] == walker["goal"] else WALKING


@inner
def _expand(walker, events, cell):
    """Count an expansion, and write it down if somebody watches."""
    if walker["expanded"] < events.size:
        events[walker["expanded"]] = cell
    walker["expanded"] += 1


@inner
def _look(graph, walker, events, cell, kind):
    """The neighbour of `cell` through which the goal seems nearest, and what it seems to cost that way."""
    _expand(walker, events, cell)
    best, least = np.int64(NOWHERE), np.inf
    for k in range(slots(graph, cell)):
        other = there(graph, cell, k)
        if other != NOWHERE and other != cell:
            walker["generated"] += 1
            value = cost(graph, cell, k) + guess(graph, other, walker["goal"], kind)
            if best == NOWHERE or value < least - FUZZ:
                best, least = np.int64(other), value
    return best, least


@inner
def _raise(graph, walker, cell, value, kind):
    """Learn that the goal is at least `value` away from `cell`; by how much that is more than was known."""
    before = guess(graph, cell, walker["goal"], kind)
    if value <= before + FUZZ:
        return 0.0
    learn(graph.hints, cell, value)
    walker["raised"] += value - before
    return value - before


@inner
def _minimin(rule, graph, walker, events, root, limit, kind):
    """The least cost of a way from `root` to the horizon plus the guess there; infinite if it is no less than `limit`.

    A way that comes back to itself is none. Cells where the agent has been know better than what lies behind them.
    Pruned by the first guess, along which f never falls, whatever was learned.
    """
    goal, stack = walker["goal"], rule.stack
    if root == goal:
        return 0.0
    if rule.depth == 1 or known(graph.hints, root) > 0.0:
        return guess(graph, root, goal, kind)
    best, level = np.inf, 0
    if guess(graph.world, root, goal, kind) < limit - FUZZ:
        _push(stack, level, root, 0.0)
        _expand(walker, events, root)
        level = 1
    while level > 0:
        frame = stack[level - 1]
        cell, k = frame["cell"], frame["edge"]
        if k == slots(graph, cell):
            level -= 1
            continue
        frame["edge"] = k + 1
        other = there(graph, cell, k)
        if other == NOWHERE or _is_on_way(walker["here"], stack, level, other):
            continue
        walker["generated"] += 1
        g = frame["g"] + cost(graph, cell, k)
        if g + guess(graph.world, other, goal, kind) >= limit - FUZZ:
            continue
        if other != goal and level < rule.depth - 1 and known(graph.hints, other) == 0.0:
            _push(stack, level, other, g)
            _expand(walker, events, other)
            level += 1
            continue
        value = g + guess(graph, other, goal, kind)
        if value < limit:
            best = limit = value
    return best


@inner
def _push(stack, level, cell, g):
    stack[level]["cell"], stack[level]["edge"], stack[level]["g"] = cell, 0, g


@inner
def _is_on_way(here, stack, level, cell):
    found = here == cell
    for k in range(level):
        found |= stack[k]["cell"] == cell
    return found


def _choose_minimin(rule, graph, walker, events, kind):
    here = walker["here"]
    _expand(walker, events, here)
    best, least, second = np.int64(NOWHERE), np.inf, np.inf
    for k in range(slots(graph, here)):
        other = there(graph, here, k)
        if other == NOWHERE or here == other:
            continue
        walker["generated"] += 1
        step = cost(graph, here, k)
        limit = (second if rule.second else least) - step
        value = step + _minimin(rule, graph, walker, events, other, limit, kind)
        if best == NOWHERE or value < least - FUZZ:
            if best != other:
                second = least
            best, least = np.int64(other), value
        elif other != best:
            second = min(second, value)
    if best != NOWHERE:
        before = guess(graph, here, walker["goal"], kind)
        value = second if rule.second else max(before, least)
        learn(graph.hints, here, value)  # even if it is no news: the agent has been here
        if before + FUZZ < value < np.inf:
            walker["raised"] += value - before
    return best


def _choose_queued(rule, graph, walker, events, kind):
    here, goal = walker["here"], walker["goal"]
    rule.visited[here] = 1
    rule.queue[0] = here
    best, at, n = np.int64(NOWHERE), 0, 1
    while at < n:
        cell = rule.queue[at]
        at += 1
        found, value = _look(graph, walker, events, cell, kind)
        rule.support[cell] = found
        if at == 1:
            best = found
        if _raise(graph, walker, cell, value, kind) > 0.0:
            for k in range(slots(graph, cell)):
                other = there(graph, cell, k)
                if n < rule.most and other != NOWHERE and other != goal:
                    if rule.visited[other] and rule.support[other] == cell:
                        rule.queue[n] = other
                        n += 1
    if n > 1:
        best, _ = _look(graph, walker, events, here, kind)
    return best


def _choose_nearby(rule, graph, walker, events, kind):
    here, goal, cells = walker["here"], walker["goal"], rule.memory.cells
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
        _expand(walker, events, cell)
        found, least = np.int64(NOWHERE), np.inf
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other == NOWHERE or cells[other]["mark"] == stamp + 1:
                continue
            walker["generated"] += 1
            value = cost(graph, cell, k) + guess(graph, other, goal, kind)
            if found == NOWHERE or value < least - FUZZ:
                found, least = np.int64(other), value
        if at == 1:
            best = found
        if guess(graph, cell, goal, kind) < least - FUZZ:
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
        walker["raised"] += teach(rule.space, graph, rule.memory, rule.inside[:n_inside], 0.0, goal, kind)
        best, _ = _look(graph, walker, events, here, kind)
    return best


@inner
def _forget(memory):
    """Marks below `counts[STAMP]` mean nothing from now on."""
    if memory.counts[STAMP] > 2**31 - 8:
        for cell in range(memory.cells.size):
            memory.cells[cell]["mark"] = 0
        memory.counts[STAMP] = 0
    memory.counts[STAMP] += 2


def _choose_prioritised(rule, graph, walker, events, kind):
    best = _sweep(rule, graph, walker, events, walker["here"], kind)
    done = 0
    while done < rule.most and rule.used[0] > 0:
        _sweep(rule, graph, walker, events, _take_greatest(rule), kind)
        done += 1
    if done > 0:
        best, _ = _look(graph, walker, events, walker["here"], kind)
    return best


@inner
def _sweep(rule, graph, walker, events, cell, kind):
    """Look at the neighbours of `cell`; if it is raised, they wait for their turn. The best of them."""
    best, value = _look(graph, walker, events, cell, kind)
    more = _raise(graph, walker, cell, value, kind)
    if more > 0.0:
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other != NOWHERE and other != walker["goal"] and other != cell:
                _wait(rule, other, more)
    return best


@inner
def _wait(rule, cell, size):
    """Let `cell` wait, once; where all room is taken, instead of the least one if that is less."""
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
    """Take the cell with the greatest change out of those that wait."""
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
