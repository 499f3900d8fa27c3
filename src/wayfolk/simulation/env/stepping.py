"""The kernels of the environment: one step of all agents under three rules for conflicts, and what each of them sees."""

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY

PRIORITY, BLOCK, SOFT = range(3)


@kernel
def step_all(legal, offsets, stride, rule, ways, actions, active, cells, before, wanted, occupant, claims):
    """Move all agents by one step; `cells` are where they are then, `before` where they have been.

    `ways[action]` is a direction; action 0 waits. Legal moves into cells that are free and stay free always happen.
    """
    n = cells.size
    for agent in range(n):
        cell = cells[agent]
        before[agent] = wanted[agent] = cell
        if not active[agent]:
            continue
        occupant[cell] = agent
        if actions[agent] > 0:
            way = ways[actions[agent]]
            if legal[cell] >> way & 1:
                wanted[agent] = cell + offsets[way]
    if rule == PRIORITY:
        _in_turn(stride, cells, before, wanted, occupant)
    elif rule == BLOCK:
        _block(stride, active, cells, before, wanted, occupant, claims)
    else:
        _yield_all(stride, active, cells, before, wanted, occupant, claims)
    for agent in range(n):
        occupant[before[agent]] = NOBODY
        occupant[cells[agent]] = NOBODY


@inner
def _in_turn(stride, cells, before, wanted, occupant):
    """One agent after another, by number, into cells that are empty at that moment."""
    for agent in range(cells.size):
        there = wanted[agent]
        if there == cells[agent] or occupant[there] != NOBODY:
            continue
        if _crosses(stride, before[agent], there, before, cells, occupant):
            continue
        occupant[cells[agent]] = NOBODY
        occupant[there] = agent
        cells[agent] = there


@inner
def _block(stride, active, cells, before, wanted, occupant, claims):
    """All at once: an agent moves if nobody else wants the cell and nobody stands in it now."""
    for agent in range(cells.size):
        if wanted[agent] != before[agent]:
            claims[wanted[agent]] += 1
    for agent in range(cells.size):
        there = wanted[agent]
        if there != before[agent] and claims[there] == 1 and occupant[there] == NOBODY:
            if not _crosses(stride, before[agent], there, before, wanted, occupant):
                cells[agent] = there
    for agent in range(cells.size):
        claims[wanted[agent]] = 0


@inner
def _yield_all(stride, active, cells, before, wanted, occupant, claims):
    """All at once: agents may follow each other. Of those who want one cell, the first by number moves."""
    n = cells.size
    for agent in range(n):
        there = wanted[agent]
        other = occupant[there]
        if there == before[agent]:
            continue
        is_swap = other != NOBODY and wanted[other] == before[agent]
        cells[agent] = before[agent] if is_swap else there
    for agent in range(n):  # who would have crossed or swapped stays: both are found by what they wanted
        there = wanted[agent]
        if there != before[agent] and _crosses(stride, before[agent], there, before, wanted, occupant):
            cells[agent] = before[agent]
    for agent in range(n):
        if active[agent]:
            claims[cells[agent]] += 1
    is_stable = False
    while not is_stable:
        is_stable = True
        for k in range(n):
            agent = n - 1 - k
            if cells[agent] != before[agent] and claims[cells[agent]] > 1:
                claims[cells[agent]] -= 1
                cells[agent] = before[agent]
                claims[cells[agent]] += 1
                is_stable = False
    for agent in range(n):
        claims[cells[agent]] = claims[before[agent]] = 0


@inner
def _crosses(stride, here, there, before, after, occupant):
    """Whether a diagonal step crosses that of another agent, which goes `before` -> `after`."""
    down, across = there // stride - here // stride, there % stride - here % stride
    if down == 0 or across == 0:
        return False
    one, other = here + across, here + down * stride
    for corner in (one, other):
        agent = occupant[corner]
        if agent != NOBODY:
            if before[agent] == one and after[agent] == other:
                return True
            if before[agent] == other and after[agent] == one:
                return True
    return False


@kernel
def observe(walls, standing, radius, stride, who, active, cells, goals, windows):
    """Write what each of the agents `who` sees to `windows[k]`: walls, agents, and the direction of its goal.

    `walls` and `standing` are maps with a margin of `radius` cells, row by row; `standing` is all zeros before and after.
    All indices are unsigned, so that numba leaves out the test for negative ones: that is half of the time.
    """
    side, wide = np.uint64(2 * radius + 1), np.uint64(stride - 2 + 2 * radius)
    size = side * side
    for agent in range(cells.size):
        if active[agent]:
            y, x = np.uint64(cells[agent] // stride - 1 + radius), np.uint64(cells[agent] % stride - 1 + radius)
            standing[y * wide + x] = 1.0
    for k in range(who.size):
        agent = who[k]
        y, x = cells[agent] // stride - 1, cells[agent] % stride - 1
        at, to = np.uint64(y) * wide + np.uint64(x), np.uint64(3 * k) * size
        for row in range(side):
            begin, end = at + np.uint64(row) * wide, to + np.uint64(row) * side
            for column in range(side):
                windows[end + np.uint64(column)] = walls[begin + np.uint64(column)]
            for column in range(side):
                windows[end + size + np.uint64(column)] = standing[begin + np.uint64(column)]
        for place in range(size):
            windows[to + size + size + np.uint64(place)] = 0.0
        row = np.uint64(radius + min(max(goals[agent] // stride - 1 - y, -radius), radius))
        column = np.uint64(radius + min(max(goals[agent] % stride - 1 - x, -radius), radius))
        windows[to + size + size + row * side + column] = 1.0
    for agent in range(cells.size):
        if active[agent]:
            y, x = np.uint64(cells[agent] // stride - 1 + radius), np.uint64(cells[agent] % stride - 1 + radius)
            standing[y * wide + x] = 0.0


def walls_with_margin(free: np.ndarray, radius: int) -> np.ndarray:  # type: ignore[type-arg]
    """Return walls as ones, in a margin of `radius` cells: a wall around the map, and nothing beyond it."""
    walls = np.zeros((free.shape[0] + 2 * radius, free.shape[1] + 2 * radius), np.float32)
    if radius:
        walls[radius - 1 : -radius + 1 or None, radius - 1 : -radius + 1 or None] = 1.0
    walls[radius : walls.shape[0] - radius, radius : walls.shape[1] - radius] = ~free
    return walls
