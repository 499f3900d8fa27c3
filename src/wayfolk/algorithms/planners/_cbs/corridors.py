"""Corridor reasoning: two agents that pass a corridor in opposite directions, resolved by one split.

Li, Gange, Harabor, Stuckey, Ma, Koenig, "New techniques for pairwise symmetry breaking in multi-agent path finding", 2020.

The cells inside a corridor have two neighbours each; its ends are k steps apart. Let t1 be a time before which agent 1
cannot be at the end where it leaves the corridor, and u1 a time before which it cannot be there by another way; t2 and u2
are those of agent 2. If agent 1 is at its end by min(u1 - 1, t2 + k), and agent 2 at its end by min(u2 - 1, t1 + k), both
pass the corridor and meet in it. Hence one of them is not. The times t keep the agents' constraints; the times u do not,
because an agent may wait for a moment inside the corridor before it turns round.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.conflicts import SWAP
from wayfolk.algorithms.planners._cbs.routes import where
from wayfolk.algorithms.planners._cbs.rules import gather, is_forbidden
from wayfolk.algorithms.planners._cbs.splits import put
from wayfolk.algorithms.planners._cbs.tables import DONE, FOREVER, FULL_LOW, FULL_TIME, LAST_TIME, VERTEX
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.jit import inner


@inner
def split_corridor(s, node, row):
    """Write the constraints of both children to `split` if the conflict is in a corridor; DONE, or what is full."""
    one, other, t = np.int64(row["one"]), np.int64(row["other"]), np.int64(row["time"])
    here, there = np.int64(row["here"]), np.int64(row["there"])
    if here == there or s.now[one]["length"] < t or s.now[other]["length"] < t:
        return DONE
    if row["kind"] != SWAP:
        here2 = where(s, other, t - 1)
        if _n_neighbours(s, there) != 2 or here2 in (here, there):
            return DONE
    # agent 1 leaves by `exit1`, agent 2 by `exit2`
    exit1, gate1, k1 = _follow(s, here, there)
    exit2, gate2, k2 = _follow(s, there, here)
    if exit1 == exit2 or max(exit1, exit2) == NOWHERE:
        return DONE
    k = k1 + k2 + 1
    if _is_inside(s, s.starts[one], exit1, exit2, here, there) or _is_inside(
        s, s.starts[other], exit1, exit2, here, there
    ):
        return DONE
    seen1, seen2 = _visit(s, one, exit1), _visit(s, other, exit2)
    if seen1 == FOREVER or seen2 == FOREVER:
        return DONE
    code1, first1 = _earliest(s, node, one, exit1, seen1)
    if code1 != DONE:
        return code1
    code2, first2 = _earliest(s, node, other, exit2, seen2)
    if code2 != DONE:
        return code2
    around1 = _around(s, s.starts[one], exit1, exit2, gate2)
    around2 = _around(s, s.starts[other], exit2, exit1, gate1)
    last1, last2 = min(around1 - 1, first2 + k), min(around2 - 1, first1 + k)
    if seen1 <= last1 and seen2 <= last2:
        put(s, 0, one, VERTEX, exit1, exit1, 0, last1)
        put(s, 1, other, VERTEX, exit2, exit2, 0, last2)
    return DONE


@inner
def _n_neighbours(s, cell):
    n = 0
    for k in range(8):
        n += (s.legal[cell] >> k) & 1
    return n


@inner
def _next(s, before, cell):
    """The neighbour of a corridor's cell that is not `before`."""
    for k in range(8):
        if (s.legal[cell] >> k) & 1 and cell + s.offsets[k] != before:
            return cell + s.offsets[k]
    return cell


@inner
def _follow(s, before, cell):
    """The end of the corridor that goes from `before` over `cell`, the cell before it, and its steps behind `cell`.

    A ring has no end: NOWHERE.
    """
    n = np.int64(0)
    begin = cell
    while _n_neighbours(s, cell) == 2:
        before, cell = cell, _next(s, before, cell)
        n += 1
        if cell == begin:
            return np.int64(NOWHERE), np.int64(NOWHERE), n
    return cell, before, n


@inner
def _is_inside(s, cell, exit1, exit2, here, there):
    """Whether `cell` is between the ends of the corridor that holds the edge from `here` to `there`."""
    before, inside = there, here
    while inside != exit2:
        if inside == cell:
            return True
        before, inside = inside, _next(s, before, inside)
    before, inside = here, there
    while inside != exit1:
        if inside == cell:
            return True
        before, inside = inside, _next(s, before, inside)
    return False


@inner
def _visit(s, agent, cell):
    """When the route of `agent` comes to `cell` first; FOREVER if it does not."""
    for t in range(s.now[agent]["length"] + 1):
        if where(s, agent, t) == cell:
            return np.int64(t)
    return np.int64(FOREVER)


@inner
def _earliest(s, node, agent, target, most):
    """The earliest time at which `agent` can be at `target` under its constraints; it can be there at `most`."""
    code = gather(s, node, agent)
    if code != DONE:
        return code, most
    still = s.counts[LAST_TIME] + 1
    if still + 2 >= s.head.shape[0]:
        return FULL_TIME, most
    n_cells, stride = s.distance.shape[1], s.offsets[1]
    low, start = s.low, np.int64(s.starts[agent])
    low[0]["cell"], low[0]["key"], low[0]["g"] = start, start, 0
    s.seen[start] = 0
    done, n = 0, 1
    while done < n:
        cell, g = np.int64(low[done]["cell"]), np.int64(low[done]["g"])
        if cell == target:
            return DONE, np.int64(g)
        if n + 9 > low.size:
            return FULL_LOW, most
        done += 1
        for move in range(9):
            there = cell
            if move < 8:
                if (s.legal[cell] >> move) & 1 == 0:
                    continue
                there = cell + s.offsets[move]
            away = max(abs(there % stride - target % stride), abs(there // stride - target // stride))
            if g + 1 + away > most or is_forbidden(s, cell, there, g + 1):
                continue
            key = min(np.int64(g + 1), np.int64(still)) * n_cells + there
            other = s.seen[key]
            if other < n and low[other]["key"] == key:
                continue
            low[n]["cell"], low[n]["key"], low[n]["g"] = there, key, g + 1
            s.seen[key] = n
            n += 1
    return DONE, most


@inner
def _around(s, start, target, entry, gate):
    """The number of steps from `start` to `target` without the step from `entry` to `gate`; FOREVER if there is no way."""
    low = s.low
    low[0]["cell"], low[0]["key"], low[0]["g"] = start, start, 0
    s.seen[start] = 0
    done, n = 0, 1
    while done < n:
        cell, g = np.int64(low[done]["cell"]), np.int64(low[done]["g"])
        if cell == target:
            return np.int64(g)
        if n + 9 > low.size:
            return np.int64(g)  # a lower bound is enough
        done += 1
        for move in range(8):
            if (s.legal[cell] >> move) & 1 == 0:
                continue
            other = cell + s.offsets[move]
            if cell == entry and other == gate:
                continue
            k = s.seen[other]
            if k < n and low[k]["key"] == other:
                continue
            low[n]["cell"], low[n]["key"], low[n]["g"] = other, other, g + 1
            s.seen[other] = n
            n += 1
    return np.int64(FOREVER)
