"""Reverse Resumable A*: true distances to a goal, found only as far as somebody asks.

Silver, "Cooperative pathfinding", 2005, section "Hierarchical Cooperative A*".

One search for each agent, backwards from its goal, aimed at the cell where it stood when the search began. A question
about a cell is answered when that cell is *expanded* (having been generated is not enough); until then the search
goes on. The aim never moves, or the guesses of one search would no longer fit together.

Keeps    the distance of an expanded cell is exact and never changes.
Why      costs are small whole numbers, so the open list is a ring of lists with exactly one cost in each.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.grid import Grid
from wayfolk.kernels.jit import kernel

UNREACHABLE = np.int32(2**31 - 1)
_NONE = np.int32(2**31 - 1)
_CLOSED = np.int32(2**31 - 2)
_RING = 64  # more than the most f can rise by one step: twice the dearest step
_GOAL, _AIM, _CURRENT, _N_OPEN, _N_TOUCHED, _EXPANDED = range(6)  # places in `state`


class Rra(NamedTuple):
    """One search in each row: 1 + g of a cell (0 = not seen), its neighbours in the open list, all cells seen."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    costs: NDArray[np.int32]
    stride: int
    g: NDArray[np.int32]
    after: NDArray[np.int32]
    before: NDArray[np.int32]
    touched: NDArray[np.int32]
    head: NDArray[np.int32]
    state: NDArray[np.int64]


def new_rra(grid: Grid, n_agents: int, straight: int, diagonal: int) -> Rra:
    """Room for a search of each agent, where a step costs `straight` or `diagonal`. Memory is used as it is visited."""
    state = np.zeros((n_agents, 6), np.int64)
    state[:, _GOAL] = _NONE
    return Rra(
        grid.legal,
        grid.offsets,
        np.array([straight] * 4 + [diagonal] * 4, np.int32),
        grid.stride,
        np.zeros((n_agents, grid.n_cells), np.int32),
        np.zeros((n_agents, grid.n_cells), np.int32),
        np.zeros((n_agents, grid.n_cells), np.int32),
        np.zeros((n_agents, grid.n_cells), np.int32),
        np.full((n_agents, _RING), _NONE, np.int32),
        state,
    )


@kernel
def aim(rra, agent, goal, start):
    """Begin the search of `agent` from `goal` towards `start`, unless that goal is being searched from already."""
    state = rra.state[agent]
    if state[_GOAL] == goal:
        return
    for k in range(state[_N_TOUCHED]):
        rra.g[agent, rra.touched[agent, k]] = 0
    rra.head[agent, :] = _NONE
    state[_GOAL], state[_AIM] = goal, start
    state[_N_OPEN] = state[_N_TOUCHED] = state[_EXPANDED] = 0
    state[_CURRENT] = guess(rra, goal, start)
    _open(rra, agent, goal, 0, state[_CURRENT])


@kernel
def expansions(rra, agent):
    """How many cells the present search of `agent` has expanded."""
    return rra.state[agent, _EXPANDED]


@kernel
def distance(rra, agent, cell):
    """The cost from `cell` to the goal of `agent`, or UNREACHABLE."""
    g, state = rra.g[agent], rra.state[agent]
    if g[cell] > 0 and rra.after[agent, cell] == _CLOSED:
        return g[cell] - 1
    while state[_N_OPEN] > 0:
        while rra.head[agent, state[_CURRENT] % _RING] == _NONE:
            state[_CURRENT] += 1
        here = rra.head[agent, state[_CURRENT] % _RING]
        _unlink(rra, agent, here, state[_CURRENT])
        rra.after[agent, here] = _CLOSED
        state[_EXPANDED] += 1
        for k in range(8):
            if (rra.legal[here] >> k) & 1:
                other = here + rra.offsets[k]
                reached = g[here] - 1 + rra.costs[k]
                if g[other] == 0 or (rra.after[agent, other] != _CLOSED and reached < g[other] - 1):
                    rest = guess(rra, other, state[_AIM])
                    if g[other] > 0:
                        _unlink(rra, agent, other, g[other] - 1 + rest)
                    _open(rra, agent, other, reached, reached + rest)
        if here == cell:
            return g[cell] - 1
    return UNREACHABLE


@kernel
def guess(rra, cell, goal):
    """The cost from `cell` to `goal` on an empty map."""
    cell_y, goal_y = cell // rra.stride, goal // rra.stride
    dx = abs((cell - cell_y * rra.stride) - (goal - goal_y * rra.stride))
    dy = abs(cell_y - goal_y)
    return rra.costs[0] * (max(dx, dy) - min(dx, dy)) + rra.costs[4] * min(dx, dy)


@kernel
def _open(rra, agent, cell, g, f):
    if rra.g[agent, cell] == 0:
        rra.touched[agent, rra.state[agent, _N_TOUCHED]] = cell
        rra.state[agent, _N_TOUCHED] += 1
    rra.g[agent, cell] = g + 1
    first = rra.head[agent, f % _RING]
    rra.after[agent, cell] = first
    rra.before[agent, cell] = _NONE
    if first != _NONE:
        rra.before[agent, first] = cell
    rra.head[agent, f % _RING] = cell
    rra.state[agent, _N_OPEN] += 1


@kernel
def _unlink(rra, agent, cell, f):
    after, before = rra.after[agent, cell], rra.before[agent, cell]
    if before == _NONE:
        rra.head[agent, f % _RING] = after
    else:
        rra.after[agent, before] = after
    if after != _NONE:
        rra.before[agent, after] = before
    rra.state[agent, _N_OPEN] -= 1
