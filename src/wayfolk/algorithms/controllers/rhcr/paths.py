"""Paths through a window of steps: how one agent plans around others, and where two of them collide.

`paths[agent, step]` are the cells of all agents from the first step of the window on. The search for a path is A* over
cells and steps. A step costs 1, and f never falls and rises by 2 at most, so that the open list is one stack for each f. On
equal f the search goes on where no other path leads at that step, if it can.

An agent that does not stay on its goal has done its work when it is there once: the rest of the window costs it nothing,
and it only keeps out of the way of others. An agent that stays pays for each step in which it does not stand on its goal.

What moves and collisions are depends on the class of the arrays (see `rolling`): a cell here may be a node of a graph of
states.

Invariants  a planned path does not collide with the paths that it was planned around, up to the last step of the window.
"""

import numpy as np

from wayfolk.algorithms.controllers.rhcr.rolling_moves import (
    ENOUGH,
    SEARCHES,
    TOTAL,
    WAIT,
    collide_at,
    count_step,
    is_arrival,
    is_home,
    is_open,
    is_used,
    keep_against,
    keep_off,
    move_to,
    n_moves,
    origin,
    pair_at,
    pointer,
    shut_off,
    turned,
)
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import rra
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.planning import SLICE

NOTHING = np.int32(2**31 - 1)
MOST_COST = np.int64(1 << 12)  # more than a path through a window costs


@kernel
def shut_all(arrays, cells):
    """Let nobody come to where others stand."""
    for cell in cells:
        shut_off(arrays, cell)


@kernel
def count_paths(arrays, paths, agents, last, change):
    """Add `change` to `used` along the paths of `agents`."""
    for agent in agents:
        count_path(arrays, paths, agent, 0, last, change)


@inner
def count_path(arrays, paths, agent, first, last, change):
    """Add `change` to `used` along the path of `agent`."""
    for step in range(first, last + 1):
        before = paths[agent, step - 1] if step > first else NOWHERE
        count_step(arrays, before, paths[agent, step], step, change)


@inner
def hold(arrays, paths, agent, first, last):
    """Let `agent` be in the present set of reservations."""
    for step in range(first, last + 1):
        here = paths[agent, step]
        keep_off(arrays, here, step)
        if step < last:
            keep_against(arrays, here, paths[agent, step + 1], step)


@kernel
def forget_touched(arrays, edits):
    """Drop the distances of agents whose searches have expanded a cell that is one of the `edits`: others are right."""
    searches = arrays.searches
    for agent in range(arrays.spent.size):
        if rra.is_touched(searches, agent, edits, 0):
            rra.forget(searches, agent)


@kernel
def search_distances(arrays, agents, here, goals, first):
    """Search the distances of the `agents` from number `first` on back from their goals; how many of them are known.

    These are all of them, or as many as could be searched with SLICE expansions.
    """
    searches, before = arrays.searches, arrays.counts[TOTAL]
    for k in range(first, agents.size):
        agent = agents[k]
        if rra.goal_of(searches, agent) != goals[agent]:
            if arrays.counts[TOTAL] - before >= SLICE:
                return k
            rra.aim(searches, agent, goals[agent], here[agent])
            rra.distance(searches, agent, here[agent])
            _count(arrays, agent, rra.expansions(searches, agent))
    return agents.size


@inner
def _count(arrays, agent, expansions):
    """Count expansions of `agent`."""
    arrays.spent[agent] += expansions
    arrays.counts[TOTAL] += expansions


