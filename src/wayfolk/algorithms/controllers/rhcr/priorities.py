"""Priority-based search and prioritised planning for the paths of all agents through one window, compiled.

Ma, Harabor, Stuckey, Li and Koenig, "Searching with consistent prioritization for multi-agent path finding", 2019.

Priority-based search is a depth-first search over partial orders of the agents. The first collision of the paths of a node
is solved in two ways, one for each order of the two agents; the agents below plan again if they collide with one above.
Both children are planned, and the cheaper one is searched first.

There is one array of paths, that of the present node. A child is a part of the log: the agents that plan again, and their
other paths. Exchanging these with the present ones enters or leaves the child.

Invariants  an agent does not collide with those above it. The order has no cycles.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.paths import (
    NOTHING,
    collide,
    cost_of_path,
    count_path,
    find_path,
    first_collision,
    hold,
)
from wayfolk.algorithms.controllers.rhcr.rolling_moves import HOLDS, TOTAL
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.planning import SLICE

LOG_IS_FULL, PAUSED = np.int64(2**31 - 1), np.int64(2**31 - 2)
RESTARTS = 8  # of prioritised planning, each with the agent that found no path in front
STAMP, N_EDGES, N_LOG, N_BELOW, N_NODES, DEPTH, MOST = range(7)  # places in `counts`
EDGE = np.dtype([("high", np.int32), ("low", np.int32), ("up", np.int32), ("down", np.int32)])
FRAME = np.dtype([("first", np.int32), ("middle", np.int32), ("end", np.int32), ("high", np.int32), ("low", np.int32),
                  ("chosen", np.int8), ("other", np.bool_)])  # fmt: skip


class Priorities(NamedTuple):
    """The order of a node, and the way to it.

    An edge lets `high` be above `low`; `ups[agent]` and `downs[agent]` are the last edges from an agent. `frames` are the
    collisions on the way to the node. `log` and `kept` are agents and paths of children. `marks` are for walks over edges.
    """

    ups: NDArray[np.int32]
    downs: NDArray[np.int32]
    edges: NDArray[np.void]
    frames: NDArray[np.void]
    log: NDArray[np.int32]
    kept: NDArray[np.int32]
    marks: NDArray[np.int64]
    stack: NDArray[np.int32]
    above: NDArray[np.int32]
    below: NDArray[np.int32]
    counts: NDArray[np.int64]


def new_priorities(n_agents: int, limit: int, steps: int, n_log: int) -> Priorities:
    """Room for `limit` nodes and for `n_log` paths of `steps` steps."""
    return Priorities(
        ups=np.full(n_agents, NOTHING, np.int32),
        downs=np.full(n_agents, NOTHING, np.int32),
        edges=np.zeros(limit + 1, EDGE),
        frames=np.zeros(limit + 1, FRAME),
        log=np.zeros(n_log, np.int32),
        kept=np.zeros((n_log, steps + 1), np.int32),
        marks=np.zeros((3, n_agents), np.int64),
        stack=np.zeros(2 * (n_agents + limit + 1), np.int32),
        above=np.zeros(n_agents, np.int32),
        below=np.zeros(n_agents, np.int32),
        counts=np.zeros(7, np.int64),
    )


@kernel
def search_orders(arrays, tree, paths, best, agents, goals, last, limit, is_new):
    """Priority-based search with up to `limit` nodes. Writes the paths of the node with the most clear steps to `best`.

    Returns how many of its steps are free of collisions: `last` if the search ends well; or LOG_IS_FULL; or PAUSED after
    SLICE expansions, and goes on when it is called again without `is_new`.
    """
    counts, before = tree.counts, arrays.counts[TOTAL]
    if is_new:
        arrays.counts[HOLDS] += 1
        for agent in agents:
            find_path(arrays, paths, agent, goals[agent], 0, last)
        tree.ups[:], tree.downs[:] = NOTHING, NOTHING
        counts[N_EDGES] = counts[N_LOG] = counts[N_NODES] = counts[DEPTH] = 0
        counts[MOST] = -1
    most, depth = counts[MOST], counts[DEPTH]
    while counts[N_NODES] < limit:
        if arrays.counts[TOTAL] - before >= SLICE:
            counts[MOST], counts[DEPTH] = most, depth
            return PAUSED
        counts[N_NODES] += 1
        one, other, n_clear = first_collision(arrays, paths, agents, last)
        if n_clear > most:
            most = np.int64(n_clear)
            for agent in agents:
                for step in range(last + 1):
                    best[agent, step] = paths[agent, step]
        if one == NOBODY:
            break
        code = _branch(arrays, tree, paths, goals, last, tree.frames[depth], one, other)
        if code == LOG_IS_FULL:
            return LOG_IS_FULL
        if code > 0:
            depth += 1
            continue
        while (
            depth > 0 and not tree.frames[depth - 1]["other"]
        ):  # neither order works: back to the last one with a choice
            depth -= 1
            _leave(arrays, tree, paths, tree.frames[depth], last)
            tree.counts[N_LOG] = tree.frames[depth]["first"]
        if depth == 0:
            break
        frame = tree.frames[depth - 1]
        _leave(arrays, tree, paths, frame, last)
        frame["chosen"], frame["other"] = 1 - frame["chosen"], False
        _enter(arrays, tree, paths, frame, last)
    return most


@inner
def _branch(arrays, tree, paths, goals, last, frame, one, other):
    """Plan both children of a collision, and enter the cheaper one; how many there are, or LOG_IS_FULL."""
    counts = tree.counts
    frame["first"], frame["high"], frame["low"] = counts[N_LOG], one, other
    n_children, costs, other_cost = 0, np.int64(0), np.int64(0)
    for order in range(2):
        high, low = (one, other) if order == 0 else (other, one)
        start = counts[N_LOG]
        is_planned, cost = _plan_child(arrays, tree, paths, goals, last, high, low)
        if counts[N_LOG] == LOG_IS_FULL:
            return LOG_IS_FULL
        _exchange(arrays, tree, paths, start, counts[N_LOG], last)
        _drop_edge(tree)
        if not is_planned:
            counts[N_LOG] = start
        elif n_children == 0:
            frame["chosen"], costs = order, cost
            n_children = 1
        else:
            n_children, other_cost = 2, cost
        if order == 0:
            frame["middle"] = counts[N_LOG]
    frame["end"] = counts[N_LOG]
    frame["other"] = n_children == 2
    if n_children == 2 and other_cost < costs:
        frame["chosen"] = 1
    if n_children > 0:
        _enter(arrays, tree, paths, frame, last)
    return n_children


@inner
def _enter(arrays, tree, paths, frame, last):
    """Go to the chosen child."""
    if frame["chosen"] == 0:
        _add_edge(tree, frame["high"], frame["low"])
        _exchange(arrays, tree, paths, frame["first"], frame["middle"], last)
    else:
        _add_edge(tree, frame["low"], frame["high"])
        _exchange(arrays, tree, paths, frame["middle"], frame["end"], last)


@inner
def _leave(arrays, tree, paths, frame, last):
    """Go back from the chosen child."""
    if frame["chosen"] == 0:
        _exchange(arrays, tree, paths, frame["first"], frame["middle"], last)
    else:
        _exchange(arrays, tree, paths, frame["middle"], frame["end"], last)
    _drop_edge(tree)


@inner
def _exchange(arrays, tree, paths, first, end, last):
    """Exchange the paths of a part of the log with the present ones."""
    for k in range(first, end):
        agent = tree.log[k]
        count_path(arrays, paths, agent, 0, last, -1)
        for step in range(last + 1):
            paths[agent, step], tree.kept[k, step] = tree.kept[k, step], paths[agent, step]
        count_path(arrays, paths, agent, 0, last, 1)


@inner
def _plan_child(arrays, tree, paths, goals, last, high, low):
    """Let `low` plan around `high`, and agents below again if they collide; whether all find paths, and the added cost.

    The paths before are in the log.
    """
    counts, marks = tree.counts, tree.marks
    counts[STAMP] += 1
    change = counts[STAMP]  # of agents whose path, or place in the order, has changed
    marks[2, high] = change
    for k in range(_find_above(tree, high)):
        marks[2, tree.above[k]] = change
        if tree.above[k] == low:
            _add_edge(tree, high, low)
            return False, np.int64(0)
    _add_edge(tree, high, low)
    _sort_below(tree, low)
    added = np.int64(0)
    for k in range(counts[N_BELOW] - 1, -1, -1):
        agent = tree.below[k]
        n_above = _find_above(tree, agent)
        is_hit = agent == low
        for i in range(n_above):
            if is_hit:
                break
            other = tree.above[i]
            is_hit = marks[2, other] == change and collide(arrays, paths, agent, other, last)
        if not is_hit:
            continue
        if counts[N_LOG] == tree.log.size:
            counts[N_LOG] = LOG_IS_FULL
            return False, added
        added -= cost_of_path(arrays, paths, agent, goals[agent], last)
        tree.log[counts[N_LOG]] = agent
        for step in range(last + 1):
            tree.kept[counts[N_LOG], step] = paths[agent, step]
        counts[N_LOG] += 1
        arrays.counts[HOLDS] += 1
        for i in range(n_above):
            hold(arrays, paths, tree.above[i], 0, last)
        if not find_path(arrays, paths, agent, goals[agent], 0, last):
            return False, added
        marks[2, agent] = change
        added += cost_of_path(arrays, paths, agent, goals[agent], last)
    return True, added


@inner
def _add_edge(tree, high, low):
    number = tree.counts[N_EDGES]
    edge = tree.edges[number]
    edge["high"], edge["low"], edge["up"], edge["down"] = high, low, tree.ups[low], tree.downs[high]
    tree.ups[low] = tree.downs[high] = number
    tree.counts[N_EDGES] += 1


@inner
def _drop_edge(tree):
    """Remove the last edge."""
    tree.counts[N_EDGES] -= 1
    edge = tree.edges[tree.counts[N_EDGES]]
    tree.ups[edge["low"]], tree.downs[edge["high"]] = edge["up"], edge["down"]


@inner
def _find_above(tree, agent):
    """Write all agents above `agent` to `above`; their number."""
    tree.counts[STAMP] += 1
    stamp = tree.counts[STAMP]
    n, at = 0, 0
    while True:
        number = tree.ups[agent]
        while number != NOTHING:
            edge = tree.edges[number]
            if tree.marks[0, edge["high"]] != stamp:
                tree.marks[0, edge["high"]] = stamp
                tree.above[n] = edge["high"]
                n += 1
            number = edge["up"]
        if at == n:
            return n
        agent = tree.above[at]
        at += 1


@inner
def _sort_below(tree, agent):
    """Write `agent` and all agents below it to `below`, each before those above it."""
    counts, stack, marks = tree.counts, tree.stack, tree.marks
    counts[STAMP] += 1
    stamp = counts[STAMP]
    counts[N_BELOW] = 0
    marks[1, agent] = stamp
    stack[0], stack[1], size = agent, tree.downs[agent], 2
    while size > 0:
        number = stack[size - 1]
        if number == NOTHING:
            tree.below[counts[N_BELOW]] = stack[size - 2]
            counts[N_BELOW] += 1
            size -= 2
            continue
        edge = tree.edges[number]
        stack[size - 1] = edge["down"]
        if marks[1, edge["low"]] != stamp:
            marks[1, edge["low"]] = stamp
            stack[size], stack[size + 1] = edge["low"], tree.downs[edge["low"]]
            size += 2


@kernel
def plan_in_order(arrays, paths, queue, goals, last):
    """Prioritised planning of the agents in `queue`, which starts again with an agent without a path in front.

    Whether all have found paths in the end.
    """
    for _ in range(RESTARTS + 1):
        arrays.counts[HOLDS] += 1
        rank = 0
        while rank < queue.size and find_path(arrays, paths, queue[rank], goals[queue[rank]], 0, last):
            hold(arrays, paths, queue[rank], 0, last)
            rank += 1
        if rank == queue.size:
            return True
        stuck = queue[rank]
        for k in range(rank, 0, -1):
            queue[k] = queue[k - 1]
        queue[0] = stuck
    return False


@kernel
def improve(arrays, paths, queue, agents, goals, first, last):
    """Let each agent in `queue`, in turn, plan its path from the step `first` on around those of all other `agents`."""
    for agent in queue:
        arrays.counts[HOLDS] += 1
        for other in agents:
            if other != agent:
                hold(arrays, paths, other, first, last)
        find_path(arrays, paths, agent, goals[agent], first, last)
