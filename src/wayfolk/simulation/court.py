"""The court of a simulation: what the referee knows and the controller does not."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

N_LOG, STAMP, TURN = range(3)  # places in `Court.counts`; TURN is whose turn is next in this tick
OPEN, MOVES, STAYS, FAILS = range(4)  # verdicts
STATE = np.dtype(
    [
        ("leg", np.int32),  # which of its visits is next
        ("loop", np.int32),
        ("want", np.int32),  # the cell that it would enter now
        ("due", np.int32),
        ("chain", np.int32),
        ("verdict", np.uint8),
        ("held", np.bool_),  # moved by the caller alone
    ],
    align=True,
)


class RefereeRules(NamedTuple):
    """`tick` is the time between two ticks; with `rings`, agents on a ring may all move on by one at once.

    With `in_turns`, agents act one after another.
    """

    tick: float
    loops: int
    one_shot: bool
    rings: bool
    in_turns: bool


class Court(NamedTuple):
    """What only the referee and the simulation see: the true map, the goals to come, and scratch for judging.

    `legal` are the moves of the cells of a grid on which agents are points, and nothing elsewhere. `claimed` says who is
    about to hold a place. `visits` are the goals in turn, `pool` where endless tasks are drawn from, `drops` where what was
    picked up there is delivered (if tasks have two places), `luck` the random numbers for that.
    """

    legal: NDArray[np.uint8]
    claimed: NDArray[np.int64]
    states: NDArray[np.void]
    visits: NDArray[np.int32]
    pool: NDArray[np.int32]
    luck: NDArray[np.uint64]
    counts: NDArray[np.int64]
    drops: NDArray[np.int32]
