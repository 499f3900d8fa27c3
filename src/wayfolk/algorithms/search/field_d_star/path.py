"""From a field of values to a path: downhill through it, from side to side of the squares of its lattice.

From a point on a side of a square the path goes to the point of another side from where the goal is nearest. The
interpolated cost there can be too low, so a point is judged by the best cost one step further, as in the paper.

Invariants  the interpolated cost falls from point to point, so that the path cannot go round in circles.
            Only values that a new field would also have are used: those at most as far from the goal as the start.
"""

import math

from wayfolk.algorithms.search.field_d_star.field import (
    SLACK,
    corner_of,
    edge_left,
    edge_rate,
    heuristic,
    rate,
    touches,
)
from wayfolk.compile.jit import inner, kernel

N_WAYS = 40  # from a point: 4 squares, of each 4 sides with two ends, and 2 edges to be left half-way


@kernel
def follow(field, start, goal, points):
    """Write the path to `points`, in columns and rows of the lattice; how many, and what it costs.

    The number is 0 if no way on is found, and more than there is room for if that is too little.
    """
    span = field.span
    x, y = float(start % span), float(start // span)
    goal_x, goal_y = float(goal % span), float(goal // span)
    limit = field.nodes[start]["g"] + SLACK
    promised, total = field.nodes[start]["g"], 0.0
    n = 1
    points[0, 0], points[0, 1] = x, y
    while x != goal_x or y != goal_y:
        best, step, rest, to_x, to_y = math.inf, 0.0, 0.0, x, y
        for way in range(N_WAYS):
            cost, left, there_x, there_y = _way(field, x, y, way, start, limit)
            if left < promised or (left == promised and not _is_node(x, y)):
                value = left if _is_node(there_x, there_y) else _look_ahead(field, there_x, there_y, start, limit)
                if cost + value < best:
                    best, step, rest, to_x, to_y = cost + value, cost, left, there_x, there_y
        if best == math.inf:
            return 0, math.inf
        if n >= 2 and _is_node(x, y) and _is_straight(points, n, to_x, to_y):
            n -= 1
        if n >= len(points):
            return n + 1, math.inf
        x, y, promised = to_x, to_y, rest
        points[n, 0], points[n, 1] = x, y
        total += step
        n += 1
    return n, total


@inner
def _look_ahead(field, x, y, start, limit):
    """The least cost from a point, by what is promised one step on."""
    best = math.inf
    for way in range(N_WAYS):
        cost, left, _, _ = _way(field, x, y, way, start, limit)
        best = min(best, cost + left)
    return best


@inner
def _way(field, x, y, way, start, limit):
    """One of the ways on from a point: its cost, the cost promised from there on, and where it leads.

    The cost is infinite if there is no such way.
    """
    span = field.span
    square = way >> 3 if way < 32 else (way - 32) >> 1
    nothing = math.inf, math.inf, x, y
    # the square and its cell
    west, north = math.floor(x), math.floor(y)
    if square & 1 == 0:
        if x != west:
            return nothing
        west -= 1
    if square & 2 == 0:
        if y != north:
            return nothing
        north -= 1
    cell, column, row = corner_of(field.stride, span, north * span + west, 3)
    reach = field.reach[cell]
    if reach == 0:
        return nothing
    for end in range(2):  # both ends of the side the point is on, or the node it is
        near_x, near_y = math.ceil(x) if end else math.floor(x), math.ceil(y) if end else math.floor(y)
        if not touches(reach, column + near_x - west, row + near_y - north):
            return nothing
    inside = 0.5 * rate(field.terrain, cell)
    if way >= 32:
        return _leave_edge(
            field, x=x, y=y, west=west, north=north, is_level=way & 1 == 0, inside=inside, start=start, limit=limit
        )
    # the side, from (one_x, one_y) in one direction or the other
    side, end = (way >> 1) & 3, way & 1
    is_level = side < 2
    one_x, one_y = west + (side == 3), north + (side == 1)
    first = _settled(field, reach, column + one_x - west, row + one_y - north, one_x, one_y, start, limit)
    if is_level:
        second = _settled(field, reach, column + 1, row + one_y - north, one_x + 1, one_y, start, limit)
        away, at, line = abs(one_y - y), x - one_x, row + one_y - north
    else:
        second = _settled(field, reach, column + one_x - west, row + 1, one_x, one_y + 1, start, limit)
        away, at, line = abs(one_x - x), y - one_y, column + one_x - west
    if first == math.inf and second == math.inf:
        return nothing
    if away == 0.0:  # along the side that the point is on
        to = float(end)
        if at == to or (second if end else first) == math.inf:
            return nothing
        cost = edge_rate(field.terrain, cell, line, field.stride if is_level else 1) * abs(at - to)
    else:
        if end:
            return nothing
        to = _lowest(inside, away, at, first, second)
        cost = inside * math.sqrt(away * away + (at - to) * (at - to))
    if to == 0.0:
        left = first
    elif to == 1.0:
        left = second
    else:
        left = first + to * (second - first)
    if is_level:
        return cost, left, one_x + to, float(one_y)
    return cost, left, float(one_x), one_y + to


@inner
def _lowest(inside, away, at, first, second):
    """Where a side is crossed best from a point `away` from it, `at` along it; costs at its ends are interpolated."""
    fall = first - second
    if first == math.inf or fall >= inside:
        return 1.0
    if second == math.inf or -fall >= inside:
        return 0.0
    return min(max(at + away * fall / math.sqrt(inside * inside - fall * fall), 0.0), 1.0)


@inner
def _leave_edge(field, x, y, west, north, is_level, inside, start, limit):
    """The way along the cheaper edge of a square from a node, to where it is left for the node across."""
    nothing = math.inf, math.inf, x, y
    if field.terrain.size == 0 or not _is_node(x, y):
        return nothing
    here_x, here_y = int(x), int(y)
    far_x, far_y = 2 * west + 1 - here_x, 2 * north + 1 - here_y
    beside_x, beside_y = (far_x, here_y) if is_level else (here_x, far_y)
    cell, column, row = corner_of(field.stride, field.span, north * field.span + west, 3)
    reach = field.reach[cell]
    if not touches(reach, column + beside_x - west, row + beside_y - north):
        return nothing
    across = _settled(field, reach, column + far_x - west, row + far_y - north, far_x, far_y, start, limit)
    if is_level:
        along = edge_rate(field.terrain, cell, row + here_y - north, field.stride)
    else:
        along = edge_rate(field.terrain, cell, column + here_x - west, 1)
    rest = edge_left(inside, along)
    if across == math.inf or rest >= 1.0:
        return nothing
    left = inside * math.sqrt(1.0 + rest * rest) + across
    if is_level:
        return along * (1.0 - rest), left, x + (far_x - x) * (1.0 - rest), y
    return along * (1.0 - rest), left, x, y + (far_y - y) * (1.0 - rest)


@inner
def _settled(field, reach, column, row, x, y, start, limit):
    """The value of a node, infinite if it cannot be used in the cell or is not known for sure."""
    if not touches(reach, column, row):
        return math.inf
    here = y * field.span + x
    node = field.nodes[here]
    if (
        node["is_seen"] == 0
        or node["g"] != node["rhs"]
        or node["g"] + heuristic(field.span, field.cheapest, here, start) > limit
    ):
        return math.inf
    return node["g"]


@inner
def _is_node(x, y):
    return x == math.floor(x) and y == math.floor(y)


@inner
def _is_straight(points, n, x, y):
    """Whether the last of `n` points lies on the line from the one before to (x, y); all of them are nodes."""
    back_x, back_y, last_x, last_y = points[n - 2, 0], points[n - 2, 1], points[n - 1, 0], points[n - 1, 1]
    if not (_is_node(back_x, back_y) and _is_node(x, y)):
        return False
    return (last_x - back_x) * (y - last_y) == (last_y - back_y) * (x - last_x)
