"""The field of Field D*: what it costs to the goal from every point of a lattice, and between them by interpolation.

The lattice has the centres of cells, the middles of their edges and their corners as nodes: it is half as wide as a
cell, so that each of its squares lies in one cell and has one cost, and a square has one centre, one corner and two
middles. `reach` says which of them a path may touch, a byte for each cell like that of legal moves: bit k for the middle
or the corner that step k goes through. A middle can be used if the step across it is legal, a corner by a cell if the
grid's rule lets a path touch it from there.

Invariants  rhs of a node is the least over the eight triangles around it, given g of its neighbours; the heap holds every
            node whose g and rhs differ, with the key of D* Lite.
Heuristic   the octile distance over the square root of 2. The cost of a triangle's node can be as little as that below
            the cost of what depends on it, so with more a node could be closed before all that it depends on is right,
            and the values would depend on the order of expansions: a repaired field would differ from a new one.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import (
    EAST,
    EXHAUSTED,
    FOUND,
    FULL,
    NORTH,
    NORTH_EAST,
    NORTH_WEST,
    RUNNING,
    SOUTH,
    SOUTH_EAST,
    SOUTH_WEST,
    WEST,
)
from wayfolk.kernels.heap import FLOAT_ROW

N_OPEN, EXPANDED, GENERATED = range(3)  # places in `counts`
SLACK = (
    1e-9  # nodes this much costlier than the start are computed too: equals must not depend on the order of expansions
)
NODE = np.dtype([("g", np.float64), ("rhs", np.float64), ("is_seen", np.int64)], align=True)
CENTRE = 8
# the bit of `reach` for each node of a cell, row by row
BIT = (NORTH_WEST, NORTH, NORTH_EAST, WEST, CENTRE, EAST, SOUTH_WEST, SOUTH, SOUTH_EAST)


class Field(NamedTuple):
    """A lattice of nodes `span` wide over the cells of a grid. `terrain` is empty where every cell costs 1.

    `moved` is how far the start has moved since the field was begun, in the sense of `heuristic`.
    """

    reach: NDArray[np.uint8]
    terrain: NDArray[np.float64]
    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    counts: NDArray[np.int64]
    stride: int
    span: int
    cheapest: float
    moved: float


def new_field(reach: NDArray[np.uint8], terrain: NDArray[np.float64], stride: int, cheapest: float) -> Field:
    """A field nothing is known of yet. Its memory is taken from the system only where it is used."""
    span = 2 * stride + 1
    nodes = np.zeros((2 * (reach.size // stride) + 1) * span, NODE)
    return Field(
        reach=reach,
        terrain=terrain,
        nodes=nodes,
        rows=np.zeros(1024, FLOAT_ROW),
        counts=np.zeros(4, np.int64),
        stride=stride,
        span=span,
        cheapest=cheapest,
        moved=0.0,
    )


def with_room(field: Field, n_rows: int) -> Field:
    """The same field with room for `n_rows` more in its heap."""
    short = int(field.counts[N_OPEN]) + n_rows - field.rows.size
    if short <= 0:
        return field
    return field._replace(rows=np.concatenate([field.rows, np.zeros(max(short, field.rows.size), FLOAT_ROW)]))


@kernel
def set_goal(field, start, goal):
    """Begin at the node `goal`."""
    look_up(field.nodes, goal)
    field.nodes[goal]["rhs"] = 0.0
    _enqueue(field.nodes, field.rows, field.counts, goal, heuristic(field.span, field.cheapest, goal, start))


@kernel
def repair(field, start, goal, budget, events):
    """Expand up to `budget` nodes, until the value of `start` is right; RUNNING, FOUND, EXHAUSTED or FULL.

    A cell that each expanded node belongs to is written to `events` while there is room.
    """
    nodes, rows, count, span = field.nodes, field.rows, field.counts, field.span
    stop = count[EXPANDED] + budget
    while True:
        limit = field.moved + SLACK + min(look_up(nodes, start), nodes[start]["rhs"])
        if count[N_OPEN] == 0 or rows[0]["f"] > limit:
            return FOUND if nodes[start]["rhs"] < math.inf else EXHAUSTED
        here = rows[0]["item"]
        node = nodes[here]
        least = min(node["g"], node["rhs"])
        if node["g"] == node["rhs"] or rows[0]["tie"] != least:  # this row no longer counts
            count[N_OPEN] = heap.pop(rows, count[N_OPEN])
            continue
        key = least + heuristic(span, field.cheapest, here, start) + field.moved
        if rows[0]["f"] < key:  # the start has moved away
            count[N_OPEN] = heap.pop(rows, count[N_OPEN])
            count[N_OPEN] = heap.push(rows, count[N_OPEN], key, least, here)
            continue
        if count[EXPANDED] >= stop:
            return RUNNING
        if count[N_OPEN] + 16 > rows.size:
            return FULL
        count[N_OPEN] = heap.pop(rows, count[N_OPEN])
        if count[EXPANDED] < events.size:
            events[count[EXPANDED]] = _cell_of(field, here)
        count[EXPANDED] += 1
        if node["g"] > node["rhs"]:
            node["g"] = node["rhs"]
            _pass_on(field, start, here)
        else:
            node["g"] = math.inf
            for row in range(-1, 2):
                for column in range(-1, 2):
                    update(field, start, goal, here + row * span + column)


@kernel
def update_cells(field, start, goal, cells):
    """Work out anew what the nodes of `cells` depend on, which have changed."""
    for cell in cells:
        y = cell // field.stride
        first = 2 * y * field.span + 2 * (cell - y * field.stride)
        for row in range(3):
            for column in range(3):
                update(field, start, goal, first + row * field.span + column)


@inner
def update(field, start, goal, here):
    """Work out rhs of a node from all triangles around it."""
    nodes, terrain, stride = field.nodes, field.terrain, field.stride
    look_up(nodes, here)
    if here != goal:
        best = math.inf
        for square in range(4):
            cell, column, row = corner_of(stride, field.span, here, square)
            reach = field.reach[cell]
            if not touches(reach, column, row):
                continue
            to_column, to_row = 2 * (square & 1) - 1, (square & 2) - 1
            aside, ahead = here + to_column, here + to_row * field.span
            inside, across = 0.5 * rate(terrain, cell), math.inf
            if touches(reach, column + to_column, row + to_row):
                across = look_up(nodes, ahead + to_column)
            best = min(best, inside * math.sqrt(2.0) + across)
            if touches(reach, column + to_column, row):
                along = edge_rate(terrain, cell, row, stride)
                best = min(best, cross_square(inside, along, look_up(nodes, aside), across))
            if touches(reach, column, row + to_row):
                along = edge_rate(terrain, cell, column, 1)
                best = min(best, cross_square(inside, along, look_up(nodes, ahead), across))
        nodes[here]["rhs"] = best
    far = field.moved + heuristic(field.span, field.cheapest, here, start)
    _enqueue(nodes, field.rows, field.counts, here, far)


@inner
def _pass_on(field, start, here):
    """Offer the node `here`, whose g has fallen, to its neighbours by all triangles that it is part of.

    What is no costlier than `here` itself cannot get cheaper by it.
    """
    nodes, rows, count, terrain = field.nodes, field.rows, field.counts, field.terrain
    stride, span, cheapest, moved = field.stride, field.span, field.cheapest, field.moved
    g = nodes[here]["g"]
    for square in range(4):
        cell, column, row = corner_of(stride, span, here, square)
        reach = field.reach[cell]
        if not touches(reach, column, row):
            continue
        to_column, to_row = 2 * (square & 1) - 1, (square & 2) - 1
        aside, ahead = here + to_column, here + to_row * span
        across = ahead + to_column
        is_aside, is_ahead = touches(reach, column + to_column, row), touches(reach, column, row + to_row)
        g_aside = look_up(nodes, aside) if is_aside else math.inf
        g_ahead = look_up(nodes, ahead) if is_ahead else math.inf
        inside = 0.5 * rate(terrain, cell)
        if is_aside and nodes[aside]["rhs"] > g:
            value = cross_square(inside, edge_rate(terrain, cell, row, stride), g, g_ahead)
            _offer(nodes, rows, count, aside, value, moved + heuristic(span, cheapest, aside, start))
        if is_ahead and nodes[ahead]["rhs"] > g:
            value = cross_square(inside, edge_rate(terrain, cell, column, 1), g, g_aside)
            _offer(nodes, rows, count, ahead, value, moved + heuristic(span, cheapest, ahead, start))
        if touches(reach, column + to_column, row + to_row):
            look_up(nodes, across)
            if nodes[across]["rhs"] > g:
                value = inside * math.sqrt(2.0) + g
                if is_aside:
                    along = edge_rate(terrain, cell, column + to_column, 1)
                    value = min(value, cross_square(inside, along, g_aside, g))
                if is_ahead:
                    along = edge_rate(terrain, cell, row + to_row, stride)
                    value = min(value, cross_square(inside, along, g_ahead, g))
                _offer(nodes, rows, count, across, value, moved + heuristic(span, cheapest, across, start))


@inner
def _offer(nodes, rows, count, here, value, far):
    """Lower rhs of a node that is `far` from the start to `value`, if that is less."""
    node = nodes[here]
    if value < node["rhs"]:
        if node["rhs"] == math.inf:
            count[GENERATED] += 1
        node["rhs"] = value
        _enqueue(nodes, rows, count, here, far)


@inner
def _enqueue(nodes, rows, count, here, far):
    """Put a node whose g and rhs differ into the heap."""
    node = nodes[here]
    if node["g"] != node["rhs"]:
        least = min(node["g"], node["rhs"])
        count[N_OPEN] = heap.push(rows, count[N_OPEN], least + far, least, here)


@kernel
def heuristic(span, cheapest, one, other):
    """A distance between two nodes that no value falls faster than."""
    row, other_row = one // span, other // span
    wide, tall = abs((one - row * span) - (other - other_row * span)), abs(row - other_row)
    return 0.5 * cheapest * (math.sqrt(0.5) * abs(wide - tall) + min(wide, tall))


@kernel
def cross_square(inside, along, first, second):
    """The least cost from a corner of a unit square to its far side, whose ends cost `first` (beside) and `second`.

    Inside the square a unit costs `inside`, along the edge to the first end it costs `along`. On the far side costs are
    interpolated. The path crosses the square at once, or goes along the edge: to the first end, or for a while and then
    to the second.
    """
    least = min(inside, along) + first
    if first <= second:
        return least
    fall = first - second
    if fall > along:
        rest = edge_left(inside, along)
        return min(least, inside * math.sqrt(1.0 + rest * rest) + along * (1.0 - rest) + second)
    y = 1.0
    if fall < inside:
        y = min(fall / math.sqrt(inside * inside - fall * fall), 1.0)
    return min(least, inside * math.sqrt(1.0 + y * y) + fall * (1.0 - y) + second)


@inner
def edge_left(inside, along):
    """How much of an edge is left where a path leaves it for the corner across the square."""
    if inside <= along:
        return 1.0
    return min(along / math.sqrt(inside * inside - along * along), 1.0)


@inner
def corner_of(stride, span, here, square):
    """Of one of the four squares around a node: its cell, and the column and row of the node in that."""
    row = here // span
    column = here - row * span
    x, y = (column - 1 + (square & 1)) >> 1, (row - 1 + (square >> 1)) >> 1
    return y * stride + x, column - 2 * x, row - 2 * y


@inner
def touches(reach, column, row):
    """Whether a path in a cell may touch its node at (column, row), counted from the north-west corner."""
    bit = BIT[3 * row + column]
    return reach != 0 if bit == CENTRE else (reach >> bit) & 1 != 0


@inner
def edge_rate(terrain, cell, place, step):
    """What half a unit costs along a line through `cell`, or at `place` 0 or 2 along its edge to the cell a step on."""
    least = rate(terrain, cell)
    if terrain.size > 0 and place != 1:
        least = min(least, rate(terrain, cell + (place - 1) * step))
    return 0.5 * least


@inner
def rate(terrain, cell):
    """What a unit of length costs in `cell`."""
    return 1.0 if terrain.size == 0 else terrain[cell]


@inner
def look_up(nodes, here):
    """g of a node, which may never have been seen."""
    node = nodes[here]
    if node["is_seen"] == 0:
        node["is_seen"] = 1
        node["g"] = node["rhs"] = math.inf
    return node["g"]


@inner
def _cell_of(field, here):
    """A cell that can use the node `here`."""
    row = here // field.span
    column = here - row * field.span
    cell = (row >> 1) * field.stride + (column >> 1)
    is_corner = row & 1 == 0 and column & 1 == 0
    return cell - field.stride - 1 if is_corner and field.reach[cell] == 0 else cell
