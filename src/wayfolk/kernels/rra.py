"""Reverse Resumable A*: true distances to a goal, computed only as far as they are asked for.

Silver, "Cooperative pathfinding", 2005, section "Hierarchical Cooperative A*".

One search for each agent, backwards from its goal, towards the cell where the agent was when the search began. The
distance of a cell is known when that cell is *expanded* (having been generated is not enough); until then the search
resumes. The aim never moves, so that the heuristic stays consistent within one search. The searches of all agents share a
store with a limit (`wayfolk.kernels.field_store`): if it is full, the search that was used least recently begins again when
its agent plans next.

`search_on` is the search, also for fields that the agents with one goal share (see `controllers/pibt/fields`).

Invariants  the distance of an expanded cell is exact and never changes.
Why         costs are small whole numbers, so the open list is a ring of lists with exactly one cost in each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, inner, kernel, specialise, spliced
from wayfolk.kernels.codes import NOWHERE
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


class StepCosts(NamedTuple):
    """Moves that cost the same everywhere: `costs[k]` for move k."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    costs: NDArray[np.int32]
    stride: int


class CellPrices(NamedTuple):
    """Moves with prices: `prices[cell, k]` for leaving `cell` by move k. Cells in `shut` are not entered.

    No straight move costs less than `straight`, and no diagonal one (or a straight one to each side) less than `diagonal`.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    prices: NDArray[np.int32]
    shut: NDArray[np.uint8]
    stride: int
    straight: int
    diagonal: int


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
    return _resume(rra, np.int64(agent), np.int64(cell))


@inner
def _resume(rra, agent, cell):
    """Search on until `cell` is expanded; its distance, or UNREACHABLE."""
    store, state = rra.store, rra.state[agent]
    moves = _moves(rra)
    if not is_held(store, agent):
        begin(store, agent, state[GOAL], least_cost(moves, state[GOAL], state[AIM]))
        set_value(store, agent, state[GOAL], 2)
    state[EXPANDED] += search_on(store, agent, moves, cell, state[AIM])
    return known(rra, agent, cell)


@inlined
def _moves(rra):
    return StepCosts(rra.legal, rra.offsets, rra.costs, rra.stride)


@inlined
def search_on(store, row, moves, cell, aim):
    """A* from the goal of `row` towards `aim`, until `cell` is expanded or no cell is open; how many cells it expands."""
    return _search_on(store, np.int64(row), moves, np.int64(cell), np.int64(aim))  # compiled for one type of integers


@inner
def _search_on(store, row, moves, cell, aim):
    """A cell that would be the next one to be taken from the open list does not go there."""
    field, expanded, following = store.fields[row], 0, np.int64(NOWHERE)
    while field["n_open"] > 0 or following != NOWHERE:
        here = following
        if here == NOWHERE:
            here = pop(store, row)
        following = np.int64(NOWHERE)
        found = value(store, row, here)
        if found & 1:  # opened twice, and expanded with the lower cost
            continue
        set_value(store, row, here, found + 1)
        expanded += 1
        for k in range(8):
            if not (moves.legal[here] >> k) & 1:
                continue
            other = here + moves.offsets[k]
            old, price = value(store, row, other), price_of(moves, other, k)
            reached = found + 2 * price
            if price == 0 or old & 1 or 0 < old <= reached:
                continue
            set_value(store, row, other, reached)
            key = (reached >> 1) - 1 + least_cost(moves, other, aim)
            if key != field["current"]:
                push(store, row, other, key)
                continue
            if following != NOWHERE:
                push(store, row, following, key)
            following = other
        if here == cell:
            break
    if following != NOWHERE:
        push(store, row, following, field["current"])
    return expanded


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
    return least_cost(_moves(rra), cell, goal)


@inner
def octile(stride, straight, diagonal, cell, other):
    """The least that a path between two cells can cost, if no straight and no diagonal move costs less than these."""
    width = np.uint32(stride)  # 32 bits are divided in a third of the time of 64
    cell_y, other_y = np.int64(np.uint32(cell) // width), np.int64(np.uint32(other) // width)
    dx = abs((cell - cell_y * stride) - (other - other_y * stride))
    dy = abs(cell_y - other_y)
    return straight * (max(dx, dy) - min(dx, dy)) + diagonal * min(dx, dy)


def _step_price(moves, cell, k):
    return np.int64(moves.costs[k])


def _cell_price(moves, cell, k):
    return np.int64(0 if moves.shut[cell] else moves.prices[cell, k ^ 2])  # leaving it the opposite way


def _step_least(moves, cell, other):
    return octile(moves.stride, moves.costs[0], moves.costs[4], cell, other)


def _cell_least(moves, cell, other):
    return octile(moves.stride, moves.straight, moves.diagonal, cell, other)


_PRICE_OF: dict[type, Callable[..., Any]] = {StepCosts: _step_price, CellPrices: _cell_price}
_LEAST_COST: dict[type, Callable[..., Any]] = {StepCosts: _step_least, CellPrices: _cell_least}


def price_of(moves: Any, cell: Any, k: Any) -> Any:
    """What the move costs by which the search comes to `cell` in direction `k`; 0 if that is not allowed."""
    return _PRICE_OF[type(moves)](moves, cell, k)


def least_cost(moves: Any, cell: Any, other: Any) -> Any:
    """The least that a path between two cells can cost."""
    return _LEAST_COST[type(moves)](moves, cell, other)


specialise(price_of, _PRICE_OF, spliced)
specialise(least_cost, _LEAST_COST, spliced)
