"""The agents of a simulation as arrays, and the log they write; what the referee and compiled controllers share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.jit import kernel

NOBODY = np.int32(2**31 - 1)
N_LOG, N_ASKED, TICK, STAMP = range(4)  # places in `count`


class Crew(NamedTuple):
    """The agents. `lasts[k]` is how long move k takes, `lasts[8]` a wait. `visits` are the goals in turn.

    Who is asked (the first `count[N_ASKED]` of `asked`) gets a route: the next `n_route` cells, of which `at` are used.
    """


    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lasts: NDArray[np.float64]
    occupant: NDArray[np.int32]
    here: NDArray[np.int32]
    came: NDArray[np.int32]
    goal: NDArray[np.int32]
    ready: NDArray[np.float64]
    present: NDArray[np.bool_]
    done: NDArray[np.bool_]
    ours: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    leg: NDArray[np.int32]
    loop: NDArray[np.int32]
    visits: NDArray[np.int32]
    pool: NDArray[np.int32]
    luck: NDArray[np.uint64]
    route: NDArray[np.int32]
    n_route: NDArray[np.int32]
    at: NDArray[np.int32]
    asked: NDArray[np.int32]
    count: NDArray[np.int64]


class Log(NamedTuple):
    """Rows of a Record."""

    time: NDArray[np.float64]
    agent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    cell: NDArray[np.int32]


@kernel
def note(log, count, now, agent, kind, cell):
    """Write a row; there must be room."""
    row = count[N_LOG]
    log.time[row], log.agent[row], log.kind[row], log.cell[row] = now, agent, kind, cell
    count[N_LOG] = row + 1
