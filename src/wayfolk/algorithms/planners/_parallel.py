"""Parallel moves: a plan in which agents move one after another becomes one in which they move at the same time.

Each move happens as early as the order of visits allows: agents visit every cell in the same order as before. Before that,
detours are removed: an agent that leaves a cell and comes back, while nobody else was there, stays there instead.

de Wilde, ter Mors and Witteveen, "Push and Rotate: a complete multi-agent pathfinding algorithm", 2014, section 5
(their smoothing); Surynek, "Solving abstract cooperative path-finding in densely populated environments", 2014
(redundant moves).

Guarantees  a legal plan with the same starts and ends. No agent arrives later, and the plan is not longer.
Invariants  each cell is visited by a part of its visitors before, in the same order.
Cost        O(moves) for each pass; passes end when nothing is removed, and after `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebble_graph import edge_between, middles
from wayfolk.algorithms.planners._pebbles import MOVE
from wayfolk.compile.jit import kernel, specialise
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.machine import available_bytes
from wayfolk.problem.plan import Plan
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

PASSES = 50
NO_MOVE = np.int64(2**62)
Moves = NDArray[np.void]
"""Rows of `MOVE`: agent, from where, to where, and whether at the same time as the row before."""


class TooLong(Exception):
    """The plan does not fit into memory."""


class BlockTimes(NamedTuple):
    """`blocks[cell, k]` is the step of the last move along diagonal k of the 2 x 2 block with the first cell `cell`."""

    stride: int
    blocks: NDArray[np.int64]


class MiddleTimes(NamedTuple):
    """`times[middle]` is the step of the last move along an edge with this middle; edges are in CSR form."""

    first: NDArray[np.int32]
    target: NDArray[np.int32]
    middle: NDArray[np.int32]
    times: NDArray[np.int64]


def parallelised(plan: Plan) -> Plan:
    """The plan without detours, each move as early as possible."""
    return plan_of(plan.states, plan.cells[0], moves_of(plan))


def plan_of(states: Grid | StateGraph, starts: NDArray[np.int32], moves: Moves) -> Plan:
    """The plan in which agents at `starts` make `moves`, as early as possible and without detours.

    Raises TooLong if its table of cells does not fit into memory.
    """
    moves = without_detours(moves, starts, states.n_cells)
    times = np.zeros(len(moves), np.int64)
    left, ready = np.zeros(states.n_cells, np.int64), np.zeros(len(starts), np.int64)
    n_steps = int(set_times(moves, _crossings_of(states), left, ready, times))
    n_bytes = 4 * (n_steps + 1) * len(starts)
    if n_bytes > available_bytes() // 2:
        raise TooLong(f"a plan of {n_steps} steps for {len(starts)} agents needs {n_bytes >> 20} MB of memory")
    cells = np.empty((n_steps + 1, len(starts)), np.int32)
    cells[:] = NOBODY
    cells[0] = starts
    _write(moves, times, cells)
    return Plan(states, cells)


def _crossings_of(states: Grid | StateGraph) -> BlockTimes | MiddleTimes:
    """No move has crossed another one."""
    if isinstance(states, Grid):
        return BlockTimes(states.stride, np.zeros((states.n_cells, 2), np.int64))
    table = states.occupancy
    return MiddleTimes(table.first, table.target, middles(states), np.zeros(table.n_places, np.int64))


def without_detours(moves: Moves, starts: NDArray[np.int32], n_cells: int) -> Moves:
    """The moves without those by which an agent leaves a cell and returns while nobody else was there."""
    moves = moves.copy()
    n_moves, starts = len(moves), starts.astype(np.int32)
    before = np.empty(n_moves, np.int64)
    for _ in range(PASSES):
        visitor = np.full(n_cells, NOBODY, np.int32)
        visitor[starts] = np.arange(len(starts), dtype=np.int32)
        last = np.full(len(starts), NO_MOVE, np.int64)
        kept = int(remove_detours(moves, n_moves, visitor, last, before))
        if kept == n_moves:
            break
        n_moves = kept
    return moves[:n_moves]


def moves_of(plan: Plan) -> Moves:
    """The moves of a plan, one after another: who is followed moves first, and rings are joined."""
    moves = np.zeros(int((plan.cells[1:] != plan.cells[:-1]).sum()), MOVE)
    occupant = np.full(plan.states.n_cells, NOBODY, np.int32)
    chain, step_of = np.empty(plan.n_agents, np.int32), np.zeros(plan.n_agents, np.int64)
    n = list_moves(np.ascontiguousarray(plan.cells, np.int32), occupant, chain, step_of, moves)
    assert n == len(moves)
    return moves


@kernel
def remove_detours(moves, n_moves, visitor, last, before):
    """Remove detours in one pass; return how many moves are left, which are put together at the front.

    `visitor[cell]` is who was there last, `last[agent]` the agent's last move and `before[move]` the one before it.
    """
    for m in range(n_moves):
        agent, there = moves[m]["agent"], moves[m]["there"]
        before[m], last[agent] = last[agent], m
        if visitor[there] != agent:
            visitor[there] = agent
            continue
        # nobody else was `there` since the agent left it
        at = np.int64(m)
        while True:
            row = moves[at]
            if row["there"] != there and visitor[row["there"]] == agent:
                visitor[row["there"]] = NOBODY  # who was there before is not known: a later pass looks again
            row["agent"] = NOBODY
            last[agent] = before[at]
            if row["here"] == there:
                break
            at = before[at]
    n, is_open = 0, False  # whether the group of simultaneous moves that we are in has a kept row
    for m in range(n_moves):
        if moves[m]["joined"] == 0:
            is_open = False
        if moves[m]["agent"] != NOBODY:
            joined = 1 if is_open else 0
            is_open = True
            moves[n]["agent"], moves[n]["here"], moves[n]["there"] = (
                moves[m]["agent"],
                moves[m]["here"],
                moves[m]["there"],
            )
            moves[n]["joined"] = joined
            n += 1
    return n


@kernel
def set_times(moves, crossings, left, ready, times):
    """Write the step in which each move happens; return the last one.

    `left[cell]` is the step in which the last visitor left the cell, `ready[agent]` that of its last move. Moves that cross
    keep their order.
    """
    n, m, longest = len(moves), 0, np.int64(0)
    while m < n:
        end = m + 1
        while end < n and moves[end]["joined"] != 0:
            end += 1
        time = np.int64(1)
        for k in range(m, end):
            here, there = moves[k]["here"], moves[k]["there"]
            time = max(time, ready[moves[k]["agent"]] + 1, left[there], last_crossing(crossings, here, there) + 1)
        for k in range(m, end):
            here, there = moves[k]["here"], moves[k]["there"]
            times[k] = ready[moves[k]["agent"]] = left[here] = time
            note_crossing(crossings, here, there, time)
        longest = max(longest, time)
        m = end
    return longest


_LAST_CROSSING: dict[type, Callable[..., Any]] = {}
_NOTE_CROSSING: dict[type, Callable[..., Any]] = {}


def last_crossing(crossings: Any, here: Any, there: Any) -> Any:
    """The step of the last move that crosses the one from `here` to `there`, 0 if there is none."""
    return _LAST_CROSSING[type(crossings)](crossings, here, there)


def note_crossing(crossings: Any, here: Any, there: Any, time: Any) -> Any:
    """Let the step of the last move from `here` to `there` be `time`."""
    return _NOTE_CROSSING[type(crossings)](crossings, here, there, time)


specialise(last_crossing, _LAST_CROSSING)
specialise(note_crossing, _NOTE_CROSSING)


def _last_in_block(crossings, here, there):  # type: ignore[no-untyped-def]
    size = abs(there - here)
    if size == crossings.stride - 1:
        return crossings.blocks[min(here, there) - 1, 0]
    if size == crossings.stride + 1:
        return crossings.blocks[min(here, there), 1]
    return np.int64(0)


def _note_in_block(crossings, here, there, time):  # type: ignore[no-untyped-def]
    size = abs(there - here)
    if size == crossings.stride - 1:
        crossings.blocks[min(here, there) - 1, 1] = time
    elif size == crossings.stride + 1:
        crossings.blocks[min(here, there), 0] = time


def _last_in_middle(crossings, here, there):  # type: ignore[no-untyped-def]
    middle = crossings.middle[edge_between(crossings, here, there)]
    return np.int64(0) if middle == NOWHERE else crossings.times[middle]


def _note_in_middle(crossings, here, there, time):  # type: ignore[no-untyped-def]
    middle = crossings.middle[edge_between(crossings, here, there)]
    if middle != NOWHERE:
        crossings.times[middle] = time


_LAST_CROSSING.update({BlockTimes: _last_in_block, MiddleTimes: _last_in_middle})
_NOTE_CROSSING.update({BlockTimes: _note_in_block, MiddleTimes: _note_in_middle})


@kernel
def _write(moves, times, cells):
    """Write the cells of all agents at all steps."""
    for m in range(len(moves)):
        cells[times[m], moves[m]["agent"]] = moves[m]["there"]
    for step in range(1, cells.shape[0]):
        for agent in range(cells.shape[1]):
            if cells[step, agent] == NOBODY:
                cells[step, agent] = cells[step - 1, agent]


@kernel
def list_moves(cells, occupant, chain, step_of, moves):
    """Write the moves of a plan in an order in which they can be made one by one, but for rings; return how many."""
    n = 0
    for step in range(1, cells.shape[0]):
        for agent in range(cells.shape[1]):
            occupant[cells[step - 1, agent]] = agent
        for agent in range(cells.shape[1]):
            # follow those who stand in the way, up to one who moves into an empty cell or closes a ring
            size, at, is_ring = 0, agent, False
            while step_of[at] != step and cells[step, at] != cells[step - 1, at]:
                step_of[at] = step
                chain[size] = at
                size += 1
                at = occupant[cells[step, at]]
                if at == NOBODY:
                    break
                is_ring = at == agent
            for k in range(size - 1, -1, -1):
                row = moves[n]
                row["agent"], row["here"], row["there"] = chain[k], cells[step - 1, chain[k]], cells[step, chain[k]]
                row["joined"] = 1 if is_ring and k < size - 1 else 0
                n += 1
        for agent in range(cells.shape[1]):
            occupant[cells[step - 1, agent]] = NOBODY
    return n
