"""One move at a time: look at the neighbours, learn, and move to the one through which the goal seems nearest.

Korf, "Real-time heuristic search", Artificial Intelligence 1990, and its successors.

`look_and_move` is the same for all of them; the type of the rule decides what is learned before each move and how far the
agent looks ahead. Rules are in `minimin.py` and in the files of the algorithms. Looking at the neighbours of one cell is an
expansion.

Invariants  learned heuristics never overestimate (except RTA*'s), and stay consistent where a cell is raised to what its
            own neighbours imply: by all but RTA* and LRTA* with a depth of 2 or more.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from wayfolk.algorithms.realtime._flood import is_cut_off
from wayfolk.algorithms.realtime._hints import HintedGraph, learn
from wayfolk.algorithms.realtime._state import ARRIVED, STUCK, UNDECIDED, WALKING
from wayfolk.compile.jit import inner, kernel, specialise
from wayfolk.kernels.best_first import FUZZ
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import cost, heuristic, slots, there
from wayfolk.kernels.path_costs import edge_cost

_CHOOSE: dict[type, Callable[..., Any]] = {}


def choose(rule: Any, graph: Any, agent: Any, events: Any, kind: Any, stop: Any) -> Any:
    """Learn, and return the cell to move to; NOWHERE if the agent's cell has no neighbours.

    A rule whose work for a move can be large returns UNDECIDED when the agent has made `stop` expansions, and goes on
    when it is called again.
    """
    return _CHOOSE[type(rule)](rule, graph, agent, events, kind, stop)


specialise(choose, _CHOOSE)


def moving(rule: type, function: Callable[..., Any]) -> None:
    """Register the function, plain Python to be compiled, by which `choose` works for rules of the type `rule`."""
    _CHOOSE[rule] = function


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
def note_expansion(agent, events, cell):
    """Count an expansion, and record it if there is room."""
    if agent["expanded"] < events.size:
        events[agent["expanded"]] = cell
    agent["expanded"] += 1


@inner
def look_around(graph, agent, events, cell, kind):
    """The neighbour of `cell` through which the goal seems nearest, and the cost to the goal that way."""
    note_expansion(agent, events, cell)
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
def raise_to(graph, agent, cell, value, kind):
    """Raise the heuristic of `cell` to `value`; by how much it was raised."""
    before = heuristic(graph, cell, agent["goal"], kind)
    if value <= before + FUZZ:
        return 0.0
    learn(graph.hints, cell, value)
    agent["raised"] += value - before
    return value - before
