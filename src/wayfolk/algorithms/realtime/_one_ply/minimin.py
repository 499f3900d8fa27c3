"""The rule of RTA* and LRTA*: a depth-first search some moves ahead, and what the agent remembers of its cell.

Korf, "Real-time heuristic search", Artificial Intelligence 1990.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.realtime._hints import known, learn
from wayfolk.algorithms.realtime._one_ply.moves import moving, note_expansion
from wayfolk.algorithms.realtime._state import UNDECIDED
from wayfolk.compile.jit import inner
from wayfolk.kernels.best_first import FUZZ
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there

UNBROKEN = 2  # a search can stop after any expansion, and makes one more for the next neighbour
FRAME = np.dtype([("cell", np.int64), ("edge", np.int64), ("g", np.float64)], align=True)
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


def minimin(depth: int, second: bool) -> Callable[[], Minimin]:
    """How to make the rule of RTA* (`second`: the second best is remembered) or LRTA*."""
    return lambda: Minimin(depth, second, np.zeros(depth, FRAME), np.zeros(1, CHOICE))


@inner
def _enter(rule, graph, agent, events, root, limit, kind):
    """Begin the search below the neighbour `root` for a value below `limit`."""
    choice = rule.choice[0]
    choice["value"], choice["limit"] = np.inf, limit
    if heuristic(graph.world, root, agent["goal"], kind) < limit - FUZZ:
        _push(rule.stack, 0, root, 0.0)
        note_expansion(agent, events, root)
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
            note_expansion(agent, events, other)
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
        note_expansion(agent, events, here)
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


moving(Minimin, _choose_minimin)
