"""Near: who is near whom, by a counting sort of the bodies into square bins.

Rows of bodies lie in the order of their bins, so the bodies in neighbouring bins of one row of bins are one range of
rows. A kernel walks through the bodies around a point like this:

    first_row, last_row, first_column, last_column = window(near, x, y, reach)
    for line in range(first_row, last_row + 1):
        begin, end = span(near, line, first_column, last_column)
        for other in range(begin, end):
            ...  near.rows[other, X], near.rows[other, Y]; its number is near.agents[other]

Invariants  every active body is in one bin; the rows of a bin are in the order of the agents' numbers, so that sums over
            neighbours do not depend on threads; nothing is allocated in a step.
Cost        O(agents + bins), and there are at most about four bins for each agent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.bodies.arrays import Floats

X, Y, VX, VY, RADIUS, MASS = range(6)  # columns of `Near.rows`
LEFT, TOP, PER_METRE = range(3)  # places in `Near.frame`
COLUMNS, LINES, PRESENT = range(3)  # places in `Near.shape`
MOST_LISTED = 10  # contacts of a body that are listed; who has more looks for them again


class Near(NamedTuple):
    """Bodies in the order of their bins.

    rows      X, Y, VX, VY, RADIUS and MASS of each body that is there
    agents    its number
    after     its velocity at the end of the step
    spare     room for the next `after`
    contacts  how many others it touches
    touched   rows of the first few of them
    starts    the first row of each bin, and after the last bin the number of rows
    bins      the bin of each agent
    frame     LEFT, TOP and PER_METRE, bins in a metre
    shape     COLUMNS and LINES of bins, and how many bodies are PRESENT
    """

    rows: Floats
    agents: NDArray[np.int32]
    after: Floats
    spare: Floats
    contacts: NDArray[np.int32]
    touched: NDArray[np.int32]
    starts: NDArray[np.int32]
    bins: NDArray[np.int32]
    frame: Floats
    shape: NDArray[np.int64]


def new_near(room: int) -> Near:
    """Arrays for `room` agents."""
    return Near(
        np.zeros((room, 6)),
        np.zeros(room, np.int32),
        after=np.zeros((room, 2)),
        spare=np.zeros((room, 2)),
        contacts=np.zeros(room, np.int32),
        touched=np.zeros((room, MOST_LISTED), np.int32),
        starts=np.zeros(4 * room + 66, np.int32),
        bins=np.zeros(room, np.int32),
        frame=np.zeros(3),
        shape=np.zeros(3, np.int64),
    )


@kernel
def sort(bodies, n_agents, side, near):
    """Sort the active ones of the first `n_agents` into bins of this side, or larger ones if there would be too many."""
    places = bodies.places
    left, top, right, bottom = np.inf, np.inf, -np.inf, -np.inf
    present = 0
    for agent in range(n_agents):
        if bodies.is_active[agent]:
            x, y = places[agent, 0], places[agent, 1]
            left, right = min(left, x), max(right, x)
            top, bottom = min(top, y), max(bottom, y)
            present += 1
    near.shape[PRESENT] = present
    if present == 0:
        near.shape[COLUMNS] = near.shape[LINES] = 1
        near.starts[0] = near.starts[1] = 0
        return
    most = near.starts.size - 1
    while (np.floor((right - left) / side) + 1.0) * (np.floor((bottom - top) / side) + 1.0) > most:
        side *= 1.25
    columns = np.int64((right - left) / side) + 1
    lines = np.int64((bottom - top) / side) + 1
    while columns * lines > most:
        side *= 1.25
        columns = np.int64((right - left) / side) + 1
        lines = np.int64((bottom - top) / side) + 1
    scale = 1.0 / side
    near.frame[LEFT], near.frame[TOP], near.frame[PER_METRE] = left, top, scale
    near.shape[COLUMNS], near.shape[LINES] = columns, lines
    starts = near.starts
    for place in range(columns * lines + 1):
        starts[place] = 0
    for agent in range(n_agents):
        if bodies.is_active[agent]:
            column = min(np.int64((places[agent, 0] - left) * scale), columns - 1)
            line = min(np.int64((places[agent, 1] - top) * scale), lines - 1)
            near.bins[agent] = line * columns + column
            starts[near.bins[agent] + 1] += 1
    for place in range(columns * lines):
        starts[place + 1] += starts[place]
    _fill(bodies, n_agents, near)
    for place in range(columns * lines, 0, -1):  # each start has moved to the end of its bin
        starts[place] = starts[place - 1]
    starts[0] = 0


@inner
def _fill(bodies, n_agents, near):
    """Write each body to the next row of its bin."""
    for agent in range(n_agents):
        if bodies.is_active[agent]:
            row = near.starts[near.bins[agent]]
            near.starts[near.bins[agent]] = row + 1
            near.agents[row] = agent
            near.rows[row, X], near.rows[row, Y] = bodies.places[agent, 0], bodies.places[agent, 1]
            near.rows[row, VX], near.rows[row, VY] = bodies.velocities[agent, 0], bodies.velocities[agent, 1]
            near.rows[row, RADIUS], near.rows[row, MASS] = bodies.radii[agent], bodies.masses[agent]


@inner
def window(near, x, y, reach):
    """The first and last line, and the first and last column, of the bins within `reach` of a point."""
    left, top, scale = near.frame[LEFT], near.frame[TOP], near.frame[PER_METRE]
    first_column = max(np.int64(np.floor((x - reach - left) * scale)), 0)
    last_column = min(np.int64(np.floor((x + reach - left) * scale)), near.shape[COLUMNS] - 1)
    first_line = max(np.int64(np.floor((y - reach - top) * scale)), 0)
    last_line = min(np.int64(np.floor((y + reach - top) * scale)), near.shape[LINES] - 1)
    return first_line, last_line, first_column, last_column


@inner
def span(near, line, first_column, last_column):
    """The first row of the bins of a line from one column to another, and the row after the last."""
    columns = near.shape[COLUMNS]
    if last_column < first_column:
        return 0, 0
    return near.starts[line * columns + first_column], near.starts[line * columns + last_column + 1]


@kernel
def overlaps(near, n_old, reach, slack, pairs):
    """Write pairs of agents that overlap by more than `slack`, as many as there is room for; how many.

    Pairs whose numbers are both below `n_old` are left out.
    """
    n = 0
    for row in range(near.shape[PRESENT]):
        x, y = near.rows[row, X], near.rows[row, Y]
        first_line, last_line, first_column, last_column = window(near, x, y, reach)
        for line in range(first_line, last_line + 1):
            begin, end = span(near, line, first_column, last_column)
            for other in range(begin, end):
                if other > row and n < len(pairs) and (near.agents[row] >= n_old or near.agents[other] >= n_old):
                    dx, dy = near.rows[other, X] - x, near.rows[other, Y] - y
                    apart = near.rows[row, RADIUS] + near.rows[other, RADIUS] - slack
                    if apart > 0.0 and dx * dx + dy * dy < apart * apart:
                        pairs[n, 0], pairs[n, 1] = near.agents[row], near.agents[other]
                        n += 1
    return n
