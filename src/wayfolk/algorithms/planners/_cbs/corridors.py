"""Corridor reasoning: two agents that pass a corridor in opposite directions, resolved by one split.

Li, Gange, Harabor, Stuckey, Ma, Koenig, "New techniques for pairwise symmetry breaking in multi-agent path finding", 2020.

The cells inside a corridor have two neighbours each; its ends are k steps apart. Let t1 be a time before which agent 1
cannot be at the end where it leaves the corridor, and u1 a time before which it cannot be there by another way; t2 and u2
are those of agent 2. If agent 1 is at its end by min(u1 - 1, t2 + k), and agent 2 at its end by min(u2 - 1, t1 + k), both
pass the corridor and meet in it. Hence one of them is not. The times t keep the agents' constraints; the times u do not,
because an agent may wait for a moment inside the corridor before it turns round. This is for points on a grid, where the
number of a step is the cell in which it ends.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.conflicts import MEETING, SWAP
from wayfolk.algorithms.planners._cbs.routes import where
from wayfolk.algorithms.planners._cbs.rules import gather, is_forbidden
from wayfolk.algorithms.planners._cbs.splits import put
from wayfolk.algorithms.planners._cbs.tables import DONE, FOREVER, LAST_TIME, N_RULES, STAMP, VERTEX
from wayfolk.compile.jit import inner
from wayfolk.kernels.codes import NOWHERE


@inner
def split_corridor(s, node, row):
    """Write the constraints of both children to `split` if the conflict is in a corridor; DONE, or what is full."""
    if not may_be_in_corridor(s, row):
        return DONE
    one, other = np.int64(row["one"]), np.int64(row["other"])
    here, there = np.int64(row["here"]), np.int64(row["there"])
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
def may_be_in_corridor(s, row):
    """Whether two agents that are on their way come from both sides to a cell or an edge of a corridor."""
    one, other, t = np.int64(row["one"]), np.int64(row["other"]), np.int64(row["time"])
    here, there = np.int64(row["here"]), np.int64(row["there"])
    if here == there or s.now[one]["length"] < t or s.now[other]["length"] < t:
        return False
    if row["kind"] == SWAP:
        return True
    here2 = where(s, other, t - 1)
    return row["kind"] == MEETING and _n_neighbours(s, there) == 2 and here2 != here and here2 != there


@inner
def _n_neighbours(s, cell):
    n = 0
    for k in range(8):
        n += (s.moves.legal[cell] >> k) & 1
    return n


@inner
def _next(s, before, cell):
    """The neighbour of a corridor's cell that is not `before`."""
    for k in range(8):
        if (s.moves.legal[cell] >> k) & 1 and cell + s.moves.offsets[k] != before:
            return cell + s.moves.offsets[k]
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
    """The earliest time at which `agent` can be at `target` under its constraints; it can be there at `most`.

    The set of cells in which the agent can be grows from step to step, since it may wait; only rules take cells away. So
    a step looks at the cells that are new, and at those around cells with rules.
    """
    code = gather(s, node, agent)
    if code != DONE:
        return code, most
    start = np.int64(s.starts[agent])
    if start == target:
        return DONE, np.int64(0)
    counts = s.counts
    counts[STAMP] += 1
    members = counts[STAMP]
    s.reach[start]["since"] = members
    s.frontier[0, 0] = start
    n, side = 1, 0
    for t in range(1, most):
        if t < s.must.size and s.must[t] != NOWHERE:
            only = np.int64(s.must[t])
            if not _can_come(s, members, only, t) or t + _away(s, only, target) > most:
                break
            if only == target:
                return DONE, np.int64(t)
            counts[STAMP] += 1
            members = counts[STAMP]
            s.reach[only]["since"] = members
            s.frontier[side, 0] = only
            n = 1
            continue
        counts[STAMP] += 1
        n_next = 0
        for i in range(n):
            here = np.int64(s.frontier[side, i])
            if s.reach[here]["since"] != members:
                continue
            is_refused = False
            for move in range(8):
                there = here + s.moves.offsets[move]
                if (s.moves.legal[here] >> move) & 1 == 0 or s.reach[there]["since"] == members:
                    continue
                if t + _away(s, there, target) > most:
                    continue
                if is_forbidden(s, here, there, there, t):
                    is_refused = True
                    continue
                if there == target:
                    return DONE, np.int64(t)
                s.reach[there]["since"] = members
                n_next = _list(s, 1 - side, n_next, there)
            if is_refused:
                n_next = _list(s, 1 - side, n_next, here)
        for k in range(counts[N_RULES]):
            cell = np.int64(s.rules[k]["place"])
            if s.reach[cell]["since"] == members and is_forbidden(s, cell, cell, cell, t):
                s.reach[cell]["since"] = 0
                for move in range(8):
                    beside = cell + s.moves.offsets[move]
                    if (s.moves.legal[cell] >> move) & 1 and s.reach[beside]["since"] == members:
                        n_next = _list(s, 1 - side, n_next, beside)
        n, side = n_next, 1 - side
        if n == 0 and t > counts[LAST_TIME]:
            break
    return DONE, most


@inner
def _list(s, side, n, cell):
    """Append `cell` to a frontier, unless it is there already; the new length."""
    if s.reach[cell]["listed"] == s.counts[STAMP]:
        return n
    s.reach[cell]["listed"] = s.counts[STAMP]
    s.frontier[side, n] = cell
    return n + 1


@inner
def _can_come(s, members, cell, t):
    """Whether an agent that is in one of the `members` can be in `cell` at the next time, which is `t`."""
    if s.reach[cell]["since"] == members and not is_forbidden(s, cell, cell, cell, t):
        return True
    for move in range(8):
        here = cell + s.moves.offsets[move]
        if (
            (s.moves.legal[cell] >> move) & 1
            and s.reach[here]["since"] == members
            and not is_forbidden(s, here, cell, cell, t)
        ):
            return True
    return False


@inner
def _away(s, cell, target):
    """The fewest steps between two cells on an empty map."""
    stride = s.moves.offsets[1]
    return max(abs(cell % stride - target % stride), abs(cell // stride - target // stride))


@inner
def _around(s, start, target, entry, gate):
    """The number of steps from `start` to `target` without the step from `entry` to `gate`; FOREVER if there is no way."""
    if start == target:
        return np.int64(0)
    s.counts[STAMP] += 1
    s.reach[start]["listed"] = s.counts[STAMP]
    s.frontier[0, 0] = start
    n, side, g = 1, 0, np.int64(0)
    while n > 0:
        g += 1
        n_next = 0
        for i in range(n):
            cell = np.int64(s.frontier[side, i])
            for move in range(8):
                there = cell + s.moves.offsets[move]
                if (s.moves.legal[cell] >> move) & 1 == 0 or (cell == entry and there == gate):
                    continue
                if there == target:
                    return g
                n_next = _list(s, 1 - side, n_next, there)
        n, side = n_next, 1 - side
    return np.int64(FOREVER)
