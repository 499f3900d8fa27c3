"""Subproblems: which agents of a connected part of a map can change places with which others.

A core is a place where agents can change places: a part of the map that no single edge divides (a ring, or several that
meet), or a junction outside rings (a cell with three neighbours or more, all edges of which are bridges). Cores are joined
by corridors. Let m be the number of empty cells. An agent in a corridor, k steps from a core, with s empty cells on the
core's side of it, can take part in the core's exchanges if s - k >= q. For rings q is 0: it then can enter, and even a full
ring can rotate. For junctions q is 1: it then can stand beside the junction with two empty cells around. While the agent
stays in the corridor, s - k never changes. Cores d steps apart are one subproblem if m - d >= q + q'.

de Wilde, ter Mors and Witteveen, "Push and Rotate", 2014, where q is 1 for all cores, as full rings do not rotate there;
Yu and Rus, "Pebble motion on graphs with rotations", 2015, for rotations.

Invariants  no move changes the subproblem of an agent. An agent of no subproblem stays in its corridor, between the same
            neighbours.
Cost        O(cells).
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebble_graph import PebbleGraph, PebbleGrid, pebble_graph
from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY, NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour
from wayfolk.world.grid import Grid
from wayfolk.world.state_graph import StateGraph

PLAIN, JUNCTION, RING, OPEN = range(4)  # kinds of cells: in a corridor, or in a core that is a junction, ring or more

Cells = NDArray[np.int32]


class Cores(NamedTuple):
    """The cores of a connected part: `core[cell]` is the first cell of the cell's core, `kinds[core]` its kind.

    `order` lists the cells as a depth-first search meets them, `parent` is the cell from which it met each, and `bridge`
    says whether the edge to the parent is a bridge. `joined[core]` is the core that stands for the subproblem.
    """

    graph: PebbleGrid | PebbleGraph
    order: Cells
    parent: Cells
    bridge: NDArray[np.uint8]
    core: Cells
    kinds: NDArray[np.uint8]
    joined: Cells


def cores_of(states: Grid | StateGraph, cells: Cells, n_empty: int) -> Cores:
    """The cores of the connected part with these `cells`, joined to subproblems for `n_empty` empty cells."""
    n = states.n_cells
    cores = Cores(
        graph=pebble_graph(states),
        order=np.zeros(len(cells), np.int32),
        parent=np.full(n, NOWHERE, np.int32),
        bridge=np.zeros(n, np.uint8),
        core=np.zeros(n, np.int32),
        kinds=np.zeros(n, np.uint8),
        joined=np.arange(n, dtype=np.int32),
    )
    work = np.zeros((4, n), np.int32)
    find_cores(cores, int(cells[0]), work)
    join_cores(cores, n_empty)
    return cores


def subproblems(cores: Cores, agents_at: Cells, n_empty: int) -> Cells:
    """The subproblem, named by a core, of each agent when they stand on the cells `agents_at`; NOWHERE for none."""
    n = len(cores.core)
    occupied, n_below = np.zeros(n, np.uint8), np.zeros(n, np.int64)
    occupied[agents_at] = 1
    member = np.full(n, NOWHERE, np.int32)
    assign(cores, occupied, n_empty, n_below, member)
    members: Cells = member[agents_at]
    return members


def moved_to(cores: Cores, agents_at: Cells, wanted: Cells) -> Cells:
    """Where agents on the cells `agents_at` are after moves, one at a time, that fill exactly the cells `wanted`."""
    n = len(cores.core)
    occupant, fills = np.full(n, NOBODY, np.int32), np.zeros(n, np.uint8)
    occupant[agents_at] = np.arange(len(agents_at), dtype=np.int32)
    fills[wanted] = 1
    fill(cores, occupant, fills, np.zeros(n, np.uint8), np.zeros((3, n), np.int32))
    here = np.empty_like(agents_at)
    inside = occupant[cores.order]
    here[inside[inside != NOBODY]] = cores.order[inside != NOBODY]
    return here


def priorities(states: Grid | StateGraph, goals: Cells) -> NDArray[np.int64]:
    """The rank of each agent, given all goals: agents of lower rank go first.

    Subproblems go one after another, and agents of none go last. Where the goal of an agent is a junction of another
    subproblem, the agents of that subproblem pass the junction on their ways. Those from the junction to the nearest empty
    cell must be able to make room for them, so they go later. All empty cells are on the same side of the junction, so
    these rules have no cycle.
    """
    ranks = np.zeros(len(goals), np.int64)
    parts, labels = states.components[goals], states.components[states.free_cells]
    for part in np.unique(parts):
        inside = np.flatnonzero(parts == part)
        cells = states.free_cells[labels == part]
        n_empty = len(cells) - len(inside)
        cores = cores_of(states, cells, n_empty)
        names = subproblems(cores, goals[inside], n_empty)
        if n_empty and (names != names[0]).any():
            ranks[inside] = _ranks(cores, goals[inside], names)
    return ranks


def _ranks(cores: Cores, goals: Cells, names: Cells) -> list[int]:
    """The ranks of the agents with these goals in the subproblems `names`."""
    n = len(cores.core)
    occupant = np.full(n, NOBODY, np.int32)
    occupant[goals] = np.arange(len(goals), dtype=np.int32)
    work, way = np.zeros((3, n), np.int32), np.zeros(n, np.int32)
    own = cores.joined[cores.core[goals]]
    at_others = np.flatnonzero((cores.kinds[cores.core[goals]] == JUNCTION) & (own != names))
    before: dict[int, set[int]] = {name: set() for name in np.unique(names).tolist()}
    for stamp, agent in enumerate(at_others.tolist(), 1):
        size = way_to_empty(cores, occupant, int(goals[agent]), stamp, work, way)
        for name in np.unique(names[occupant[way[:size]]]).tolist():
            if name not in (own[agent], NOWHERE):
                before[name].add(int(own[agent]))
    ranks = {name: rank for rank, name in enumerate(TopologicalSorter(before).static_order())}
    ranks[int(NOWHERE)] = len(ranks)
    return [ranks[name] for name in names.tolist()]


@kernel
def find_cores(cores, start, work):
    """Find bridges depth first, then the parts between them and their kinds."""
    order, parent, core = cores.order, cores.parent, cores.core
    number, low, next_bit, stack = work[0], work[1], work[2], work[3]  # numbers from 1 on: 0 is not met yet
    number[start] = low[start] = 1
    order[0], stack[0], size, n_met = start, start, 1, 1
    while size > 0:
        at = np.int64(stack[size - 1])
        k = next_bit[at]
        if k == slots(cores.graph, at):
            size -= 1
            if size > 0:
                before = parent[at]
                low[before] = min(low[before], low[at])
                cores.bridge[at] = 1 if low[at] == number[at] else 0
            continue
        next_bit[at] = k + 1
        there = neighbour(cores.graph, at, k)
        if there == NOWHERE:
            continue
        if number[there] == 0:
            number[there] = low[there] = n_met + 1
            order[n_met], parent[there] = there, at
            n_met += 1
            stack[size] = there
            size += 1
        elif there != parent[at]:
            low[at] = min(low[at], number[there])
    n_cells, n_ends, degrees = number, low, next_bit  # cells of each core, ends of its edges, neighbours of each cell
    for m in range(n_met):
        at = order[m]
        n_cells[at] = n_ends[at] = degrees[at] = 0
        core[at] = at if m == 0 or cores.bridge[at] else core[parent[at]]
    for m in range(n_met):
        at = order[m]
        n_cells[core[at]] += 1
        for k in range(slots(cores.graph, at)):
            there = neighbour(cores.graph, at, k)
            if there != NOWHERE:
                degrees[at] += 1
                if core[there] == core[at]:
                    n_ends[core[at]] += 1
    for m in range(n_met):
        at = order[m]
        if core[at] != at:
            continue
        if n_cells[at] > 1:
            cores.kinds[at] = RING if n_ends[at] == 2 * n_cells[at] else OPEN
        elif degrees[at] >= 3:
            cores.kinds[at] = JUNCTION


@kernel
def join_cores(cores, n_empty):
    """Join cores that are near enough to be one subproblem."""
    for m in range(cores.order.size):
        start = cores.order[m]
        kind = cores.kinds[cores.core[start]]
        if kind == PLAIN:
            continue
        for k in range(slots(cores.graph, start)):
            at = neighbour(cores.graph, start, k)
            if at == NOWHERE or cores.core[at] == cores.core[start]:
                continue
            before, distance = np.int64(start), 1
            while cores.kinds[cores.core[at]] == PLAIN:
                there = _next_cell(cores, before, at)
                if there == at:
                    break
                before, at = at, there
                distance += 1
            other = cores.kinds[cores.core[at]]
            if other != PLAIN and n_empty - distance >= int(kind == JUNCTION) + int(other == JUNCTION):
                _join(cores.joined, cores.core[start], cores.core[at])
    for cell in range(cores.joined.size):  # in rising order, and each leads to a smaller one
        cores.joined[cell] = cores.joined[cores.joined[cell]]


@kernel
def assign(cores, occupied, n_empty, n_below, member):
    """Write the subproblem of the agent on each occupied cell to `member`; `n_below` counts empty cells below each."""
    order, parent, core = cores.order, cores.parent, cores.core
    for m in range(order.size - 1, 0, -1):
        at = order[m]
        n_below[at] += 1 - occupied[at]
        n_below[parent[at]] += n_below[at]
    for m in range(order.size):
        start = order[m]
        kind, n_sides = cores.kinds[core[start]], 0
        if kind == PLAIN:
            continue
        for k in range(slots(cores.graph, start)):
            at = neighbour(cores.graph, start, k)
            if at == NOWHERE or core[at] == core[start]:
                continue
            before, distance = np.int64(start), 1
            n_sides += (n_below[at] if parent[at] == start else n_empty - n_below[start]) > 0
            while True:
                n_empty_behind = n_empty - n_below[at] if parent[at] == before else n_below[before]
                if occupied[at] and n_empty_behind - distance >= int(kind == JUNCTION):
                    member[at] = cores.joined[core[start]]
                if cores.kinds[core[at]] != PLAIN:
                    break
                there = _next_cell(cores, before, at)
                if there == at:
                    break
                before, at = at, there
                distance += 1
        if occupied[start] and (kind != JUNCTION or n_sides >= 2):
            member[start] = cores.joined[core[start]]


@kernel
def fill(cores, occupant, fills, closed, work):
    """Move agents until exactly the cells of `fills` are occupied: each cell in turn, and no cell again after that."""
    order, seen, came, queue = cores.order, work[0], work[1], work[2]
    for m in range(order.size - 1, 0, -1):
        cell = np.int64(order[m])
        if (occupant[cell] != NOBODY) != (fills[cell] != 0):
            end = _nearest(cores, occupant, closed, cell, m, seen, came, queue)
            if fills[cell]:
                occupant[cell], occupant[end] = occupant[end], NOBODY
            else:
                while end != cell:
                    occupant[end] = occupant[came[end]]
                    end = came[end]
                occupant[cell] = NOBODY
        closed[cell] = 1


@kernel
def way_to_empty(cores, occupant, cell, stamp, work, way):
    """Write the cells from `cell` to the nearest empty one, without that; return how many."""
    end = _nearest(cores, occupant, cores.kinds[:0], cell, stamp, work[0], work[1], work[2])
    size = 0
    while end != cell:
        end = work[1, end]
        way[size] = end
        size += 1
    return size


@inner
def _nearest(cores, occupant, closed, cell, stamp, seen, came, queue):
    """The nearest cell to `cell` that is empty if it is occupied, and the other way round; `came` leads back."""
    is_empty = occupant[cell] == NOBODY
    queue[0], seen[cell] = cell, stamp
    first, last = 0, 1
    while first < last:
        at = queue[first]
        first += 1
        if (occupant[at] == NOBODY) != is_empty:
            return np.int64(at)
        for k in range(slots(cores.graph, at)):
            there = neighbour(cores.graph, at, k)
            if there != NOWHERE:
                if (closed.size == 0 or not closed[there]) and seen[there] != stamp:
                    seen[there], came[there] = stamp, at
                    queue[last] = there
                    last += 1
    return cell


@inner
def _next_cell(cores, before, at):
    """The cell after `at` in a corridor when one comes from `before`; `at` itself at a dead end."""
    for k in range(slots(cores.graph, at)):
        there = neighbour(cores.graph, at, k)
        if there != NOWHERE:
            if there != before:
                return there
    return np.int64(at)


@inner
def _join(joined, one, other):
    while joined[one] != one:
        one = joined[one]
    while joined[other] != other:
        other = joined[other]
    joined[max(one, other)] = min(one, other)
