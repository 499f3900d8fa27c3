"""What the kernels of all real-time searches share: outcomes, the record of an agent, and the limits of one call.

A kernel plans and moves an agent until `Limits` are reached. All that it must remember lies in arrays, so the next call
resumes where the last one stopped, also in the middle of planning a move.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOWHERE

WALKING, ARRIVED, STUCK, NO_ROOM, PLANNING = range(5)
"""Outcomes: on the way; at the goal; no way leads there; an array must grow; the plan for the next move is unfinished."""
UNDECIDED = np.int32(NOWHERE - 1)
"""The next cell of an agent whose plan is unfinished."""
AGENT = np.dtype(
    [(name, np.int64) for name in (
        "here", "goal", "n_route", "at", "is_planning", "before", "moves", "expanded", "generated", "most", "plans",
        "code",
    )] + [("travel", np.float64), ("raised", np.float64)],
    align=True,
)  # fmt: skip
"""An agent: it stands at number `at` of its route of `n_route` cells. While it `is_planning`, `before` is the number of
expansions up to its last move. `most` is the largest number of expansions for one move."""


class Limits(NamedTuple):
    """When a kernel returns: after so many moves, or once it has made so many expansions in this call."""

    moves: int
    work: int


class Trail(NamedTuple):
    """Where a kernel writes: the cell after each move, and the expanded cells (no room: they are not recorded)."""

    walked: NDArray[np.int32]
    events: NDArray[np.int32]