@inner
def find_path(arrays, paths, agent, goal, first, last):
    """Plan the path of `agent` from step `first` to `last`, around the present set of reservations; whether there is one.

    Where there is none, the path does not change.
    """
    searches, nodes, stacks, seen, counts = arrays.searches, arrays.nodes, arrays.stacks, arrays.seen, arrays.counts
    start = paths[agent, first]
    before = rra.expansions(searches, agent) if rra.goal_of(searches, agent) == goal else 0
    rra.aim(searches, agent, goal, start)
    least = rra.distance(searches, agent, start)
    if least == rra.UNREACHABLE:
        _count(arrays, agent, rra.expansions(searches, agent) - before)
        return False
    count_path(arrays, paths, agent, first, last, -1)
    counts[SEARCHES] += 1
    base = counts[SEARCHES] * MOST_COST
    stacks[: 2 * (last - first) + 3] = NOTHING
    n_nodes = _push(arrays, 0, 0, start, first, 0, 0, WAIT)
    f, n_expanded, found = 0, 0, False
    while f <= 2 * (last - first):
        if stacks[f] == NOTHING:
            f += 1
            continue
        node = nodes[stacks[f]]
        cell, step, been, cost = np.int64(node["cell"]), np.int64(node["step"]), np.int64(node["been"]), node["cost"]
        stacks[f] = node["after"]
        if seen[been, step, cell] != base + cost:
            continue  # a cheaper path has come here
        if step == last:
            found = True
            trace(arrays, paths, agent, cell, first, last, been)
            break
        if n_expanded == ENOUGH:
            break
        n_expanded += 1
        # the last node on a stack is taken first: cells of other paths are put there before free ones
        for is_free in range(2):
            for turn in range(n_moves(arrays, cell)):
                k = turned(arrays, cell, turn, agent)
                there = move_to(arrays, cell, k)
                if there == NOWHERE or is_used(arrays, there, step + 1) == (is_free == 1):
                    continue
                if not is_open(arrays, cell, there, k, step):
                    continue
                left = 0 if been else rra.distance(searches, agent, there)
                if left == rra.UNREACHABLE:
                    continue
                arrives = not arrays.stays and not been and there != cell and is_home(arrays, there, goal)
                is_paid = not been and not (there == cell and is_home(arrays, cell, goal))
                then = cost + (1 if is_paid else 0)
                visited = 1 if been or arrives else 0
                known = seen[visited, step + 1, there]
                if known < base or known > base + then:
                    move = pointer(arrays, cell, k, arrives)
                    n_nodes = _push(arrays, n_nodes, then + left - least, there, step + 1, visited, then, move)
    _count(arrays, agent, n_expanded + rra.expansions(searches, agent) - before)
    count_path(arrays, paths, agent, first, last, 1)
    return found


@inner
def _push(arrays, n_nodes, f, cell, step, been, cost, move):
    """Put a node on the stack of `f`; how many nodes there are."""
    node = arrays.nodes[n_nodes]
    node["cell"], node["step"], node["been"], node["cost"], node["after"] = cell, step, been, cost, arrays.stacks[f]
    arrays.stacks[f] = n_nodes
    arrays.seen[been, step, cell] = arrays.counts[SEARCHES] * MOST_COST + cost
    arrays.moves[been, step, cell] = move
    return n_nodes + 1


@inner
def trace(arrays, paths, agent, cell, first, last, been):
    """Write the path that ends in `cell`."""
    for step in range(last, first, -1):
        paths[agent, step] = cell
        move = np.int64(arrays.moves[been, step, cell])
        if is_arrival(arrays, move):
            been = 0
        cell = origin(arrays, cell, move)


@inner
def cost_of_path(arrays, paths, agent, goal, last):
    """The steps until `last` that an agent needs to its goal, or does not spend there if it stays; and what is left."""
    total = 0
    for step in range(last):
        here, there = paths[agent, step], paths[agent, step + 1]
        if here != there or not is_home(arrays, here, goal):
            total += 1
        if not arrays.stays and is_home(arrays, there, goal):
            return total
    return total + rra.distance(arrays.searches, agent, paths[agent, last])


@kernel
def n_nearer(arrays, paths, agents, goals, last):
    """How many of `agents` are nearer to their goals at the step `last` than at the first one, or reach them before."""
    n = 0
    for agent in agents:
        searches, goal = arrays.searches, goals[agent]
        if rra.goal_of(searches, agent) != goal or is_home(arrays, paths[agent, 0], goal):
            continue
        arrives = False
        for step in range(1, last + 1):
            arrives = arrives or is_home(arrays, paths[agent, step], goal)
        left = rra.distance(searches, agent, paths[agent, last])
        if arrives or left < rra.distance(searches, agent, paths[agent, 0]):
            n += 1
    return n


@kernel
def first_collision(arrays, paths, agents, last):
    """The two agents that collide first among `agents`, and how many steps before that are free of collisions.

    NOBODY twice, and `last`, if none collide up to the step `last`.
    """
    for step in range(last):
        one, other = pair_at(arrays, paths, agents, step)
        if one != NOBODY:
            return one, other, step
    return NOBODY, NOBODY, last


@inner
def collide(arrays, paths, agent, other, last):
    """Whether two agents collide up to the step `last`."""
    step = 0
    while step < last and not collide_at(arrays, paths, agent, other, step):
        step += 1
    return step < last
