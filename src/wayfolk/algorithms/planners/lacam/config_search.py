"""LaCAM's search: depth-first over configurations, each with a queue of constraints that are generated when needed.

Each visit takes the next constraint of the node on top of OPEN (a list of agents and where they go next), and asks PIBT for
a successor that keeps it. A node leaves OPEN when it has no constraints left. When a node is found again by a cheaper way,
the lower cost is passed on to those that follow it (LaCAM*).

Invariants  g of a node is the cost of the path along its parents, and never rises. When OPEN is empty, every configuration
            that can be reached has been visited, except those whose g + h is not below the cost of the best plan.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wayfolk.algorithms.planners.lacam.moves import is_home
from wayfolk.algorithms.planners.lacam.pibt import choose_all, forget, impose, stand, vanish
from wayfolk.algorithms.planners.lacam.trees import (
    EXPANDED,
    FIRST_DIRTY,
    GOAL,
    N_CONSTRAINTS,
    N_DIRTY,
    N_OPEN,
    NONE,
    REOPENED,
    ROOT,
    add_node,
    copy,
    find_node,
    has_room,
    link,
    lower,
)
from wayfolk.algorithms.priority_inheritance import slots, target
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, RUNNING
from wayfolk.kernels.random import below, shuffle, uniform
from wayfolk.kernels.table import clear, digest

LOST = FULL + 1  # one more outcome


class Policy(NamedTuple):
    """How to search.

    `limit` is the cost that a plan has to stay below, and a dive ends where it cannot. `improves`: a cheaper way to a known
    node becomes its path. `restart` is the probability to go on from the root when a known node is found again, and `jump`
    that of a random node of OPEN once there is a plan.
    """

    limit: int
    tries: int
    is_makespan: bool
    is_dive: bool
    improves: bool
    restart: float
    jump: float


@kernel
def plant(gen, tree, config, order, is_makespan):
    """Begin with the configuration `config`, whose agents have the priorities of `order`."""
    tree.counts[:] = 0
    tree.counts[GOAL] = NONE
    clear(tree.slots)
    for k in range(order.size):
        tree.ranks[order[k]] = k
        tree.best[k] = config[k]
    key = digest(tree.best)
    _, at = find_node(tree, key)
    node = add_node(tree, NONE, np.int64(0), _guess(gen, tree.best, is_makespan), at, key)
    copy(order, tree.orders[node])
    tree.counts[ROOT] = node
    tree.open[0] = node
    tree.counts[N_OPEN] = 1


@kernel
def explore(gen, tree, policy, budget):
    """Visit up to `budget` nodes: RUNNING, FOUND (a first or a cheaper plan), EXHAUSTED, FULL (an array is) or LOST."""
    counts, nodes = tree.counts, tree.nodes
    stop = counts[EXPANDED] + budget
    while counts[EXPANDED] < stop:
        if not has_room(tree):
            return FULL
        if counts[N_DIRTY] > 0:
            if _pass_on(tree, policy):
                return FOUND
            continue
        if counts[N_OPEN] == 0:
            return EXHAUSTED
        limit = policy.limit
        if counts[GOAL] != NONE:
            limit = min(limit, nodes[counts[GOAL]]["g"])
            if policy.jump > 0.0 and uniform(gen.luck) < policy.jump:
                at = below(gen.luck, counts[N_OPEN])
                last = counts[N_OPEN] - 1
                tree.open[at], tree.open[last] = tree.open[last], tree.open[at]
        node = tree.open[counts[N_OPEN] - 1]
        if nodes[node]["h"] == 0 and counts[GOAL] == NONE:
            counts[GOAL] = node
            return FOUND
        if policy.is_dive and nodes[node]["g"] + nodes[node]["h"] >= limit:
            return LOST
        if nodes[node]["g"] + nodes[node]["h"] >= limit or not _has_constraint(nodes[node]):
            counts[N_OPEN] -= 1
            continue
        counts[EXPANDED] += 1
        constraint = _next_constraint(gen, tree, node)
        if not _successor(gen, tree, node, constraint, policy):
            continue
        _visit(gen, tree, node, policy, limit)
    return RUNNING


@inner
def _has_constraint(node):
    return not node["begun"] or node["head"] != NONE


@inner
def _next_constraint(gen, tree, number):
    """Take the next constraint of a node, and put its extensions to one more agent into the queue."""
    node, constraints = tree.nodes[number], tree.constraints
    depth, taken = 0, NONE
    if node["begun"]:
        taken = node["head"]
        node["head"] = constraints[taken]["next"]
        depth = constraints[taken]["depth"]
    node["begun"] = True
    if depth == tree.ranks.size:
        return taken
    here = tree.configs[number, tree.orders[number, depth]]
    n = slots(gen.nodes, here)
    for k in range(n):
        tree.children[k] = target(gen.nodes, here, k)
    tree.children[n] = here
    shuffle(gen.luck, tree.children[: n + 1])
    for k in range(n + 1):
        new = tree.counts[N_CONSTRAINTS]
        tree.counts[N_CONSTRAINTS] += 1
        constraint = constraints[new]
        constraint["parent"], constraint["next"] = taken, NONE
        constraint["depth"], constraint["spot"] = depth + 1, tree.children[k]
        if node["head"] == NONE:
            node["head"] = new
        else:
            constraints[node["tail"]]["next"] = new
        node["tail"] = new
    return taken


@inner
def _successor(gen, tree, number, constraint, policy):
    """Write a configuration after node `number` that keeps `constraint` to `best`; False if PIBT finds none."""
    stand(gen, tree.configs[number])
    is_any, least = False, np.int64(0)
    for _ in range(policy.tries):
        if _impose_all(gen, tree, number, constraint) and choose_all(gen, tree.orders[number]):
            value = np.int64(0)
            if policy.tries > 1:
                value = _edge_cost(gen, gen.bodies["here"], gen.bodies["next"], policy)
                value += _guess(gen, gen.bodies["next"], policy.is_makespan)
            if not is_any or value < least:
                is_any, least = True, value
                copy(gen.bodies["next"], tree.best)
        forget(gen)
    vanish(gen)
    return is_any


@inner
def _impose_all(gen, tree, number, constraint):
    while constraint != NONE:
        row = tree.constraints[constraint]
        if not impose(gen, tree.orders[number, row["depth"] - 1], row["spot"]):
            return False
        constraint = row["parent"]
    return True


@inner
def _visit(gen, tree, number, policy, limit):
    """The configuration in `best` follows node `number`: add it, or note another way to it."""
    nodes, counts = tree.nodes, tree.counts
    cost = _edge_cost(gen, tree.configs[number], tree.best, policy)
    key = digest(tree.best)
    other, at = find_node(tree, key)
    if other == NONE:
        h = _guess(gen, tree.best, policy.is_makespan)
        other = add_node(tree, number, nodes[number]["g"] + cost, h, at, key)
        _order_of(gen, tree, number, other)
        link(tree, number, other, cost)
    else:
        counts[REOPENED] += 1
        if policy.improves and other != number:
            link(tree, number, other, cost)
            lower(tree, number, other, cost)
        if uniform(gen.luck) < policy.restart:
            other = np.int32(counts[ROOT])
    if policy.is_dive or nodes[other]["g"] + nodes[other]["h"] < limit:
        tree.open[counts[N_OPEN]] = other
        counts[N_OPEN] += 1


@inner
def _pass_on(tree, policy):
    """Pass the lower g of one node on to its successors; whether the goal has become cheaper."""
    counts, nodes = tree.counts, tree.nodes
    number = tree.dirty[counts[FIRST_DIRTY]]
    counts[FIRST_DIRTY] = (counts[FIRST_DIRTY] + 1) % tree.dirty.size
    counts[N_DIRTY] -= 1
    node = nodes[number]
    node["dirty"] = False
    at = node["links"]
    while at != NONE:
        lower(tree, number, tree.links[at]["to"], tree.links[at]["cost"])
        at = tree.links[at]["next"]
    if counts[GOAL] == NONE:
        return False
    if node["g"] + node["h"] < nodes[counts[GOAL]]["g"] and _has_constraint(node):
        tree.open[counts[N_OPEN]] = number
        counts[N_OPEN] += 1
    return number == counts[GOAL] and node["g"] < policy.limit


@inner
def _order_of(gen, tree, parent, number):
    """Agents that are not at their goals in the order of the parent, then those that are, the longest way first."""
    order, before, config = tree.orders[number], tree.orders[parent], tree.configs[number]
    n = 0
    for agent in before:
        if not is_home(gen.nodes, config[agent], gen.goals[agent]):
            order[n] = agent
            n += 1
    first = n
    for agent in before:
        if is_home(gen.nodes, config[agent], gen.goals[agent]):
            at = n
            while at > first and tree.ranks[order[at - 1]] > tree.ranks[agent]:
                order[at] = order[at - 1]
                at -= 1
            order[at] = agent
            n += 1


@inner
def _edge_cost(gen, here, there, policy):
    """The sum of loss of one step: agents that do not stay on their goals; or 1 for the makespan."""
    if policy.is_makespan:
        return np.int64(1)
    cost = np.int64(0)
    for agent in range(here.size):
        goal = gen.goals[agent]
        if not is_home(gen.nodes, here[agent], goal) or not is_home(gen.nodes, there[agent], goal):
            cost += 1
    return cost


@inner
def _guess(gen, config, is_makespan):
    """The sum of all distances to the goals, or the largest."""
    total = largest = np.int64(0)
    for agent in range(config.size):
        left = np.int64(gen.steps[agent, config[agent]])
        total += left
        largest = max(largest, left)
    return largest if is_makespan else total
