"""Reverse Resumable A*: true distances to a goal, computed only as far as they are asked for.

Silver, "Cooperative pathfinding", 2005, section "Hierarchical Cooperative A*".

One search for each agent, backwards from its goal, towards the cell where the agent was when the search began. The
distance of a cell is known when that cell is *expanded* (having been generated is not enough); until then the search
resumes. The aim never moves, so that the heuristic stays consistent within one search.

Invariants  the distance of an expanded cell is exact and never changes.
Why         costs are small whole numbers, so the open list is a ring of lists with exactly one cost in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.jit import inner, kernel
from wayfolk.kernels.lazy import lazy_zeros

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid

UNREACHABLE = np.int32(2**31 - 1)
NONE = np.int32(2**31 - 1)
CLOSED = np.int32(2**31 - 2)
RING = 64  # more than the most f can rise by one step: twice the costliest step
GOAL, AIM, CURRENT, N_OPEN, N_TOUCHED, EXPANDED = range(6)  # places in `state`


CELL = np.dtype([("g", np.int32), ("after", np.int32), ("before", np.int32)], align=True)


class Rra(NamedTuple):
    """One search in each row: 1 + g of a cell (0 = not seen) and its neighbours in the open list; all cells seen."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    costs: NDArray[np.int32]
    stride: int
    cells: NDArray[np.void]
    touched: NDArray[np.int32]
    head: NDArray[np.int32]
    state: NDArray[np.int64]


def new_rra(grid: Grid, n_agents: int, straight: int, diagonal: int) -> Rra:
    """Room for `n_agents` searches, where a step costs `straight` or `diagonal`. Memory is used as it is visited."""
    state = np.zeros((n_agents, 6), np.int64)
    state[:, GOAL] = NONE
    return Rra(
        grid.legal,
        grid.offsets,
        np.array([straight] * 4 + [diagonal] * 4, np.int32),
        grid.stride,
        lazy_zeros((n_agents, grid.n_cells), CELL),
        lazy_zeros((n_agents, grid.n_cells), np.int32),
        np.full((n_agents, RING), NONE, np.int32),
        state,
    )


@kernel
def aim(rra, agent, goal, start):
    """Begin the search of `agent` from `goal` towards `start`, unless that goal is being searched from already."""
    state = rra.state[agent]
    if state[GOAL] == goal:
        return
    for k in range(state[N_TOUCHED]):
        rra.cells[agent, rra.touched[agent, k]]["g"] = 0
    rra.head[agent, :] = NONE
    state[GOAL], state[AIM] = goal, start
    state[N_OPEN] = state[N_TOUCHED] = state[EXPANDED] = 0
    state[CURRENT] = heuristic(rra, goal, start)
    open_cell(rra, agent, goal, 0, state[CURRENT])


@inner
def forget(rra, agent):
    """Let the next search of `agent` begin anew, also from the same goal."""
    rra.state[agent, GOAL] = NONE


@kernel
def expansions(rra, agent):
    """How many cells the present search of `agent` has expanded."""
    return rra.state[agent, EXPANDED]


@kernel
def distance(rra, agent, cell):
    """The cost from `cell` to the goal of `agent`, or UNREACHABLE."""
    asked = rra.cells[agent, cell]
    if asked["g"] > 0 and asked["after"] == CLOSED:
        return np.int64(asked["g"] - 1)
    return _resume(rra, agent, cell)


