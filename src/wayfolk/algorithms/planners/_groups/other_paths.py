"""Where agents outside a group are at every step: forbidden for the group (hard), or to be avoided if it costs nothing.

A table holds the cell of every such agent at every step until it stays on its goal. Of two that are in one cell at one step
only one is entered.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import reservations
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.crossing import corners, diagonal
from wayfolk.kernels.reservations import Reservations, holder, reserve

NEVER = np.int32(2**31 - 1)


class OtherPaths(NamedTuple):
    """`parked[cell]` is the step from which an agent stays there, `passed[cell]` the last one at which one is there.

    Both are empty if there are no other agents. `last[0]` is the last step at which one of them moves.
    """

    table: Reservations
    parked: NDArray[np.int32]
    passed: NDArray[np.int32]
    last: NDArray[np.int64]


def no_paths() -> OtherPaths:
    """No other agents."""
    return OtherPaths(
        reservations.new_reservations(1), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(1, np.int64)
    )


def other_paths_of(
    n_cells: int, cells: NDArray[np.int32], ends: NDArray[np.int32], agents: NDArray[np.int32]
) -> OtherPaths:
    """The paths `cells[agent, : ends[agent] + 1]` of `agents`."""
    if len(agents) == 0:
        return no_paths()
    traffic = OtherPaths(
        reservations.new_reservations(int(ends[agents].sum()) + len(agents)),
        np.full(n_cells, NEVER, np.int32),
        np.zeros(n_cells, np.int32),
        np.array([ends[agents].max()], np.int64),
    )
    _enter(cells, ends, agents, traffic)
    return traffic


@kernel
def _enter(cells, ends, agents, traffic):
    for agent in agents:
        for step in range(ends[agent] + 1):
            cell = cells[agent, step]
            reserve(traffic.table, cell, step, agent)
            traffic.passed[cell] = max(traffic.passed[cell], step)
        goal = cells[agent, ends[agent]]
        traffic.parked[goal] = min(traffic.parked[goal], ends[agent])


@inner
def n_meetings(traffic, offsets, here, there, k, step):
    """How many others a move `k` from `here` that ends in `there` at `step` collides with; at most 3 are counted."""
    if traffic.parked.size == 0:
        return 0
    n = 0
    if traffic.parked[there] <= step or holder(traffic.table, there, step) != NOBODY:
        n += 1
    if here == there:
        return n
    n += _moves(traffic, there, here, step)
    if 4 <= k < 8:
        beside, across = corners(offsets, here, k)
        n += _moves(traffic, beside, across, step) + _moves(traffic, across, beside, step)
    return n


@inner
def _moves(traffic, here, there, step):
    """1 if an agent moves from `here` to `there`, where it is at `step`, else 0."""
    who = holder(traffic.table, here, step - 1)
    if who != NOBODY and who == holder(traffic.table, there, step):
        return 1
    return 0


@inner
def is_passed(traffic, cell, step):
    """Whether an agent is in `cell` after `step`."""
    return traffic.parked.size > 0 and traffic.passed[cell] > step


@kernel
def first_conflict(cells, ends, offsets, before, after):
    """Two agents that collide, at the earliest step: (one, other); NOBODY if none do.

    An agent stays in the last cell of its path, `cells[agent, ends[agent]]`. `before` and `after` hold NOBODY for each
    cell, and do so again afterwards.
    """
    one, other = NOBODY, NOBODY
    last = 0
    for agent in range(ends.size):
        last = max(last, ends[agent])
    for step in range(1, last + 1):
        for agent in range(ends.size):
            before[cells[agent, min(step - 1, ends[agent])]] = agent
        for agent in range(ends.size):
            here, there = cells[agent, min(step - 1, ends[agent])], cells[agent, min(step, ends[agent])]
            meets = after[there]
            if meets == NOBODY and here != there:
                meets = _opposite(before, after, here, there)
                k = diagonal(offsets, here, there)
                if k > 0 and meets == NOBODY:
                    beside, across = corners(offsets, here, k)
                    meets = _opposite(before, after, beside, across)
                    if meets == NOBODY:
                        meets = _opposite(before, after, across, beside)
            if meets != NOBODY:
                one, other = meets, agent
                break
            after[there] = agent
        for agent in range(ends.size):
            before[cells[agent, min(step - 1, ends[agent])]] = NOBODY
            after[cells[agent, min(step, ends[agent])]] = NOBODY
        if one != NOBODY:
            break
    return one, other


@inner
def _opposite(before, after, here, there):
    """The agent that has moved from `there` to `here`, or NOBODY."""
    who = before[there]
    if who != NOBODY and after[here] == who:
        return who
    return NOBODY
