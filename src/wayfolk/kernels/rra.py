"""Reverse Resumable A*: true distances to a goal, computed only as far as they are asked for.

Silver, "Cooperative pathfinding", 2005, section "Hierarchical Cooperative A*".

One search for each agent, backwards from its goal, towards the cell where the agent was when the search began. The
distance of a cell is known when that cell is *expanded* (having been generated is not enough); until then the search
resumes. The aim never moves, so that the heuristic stays consistent within one search. The searches of all agents share a
store with a limit (`wayfolk.kernels.field_store`): if it is full, the search that was used least recently begins again when
its agent plans next.

`search_on` is the search, also for fields that the agents with one goal share (see `controllers/pibt/fields`). `Rra` is for
points on a grid. `StateRra` is for graphs of states: each move is one step, and a body that turns has reached its goal in
every heading, so that its search begins from several nodes.

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
    largest,
    limit_of,
    new_store,
    pop,
    push,
    refresh,
    set_value,
    value,
)
from wayfolk.kernels.rra_moves import (
    StateSteps,
    StepCosts,
    end_of_goal,
    entry,
    least_cost,
    n_entries,
    price_of,
    spots_in_space,
)

if TYPE_CHECKING:
    from wayfolk.world.grid import Grid
    from wayfolk.world.state_graph import StateGraph

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


class StateRra(NamedTuple):
    """The same for a graph of states, whose moves from `node` lead to `target[first[node] : first[node + 1]]`.

    `stand[node]` is the first node of the same cell in all headings.
    """

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    back_first: NDArray[np.int32]
    back_source: NDArray[np.int32]
    stand: NDArray[np.int32]
    spots: NDArray[np.void]
    store: FieldStore
    state: NDArray[np.int64]


AnyRra = Rra | StateRra


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


def new_state_rra(states: StateGraph, n_agents: int, memory: int | None = None) -> StateRra:
    """Room for `n_agents` searches in `memory` bytes; a field takes 4 bytes for each node, and 8 for each edge at most."""
    state = np.zeros((n_agents, 3), np.int64)
    state[:, GOAL] = NONE
    back_first, back_source = states.entries
    return StateRra(
        states.graph.first,
        states.graph.target,
        back_first,
        back_source,
        states.stand_of,
        spots_in_space(states),
        new_store(
            n_agents,
            states.n_cells,
            per_word=1,
            n_lists=RING,
            memory=memory,
            most_open=states.n_cells + len(back_source),
        ),
        state,
    )


def on_edited(rra: StateRra, states: StateGraph) -> StateRra:
    """The same searches on an edited graph of states; new ones if lower bounds have changed, or there is no room."""
    back_first, back_source = states.entries
    room = largest(states.n_cells, 1, states.n_cells + len(back_source))
    if room > len(rra.store.after) or not np.array_equal(spots_in_space(states), rra.spots):
        return new_state_rra(states, len(rra.state), limit_of(rra.store))
    graph = states.graph
    return rra._replace(first=graph.first, target=graph.target, back_first=back_first, back_source=back_source)


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
    moves = moves_of(rra)
    if not is_held(store, agent):
        begin_search(store, agent, moves, state[GOAL], state[AIM])
    state[EXPANDED] += search_on(store, agent, moves, cell, state[AIM])
    return known(rra, agent, cell)


@inlined
def begin_search(store, row, moves, goal, aim):
    """Begin A* from `goal` towards `aim` in a row that holds no blocks."""
    key = least_cost(moves, goal, aim)
    begin(store, row, goal, key)
    set_value(store, row, goal, 2)
    for node in range(goal + 1, end_of_goal(moves, goal)):
        push(store, row, node, key)
        set_value(store, row, node, 2)


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
        for k in range(n_entries(moves, here)):
            other = entry(moves, here, k)
            if other == NOWHERE:
                continue
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
    while left > 0:
        nearer = cell
        for k in range(n_exits(rra, cell)):
            other = exit_by(rra, cell, k)
            if other != NOWHERE:
                beyond = known(rra, agent, other)
                if beyond != UNREACHABLE and beyond + price_of(moves_of(rra), other, k) == left:
                    nearer = other
                    left = beyond
                    break
        if nearer == cell:
            return False
        cell = nearer
    return True


@inner
def heuristic(rra, cell, goal):
    """The cost from `cell` to `goal` on an empty map."""
    return least_cost(moves_of(rra), cell, goal)


def _grid_box(rra, goals, n):
    left, right, top, bottom = np.int64(NONE), np.int64(0), np.int64(NONE), np.int64(0)
    for k in range(n):
        y = goals[k] // rra.stride
        x = goals[k] - y * rra.stride
        left, right, top, bottom = min(left, x), max(right, x), min(top, y), max(bottom, y)
    return left, right, top, bottom


def _grid_to_box(rra, box, cell):
    left, right, top, bottom = box
    y = cell // rra.stride
    x = cell - y * rra.stride
    dx, dy = max(left - x, x - right, 0), max(top - y, y - bottom, 0)
    return rra.costs[0] * (max(dx, dy) - min(dx, dy)) + rra.costs[4] * min(dx, dy)


def _first_goal(rra, goals, n):
    return goals[0]


def _to_first_goal(rra, goal, node):
    return heuristic(rra, node, goal)


def _grid_moves(rra):
    return StepCosts(rra.legal, rra.offsets, rra.costs, rra.stride)


def _state_moves(rra):
    return StateSteps(rra.back_first, rra.back_source, rra.stand, rra.spots)


def _grid_n_exits(rra, cell):
    return 8


def _grid_exit(rra, cell, k):
    return cell + rra.offsets[k] if (rra.legal[cell] >> k) & 1 else np.int64(NOWHERE)


def _state_n_exits(rra, node):
    return rra.first[node + 1] - rra.first[node]


def _state_exit(rra, node, k):
    return np.int64(rra.target[rra.first[node] + k])


_MOVES_OF: dict[type, Callable[..., Any]] = {Rra: _grid_moves, StateRra: _state_moves}
_N_EXITS: dict[type, Callable[..., Any]] = {Rra: _grid_n_exits, StateRra: _state_n_exits}
_EXIT_BY: dict[type, Callable[..., Any]] = {Rra: _grid_exit, StateRra: _state_exit}
_BOX_OF: dict[type, Callable[..., Any]] = {Rra: _grid_box, StateRra: _first_goal}
_TO_BOX: dict[type, Callable[..., Any]] = {Rra: _grid_to_box, StateRra: _to_first_goal}


def box_of(rra: Any, goals: Any, n: Any) -> Any:
    """The least and the most x and y of the first `n` goals on a grid; the first of them elsewhere."""
    return _BOX_OF[type(rra)](rra, goals, n)


def to_box(rra: Any, box: Any, cell: Any) -> Any:
    """The least cost from `cell` to the box, on an empty map."""
    return _TO_BOX[type(rra)](rra, box, cell)


def moves_of(rra: Any) -> Any:
    """The moves of searches for agents, and what they cost."""
    return _MOVES_OF[type(rra)](rra)


def n_exits(rra: Any, cell: Any) -> Any:
    """How many numbers the moves from `cell` have, used or not."""
    return _N_EXITS[type(rra)](rra, cell)


def exit_by(rra: Any, cell: Any, k: Any) -> Any:
    """Where move number `k` from `cell` leads, or NOWHERE."""
    return _EXIT_BY[type(rra)](rra, cell, k)


specialise(moves_of, _MOVES_OF, spliced)
specialise(box_of, _BOX_OF)
specialise(to_box, _TO_BOX)
specialise(n_exits, _N_EXITS)
specialise(exit_by, _EXIT_BY)
