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
            12 cells. None is undecided: maps with diagonal moves and cliffs, where rings may cross themselves.
Cost        O(cells); O(cells^2) at worst if there are agents of no subproblem.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wayfolk.algorithms.planners._subproblems import OPEN, RING, Cores, cores_of, moved_to, subproblems
from wayfolk.compile.jit import kernel
from wayfolk.kernels.codes import NOWHERE
from wayfolk.problem.problem import Problem
from wayfolk.world.grid import Grid, Moves

Cells = NDArray[np.int32]


def is_solvable(problem: Problem) -> bool | None:
    """Whether there is a plan for all agents of `problem`; None if these tests do not decide."""
    grid, starts, goals = problem.grid, problem.starts, problem.goals
    if problem.shared_goals:
        return False
    parts = grid.components[starts]
    if (parts != grid.components[goals]).any():
        return False
    answers: list[bool | None] = []
    for part in np.unique(parts):
        inside = parts == part
        cells = grid.free_cells[grid.components[grid.free_cells] == part]
        answers.append(_is_part_solvable(grid, cells, starts[inside].astype(np.int32), goals[inside].astype(np.int32)))
        if answers[-1] is False:
            return False
    return None if None in answers else True


def _is_part_solvable(grid: Grid, cells: Cells, starts: Cells, goals: Cells) -> bool | None:
    """The answer for the agents of one part of the map."""
    if len(starts) == 1 or (starts == goals).all():
        return True
    degrees = np.unpackbits(grid.legal[cells, None], axis=1).sum(1)
    if degrees.max() <= 2:
        return _keeps_order(grid, cells, degrees, starts, goals)
    if grid.links is not None and grid.moves is not Moves.FOUR:
        return None
    n_empty = len(cells) - len(starts)
    cores = cores_of(grid, cells, n_empty)
    if n_empty == 0:
        return _can_rotate(grid, cores, starts, goals)
    before, after = subproblems(cores, starts, n_empty), subproblems(cores, goals, n_empty)
    if (before != after).any():
        return False
    fixed = before == NOWHERE
    return not fixed.any() or bool((moved_to(cores, goals, starts) == starts)[fixed].all())


def _keeps_order(grid: Grid, cells: Cells, degrees: NDArray[np.integer], starts: Cells, goals: Cells) -> bool:
    """Whether agents in a corridor or a ring have their goals in the same order."""
    rank = np.zeros(grid.n_cells, np.int32)
    ends = cells[degrees == 1]
    is_ring = not ends.size
    number_along(grid.legal, grid.offsets, int(cells[0] if is_ring else ends[0]), len(cells), rank)
    before, after = np.argsort(rank[starts]), np.argsort(rank[goals])
    return _is_rotation(before, after) if is_ring else bool((before == after).all())


def _can_rotate(grid: Grid, cores: Cores, starts: Cells, goals: Cells) -> bool:
    """The answer for a part without empty cells: only rings can rotate."""
    core, kinds = cores.core[starts], cores.kinds[cores.core[starts]]
    if (core != cores.core[goals]).any() or (starts != goals)[kinds < RING].any():
        return False
    rank = np.zeros(grid.n_cells, np.int32)
    rank[cores.order] = np.arange(len(cores.order))  # a depth-first search meets the cells of a ring in their order
    for ring in np.unique(core[kinds == RING]):
        before, after = (np.argsort(rank[cells[core == ring]]) for cells in (starts, goals))
        if not _is_rotation(before, after):
            return False
    if grid.moves is Moves.EIGHT_CUTTING:  # else there is an even ring in each
        for several in np.unique(core[kinds == OPEN]).tolist():
            inside = core == several
            if _is_odd(starts[inside], goals[inside]) and not _has_even_ring(cores, starts[inside], rank):
                return False  # rotations of odd rings are even permutations
    return True


def _has_even_ring(cores: Cores, cells: Cells, rank: Cells) -> bool:
    """Whether a core has a ring with an even number of cells; where two rings share an edge there is one."""
    met: set[int] = set()  # cells whose edge to the parent is on a ring
    for cell in cells.tolist():
        around = [cell + int(cores.offsets[k]) for k in range(8) if cores.legal[cell] >> k & 1]
        for ancestor in around:
            if rank[ancestor] >= rank[cell] or ancestor == cores.parent[cell]:
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
def number_along(legal, offsets, start, n_cells, rank):
    """Number the cells of a corridor or a ring from `start` on."""
    before, at = np.int64(start), np.int64(start)
    for number in range(n_cells):
        rank[at] = number
        there = at
        for k in range(8):
            beside = np.int64(at + offsets[k])
            if (legal[at] >> k) & 1 and beside != before:
                there = beside
                break
        before, at = at, there
