"""The children of a node: each gets the constraints of one side of the split, and new routes for agents that break them."""

import numpy as np

from wayfolk.algorithms.planners._cbs.conflicts import next_violator
from wayfolk.algorithms.planners._cbs.low_level import replan
from wayfolk.algorithms.planners._cbs.routes import enter
from wayfolk.algorithms.planners._cbs.tables import DONE, N_CHANGES, N_CONSTRAINTS, N_REPLANS, N_SPLIT, N_TREE
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOBODY


@kernel
def add_child(s, node, side):
    """Enter `node` and append a child with the constraints of the first (0) or the second side (1); its number."""
    enter(s, node)
    counts = s.counts
    child, first, n = counts[N_TREE], counts[N_CONSTRAINTS], counts[N_SPLIT + side]
    for k in range(n):
        s.constraints[first + k] = s.split[side, k]
    s.tree[child] = s.tree[node]
    new = s.tree[child]
    new["parent"], new["is_ready"] = node, 0
    new["depth"] += 1
    new["first_constraint"], new["n_constraints"] = first, n
    new["first_change"], new["n_changes"] = counts[N_CHANGES], 0
    counts[N_CONSTRAINTS] += n
    counts[N_TREE] += 1
    return child


@kernel
def plan_child(s, child, w):
    """Replan the agents that break a constraint of `child`; DONE, NO_ROUTE, PAUSED, or what is full."""
    while True:
        agent = next_violator(s, child)
        if agent == NOBODY:
            break
        code = replan(s, child, agent, w)
        if code != DONE:
            return code
        s.counts[N_REPLANS] += 1
    new = s.tree[child]
    parent = s.tree[new["parent"]]
    new["h"] = max(np.int64(0), np.int64(parent["bound"]) + parent["h"] - new["bound"])
    new["makespan"] = 0
    for agent in range(s.now.size):
        new["makespan"] = max(new["makespan"], s.now[agent]["length"])
    return DONE
