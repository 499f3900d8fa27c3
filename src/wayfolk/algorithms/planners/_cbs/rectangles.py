"""Rectangle reasoning: two agents that cross an open rectangle in the same two directions, resolved by one split.

Li, Harabor, Stuckey, Ma, Koenig, "Symmetry-breaking constraints for grid-based multi-agent path finding", 2019.

Turn the map so that both move right and down. Agent a, which begins left of and below agent b, leaves the rectangle through
its right side, and b through the lower side. Both are always on the same anti-diagonal, so their routes cross in some cell
at the same time. Hence a may use no node of the right side, or b none of the lower side. A side holds only nodes of the
agent's diagram: every route to such a node, dear or cheap, passes the node of the diagram where the rectangle begins,
because the diagram has no other node at that time. This holds for points and four moves only.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.mdd import has_node, width
from wayfolk.algorithms.planners._cbs.routes import route_of, where
from wayfolk.algorithms.planners._cbs.splits import put
from wayfolk.algorithms.planners._cbs.tables import N_SPLIT, N_SPLIT2, VERTEX
from wayfolk.compile.jit import inner


@inner
def split_rectangle(s, row, below):
    """Write the two sides to `split` if they have a rank less than `below`; the rank, or 3 if there is no rectangle."""
    best = np.int64(3)
    one, other, t = np.int64(row["one"]), np.int64(row["other"]), np.int64(row["time"])
    if not (_is_cheapest(s, one) and _is_cheapest(s, other)):
        return best
    for turn in range(4):
        sx, sy = 1 - 2 * (turn & 1), 1 - (turn & 2)
        rank = _try_turn(s, one, other, np.int64(row["there"]), t, sx, sy, min(best, below))
        best = min(best, rank)
    return best


@inner
def _is_cheapest(s, agent):
    """Whether the route of `agent` costs no more than those of its diagram."""
    return s.mdd[s.routes[route_of(s, agent)]["mdd"]] == s.now[agent]["length"]


@inner
def _try_turn(s, one, other, cell, t, sx, sy, below):
    """The rank of the rectangle whose routes go to `sx` and `sy`; it is written if it is less than `below`."""
    begin1, end1 = _span(s, one, t, sx, sy)
    begin2, end2 = _span(s, other, t, sx, sy)
    if begin1 == t or begin2 == t or end1 == t or end2 == t:
        return np.int64(3)
    end1, end2 = _last_single(s, one, t, end1), _last_single(s, other, t, end2)
    stride = s.moves.offsets[1]
    x1, y1 = _turned(where(s, one, end1), stride, sx, sy)
    x2, y2 = _turned(where(s, other, end2), stride, sx, sy)
    right, lower = min(x1, x2), min(y1, y2)
    # the earliest places where both routes begin beside each other
    for s1 in range(begin1, t):
        if width(s, route_of(s, one), s1) > 1:
            continue
        bx1, by1 = _turned(where(s, one, s1), stride, sx, sy)
        for s2 in range(begin2, t):
            if width(s, route_of(s, other), s2) > 1:
                continue
            bx2, by2 = _turned(where(s, other, s2), stride, sx, sy)
            if bx1 <= bx2 and by1 >= by2:
                return _write_sides(
                    s,
                    (one, other),
                    child=0,
                    cell=cell,
                    t=t,
                    turn=(sx, sy),
                    corner=(right, lower),
                    begin=(by1, bx2),
                    earliest=max(s1, s2),
                    below=below,
                )
            if bx2 <= bx1 and by2 >= by1:
                return _write_sides(
                    s,
                    (other, one),
                    child=1,
                    cell=cell,
                    t=t,
                    turn=(sx, sy),
                    corner=(right, lower),
                    begin=(by2, bx1),
                    earliest=max(s1, s2),
                    below=below,
                )
    return np.int64(3)


@inner
def _span(s, agent, t, sx, sy):
    """From when to when, around time `t`, the agent moves only to `sx` and `sy`."""
    stride = s.moves.offsets[1]
    begin, end = t, t
    while begin > 0:
        step = where(s, agent, begin) - where(s, agent, begin - 1)
        if step != sx and step != sy * stride:
            break
        begin -= 1
    length = s.now[agent]["length"]
    while end < length:
        step = where(s, agent, end + 1) - where(s, agent, end)
        if step != sx and step != sy * stride:
            break
        end += 1
    return begin, end


@inner
def _last_single(s, agent, t, end):
    """The last time up to `end` at which the agent can be in one cell only; `end` if there is none after `t`."""
    for late in range(end, t, -1):
        if width(s, route_of(s, agent), late) == 1:
            return late
    return end


@inner
def _turned(cell, stride, sx, sy):
    return sx * (cell % stride), sy * (cell // stride)


@inner
def _write_sides(s, agents, child, cell, t, turn, corner, begin, earliest, below):
    """Write the right side for the first of `agents`, whose child is `child`, and the lower side for the second."""
    stride = s.moves.offsets[1]
    x, y = _turned(cell, stride, turn[0], turn[1])
    right, lower = corner
    first, first2 = s.counts[N_SPLIT], s.counts[N_SPLIT2]  # behind the best one so far
    hits = hits2 = False
    for row_y in range(begin[0], lower + 1):
        time = t + (right - x) + (row_y - y)
        node = turn[0] * right + turn[1] * row_y * stride
        if time >= earliest and has_node(s, route_of(s, agents[0]), node, time):
            put(s, child, agents[0], VERTEX, node, node, time, time)
            hits = hits or where(s, agents[0], time) == node
    for column_x in range(begin[1], right + 1):
        time = t + (column_x - x) + (lower - y)
        node = turn[0] * column_x + turn[1] * lower * stride
        if time >= earliest and has_node(s, route_of(s, agents[1]), node, time):
            put(s, 1 - child, agents[1], VERTEX, node, node, time, time)
            hits2 = hits2 or where(s, agents[1], time) == node
    rank = np.int64(3)
    if hits and hits2:
        rank = np.int64(2)
        for k in range(2):
            begin_row = first if k == 0 else first2
            if _cuts(s, k, begin_row, s.counts[N_SPLIT + k]):
                rank -= 1
    if rank >= below:
        s.counts[N_SPLIT], s.counts[N_SPLIT2] = first, first2
        return rank
    for k in range(2):
        begin_row = first if k == 0 else first2
        n = s.counts[N_SPLIT + k] - begin_row
        for j in range(n):
            s.split[k, j] = s.split[k, begin_row + j]
        s.counts[N_SPLIT + k] = n
    return rank


@inner
def _cuts(s, child, first, end):
    """Whether every cheapest route has a node of the side in rows `first` to `end` of `split`.

    `low` marks the nodes that are reached without it.
    """
    agent = np.int64(s.split[child, first]["agent"])
    route = route_of(s, agent)
    place = s.routes[route]["mdd"]
    cost = s.mdd[place]
    s.low[0]["is_open"] = 1
    for t in range(cost):
        begin, middle, last = s.mdd[place + 1 + t], s.mdd[place + 2 + t], s.mdd[place + 3 + t]
        for k in range(middle, last, 2):
            s.low[(k - s.mdd[place + 1]) // 2]["is_open"] = 0
        for k in range(begin, middle, 2):
            if s.low[(k - s.mdd[place + 1]) // 2]["is_open"] == 0:
                continue
            for j in range(middle, last, 2):
                there, here = s.mdd[place + j], s.mdd[place + k]
                if not _is_move(s, s.mdd[place + k + 1], here, there):
                    continue
                blocked = False
                for row in range(first, end):
                    if s.split[child, row]["a"] == there and s.split[child, row]["begin"] == t + 1:
                        blocked = True
                if not blocked:
                    s.low[(j - s.mdd[place + 1]) // 2]["is_open"] = 1
    return s.low[(s.mdd[place + 1 + cost] - s.mdd[place + 1]) // 2]["is_open"] == 0


@inner
def _is_move(s, moves, here, there):
    """Whether the bits `moves` of a node at `here` hold the move to `there`."""
    if here == there:
        return (moves >> 8) & 1 == 1
    move = 0
    while move < 8 and here + s.moves.offsets[move] != there:
        move += 1
    return move < 8 and (moves >> move) & 1 == 1
