"""The arrays of a conflict-based search: the constraint tree, routes, the occupancy table and room for single searches.

A node of the tree stores what differs from its parent: its constraints and the routes of agents that were planned again.
One node at a time is *entered*: then `now` holds the route of every agent, and the occupancy table who is where and when.
Agents in one cell at one time form a linked list; entries of the table are agent + 1, and 0 where nobody is. What has an
entry for each cell and agent, or each cell and step, has one for each *spot*: free cells are numbered in `spots`. Cells
get a row of the occupancy table when a route uses them first; the others share row 0, and take no memory. Nodes of
searches in space and time are found in a hash table, so that memory grows with the nodes that there are.

Kernels that may take long work for WORK units at a time: then they answer PAUSED, and resume when they are called again.
PHASE and what follows it in `counts` say where they have stopped.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.errors import TooLarge
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import SLOT, new_table
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem

FOREVER = np.int32(2**31 - 1)
ROOT = 0
N_PAIR_STATES = 1 << 14  # how many nodes a search for two agents may have

# kinds of constraints
VERTEX, EDGE, DIAGONAL, LONGER, SHORTER, PRESENT = range(6)

# places in `counts`
N_TREE, N_CONSTRAINTS, N_CHANGES, N_ROUTES, N_CELLS, N_RULES, N_CONFLICTS, N_MDD = range(8)
STAMP, LAST_TIME, LEAST_END, MOST_END, N_FOCAL, N_LATER, N_LOW, EXPANDED, N_STATES, N_SPLIT, N_SPLIT2 = range(8, 19)
N_RANKED, WORK, PHASE, LEAST, N_ALIVE, LEVEL, COST, STAGE, STEP, FIRST, SECOND, N_USED, SPLIT_RANK = range(19, 32)
LOW_STAMP, STATE_STAMP, N_REPLANS = range(32, 35)
N_COUNTS = 35

# phases of kernels that can pause
BEGIN, SEARCH, FORWARD, BACKWARD, WRITE, RECTANGLES = range(6)

# answers of kernels
DONE, NO_ROUTE, PAUSED, FULL_TIME, FULL_LOW, FULL_CELLS, FULL_RULES, FULL_CONFLICTS, FULL_MDD, FULL_INDEX = range(10)


def _dtype(names: str, wide: str = "") -> np.dtype[np.void]:
    """Records with a 64-bit integer for each name in `wide`, and a 32-bit one for each in `names`."""
    return np.dtype(
        [(name, np.int64) for name in wide.split()] + [(name, np.int32) for name in names.split()], align=True
    )


TREE = _dtype(
    "parent first_constraint n_constraints first_change n_changes cost bound h makespan n_conflicts depth is_ready"
)
CONSTRAINT = _dtype("agent kind a b begin end")
CHANGE = _dtype("agent route")
ROUTE = _dtype("length bound node", "first mdd")
SPOT = _dtype("spot row")
NOW = _dtype("route length", "first stamp met")
RULE = _dtype("cell origin begin end next")
LOW = _dtype("cell g f n_conflicts parent is_open", "key")
REACH = _dtype("node", "since listed")
STATE = _dtype("one other time delta")
CONFLICT = _dtype("kind one other here there here2 there2 time rank")


class CbsTables(NamedTuple):
    """What the kernels of a conflict-based search read and write."""

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    spots: NDArray[np.void]
    distance: NDArray[np.int32]
    starts: NDArray[np.int32]
    goals: NDArray[np.int32]
    owner: NDArray[np.int16]
    tree: NDArray[np.void]
    constraints: NDArray[np.void]
    changes: NDArray[np.void]
    routes: NDArray[np.void]
    cells: NDArray[np.int32]
    now: NDArray[np.void]
    head: NDArray[np.int16]
    behind: NDArray[np.int16]
    passing: NDArray[np.int32]
    must: NDArray[np.int32]
    first_rule: NDArray[np.int32]
    rules: NDArray[np.void]
    low: NDArray[np.void]
    low_slots: NDArray[np.void]
    focal: NDArray[np.void]
    later: NDArray[np.void]
    n_open: NDArray[np.int32]
    conflicts: NDArray[np.void]
    mdd: NDArray[np.int32]
    reach: NDArray[np.void]
    frontier: NDArray[np.int32]
    mdd_index: NDArray[np.void]
    states: NDArray[np.void]
    state_slots: NDArray[np.void]
    split: NDArray[np.void]
    counts: NDArray[np.int64]


def new_tables(problem: Problem) -> CbsTables:
    """Tables without nodes and routes. The distances are computed later."""
    grid, n = problem.grid, problem.n_agents
    n_cells, n_spots = grid.n_cells, len(grid.free_cells)
    need = 4 * n * n_spots
    if need > available_bytes():
        raise TooLarge(f"distances for {n} goals need {need / 1e9:.1f} GB, {available_bytes() / 1e9:.1f} GB are free")
    owner = np.zeros(n_cells, np.int16)
    owner[problem.goals] = np.arange(1, n + 1)
    spots = np.zeros(n_cells, SPOT)
    spots["spot"][grid.free_cells] = np.arange(n_spots)
    now = np.zeros(n, NOW)
    now["route"] = NOWHERE
    tables = CbsTables(
        legal=grid.legal,
        offsets=grid.offsets,
        spots=spots,
        distance=np.empty((n, n_spots), np.int32),
        starts=problem.starts.copy(),
        goals=problem.goals.copy(),
        owner=owner,
        tree=np.zeros(64, TREE),
        constraints=np.zeros(256, CONSTRAINT),
        changes=np.zeros(256, CHANGE),
        routes=np.zeros(256, ROUTE),
        cells=np.zeros(4096, np.int32),
        now=now,
        **_timed(n, n_spots, 2 * (grid.width + grid.height)),
        first_rule=np.zeros(n_cells, np.int32),
        rules=np.zeros(256, RULE),
        low=np.zeros(1 << 12, LOW),
        low_slots=new_table(1 << 12),
        focal=np.zeros(1 << 14, heap.ROW),
        later=np.zeros(1 << 13, heap.ROW),
        conflicts=np.zeros(256, CONFLICT),
        mdd=np.zeros(1 << 14, np.int32),
        reach=np.zeros(n_cells, REACH),
        frontier=np.zeros((2, n_spots), np.int32),
        mdd_index=np.zeros((2, 1 << 13), SLOT),
        states=np.zeros(N_PAIR_STATES, STATE),
        state_slots=new_table(N_PAIR_STATES),
        split=np.zeros((2, 2 * (grid.width + grid.height + 4)), CONSTRAINT),
        counts=np.zeros(N_COUNTS, np.int64),
    )
    tables.counts[N_MDD] = 1
    return tables


def with_more_time(tables: CbsTables) -> CbsTables:
    """Tables for routes of twice the length, with no node entered."""
    n, n_spots = tables.distance.shape
    n_steps = 2 * tables.head.shape[1]
    check_memory(2 * n_steps * (int(tables.counts[N_USED]) + n))
    tables.now["route"] = NOWHERE
    tables.first_rule[:] = 0
    tables.counts[N_RULES] = 0
    return tables._replace(**_timed(n, n_spots, n_steps))


def grown(tables: CbsTables, **least: int) -> CbsTables:
    """The tables with room for at least `least` rows in each of the named arrays."""
    larger: dict[str, Any] = {}
    for name, rows in least.items():
        array = getattr(tables, name)
        if len(array) < rows:
            check_memory(2 * max(rows, 2 * len(array)) * array.itemsize)
            larger[name] = np.zeros(max(rows, 2 * len(array)), array.dtype)
            larger[name][: len(array)] = array
    return tables._replace(**larger) if larger else tables


def check_memory(n_bytes: int) -> None:
    """Raise TooLarge if `n_bytes` more are not free."""
    if n_bytes > 1 << 24 and n_bytes > available_bytes():
        raise TooLarge(f"the memory is full: {n_bytes / 1e9:.1f} GB more are needed")


def _timed(n: int, n_spots: int, n_steps: int) -> dict[str, Any]:
    """The arrays that have an entry for each step."""
    return {
        "head": np.zeros((n_spots + 1, n_steps), np.int16),
        "behind": np.zeros((n, n_steps), np.int16),
        "passing": np.zeros(n_steps + 1, np.int32),
        "must": np.full(n_steps, NOWHERE, np.int32),
        "n_open": np.zeros(n_steps + 2 * n_spots + 2, np.int32),
    }
