"""The arrays of a conflict-based search: the constraint tree, routes, the occupancy table and room for single searches.

A node of the tree stores what differs from its parent: its constraints and the routes of agents that were planned again.
One node at a time is *entered*: then `now` holds the route of every agent, and the occupancy table who is where and when.
What has an entry for each cell and agent has one for each *spot*: free cells are numbered in `spots`. In other worlds than
grids a cell is a node of the graph of states.

Agents hold places: on a grid the cell where they are, elsewhere what `moves` says. Agents that hold one place at one time
form a linked list; a list has the numbers of entries + 1, and 0 where it ends. Places get a row of the occupancy table
when a route uses them first; the others share row 0, and take no memory. The `row` in `spots` is that of a place, and
`owner` says to whose goal a place belongs. Nodes of searches in space and time are found in a hash table, so that memory
grows with the nodes that there are.

Kernels that may take long work for WORK units at a time: then they answer PAUSED, and resume when they are called again.
PHASE and what follows it in `counts` say where they have stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._cbs.moves import most_places, place_at, span, stay
from wayfolk.errors import TooLarge
from wayfolk.kernels import heap
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.table import SLOT, new_table
from wayfolk.machine import available_bytes
from wayfolk.problem.problem import Problem

if TYPE_CHECKING:
    from wayfolk.algorithms.planners._cbs.cell_moves import CbsCells
    from wayfolk.algorithms.planners._cbs.state_moves import CbsStates

FOREVER = np.int32(2**31 - 1)
ROOT = 0
N_PAIR_STATES = 1 << 14  # how many nodes a search for two agents may have

# kinds of constraints
VERTEX, EDGE, DIAGONAL, LONGER, SHORTER, PRESENT, AWAY = range(7)

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
RULE = _dtype("place origin begin end next")
LOW = _dtype("cell g f n_conflicts parent is_open", "key")
REACH = _dtype("node", "since listed")
STATE = _dtype("one other time delta")
CONFLICT = _dtype("kind one other place here there here2 there2 time rank")


class CbsTables(NamedTuple):
    """What the kernels of a conflict-based search read and write."""

    moves: CbsCells | CbsStates
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
    head: NDArray[np.int16] | NDArray[np.int32]
    behind: NDArray[np.int16] | NDArray[np.int32]
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


class Sizes(NamedTuple):
    """Places have numbers below `n_places`, agents can hold `n_held` of them, and routes have up to `n_steps` at first."""

    n_places: int
    n_held: int
    n_steps: int


def new_tables(problem: Problem, moves: CbsCells | CbsStates, sizes: Sizes) -> CbsTables:
    """Tables without nodes and routes. The distances are computed later."""
    states, n = problem.states, problem.n_agents
    n_cells, n_spots = states.n_cells, len(states.free_cells)
    need = 4 * n * n_spots
    if need > available_bytes():
        raise TooLarge(f"distances for {n} goals need {need / 1e9:.1f} GB, {available_bytes() / 1e9:.1f} GB are free")
    number = np.dtype(np.int16 if problem.is_plain else np.int32)
    owner = np.zeros(sizes.n_places, np.int16)
    for agent, goal in enumerate(problem.goals.tolist()):
        for k in range(*span(moves, stay(moves, goal))):
            owner[place_at(moves, k)] = agent + 1
    spots = np.zeros(max(n_cells, sizes.n_places), SPOT)
    spots["spot"][states.free_cells] = np.arange(n_spots)
    now = np.zeros(n, NOW)
    now["route"] = NOWHERE
    tables = CbsTables(
        moves=moves,
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
        **_timed(sizes.n_steps, n_spots, sizes.n_held + 1, n * most_places(moves), number),
        first_rule=np.zeros(sizes.n_places, np.int32),
        rules=np.zeros(256 + 4 * most_places(moves), RULE),
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
        split=np.zeros((2, sizes.n_steps + 8), CONSTRAINT),
        counts=np.zeros(N_COUNTS, np.int64),
    )
    tables.counts[N_MDD] = 1
    return tables


def with_more_time(tables: CbsTables) -> CbsTables:
    """Tables for routes of twice the length, with no node entered."""
    n_rows, n_entries = len(tables.head), len(tables.behind)
    n_steps = 2 * tables.head.shape[1]
    check_memory(tables.head.itemsize * n_steps * (int(tables.counts[N_USED]) + n_entries))
    tables.now["route"] = NOWHERE
    tables.first_rule[:] = 0
    tables.counts[N_RULES] = 0
    return tables._replace(**_timed(n_steps, tables.distance.shape[1], n_rows, n_entries, tables.head.dtype))


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


def _timed(n_steps: int, n_spots: int, n_rows: int, n_entries: int, number: np.dtype[Any]) -> dict[str, Any]:
    """The arrays that have an entry for each step."""
    return {
        "head": np.zeros((n_rows, n_steps), number),
        "behind": np.zeros((n_entries, n_steps), number),
        "passing": np.zeros(n_steps + 1, np.int32),
        "must": np.full(n_steps, NOWHERE, np.int32),
        "n_open": np.zeros(n_steps + 2 * n_spots + 2, np.int32),
    }
