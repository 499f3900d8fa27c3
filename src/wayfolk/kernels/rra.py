"""Reverse Resumable A*: true distances to a goal, computed only as far as they are asked for.

Silver, "Cooperative pathfinding", 2005, section "Hierarchical Cooperative A*".

One search for each agent, backwards from its goal, towards the cell where the agent was when the search began. The
distance of a cell is known when that cell is *expanded* (having been generated is not enough); until then the search
resumes. The aim never moves, so that the heuristic stays consistent within one search. The searches of all agents share a
store with a limit (`wayfolk.kernels.field_store`): if it is full, the search that was used least recently begins again when
its agent plans next.

Invariants  the distance of an expanded cell is exact and never changes.
Why         costs are small whole numbers, so the open list is a ring of lists with exactly one cost in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.field_store import (
    FieldStore,
    begin,
    drop,
    is_held,
    new_store,
    pop,
    push,
    refresh,
    set_value,
    value,
)

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid

UNREACHABLE = np.int32(2**31 - 1)
NONE = np.int32(2**31 - 1)
RING = 64  # more than the most f can rise by one step: twice the costliest step
GOAL, AIM, EXPANDED = range(3)  # places in `state`


class Rra(NamedTuple):
    """One search in each row of the store. A cell's value is 0 if it was not seen, else 2 * (1 + g), plus 1 if closed."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    costs: NDArray[np.int32]
    stride: int
    store: FieldStore
    state: NDArray[np.int64]


def new_rra(grid: Grid, n_agents: int, straight: int, diagonal: int, memory: int | None = None) -> Rra:
    """Room for `n_agents` searches in `memory` bytes, where a step costs `straight` or `diagonal`."""
    state = np.zeros((n_agents, 3), np.int64)
    state[:, GOAL] = NONE
    return Rra(
        grid.legal,
        grid.offsets,
        np.array([straight] * 4 + [diagonal] * 4, np.int32),
        grid.stride,
        new_store(n_agents, grid.n_cells, per_word=1, n_lists=RING, memory=memory),
        state,
    )


@kernel
def aim(rra, agent, goal, start):
    """Begin the search of `agent` from `goal` towards `start`, unless that goal is being searched from already."""
    state = rra.state[agent]
    if state[GOAL] == goal:
        refresh(rra.store, agent)
        return
    drop(rra.store, agent)
    state[GOAL], state[AIM], state[EXPANDED] = goal, start, 0


@inner
def forget(rra, agent):
    """Let the next search of `agent` begin anew, also from the same goal."""
    rra.state[agent, GOAL] = NONE


@kernel
def expansions(rra, agent):
    """How many cells `agent` has expanded to find distances to its present goal."""
    return rra.state[agent, EXPANDED]


@kernel
def distance(rra, agent, cell):
    """The cost from `cell` to the goal of `agent`, or UNREACHABLE."""
    found = value(rra.store, agent, cell)
    if found & 1:
        return (found >> 1) - 1
    return _resume(rra, agent, cell)


@inner
def _resume(rra, agent, cell):
    """Search on until `cell` is expanded; its distance, or UNREACHABLE."""
    store, state = rra.store, rra.state[agent]
    field = store.fields[agent]
    if not is_held(store, agent):
        key = heuristic(rra, state[GOAL], state[AIM])
        begin(store, agent, state[GOAL], key)
        set_value(store, agent, state[GOAL], 2)
    while field["n_open"] > 0:
        here = pop(store, agent)
        found = value(store, agent, here)
        if found & 1:  # opened twice, and expanded with the lower cost
            continue
        set_value(store, agent, here, found + 1)
        state[EXPANDED] += 1
        for k in range(8):
            if (rra.legal[here] >> k) & 1:
                other = here + rra.offsets[k]
                reached = found + 2 * rra.costs[k]
                old = value(store, agent, other)
                if old == 0 or (old & 1 == 0 and reached < old):
                    set_value(store, agent, other, reached)
                    push(store, agent, other, (reached >> 1) - 1 + heuristic(rra, other, state[AIM]))
        if here == cell:
            return (found >> 1) - 1
    return np.int64(UNREACHABLE)


@inner
def known(rra, agent, cell):
    """The cost from `cell` to the goal of `agent` if it has been expanded, else UNREACHABLE."""
    found = value(rra.store, agent, cell)
    return (found >> 1) - 1 if found & 1 else np.int64(UNREACHABLE)


@inner
def goal_of(rra, agent):
    """The goal that the search of `agent` began from."""
    return rra.state[agent, GOAL]


@inner
def is_touched(rra, agent, edits, first):
    """Whether the search of `agent` has expanded a cell whose moves have changed, from number `first` of `edits` on."""
    touched = False
    for k in range(first, edits.counts[0]):
        touched = touched or known(rra, agent, edits.list[k]["cell"]) != UNREACHABLE
    return touched


@inner
def is_right(rra, agent, cell, edits, first):
    """Whether the distance of `cell` is right although moves have changed, from number `first` of `edits` on.

    It is if no way over a cell that gained a move can be shorter, and if a way of that length is still there.
    """
    goal = rra.state[agent, GOAL]
    left = distance(rra, agent, cell)
    if left == UNREACHABLE:
        return False
    for k in range(first, edits.counts[0]):
        if edits.list[k]["gained"]:
            edit = edits.list[k]["cell"]
            beyond = known(rra, agent, edit)
            if beyond == UNREACHABLE:
                beyond = heuristic(rra, edit, goal)
            if heuristic(rra, cell, edit) + beyond < left:
                return False
    while cell != goal:
        nearer = cell
        for k in range(8):
            if (rra.legal[cell] >> k) & 1:
                beyond = known(rra, agent, cell + rra.offsets[k])
                if beyond != UNREACHABLE and beyond + rra.costs[k] == left:
                    nearer = cell + rra.offsets[k]
                    left = beyond
                    break
        if nearer == cell:
            return False
        cell = nearer
    return True


@inner
def heuristic(rra, cell, goal):
    """The cost from `cell` to `goal` on an empty map."""
    cell_y, goal_y = cell // rra.stride, goal // rra.stride
    dx = abs((cell - cell_y * rra.stride) - (goal - goal_y * rra.stride))
    dy = abs(cell_y - goal_y)
    return rra.costs[0] * (max(dx, dy) - min(dx, dy)) + rra.costs[4] * min(dx, dy)