@inner
def _resume(rra, agent, cell):
    """Search on until `cell` is expanded; its distance, or UNREACHABLE."""
    cells, state = rra.cells[agent], rra.state[agent]
    while state[N_OPEN] > 0:
        while rra.head[agent, state[CURRENT] % RING] == NONE:
            state[CURRENT] += 1
        here = rra.head[agent, state[CURRENT] % RING]
        _unlink(rra, agent, here, state[CURRENT])
        cells[here]["after"] = CLOSED
        state[EXPANDED] += 1
        for k in range(8):
            if (rra.legal[here] >> k) & 1:
                other = here + rra.offsets[k]
                child = cells[other]
                reached = cells[here]["g"] - 1 + rra.costs[k]
                if child["g"] == 0 or (child["after"] != CLOSED and reached < child["g"] - 1):
                    rest = heuristic(rra, other, state[AIM])
                    if child["g"] > 0:
                        _unlink(rra, agent, other, child["g"] - 1 + rest)
                    open_cell(rra, agent, other, reached, reached + rest)
        if here == cell:
            return np.int64(cells[cell]["g"] - 1)
    return np.int64(UNREACHABLE)


@inner
def goal_of(rra, agent):
    """The goal that the search of `agent` began from."""
    return rra.state[agent, GOAL]


@inner
def is_touched(rra, agent, edits, first):
    """Whether the search of `agent` has expanded a cell whose moves have changed, from number `first` of `edits` on."""
    cells = rra.cells[agent]
    for k in range(first, edits.counts[0]):
        cell = cells[edits.list[k]["cell"]]
        if cell["g"] > 0 and cell["after"] == CLOSED:
            return True
    return False


@inner
def is_right(rra, agent, cell, edits, first):
    """Whether the distance of `cell` is right although moves have changed, from number `first` of `edits` on.

    It is if no way over a cell that gained a move can be shorter, and if a way of that length is still there.
    """
    cells, goal = rra.cells[agent], rra.state[agent, GOAL]
    left = distance(rra, agent, cell)
    if left == UNREACHABLE:
        return False
    for k in range(first, edits.counts[0]):
        if edits.list[k]["gained"]:
            edit = edits.list[k]["cell"]
            is_known = cells[edit]["g"] > 0 and cells[edit]["after"] == CLOSED
            beyond = cells[edit]["g"] - 1 if is_known else heuristic(rra, edit, goal)
            if heuristic(rra, cell, edit) + beyond < left:
                return False
    while cell != goal:
        nearer = cell
        for k in range(8):
            if (rra.legal[cell] >> k) & 1:
                other = cells[cell + rra.offsets[k]]
                if other["g"] > 0 and other["after"] == CLOSED and other["g"] - 1 + rra.costs[k] == left:
                    nearer = cell + rra.offsets[k]
                    break
        if nearer == cell:
            return False
        cell, left = nearer, cells[nearer]["g"] - 1
    return True


@inner
def heuristic(rra, cell, goal):
    """The cost from `cell` to `goal` on an empty map."""
    cell_y, goal_y = cell // rra.stride, goal // rra.stride
    dx = abs((cell - cell_y * rra.stride) - (goal - goal_y * rra.stride))
    dy = abs(cell_y - goal_y)
    return rra.costs[0] * (max(dx, dy) - min(dx, dy)) + rra.costs[4] * min(dx, dy)


@inner
def open_cell(rra, agent, cell, g, f):
    """Put `cell`, which is not on it, first on the open list."""
    cells = rra.cells[agent]
    if cells[cell]["g"] == 0:
        rra.touched[agent, rra.state[agent, N_TOUCHED]] = cell
        rra.state[agent, N_TOUCHED] += 1
    first = rra.head[agent, f % RING]
    cells[cell]["g"] = g + 1
    cells[cell]["after"] = first
    cells[cell]["before"] = NONE
    if first != NONE:
        cells[first]["before"] = cell
    rra.head[agent, f % RING] = cell
    rra.state[agent, N_OPEN] += 1


@inner
def _unlink(rra, agent, cell, f):
    cells = rra.cells[agent]
    after, before = cells[cell]["after"], cells[cell]["before"]
    if before == NONE:
        rra.head[agent, f % RING] = after
    else:
        cells[before]["after"] = after
    if after != NONE:
        cells[after]["before"] = before
    rra.state[agent, N_OPEN] -= 1
