"""Polyanya: the shortest path between two points of a mesh, by A* over what can be seen of its edges.

Cui, Harabor and Grastien, "Compromise-free pathfinding on a navigation mesh", 2017.

Finds    a shortest path, if there is one.
Keeps    a node is a stretch of an edge, all of it in sight of the node's root, the last bend before it; `g` is the
         length of the way to the root. f, the way over the stretch if nothing else were in the way, never overestimates.
Takes    time in proportion to the stretches whose f is below the length of the path.
Differs  a node with a single successor is not skipped. Bends are told apart by fan (see `kernels.mesh`), so that a point
         at which two walls touch is two bends; and by side: of several ways to turn left, or right, around a corner the
         first of the shortest counts. Corners in a row would double the nodes each time otherwise.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE
from wayfolk.kernels import heap
from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.mesh import cross, distance, following

RUNNING, FOUND, EXHAUSTED, FULL = range(4)
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
ROW = np.dtype([("f", np.float64), ("tie", np.float64), ("item", np.int32)], align=True)


class Stretches(NamedTuple):
    """What a search knows: all nodes, the open ones, and the shortest way to each bend with the bend before it."""

    nodes: NDArray[np.void]
    rows: NDArray[np.void]
    ways: NDArray[np.void]
    counts: NDArray[np.int64]


def new_stretches(n_fans: int, room: int = 1024) -> Stretches:
    """Nothing known."""
    ways = np.zeros(2 * n_fans, WAY)
    ways["g"] = np.inf
    return Stretches(np.zeros(room, NODE), np.zeros(room, ROW), ways, np.zeros(4, np.int64))


def grown(memory: Stretches) -> Stretches:
    """The same with twice the room."""
    nodes, rows, ways, counts = memory
    return Stretches(np.concatenate([nodes, nodes]), np.concatenate([rows, rows]), ways, counts)


@kernel
def search(mesh, memory, start_x, start_y, homes, goal_x, goal_y, ends, budget, events):
    """Expand up to `budget` nodes; RUNNING, FOUND, EXHAUSTED or FULL.

    `homes` and `ends` are the polygons that hold start and goal; no polygon holds both.
    """
    counts, nodes, rows = memory.counts, memory.nodes, memory.rows
    if counts[N_NODES] == 0:
        room = 0
        for polygon in homes:
            room += mesh.first[polygon + 1] - mesh.first[polygon]
        if room >= nodes.size:
            return FULL
        for polygon in homes:
            _leave(mesh, memory, start_x, start_y, polygon, goal_x, goal_y)
    stop = counts[EXPANDED] + budget
    while counts[N_ROWS] > 0:
        last = rows[0]["item"]
        node = nodes[last]
        if node["root"] != NOWHERE and node["g"] > memory.ways[node["root"]]["g"]:
            counts[N_ROWS] = heap.pop(rows, counts[N_ROWS])
            continue
        for end in ends:
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
        _expand(mesh, memory, last, goal_x, goal_y)
    return EXHAUSTED


@inner
def _leave(mesh, memory, x, y, polygon, goal_x, goal_y):
    """Open every edge of a polygon that holds the start."""
    for edge in range(mesh.first[polygon], mesh.first[polygon + 1]):
        _open(mesh, memory, x, y, NOWHERE, 0.0, NOWHERE, polygon, edge, 0.0, 1.0, goal_x, goal_y)


@inner
def _expand(mesh, memory, last, goal_x, goal_y):
    """Look through a stretch at the other edges of the polygon ahead, which come from right to left.

    The rays from the root through the ends of the stretch divide them: what lies between is in sight of the root; what
    lies to the right can be reached by a bend around the right end, if there is a corner; and so on the left.
    """
    node = memory.nodes[last]
    polygon, door = node["into"], node["door"]
    x, y, g = node["root_x"], node["root_y"], node["g"]
    right_dx, right_dy = node["right_x"] - x, node["right_y"] - y
    left_dx, left_dy = node["left_x"] - x, node["left_y"] - y
    to_right, to_left = distance(right_dx, right_dy), distance(left_dx, left_dy)
    edge = following(mesh, polygon, door)
    while edge != door:
        here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
        if here["beyond"] != NOWHERE:
            begin, end = 0.0, 1.0  # of the part in sight
            if to_right > mesh.near:
                begin = _hidden(mesh, here, after, x, y, right_dx, right_dy, to_right, 1.0)
            if to_left > mesh.near:
                end = 1.0 - _hidden(mesh, after, here, x, y, left_dx, left_dy, to_left, -1.0)
            if begin > 0.0 and node["right"] != NOWHERE and _is_best(memory, node["right"], g + to_right, node["root"]):
                _open(
                    mesh, memory, node["right_x"], node["right_y"], node["right"], g + to_right, last, polygon, edge, 0.0,
                    begin, goal_x, goal_y,
                )  # fmt: skip
            if end - begin > SLACK:
                _open(mesh, memory, x, y, node["root"], g, last, polygon, edge, begin, end, goal_x, goal_y)
            if end < 1.0 and node["left"] != NOWHERE and _is_best(memory, node["left"], g + to_left, node["root"]):
                _open(
                    mesh, memory, node["left_x"], node["left_y"], node["left"], g + to_left, last, polygon, edge, end, 1.0,
                    goal_x, goal_y,
                )  # fmt: skip
        edge = following(mesh, polygon, edge)


@inner
def _hidden(mesh, here, after, x, y, dx, dy, length, side):
    """Which part of an edge, 0 to 1 from `here` on, is outside of a ray: to its right if `side` is 1, left if -1.

    The ray goes from the root (x, y) through an end of the stretch, at `length`. An edge along the ray is in sight if it
    lies ahead of that.
    """
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
def _open(mesh, memory, x, y, root, g, parent, polygon, edge, begin, end, goal_x, goal_y):
    """Add the stretch from `begin` to `end` of an edge of `polygon`, seen from (x, y), unless it is a wall."""
    here, after = mesh.edges[edge], mesh.edges[following(mesh, polygon, edge)]
    if here["beyond"] == NOWHERE:
        return
    item = memory.counts[N_NODES]
    memory.counts[N_NODES] += 1
    node = memory.nodes[item]
    dx, dy = after["x"] - here["x"], after["y"] - here["y"]
    node["root_x"], node["root_y"], node["root"], node["g"], node["parent"] = x, y, root, g, parent
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
    left = _way_on(node, dx, dy, goal_x, goal_y)
    memory.counts[N_ROWS] = heap.push(memory.rows, memory.counts[N_ROWS], g + left, left, item)


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
