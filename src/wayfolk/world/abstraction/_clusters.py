"""The kernels that build clusters: where the nodes are, and how far it is between those of one cluster."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import DX, DY, NOWHERE
from wayfolk.kernels.graph import ZERO, cost, heuristic, slots, there

BACK = (2, 3, 0, 1, 6, 7, 4, 5)  # the opposite of each direction
ARRIVED, NO_WAY = 8, 9  # in a field of moves: the cell is the node; there is no way inside the cluster
FUZZ = 1e-9  # differences smaller than this come from rounding

NODE = np.dtype(
    [
        ("cell", np.int32),
        ("x", np.int32),
        ("y", np.int32),
        ("cluster", np.int32),
        ("exit", np.int32),
        ("below", np.int32),
    ],
    align=True,
)  # `exit` is its first one; `below` its number one level down
CLUSTER = np.dtype(
    [
        ("matrix", np.int64),  # where its distances are: a row for each node
        ("field", np.int64),  # where the ways to its nodes are: a row for each node
        ("first", np.int32),  # its first node
        ("inner", np.int32),  # the first node inside it one level down
        ("left", np.int32),
        ("top", np.int32),
    ],
    align=True,
)
EXIT = np.dtype(
    [("cost", np.float64), ("to", np.int32), ("rank", np.int32), ("x", np.int32), ("y", np.int32)], align=True
)  # from the node of its cluster with this rank to node `to` at (x, y)


class Squares(NamedTuple):
    """Squares `size` cells wide on a map; the rows of `corners` are the (x, y) of their top left places."""

    size: int
    width: int
    height: int
    corners: NDArray[np.int32]


class SearchRoom(NamedTuple):
    """The arrays of a search in a square: `rows` for the queue, `costs` for each of its cells."""

    rows: NDArray[np.void]
    costs: NDArray[np.float64]


class LevelBelow(NamedTuple):
    """What the clusters of one level are built from: the clusters, nodes, exits and distances of the level below."""

    clusters: NDArray[np.void]
    nodes: NDArray[np.void]
    exits: NDArray[np.void]
    matrix: NDArray[np.float64]


@kernel
def survey(graph, squares, narrow, cells, sides, counts):
    """Find the nodes of the clusters that are the `squares`; an entrance of fewer than `narrow` cells has one.

    Row by row, writes cells to `cells`, the sides of the cluster they lead out of (bits by direction) to `sides`, and
    their number to `counts`.
    """
    legal, stride = graph.legal, graph.stride
    size, width, height, corners = squares
    for row in range(len(corners)):
        left, top = corners[row, 0], corners[row, 1]
        right, bottom = min(left + size, width), min(top + size, height)
        counts[row] = 0
        if left >= width or top >= height:
            continue
        for side in range(4):
            across, along = (1, stride) if side % 2 == 0 else (stride, 1)
            first, length = (top + 1) * stride + left + 1, bottom - top
            if side % 2 == 1:
                length = right - left
            if side == 0:
                first += right - 1 - left
            elif side == 1:
                first += (bottom - 1 - top) * stride
            if side >= 2:
                across = -across
            is_inside = (right < width, bottom < height, left > 0, top > 0)[side]
            run = 0
            for step in range(length + 1 if is_inside else 0):
                cell = first + step * along
                crosses = step < length and (legal[cell] >> side) & 1 == 1
                if run > 0 and not (crosses and _is_joined(legal, cell - along, across, side)):
                    if run < narrow:
                        _add(cells[row], sides[row], counts, row, cell - (run - run // 2) * along, side)
                    else:
                        _add(cells[row], sides[row], counts, row, cell - run * along, side)
                        _add(cells[row], sides[row], counts, row, cell - along, side)
                    run = 0
                if crosses:
                    run += 1


@inner
def _is_joined(legal, cell, across, side):
    """Whether one can go on from `cell` along a border, on both sides of it."""
    ahead = 1 - side % 2
    return (legal[cell] >> ahead) & (legal[cell + across] >> ahead) & 1 == 1


@inner
def _add(cells, sides, counts, row, cell, side):
    n = counts[row]
    for k in range(n):
        if cells[k] == cell:
            sides[k] |= 1 << side
            return
    cells[n] = cell
    sides[n] = 1 << side
    counts[row] = n + 1


@kernel
def measure(graph, size, todo, clusters, nodes, room, matrix, fields):
    """Search each cluster of `todo` from each of its nodes: the distances between nodes, the moves from all cells.

    `fields` holds, for each node, a size x size square of the first move from each cell of the cluster to it.
    `room.rows` has room for eight entries for each cell of a square, `room.costs` for one.
    """
    for which in todo:
        cluster = clusters[which]
        first, n = cluster["first"], clusters[which + 1]["first"] - cluster["first"]
        left, top = cluster["left"], cluster["top"]
        for k in range(n):
            at = cluster["field"] + k * size * size
            field = fields[at : at + size * size]
            source = np.int64(nodes[first + k]["cell"])
            flood(
                graph,
                left=left, top=top, size=size, source=source, wanted=np.int64(NOWHERE), kind=np.int64(ZERO),
                rows=room.rows, costs=room.costs, field=field,
            )  # fmt: skip
            for j in range(n):
                other = nodes[first + j]["cell"]
                y = other // graph.stride
                matrix[cluster["matrix"] + k * n + j] = room.costs[
                    (y - 1 - top) * size + other - y * graph.stride - 1 - left
                ]


@inner
def flood(graph, left, top, size, source, wanted, kind, rows, costs, field):
    """Dijkstra from `source` inside a square; A* until `wanted` is reached, if that is somewhere.

    Moves towards `source` are left in `field`, the costs of those ways in `costs`.
    """
    stride = graph.stride
    corner = (top + 1) * stride + left + 1
    for k in range(size * size):
        costs[k] = np.inf
        field[k] = NO_WAY
    y = (source - corner) // stride
    spot = y * size + (source - corner - y * stride)
    costs[spot] = 0.0
    field[spot] = ARRIVED
    n = _push(rows, np.int64(0), 0.0, 0.0, spot)
    while n > 0:
        key, spot = rows[0]["tie"], np.int64(rows[0]["item"])
        n = heap.pop(rows, n)
        here = costs[spot]
        if key != -key_of(here):  # a better copy came before
            continue
        y = spot // size
        x = spot - y * size
        cell = corner + y * stride + x
        if cell == wanted:
            return
        for k in range(slots(graph, cell)):
            other = there(graph, cell, k)
            if other == NOWHERE:
                continue
            to_x, to_y = x + DX[k], y + DY[k]
            if not (0 <= to_x < size and 0 <= to_y < size):
                continue
            reached = here + cost(graph, cell, k)
            spot = to_y * size + to_x
            if reached < costs[spot] - FUZZ:
                costs[spot] = reached
                field[spot] = BACK[k]
                rest = 0.0 if wanted == NOWHERE else heuristic(graph, np.int64(other), wanted, kind)
                n = _push(rows, n, reached, rest, spot)


@inner
def _push(rows, n, reached, rest, item):
    """Put `item` into the queue, whose first one has the least `reached` + `rest`, then the largest `reached`."""
    return heap.push(rows, n, key_of(reached + rest), -key_of(reached), item)


@inner
def key_of(value):
    """A whole number that is larger for a larger `value`, which is not negative."""
    return np.float64(value).view(np.int64)


@kernel
def connect(todo, clusters, nodes, below, rows, matrix, reach, hops):
    """The same for clusters of clusters: search each from each of its nodes among the nodes inside it, one level down.

    `reach` holds, for each node, the distance to it from each node inside, and `hops` the next node on the way.
    `rows` has room for an entry for each edge inside a cluster.
    """
    for which in todo:
        cluster = clusters[which]
        first, n = cluster["first"], clusters[which + 1]["first"] - cluster["first"]
        inside, n_inside = cluster["inner"], clusters[which + 1]["inner"] - cluster["inner"]
        for k in range(n):
            at = cluster["field"] + k * n_inside
            costs, hop = reach[at : at + n_inside], hops[at : at + n_inside]
            _spread(inside, nodes[first + k]["below"], rows, costs, hop, below)
            for j in range(n):
                matrix[cluster["matrix"] + k * n + j] = costs[nodes[first + j]["below"] - inside]


@inner
def _spread(inside, source, rows, costs, hop, below):
    """Dijkstra from node `source` among the nodes from `inside` on, as many as `costs` has room for."""
    for k in range(costs.size):
        costs[k] = np.inf
        hop[k] = 0
    costs[source - inside] = 0.0
    n = _push(rows, np.int64(0), 0.0, 0.0, np.int64(source))
    while n > 0:
        key, node = rows[0]["f"], np.int64(rows[0]["item"])
        n = heap.pop(rows, n)
        here = costs[node - inside]
        if key_of(here) != key:
            continue
        home = below.nodes[node]["cluster"]
        first, n_near = below.clusters[home]["first"], below.clusters[home + 1]["first"] - below.clusters[home]["first"]
        at = below.clusters[home]["matrix"] + (node - first) * n_near
        for k in range(n_near):
            n = _relax(inside, node, first + k, here + below.matrix[at + k], rows, n, costs, hop)
        for k in range(below.nodes[node]["exit"], below.nodes[node + 1]["exit"]):
            other = np.int64(below.exits[k]["to"])
            if 0 <= other - inside < costs.size:
                n = _relax(inside, node, other, here + below.exits[k]["cost"], rows, n, costs, hop)


@inner
def _relax(inside, node, other, reached, rows, n, costs, hop):
    if reached < costs[other - inside] - FUZZ:
        costs[other - inside] = reached
        hop[other - inside] = node - inside
        return _push(rows, n, reached, 0.0, other)
    return n
