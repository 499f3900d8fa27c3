"""Potentials: the least cost from every cell to the nearest goal, by fast marching, and the flow that leads down.

Sethian, "A fast marching level set method for monotonically advancing fronts", 1996. The potential solves the eikonal
equation |gradient| = cost on the grid: unlike distances over eight moves it is nearly the same in all directions. The cost
may differ by cell and by the side from which a cell is entered, as continuum crowds need it.

Invariants  cells leave the heap in order of their potential; the flow of a cell leads to cells of lower potential,
            never into a wall or across the corner of one.
"""

from __future__ import annotations

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import heap

UNREACHED = np.inf
EAST, SOUTH, WEST, NORTH = range(4)  # as the first four bits of a cell's legal moves


@kernel
def march(legal, stride, costs, goals, potential, rows, is_done):
    """Write the cost to the nearest of `goals` to all cells that can reach one; others stay infinite.

    `costs[k, cell]` is the cost of a metre from the cell to its neighbour on side k; infinite costs are walls. A row of
    costs of length 1 is the same everywhere. `rows` are a heap with room for five rows for each cell.
    """
    for cell in range(potential.size):
        potential[cell] = np.inf
        is_done[cell] = False
    n = 0
    for goal in goals:
        potential[goal] = 0.0
        n = heap.push(rows, n, 0.0, 0.0, goal)
    while n > 0:
        cell = rows[0]["item"]
        n = heap.pop(rows, n)
        if is_done[cell]:
            continue
        is_done[cell] = True
        for k in range(4):
            if (legal[cell] >> k) & 1:
                other = cell + _offset(k, stride)
                if not is_done[other]:
                    value = _solved(legal, stride, costs, other, potential)
                    if value < potential[other]:
                        potential[other] = value
                        n = heap.push(rows, n, value, 0.0, other)


@inner
def _offset(k, stride):
    """What to add to a cell for its neighbour on side k."""
    if k == EAST:
        return 1
    if k == SOUTH:
        return stride
    if k == WEST:
        return -1
    return -stride


@inner
def _cost(costs, k, cell):
    return costs[k, cell] if costs.shape[1] > 1 else costs[k, 0]


@inner
def _solved(legal, stride, costs, cell, potential):
    """The potential of a cell from those of its cheaper neighbour on each axis."""
    east, south = (
        _over(legal, stride, costs, cell, potential, EAST),
        _over(legal, stride, costs, cell, potential, SOUTH),
    )
    west, north = (
        _over(legal, stride, costs, cell, potential, WEST),
        _over(legal, stride, costs, cell, potential, NORTH),
    )
    a, cost_a = east
    if west[0] + west[1] < a + cost_a:
        a, cost_a = west
    b, cost_b = south
    if north[0] + north[1] < b + cost_b:
        b, cost_b = north
    if a == np.inf:
        return b + cost_b
    if b == np.inf:
        return a + cost_a
    # ((value - a) / cost_a)^2 + ((value - b) / cost_b)^2 = 1
    p, q = 1.0 / (cost_a * cost_a), 1.0 / (cost_b * cost_b)
    middle = p * a + q * b
    root = middle * middle - (p + q) * (p * a * a + q * b * b - 1.0)
    if root >= 0.0:
        value = (middle + np.sqrt(root)) / (p + q)
        if value >= a and value >= b:
            return value
    return min(a + cost_a, b + cost_b)


@inner
def _over(legal, stride, costs, cell, potential, k):
    """The potential of the neighbour on side k, and the cost of going there; infinite beyond a wall."""
    if (legal[cell] >> k) & 1:
        cost = _cost(costs, k, cell)
        if cost < np.inf:
            return potential[cell + _offset(k, stride)], cost
    return np.inf, 1.0


@kernel
def flow_down(legal, stride, potential, flow):
    """Write the unit vector that leads down from each cell to `flow`; zero at goals and where none can be reached."""
    for cell in range(potential.size):
        flow[cell, 0] = flow[cell, 1] = 0.0
        if potential[cell] == np.inf or potential[cell] == 0.0:
            continue
        dx, dy = np.float64(0.0), np.float64(0.0)
        side_x, side_y = EAST, SOUTH
        for k in range(4):
            if (legal[cell] >> k) & 1:
                fall = potential[cell] - potential[cell + _offset(k, stride)]
                if k % 2 == 0 and fall > abs(dx):
                    dx, side_x = (fall if k == EAST else -fall), k
                elif k % 2 == 1 and fall > abs(dy):
                    dy, side_y = (fall if k == SOUTH else -fall), k
        if dx != 0.0 and dy != 0.0:  # not across the corner of a wall
            across = cell + _offset(side_x, stride)
            if not (legal[across] >> side_y) & 1:
                if abs(dx) >= abs(dy):
                    dy = 0.0
                else:
                    dx = 0.0
        length = np.sqrt(dx * dx + dy * dy)
        if length > 0.0:
            flow[cell, 0], flow[cell, 1] = dx / length, dy / length


@inner
def is_in_sight(potential, stride, cell_side, x, y, goal_x, goal_y):
    """Whether an agent heads straight for its goal: in a goal cell, or within 1.5 cells and with no wall to go around."""
    here = (np.int64(np.floor(y / cell_side)) + 1) * stride + np.int64(np.floor(x / cell_side)) + 1
    if not 0 <= here < potential.size or potential[here] > 2.5 * cell_side:
        return False
    apart = (goal_x - x) ** 2 + (goal_y - y) ** 2
    return potential[here] == 0.0 or apart <= 2.25 * cell_side * cell_side


@inner
def flow_at(flow, potential, stride, cell_side, x, y):
    """The flow at a point between the middles of cells: the mean of the four around it that can reach the goal."""
    across, down = x / cell_side - 0.5, y / cell_side - 0.5
    column, line = np.int64(np.floor(across)), np.int64(np.floor(down))
    right, below = across - column, down - line
    here = (np.int64(np.floor(y / cell_side)) + 1) * stride + np.int64(np.floor(x / cell_side)) + 1
    fx, fy = 0.0, 0.0
    for k in range(4):
        dx, dy = k % 2, k // 2
        cell = (line + dy + 1) * stride + column + dx + 1
        if 0 <= cell < potential.size and potential[cell] < np.inf:
            share = (right if dx == 1 else 1.0 - right) * (below if dy == 1 else 1.0 - below)
            fx += share * flow[cell, 0]
            fy += share * flow[cell, 1]
    length = np.sqrt(fx * fx + fy * fy)
    if length < 0.1 and 0 <= here < potential.size:
        fx, fy = np.float64(flow[here, 0]), np.float64(flow[here, 1])
        length = np.sqrt(fx * fx + fy * fy)
    if length < 1e-9:
        return 0.0, 0.0
    return fx / length, fy / length
