"""Whether a problem has a plan.

Each connected part of the map is judged by itself.

* A corridor or a ring: agents keep their order, so starts and goals must have the same order; a ring may be rotated.
* A part with an empty cell: each agent must have the same subproblem on its start and on its goal (`_subproblems`). Agents
  of no subproblem keep their order in their corridor: the goals are moved to the starts' cells by any moves, and then each
  of these must be on its start.
* A part without empty cells: only rings rotate. Agents outside rings stay; a ring that shares no cell with another rotates
  as a whole; agents in rings that meet can be permuted at will, but only by even permutations if all rings are odd.

Guarantees  False follows from the invariants of `_subproblems`, which no legal move breaks. True rests on theorems about
            moves into empty cells (de Wilde, ter Mors and Witteveen, "Push and Rotate", 2014) and about rotations (Yu and
            Rus, "Pebble motion on graphs with rotations", 2015). How the two are combined here (full rings rotate, so
            they need no empty cells) is our own: it agrees with exhaustive searches on 7,800 maps with up to 6 agents and
            12 cells, and on 3,500 other worlds with up to 15 nodes. None is undecided: maps with diagonal moves and cliffs
            and other graphs whose rings may cross themselves, one-way edges, and bodies other than points.
Cost        O(cells); O(cells^2) at worst if there are agents of no subproblem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._pebble_graph import degrees, middles, pebble_graph
from wayfolk.algorithms.planners._subproblems import OPEN, RING, Cores, cores_of, moved_to, subproblems
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.kernels.graph import slots
from wayfolk.kernels.graph import there as neighbour
from wayfolk.problem.problem import Problem
from wayfolk.world.body import POINT
from wayfolk.world.grid import Grid, Moves
from wayfolk.world.state_graph import StateGraph

Cells = NDArray[np.int32]


def is_solvable(problem: Problem) -> bool | None:
    """Whether there is a plan for all agents of `problem`; None if these tests do not decide."""
    states, starts, goals = problem.states, problem.starts, problem.goals
    if problem.shared_goals:
        return False
    parts = states.components[starts]
    if (parts != states.components[goals]).any():
        return False
    if isinstance(states, StateGraph) and (problem.kinds != (POINT,) or states.one_way_edge is not None):
        return None
    answers: list[bool | None] = []
    for part in np.unique(parts):
        inside = parts == part
        cells = states.free_cells[states.components[states.free_cells] == part]
        answers.append(
            _is_part_solvable(states, cells, starts[inside].astype(np.int32), goals[inside].astype(np.int32))
        )
        if answers[-1] is False:
            return False
    return None if None in answers else True


def _is_part_solvable(states: Grid | StateGraph, cells: Cells, starts: Cells, goals: Cells) -> bool | None:
    """The answer for the agents of one part of the map."""
    if len(starts) == 1 or (starts == goals).all():
        return True
    n_neighbours = degrees(states)[cells]
    n_empty = len(cells) - len(starts)
    is_corridor = n_neighbours.max() <= 2
    is_full_ring = is_corridor and n_empty == 0 and n_neighbours.min() == 2
    if (is_full_ring or not is_corridor) and _rings_may_cross(states):
        return None
    if is_corridor:
        return _keeps_order(states, cells, n_neighbours, starts, goals)
    cores = cores_of(states, cells, n_empty)
    if n_empty == 0:
        return _can_rotate(states, cores, starts, goals)
    before, after = subproblems(cores, starts, n_empty), subproblems(cores, goals, n_empty)
    if (before != after).any():
        return False
    fixed = before == NOWHERE
    return not fixed.any() or bool((moved_to(cores, goals, starts) == starts)[fixed].all())


def _rings_may_cross(states: Grid | StateGraph) -> bool:
    """Whether a ring of agents that rotates may have moves that cross, though there is no shorter ring.

    It may where two moves cross whose four ends are not all neighbours.
    """
    if isinstance(states, Grid):
        return states.links is not None and states.moves is not Moves.FOUR
    n, middle = states.n_cells, middles(states)
    known = np.sort(states.sources.astype(np.int64) * n + states.graph.target)
    used = middle != NOWHERE
    ends = np.concatenate([states.sources[used], states.graph.target[used]]).astype(np.int64)
    keys = np.unique(np.tile(middle[used].astype(np.int64), 2) * n + ends)
    at, node = keys // n, keys % n
    for shift in range(1, len(keys)):
        together = np.flatnonzero(at[shift:] == at[:-shift])
        if not together.size:
            break
        if not np.isin(node[together] * n + node[together + shift], known).all():
            return True
    return False


def _keeps_order(
    states: Grid | StateGraph, cells: Cells, n_neighbours: NDArray[np.int64], starts: Cells, goals: Cells
) -> bool:
    """Whether agents in a corridor or a ring have their goals in the same order."""
    rank = np.zeros(states.n_cells, np.int32)
    ends = cells[n_neighbours == 1]
    is_ring = not ends.size
    number_along(pebble_graph(states), int(cells[0] if is_ring else ends[0]), len(cells), rank)
    before, after = np.argsort(rank[starts]), np.argsort(rank[goals])
    return _is_rotation(before, after) if is_ring else bool((before == after).all())


def _can_rotate(states: Grid | StateGraph, cores: Cores, starts: Cells, goals: Cells) -> bool:
    """The answer for a part without empty cells: only rings can rotate."""
    core, kinds = cores.core[starts], cores.kinds[cores.core[starts]]
    if (core != cores.core[goals]).any() or (starts != goals)[kinds < RING].any():
        return False
    rank = np.zeros(states.n_cells, np.int32)
    rank[cores.order] = np.arange(len(cores.order))  # a depth-first search meets the cells of a ring in their order
    for ring in np.unique(core[kinds == RING]):
        before, after = (np.argsort(rank[cells[core == ring]]) for cells in (starts, goals))
        if not _is_rotation(before, after):
            return False
    if (
        not isinstance(states, Grid) or states.moves is Moves.EIGHT_CUTTING
    ):  # on other grids there is an even ring in each
        for several in np.unique(core[kinds == OPEN]).tolist():
            inside = core == several
            if _is_odd(starts[inside], goals[inside]) and not _has_even_ring(cores, starts[inside], rank):
                return False  # rotations of odd rings are even permutations
    return True


def _has_even_ring(cores: Cores, cells: Cells, rank: Cells) -> bool:
    """Whether a core has a ring with an even number of cells; where two rings share an edge there is one."""
    met: set[int] = set()  # cells whose edge to the parent is on a ring
    for cell in cells.tolist():
        around = [int(neighbour(cores.graph, cell, k)) for k in range(slots(cores.graph, cell))]
        for ancestor in around:
            if ancestor == NOWHERE or rank[ancestor] >= rank[cell] or ancestor == cores.parent[cell]:
                continue
            at, length = cell, 1
            while at != ancestor:
                if at in met:
                    return True
                met.add(at)
                at = int(cores.parent[at])
                length += 1
            if length % 2 == 0:
                return True
    return False


def _is_rotation(before: NDArray[np.intp], after: NDArray[np.intp]) -> bool:
    """Whether two orders of the same agents differ only in who is first."""
    return bool((before == np.roll(after, -int(np.flatnonzero(after == before[0])[0]))).all())


def _is_odd(starts: Cells, goals: Cells) -> bool:
    """Whether the permutation that leads from `starts` to `goals`, the same cells, is odd."""
    leads = dict(zip(starts.tolist(), goals.tolist(), strict=True))
    n_even_cycles = 0
    while leads:
        cell, length = next(iter(leads)), 0
        while cell in leads:
            cell = leads.pop(cell)
            length += 1
        n_even_cycles += length % 2 == 0
    return n_even_cycles % 2 == 1


@kernel
def number_along(graph, start, n_cells, rank):
    """Number the cells of a corridor or a ring from `start` on."""
    before, at = np.int64(start), np.int64(start)
    for number in range(n_cells):
        rank[at] = number
        there = at
        for k in range(slots(graph, at)):
            beside = neighbour(graph, at, k)
            if beside not in (np.int64(NOWHERE), before):
                there = beside
                break
        before, at = at, there
