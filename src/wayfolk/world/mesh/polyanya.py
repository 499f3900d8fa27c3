"""Polyanya: the shortest path between two points of a mesh, by A* over what can be seen of its edges.

Cui, Harabor and Grastien, "Compromise-free pathfinding on a navigation mesh", 2017.

Guarantees  a shortest path, if there is one.
Invariants  a node is a stretch of an edge, all of it in sight of the node's root, the last bend before it; `g` is the
            length of the way to the root. f, the way over the stretch if nothing else were in the way, never
            overestimates.
Cost        time in proportion to the stretches whose f is below the length of the path.
Deviations  a node with a single successor is not skipped. Bends are distinguished by fan (see `world.mesh.geometry`),
            so that a point at which two walls touch is two bends; and by side: of several ways to turn left, or right,
            around a corner the first of the shortest counts. Corners in a row would double the nodes each time
            otherwise.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap
from wayfolk.kernels.codes import EXHAUSTED, FOUND, FULL, NOWHERE, RUNNING
from wayfolk.kernels.heap import FLOAT_ROW
from wayfolk.world.mesh.geometry import Ray, cross, distance, following

N_NODES, N_ROWS, EXPANDED, LAST = range(4)  # places in `counts`
SLACK = 1e-12  # what comes from rounding, relatively

NODE = np.dtype(
    [
        ("root_x", np.float64), ("root_y", np.float64), ("left_x", np.float64), ("left_y", np.float64),
        ("right_x", np.float64), ("right_y", np.float64), ("g", np.float64),
        # the bends (two for each fan) at the root and, where there is a corner, at the two ends; else NOWHERE
        ("root", np.int32), ("left", np.int32), ("right", np.int32),
        # the polygon ahead and its edge that is entered, and the node before
        ("into", np.int32), ("door", np.int32), ("parent", np.int32),
    ],
    align=True,
)  # fmt: skip
WAY = np.dtype([("g", np.float64), ("root", np.int32)], align=True)


class Stretches(NamedTuple):
    """What a search knows: all nodes, the open ones, and the shortest way to each bend with the bend before it."""

    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    ways: NDArray[np.void]
    counts: NDArray[np.int64]


class PlaneQuery(NamedTuple):
    """Two points: the polygons `homes` hold the start, `ends` the goal; no polygon holds both."""

    start_x: float
    start_y: float
    homes: NDArray[np.int32]
    goal_x: float
    goal_y: float
    ends: NDArray[np.int32]


class Viewpoint(NamedTuple):
    """Where edges are looked at from: the root (x, y), its bend, the length of the way to it, and the node before."""

    x: float
    y: float
    root: int
    g: float
    parent: int


def new_stretches(n_fans: int, room: int = 1024) -> Stretches:
    """Nothing known."""
    ways = np.zeros(2 * n_fans, WAY)
    ways["g"] = np.inf
    return Stretches(np.zeros(room, NODE), np.zeros(room, FLOAT_ROW), ways, np.zeros(4, np.int64))


def grown(memory: Stretches) -> Stretches:
    """The same with twice the room."""
    nodes, rows, ways, counts = memory
    return Stretches(np.concatenate([nodes, nodes]), np.concatenate([rows, rows]), ways, counts)


@kernel
def search(mesh, memory, query, budget, events):
    """Expand up to `budget` nodes; returns RUNNING, FOUND, EXHAUSTED or FULL."""
    counts, nodes, rows = memory.counts, memory.nodes, memory.rows
    if counts[N_NODES] == 0:
        room = 0
        for polygon in query.homes:
            room += mesh.first[polygon + 1] - mesh.first[polygon]
        if room >= nodes.size:
            return FULL
        for polygon in query.homes:
            _leave(mesh, memory, query, polygon)
    stop = counts[EXPANDED] + budget
    while counts[N_ROWS] > 0:
        last = rows[0]["item"]
        node = nodes[last]
        if node["root"] != NOWHERE and node["g"] > memory.ways[node["root"]]["g"]:
            counts[N_ROWS] = heap.pop(rows, counts[N_ROWS])
            continue
        for end in query.ends:
            if end == node["into"]:
                counts[LAST] = last
                return FOUND
        if counts[EXPANDED] >= stop:
            return RUNNING
        if counts[N_NODES] + 3 * (mesh.first[node["into"] + 1] - mesh.first[node["into"]]) >= nodes.size:
            return FULL
        counts[N_ROWS] = heap.pop(rows, counts[N_ROWS])
        if counts[EXPANDED] < events.size:
            events[counts[EXPANDED]] = node["into"]
        counts[EXPANDED] += 1
        _expand(mesh, memory, query, last)
    return EXHAUSTED


@inner
def _leave(mesh, memory, query, polygon):
    """Open every edge of a polygon that holds the start."""
    view = Viewpoint(query.start_x, query.start_y, np.int64(NOWHERE), 0.0, np.int64(NOWHERE))
    for edge in range(mesh.first[polygon], mesh.first[polygon + 1]):
        _open(mesh, memory, query, view, polygon, edge, 0.0, 1.0)


@inner
def _expand(mesh, memory, query, last):
    """Look through a stretch at the other edges of the polygon ahead, which come from right to left.

    The rays from the root through the ends of the stretch divide them: what lies between is in sight of the root; what
    lies to the right can be reached by a bend around the right end, if there is a corner; and so on the left.
    """
    node = memory.nodes[last]
    polygon, door = node["into"], node["door"]
    right, left = _ray(node, node["right_x"], node["right_y"]), _ray(node, node["left_x"], node["left_y"])
    over_right, over_left = node["g"] + right.length, node["g"] + left.length
    edge = following(mesh, polygon, door)
    while edge != door:
        here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
        if here["beyond"] != NOWHERE:
            begin, end = 0.0, 1.0  # of the part in sight
            if right.length > mesh.near:
                begin = _hidden(mesh, here, after, right, 1.0)
            if left.length > mesh.near:
                end = 1.0 - _hidden(mesh, after, here, left, -1.0)
            if begin > 0.0 and node["right"] != NOWHERE and _is_best(memory, node["right"], over_right, node["root"]):
                bend = Viewpoint(node["right_x"], node["right_y"], np.int64(node["right"]), over_right, np.int64(last))
                _open(mesh, memory, query, bend, polygon, edge, 0.0, begin)
            if end - begin > SLACK:
                root = Viewpoint(node["root_x"], node["root_y"], np.int64(node["root"]), node["g"], np.int64(last))
                _open(mesh, memory, query, root, polygon, edge, begin, end)
            if end < 1.0 and node["left"] != NOWHERE and _is_best(memory, node["left"], over_left, node["root"]):
                bend = Viewpoint(node["left_x"], node["left_y"], np.int64(node["left"]), over_left, np.int64(last))
                _open(mesh, memory, query, bend, polygon, edge, end, 1.0)
        edge = following(mesh, polygon, edge)


@inner
def _ray(node, x, y):
    """The line from the root of a node to an end of its stretch."""
    dx, dy = x - node["root_x"], y - node["root_y"]
    return Ray(node["root_x"], node["root_y"], dx, dy, distance(dx, dy))


@inner
def _hidden(mesh, here, after, ray, side):
    """Which part of an edge, 0 to 1 from `here` on, is outside of a ray: to its right if `side` is 1, left if -1.

    The ray goes from the root through an end of the stretch, at its length. An edge along the ray is in sight if it lies
    ahead of that.
    """
    x, y, dx, dy, length = ray
    begin = side * cross(dx, dy, here["x"] - x, here["y"] - y)
    end = side * cross(dx, dy, after["x"] - x, after["y"] - y)
    near = mesh.near * length
    if begin >= -near and end >= -near:
        if begin <= near and end <= near:
            along = min(dx * (here["x"] - x) + dy * (here["y"] - y), dx * (after["x"] - x) + dy * (after["y"] - y))
            return 0.0 if along >= length * length - near else 1.0
        return 0.0
    if end <= near:
        return 1.0
    return begin / (begin - end)


@inner
def _is_best(memory, bend, g, root):
    """Whether no way to a bend is shorter than the one over `root`, and none as short came before it."""
    way = memory.ways[bend]
    if g < way["g"] * (1.0 - SLACK):
        way["g"], way["root"] = g, root
        return True
    return g == way["g"] and root == way["root"]


@inner
def _open(mesh, memory, query, view, polygon, edge, begin, end):
    """Add the stretch from `begin` to `end` of an edge of `polygon`, unless it is a wall."""
    here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
    if here["beyond"] == NOWHERE:
        return
    item = memory.counts[N_NODES]
    memory.counts[N_NODES] += 1
    node = memory.nodes[item]
    dx, dy = after["x"] - here["x"], after["y"] - here["y"]
    node["root_x"], node["root_y"], node["root"], node["g"], node["parent"] = view
    node["into"], node["door"] = here["beyond"], here["twin"]
    node["right"], node["left"] = NOWHERE, NOWHERE
    node["right_x"], node["right_y"] = here["x"] + begin * dx, here["y"] + begin * dy
    node["left_x"], node["left_y"] = here["x"] + end * dx, here["y"] + end * dy
    if begin == 0.0 and here["turns"]:
        node["right"] = 2 * here["fan"]
    if end == 1.0:
        node["left_x"], node["left_y"] = after["x"], after["y"]
        if after["turns"]:
            node["left"] = 2 * after["fan"] + 1
    left = _way_on(node, dx, dy, query.goal_x, query.goal_y)
    memory.counts[N_ROWS] = heap.push(memory.rows, memory.counts[N_ROWS], view.g + left, left, item)


@inner
def _way_on(node, dx, dy, goal_x, goal_y):
    """The way from the root over the stretch to the goal, or to its mirror image if that is on this side.

    The edge goes by (dx, dy) from right to left.
    """
    x, y, right_x, right_y = node["root_x"], node["root_y"], node["right_x"], node["right_y"]
    left_x, left_y = node["left_x"], node["left_y"]
    side = cross(dx, dy, goal_x - right_x, goal_y - right_y)
    if side > 0.0:
        away = 2.0 * side / (dx * dx + dy * dy)
        goal_x, goal_y = goal_x + away * dy, goal_y - away * dx
    if cross(right_x - x, right_y - y, goal_x - x, goal_y - y) < 0.0:
        return distance(right_x - x, right_y - y) + distance(goal_x - right_x, goal_y - right_y)
    if cross(left_x - x, left_y - y, goal_x - x, goal_y - y) > 0.0:
        return distance(left_x - x, left_y - y) + distance(goal_x - left_x, goal_y - left_y)
    return distance(goal_x - x, goal_y - y)
