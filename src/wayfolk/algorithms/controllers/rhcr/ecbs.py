"""Windowed ECBS: paths of all agents through one window that cost at most w times the least possible, compiled.

Barer, Sharon, Stern and Felner, "Suboptimal variants of the conflict-based search algorithm for the multi-agent
pathfinding problem", 2014; in a window: Li et al., "Lifelong multi-agent path finding in large-scale warehouses", 2021.

A node forbids one agent a cell at a step, or a move at a step, beyond what its ancestors forbid; on a graph of states, a
place in a step, which is one that two agents have there. That agent has a new path,
which costs at most w times the cheapest under its constraints, and collides with as few others as possible. Expanded is
the node with the fewest colliding pairs among those whose cost is at most w times the least lower bound.

There is one array of paths, that of the node which is entered. Rows of `kept` are the paths of the root, then one for each
other node.

Invariants  the lower bound of a node is not above the cost of any paths below it, unless a search for a path was cut off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.controllers.rhcr.focal_search import Others, find_focal_path, new_others, note_others
from wayfolk.algorithms.controllers.rhcr.paths import (
    NOTHING,
    collide,
    cost_of_path,
    count_path,
    find_path,
    first_collision,
)
from wayfolk.algorithms.controllers.rhcr.rolling import AnyRolling
from wayfolk.algorithms.controllers.rhcr.rolling_moves import HOLDS, keep_rule, note_rule
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY

NODE = np.dtype(
    [("cost", np.int64), ("bound", np.int64), ("parent", np.int32), ("agent", np.int32), ("n_pairs", np.int32),
     ("here", np.int32), ("there", np.int32), ("step", np.int32), ("least", np.int32), ("is_open", np.bool_)],
    align=True,
)  # fmt: skip
ROOT, STAMP = 0, 0  # the first node; the place in `counts`
NO_BOUND = np.int64(1) << 60


class EcbsTree(NamedTuple):
    """The tree. `costs` and `leasts` are those of the present paths; `marks` are for walks to the root."""

    nodes: NDArray[np.void]
    kept: NDArray[np.int32]
    costs: NDArray[np.int64]
    leasts: NDArray[np.int64]
    marks: NDArray[np.int64]
    counts: NDArray[np.int64]
    others: Others


def new_ecbs_tree(arrays: AnyRolling, n_agents: int, limit: int, steps: int) -> EcbsTree:
    """Room for the children of `limit` nodes."""
    n_nodes = 2 * limit + 1
    return EcbsTree(
        nodes=np.zeros(n_nodes, NODE),
        kept=np.zeros((n_agents + n_nodes, steps + 1), np.int32),
        costs=np.zeros(n_agents, np.int64),
        leasts=np.zeros(n_agents, np.int64),
        marks=np.zeros(n_agents, np.int64),
        counts=np.zeros(1, np.int64),
        others=new_others(arrays, steps),
    )


@kernel
def search_ecbs(arrays, tree, paths, best, agents, goals, last, w, limit):
    """ECBS with up to `limit` nodes. Writes the paths of the node with the most clear steps to `best`.

    Returns how many of its steps are free of collisions: `last` if the search ends well.
    """
    nodes = tree.nodes
    _plant(arrays, tree, paths, agents, goals, last)
    n_nodes, entered, most = 1, ROOT, np.int64(0)
    for turn in range(limit):
        node = _next(nodes, n_nodes, w)
        if node == NOTHING:
            break
        _enter(arrays, tree, paths, agents, goals, last, entered, node)
        entered = node
        nodes[node]["is_open"] = False
        one, other, n_clear = first_collision(arrays, paths, agents, last)
        if turn == 0 or n_clear > most:
            most = np.int64(n_clear)
            for agent in agents:
                for step in range(last + 1):
                    best[agent, step] = paths[agent, step]
        if one == NOBODY:
            break
        for k in range(2):
            child = nodes[n_nodes]
            note_rule(arrays, paths, child, one if k == 0 else other, other if k == 0 else one, n_clear)
            child["parent"], child["is_open"] = node, True
            n_nodes += _plan_child(arrays, tree, paths, agents, goals, last, w, n_nodes)
    return most


@inner
def _plant(arrays, tree, paths, agents, goals, last):
    """Make the root: the cheapest path of each agent."""
    arrays.counts[HOLDS] += 1
    root = tree.nodes[ROOT]
    root["cost"], root["n_pairs"], root["parent"], root["is_open"] = 0, 0, ROOT, True
    for agent in agents:
        find_path(arrays, paths, agent, goals[agent], 0, last)
        tree.costs[agent] = tree.leasts[agent] = cost_of_path(arrays, paths, agent, goals[agent], last)
        root["cost"] += tree.costs[agent]
        for step in range(last + 1):
            tree.kept[agent, step] = paths[agent, step]
    root["bound"] = root["cost"]
    for agent in agents:
        root["n_pairs"] += _n_colliding(arrays, paths, agents, agent, last)
    root["n_pairs"] //= 2


@inner
def _n_colliding(arrays, paths, agents, agent, last):
    """With how many others `agent` collides."""
    n = 0
    for other in agents:
        if other != agent and collide(arrays, paths, agent, other, last):
            n += 1
    return n


@inner
def _next(nodes, n_nodes, w):
    """The open node to be expanded next, or NOTHING."""
    least = NO_BOUND
    for k in range(n_nodes):
        if nodes[k]["is_open"]:
            least = min(least, np.int64(nodes[k]["bound"]))
    best = np.int64(NOTHING)
    for k in range(n_nodes):
        node = nodes[k]
        if node["is_open"] and node["cost"] <= w * least:
            if best == NOTHING or (node["n_pairs"], node["cost"]) < (nodes[best]["n_pairs"], nodes[best]["cost"]):
                best = np.int64(k)
    return best


@inner
def _enter(arrays, tree, paths, agents, goals, last, old, node):
    """Let all agents take the paths of `node`; they have those of node `old`."""
    while old != ROOT:
        agent = np.int64(tree.nodes[old]["agent"])
        _take(arrays, tree, paths, agent, agent, last)
        tree.costs[agent] = tree.leasts[agent] = cost_of_path(arrays, paths, agent, goals[agent], last)
        old = np.int64(tree.nodes[old]["parent"])
    tree.counts[STAMP] += 1
    while node != ROOT:
        agent = np.int64(tree.nodes[node]["agent"])
        if tree.marks[agent] != tree.counts[STAMP]:
            tree.marks[agent] = tree.counts[STAMP]
            _take(arrays, tree, paths, agent, len(paths) + node, last)
            tree.costs[agent] = cost_of_path(arrays, paths, agent, goals[agent], last)
            tree.leasts[agent] = tree.nodes[node]["least"]
        node = np.int64(tree.nodes[node]["parent"])


@inner
def _take(arrays, tree, paths, agent, row, last):
    """Let `agent` take the path in a row of `kept`."""
    count_path(arrays, paths, agent, 0, last, -1)
    for step in range(last + 1):
        paths[agent, step] = tree.kept[row, step]
    count_path(arrays, paths, agent, 0, last, 1)


@inner
def _plan_child(arrays, tree, paths, agents, goals, last, w, number):
    """Plan the path of node `number`, whose parent is entered, and write what it costs; 1 if there is a path, else 0."""
    child = tree.nodes[number]
    parent, agent = tree.nodes[child["parent"]], np.int64(child["agent"])
    goal, row = goals[agent], len(paths) + number
    for step in range(last + 1):
        tree.kept[row, step] = paths[agent, step]
    arrays.counts[HOLDS] += 1
    node = np.int64(number)
    while node != ROOT:
        rule = tree.nodes[node]
        if rule["agent"] == agent:
            keep_rule(arrays, rule)
        node = np.int64(rule["parent"])
    before = _n_colliding(arrays, paths, agents, agent, last)
    if not find_path(arrays, paths, agent, goal, 0, last):
        return 0
    least = max(cost_of_path(arrays, paths, agent, goal, last), tree.leasts[agent])
    note_others(arrays, tree.others, paths, agents, agent, last)
    find_focal_path(arrays, tree.others, paths, agent, goal, last, np.int64(w * least))
    cost = cost_of_path(arrays, paths, agent, goal, last)
    child["least"], child["cost"] = least, parent["cost"] + cost - tree.costs[agent]
    child["bound"] = parent["bound"] + least - tree.leasts[agent]
    child["n_pairs"] = parent["n_pairs"] + _n_colliding(arrays, paths, agents, agent, last) - before
    # keep the new path, and take the old one again
    count_path(arrays, paths, agent, 0, last, -1)
    for step in range(last + 1):
        paths[agent, step], tree.kept[row, step] = tree.kept[row, step], paths[agent, step]
    count_path(arrays, paths, agent, 0, last, 1)
    return 1
