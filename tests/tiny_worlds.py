"""Random worlds of up to 4 x 4 cells and 5 agents, and the least sum of costs in them by a compiled search.

The search is that of `joint_optimum` of the contracts, which a test compares it with, but thousands of times faster.
Nothing is decomposed, grouped or pruned: a state is the place of every agent and whether it has finished, and its
successors are all combinations of moves of which no two clash. Cells are numbered from 0 to 15 here.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reference import legal_moves, steps_from
from wayfolk.compile.jit import inner, kernel
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

NO_PLAN, NO_ROOM = -1, -2
BITS = 5  # four for the cell, one for having finished


class TinyWorld(NamedTuple):
    """`leads[cell, k]` is where move k leads; moves (cell, k) and (cell', k') clash if `clashes` says so."""

    leads: NDArray[np.int64]
    n_moves: NDArray[np.int64]
    clashes: NDArray[np.bool_]
    far: NDArray[np.int64]  # [agent, cell]: steps to the goal
    goals: NDArray[np.int64]


class TinySearch(NamedTuple):
    """The cost of each state, whether it is expanded; lists of states by f; the present choice of each agent."""

    costs: NDArray[np.int16]
    closed: NDArray[np.bool_]
    heads: NDArray[np.int64]
    entries: NDArray[np.int64]  # [entry, (state, next)]
    chosen: NDArray[np.int64]


@cache
def tiny_problem(number: int, max_agents: int = 5) -> tuple[Problem, int | None]:
    """World `number`, and the least sum of costs in it, None if there is no plan."""
    problem = drawn_problem(number, max_agents)
    return problem, least_sum_of_costs(problem)


def drawn_problem(number: int, max_agents: int = 5) -> Problem:
    """Two or more agents in a connected part of a small world; two thirds of the worlds are 4 x 4."""
    rng = np.random.default_rng([number, 15])
    while True:
        height, width = (4, 4) if rng.random() < 0.67 else rng.integers(1, 5, 2)
        grid = Grid(rng.random((height, width)) >= rng.choice([0.0, 0.1, 0.3, 0.5]), rng.choice(list(Moves)))
        n_agents = int(rng.integers(2, max_agents + 1))
        parts = grid.components[grid.free_cells]
        if len(parts) == 0:
            continue
        cells = grid.free_cells[parts == rng.choice(parts)]
        if len(cells) < n_agents:
            continue
        starts, goals = (rng.choice(cells, n_agents, replace=False).astype(np.int32) for _ in range(2))
        return Problem(grid, starts, goals[:, None])


def least_sum_of_costs(problem: Problem) -> int | None:
    """The least sum of costs of any plan, None if there is none."""
    world, starts = tiny_world(problem)
    n_agents = problem.n_agents
    room = 1 << 16
    while True:
        search = TinySearch(
            np.full(1 << BITS * n_agents, 32767, np.int16),
            np.zeros(1 << BITS * n_agents, np.bool_),
            np.zeros(1024, np.int64),
            np.zeros((room, 2), np.int64),
            np.zeros(n_agents, np.int64),
        )
        answer = _search(world, search, starts)
        if answer != NO_ROOM:
            return None if answer == NO_PLAN else int(answer)
        room *= 4


def tiny_world(problem: Problem) -> tuple[TinyWorld, NDArray[np.int64]]:
    """The tables of a problem, and where its agents start."""
    grid = problem.grid
    cells = grid.free_cells.tolist()
    assert len(cells) <= 16
    number = {cell: k for k, cell in enumerate(cells)}
    leads = np.zeros((len(cells), 9), np.int64)
    n_moves = np.zeros(len(cells), np.int64)
    for cell, k in number.items():
        there = [number[other] for other in (cell, *legal_moves(grid, cell))]
        leads[k, : len(there)], n_moves[k] = there, len(there)
    ways = [steps_from(grid, int(goal)) for goal in problem.goals]
    far = np.array([[way.get(cell, 1000) for cell in cells] for way in ways])
    starts, goals = (np.array([number[int(cell)] for cell in these]) for these in (problem.starts, problem.goals))
    return TinyWorld(leads, n_moves, _clashes(grid.places(np.array(cells)), leads), far, goals), starts


def _clashes(places: NDArray[np.int64], leads: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For every pair of moves whether they end in one cell, swap, or are diagonals with the same middle."""
    here = np.repeat(np.arange(len(places)), 9)
    there = leads.ravel()
    same = there[:, None] == there
    swap = (here[:, None] == there) & (there[:, None] == here)
    is_diagonal = (places[here] != places[there]).all(1)
    middle = places[here] + places[there]
    crossing = is_diagonal[:, None] & is_diagonal & (middle[:, None] == middle).all(2)
    return same | swap | crossing


