"""The low level: the route of one agent that keeps its constraints, by focal search in space and time.

A node is expanded if its f is at most `w` times the least f of all open nodes; among those, one with the fewest conflicts.
With w = 1 this is A* whose ties are broken by conflicts. After the time of the last constraint the map no longer changes,
and nodes are cells without times: so the search ends also where there is no route.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.moves import is_home, most_moves, n_moves, stay, step_by, target
from wayfolk.algorithms.planners._cbs.routes import count_passing, n_colliding, n_met, route_of, take
from wayfolk.algorithms.planners._cbs.rules import ANYWHERE, gather, is_forbidden
from wayfolk.algorithms.planners._cbs.tables import (
    BEGIN,
    DONE,
    EXPANDED,
    FULL_CELLS,
    FULL_LOW,
    FULL_TIME,
    LAST_TIME,
    LEAST,
    LEAST_END,
    LOW_STAMP,
    MOST_END,
    N_ALIVE,
    N_CELLS,
    N_CHANGES,
    N_FOCAL,
    N_LATER,
    N_LOW,
    N_ROUTES,
    NO_ROUTE,
    PAUSED,
    PHASE,
    SEARCH,
    WORK,
)  # fmt: skip
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import find_stamped, next_stamp, put_stamped


@kernel
def replan(s, node, agent, w):
    """Give `agent` a route that keeps its constraints at `node`, which is entered but for agents not planned yet.

    Its first route is not written to the node. It can pause.
    """
    if s.counts[PHASE] == BEGIN:
        count_passing(s, agent)
    is_first = s.now[agent]["route"] == NOWHERE
    bound = np.int64(0)
    if not is_first:
        bound = np.int64(s.routes[route_of(s, agent)]["bound"])
    code = find_route(s, node, agent, w, bound)
    if code != DONE:
        return code
    before, cost = np.int64(0), np.int64(0)
    if not is_first:
        before, cost = np.int64(n_colliding(s, agent)), np.int64(s.now[agent]["length"])
    route = s.counts[N_ROUTES] - 1
    take(s, agent, route)
    if is_first:
        return DONE
    row = s.tree[node]
    row["n_conflicts"] += n_colliding(s, agent) - before
    row["cost"] += s.routes[route]["length"] - cost
    row["bound"] += s.routes[route]["bound"] - bound
    change = s.changes[s.counts[N_CHANGES]]
    change["agent"], change["route"] = agent, route
    s.counts[N_CHANGES] += 1
    row["n_changes"] += 1
    return DONE


@inner
def find_route(s, node, agent, w, least):
    """Append a route of `agent` to `routes`, or say why there is none; it is known to cost at least `least`."""
    code = gather(s, node, agent)
    if code != DONE:
        return code
    still = s.counts[LAST_TIME] + 1
    if w > 1.0:
        for other in range(s.now.size):
            if s.now[other]["route"] != NOWHERE:
                still = max(still, s.now[other]["length"] + 1)
    if still + 2 >= s.head.shape[1]:
        return FULL_TIME
    code = DONE
    if s.counts[PHASE] == BEGIN:
        code = _open(s, agent, least)
    if code == DONE:
        code = _search(s, agent, w, still, least)
    if code in (PAUSED, FULL_LOW, FULL_CELLS):
        return code
    s.counts[PHASE] = BEGIN
    for k in range(s.counts[N_LOW]):
        s.n_open[max(least, np.int64(s.low[k]["f"]))] = 0
    if code == DONE:
        s.routes[s.counts[N_ROUTES] - 1]["node"] = node
    return code


@inner
def _open(s, agent, known):
    """Begin a search."""
    counts = s.counts
    start = np.int64(s.starts[agent])
    counts[N_LOW] = counts[N_FOCAL] = counts[N_LATER] = 0
    shortest = max(np.int64(s.distance[agent, s.spots[start]["spot"]]), counts[LEAST_END])
    least = max(shortest, known)
    if least > counts[MOST_END] or is_forbidden(s, ANYWHERE, start, stay(s.moves, start), 0):
        return NO_ROUTE
    counts[LOW_STAMP] = next_stamp(s.low_slots, counts[LOW_STAMP])
    key = key_of(s, 0, start)
    _add_node(s, find_stamped(s.low_slots, key, counts[LOW_STAMP]), key)
    _put_node(s, 0, start, 0, shortest, 0, 0)
    s.n_open[least] = 1
    counts[N_FOCAL] = heap.push(s.focal, 0, 0, _tie(s.low[0]), 0)
    counts[LEAST], counts[N_ALIVE], counts[PHASE] = least, 1, SEARCH
    return DONE


@inner
def _search(s, agent, w, still, known):
    counts = s.counts
    goal = np.int64(s.goals[agent])
    least, n_alive = counts[LEAST], counts[N_ALIVE]
    most, room = _times(w, least), most_moves(s.moves)
    work, stamp = counts[WORK], counts[LOW_STAMP]
    if not _admit(s, most):
        return FULL_LOW
    while n_alive > 0:
        if work <= 0:
            counts[LEAST], counts[N_ALIVE], counts[WORK] = least, n_alive, 0
            return PAUSED
        if (
            counts[N_LOW] + room > s.low.size
            or counts[N_FOCAL] + room > s.focal.size
            or counts[N_LATER] + room > s.later.size
        ):
            counts[LEAST], counts[N_ALIVE], counts[WORK] = least, n_alive, work
            return FULL_LOW
        if s.n_open[least] == 0:
            while s.n_open[least] == 0:
                least += 1
            most = _times(w, least)
            if not _admit(s, most):
                counts[LEAST], counts[N_ALIVE], counts[WORK] = least, n_alive, work
                return FULL_LOW
        work -= 1
        top = s.focal[0]
        k = np.int64(top["item"])
        fresh = top["f"] == s.low[k]["n_conflicts"] and top["tie"] == _tie(s.low[k]) and s.low[k]["is_open"] == 1
        cell, g, f = np.int64(s.low[k]["cell"]), np.int64(s.low[k]["g"]), np.int64(s.low[k]["f"])
        if fresh and is_home(s.moves, cell, goal) and g >= counts[LEAST_END]:
            counts[LEAST], counts[N_ALIVE] = least, n_alive
            return _keep(s, k, least)
        counts[N_FOCAL] = heap.pop(s.focal, counts[N_FOCAL])
        if not fresh:
            continue
        met = np.int64(s.low[k]["n_conflicts"])
        s.low[k]["is_open"] = 0
        s.n_open[max(f, known)] -= 1
        n_alive -= 1
        counts[EXPANDED] += 1
        g += 1
        for move in range(n_moves(s.moves, cell)):
            there = target(s.moves, cell, move)
            if there == NOWHERE:
                continue
            step = step_by(s.moves, cell, move, there)
            f = max(np.int64(g + s.distance[agent, s.spots[there]["spot"]]), counts[LEAST_END])
            if f > counts[MOST_END] or is_forbidden(s, cell, there, step, g):
                continue
            n_conflicts = met + n_met(s, agent, cell, there, step, g)
            if is_home(s.moves, there, goal) and g >= counts[LEAST_END]:
                n_conflicts += s.passing[min(np.int64(g + 1), s.head.shape[1])]
            key = key_of(s, min(np.int64(g), np.int64(still)), there)
            at = find_stamped(s.low_slots, key, stamp)
            if s.low_slots[at]["stamp"] == stamp:
                other = np.int64(s.low_slots[at]["item"])
                old = s.low[other]
                if old["g"] < g or (old["g"] == g and old["n_conflicts"] <= n_conflicts):
                    continue
                if old["is_open"] == 1:
                    s.n_open[max(np.int64(old["f"]), known)] -= 1
                    n_alive -= 1
            else:
                other = _add_node(s, at, key)
            _put_node(s, other, there, g, f, n_conflicts, k)
            s.n_open[max(f, known)] += 1
            n_alive += 1
            if f <= most:
                counts[N_FOCAL] = heap.push(s.focal, counts[N_FOCAL], n_conflicts, _tie(s.low[other]), other)
            else:
                counts[N_LATER] = heap.push(s.later, counts[N_LATER], f, n_conflicts, other)
    return NO_ROUTE


@inner
def key_of(s, t, cell):
    """The key of `cell` at time `t`."""
    return np.int64(t) * s.distance.shape[1] + s.spots[cell]["spot"]


@inner
def _add_node(s, at, key):
    """Append a node with this key, and enter it at this place of the table; its number."""
    k = s.counts[N_LOW]
    s.counts[N_LOW] += 1
    put_stamped(s.low_slots, at, key, k, s.counts[LOW_STAMP])
    s.low[k]["key"] = key
    return k


@kernel
def index_nodes(s):
    """Enter all nodes into a new table."""
    stamp = s.counts[LOW_STAMP]
    for k in range(s.counts[N_LOW]):
        key = s.low[k]["key"]
        put_stamped(s.low_slots, find_stamped(s.low_slots, key, stamp), key, k, stamp)


@inner
def _times(w, least):
    """The largest f within the bound."""
    return max(least, np.int64(np.floor(w * least + 1e-9)))


@inner
def _put_node(s, k, cell, g, f, n_conflicts, parent):
    node = s.low[k]
    node["cell"], node["g"], node["f"] = cell, g, f
    node["n_conflicts"], node["parent"], node["is_open"] = n_conflicts, parent, 1


@inner
def _tie(node):
    """The order of nodes with equally many conflicts: the least f, then the largest g."""
    return (np.int64(node["f"]) << 32) - node["g"]


@inner
def _admit(s, most):
    """Move open nodes with an f of at most `most` to the focal list; whether there was room for all of them."""
    counts = s.counts
    while counts[N_LATER] > 0 and s.later[0]["f"] <= most:
        if counts[N_FOCAL] + most_moves(s.moves) > s.focal.size:
            return False
        k = np.int64(s.later[0]["item"])
        fresh = s.low[k]["is_open"] == 1 and s.low[k]["f"] == s.later[0]["f"]
        fresh = fresh and s.low[k]["n_conflicts"] == s.later[0]["tie"]
        counts[N_LATER] = heap.pop(s.later, counts[N_LATER])
        if fresh:
            counts[N_FOCAL] = heap.push(s.focal, counts[N_FOCAL], np.int64(s.low[k]["n_conflicts"]), _tie(s.low[k]), k)
    return True


@inner
def _keep(s, k, least):
    """Append the route to node `k`; no route costs less than `least`."""
    counts = s.counts
    length = np.int64(s.low[k]["g"])
    if length + 2 >= s.head.shape[1]:
        return FULL_TIME
    first = counts[N_CELLS]
    if first + length + 1 > s.cells.size:
        return FULL_CELLS
    for t in range(length, -1, -1):
        s.cells[first + t] = s.low[k]["cell"]
        k = s.low[k]["parent"]
    row = s.routes[counts[N_ROUTES]]
    row["first"], row["length"], row["bound"], row["mdd"] = first, length, least, 0
    counts[N_CELLS] += length + 1
    counts[N_ROUTES] += 1
    return DONE