@kernel
def _search(world, search, starts):
    """A* over joint states; the cost, NO_PLAN, or NO_ROOM."""
    n = starts.size
    n_entries = 0
    state, h = np.int64(0), np.int64(0)
    for a in range(n):
        state |= starts[a] << (BITS * a)
        h += world.far[a, starts[a]]
    if h >= 1000:
        return NO_PLAN
    n_entries = _push(search, state, 0, h, n_entries)
    n_entries = _finish_some(world, search, state, 0, h, n_entries)
    for f in range(h, search.heads.size):
        while search.heads[f] > 0:
            entry = search.heads[f] - 1
            state, search.heads[f] = search.entries[entry, 0], search.entries[entry, 1]
            if search.closed[state]:
                continue
            search.closed[state] = True
            cost = np.int64(search.costs[state])
            if _n_unfinished(state, n) == 0:
                return cost
            n_entries = _expand(world, search, state, cost, n_entries)
            if n_entries < 0:
                return NO_ROOM
    return NO_PLAN


@inner
def _expand(world, search, state, cost, n_entries):
    """Push all successors; `chosen[a]` counts through the moves of agent a."""
    n = search.chosen.size
    charge = _n_unfinished(state, n)
    a = 0
    search.chosen[0] = -1
    while a >= 0:
        here = (state >> (BITS * a)) & 15
        finished = (state >> (BITS * a + 4)) & 1
        search.chosen[a] += 1
        if search.chosen[a] >= world.n_moves[here] or (finished and search.chosen[a] > 0):  # move 0 is a wait
            a -= 1
            continue
        free = True
        for b in range(a):
            other = ((state >> (BITS * b)) & 15) * 9 + search.chosen[b]
            if world.clashes[here * 9 + search.chosen[a], other]:
                free = False
        if not free:
            continue
        if a < n - 1:
            a += 1
            search.chosen[a] = -1
            continue
        new, h = np.int64(0), np.int64(0)
        for b in range(n):
            there = world.leads[(state >> (BITS * b)) & 15, search.chosen[b]]
            new |= (there | (((state >> (BITS * b + 4)) & 1) << 4)) << (BITS * b)
            h += world.far[b, there]
        if n_entries + 64 > search.entries.shape[0]:
            return -1
        n_entries = _push(search, new, cost + charge, h, n_entries)
        n_entries = _finish_some(world, search, new, cost + charge, h, n_entries)
    return n_entries


@inner
def _finish_some(world, search, state, cost, h, n_entries):
    """Push `state` with every set of agents on their goals finished."""
    n = search.chosen.size
    for chosen in range(1, 1 << n):
        new, allowed = state, True
        for a in range(n):
            if (chosen >> a) & 1:
                at = (state >> (BITS * a)) & 31
                allowed = allowed and at == world.goals[a]
                new |= np.int64(16) << (BITS * a)
        if allowed:
            n_entries = _push(search, new, cost, h, n_entries)
    return n_entries


@inner
def _push(search, state, cost, h, n_entries):
    if cost >= search.costs[state]:
        return n_entries
    search.costs[state] = cost
    search.entries[n_entries, 0] = state
    search.entries[n_entries, 1] = search.heads[cost + h]
    search.heads[cost + h] = n_entries + 1
    return n_entries + 1


@inner
def _n_unfinished(state, n):
    count = 0
    for a in range(n):
        count += 1 - ((state >> (BITS * a + 4)) & 1)
    return count
