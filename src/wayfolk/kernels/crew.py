"""The agents of a simulation as arrays, and the log they write; what the referee and compiled controllers share."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.jit import inner

NOBODY = np.int32(2**31 - 1)
N_LOG, N_ASKED, TICK, STAMP = range(4)  # places in `count`
AGENT = np.dtype(
    [
        ("ready", np.float64),  # when the last action is over
        ("here", np.int32),
        ("came", np.int32),  # from where
        ("goal", np.int32),
        ("leg", np.int32),  # which of its visits is next
        ("loop", np.int32),
        ("n_route", np.int32),
        ("at", np.int32),  # how much of the route is used
        ("want", np.int32),  # the next four are scratch of the referee
        ("due", np.int32),
        ("chain", np.int32),
        ("verdict", np.uint8),
        ("present", np.bool_),
        ("done", np.bool_),
        ("ours", np.bool_),
        ("refused", np.bool_),
    ],
    align=True,
)
ROW = np.dtype([("time", np.float64), ("agent", np.int32), ("cell", np.int32), ("kind", np.uint8)], align=True)


class Crew(NamedTuple):
    """The agents and the map they are in. `lasts[k]` is how long move k takes, `lasts[8]` a wait.

    `visits` are the goals in turn, `pool` where endless tasks are drawn from. Whoever is asked (the first
    `count[N_ASKED]` of `asked`) gets a route: the next `n_route` cells, of which `at` are used.
    """

    legal: NDArray[np.uint8]
    offsets: NDArray[np.int32]
    lasts: NDArray[np.float64]
    occupant: NDArray[np.int32]
    claimed: NDArray[np.int64]
    agents: NDArray[np.void]
    visits: NDArray[np.int32]
    pool: NDArray[np.int32]
    luck: NDArray[np.uint64]
    route: NDArray[np.int32]
    asked: NDArray[np.int32]
    counts: NDArray[np.int64]


@inner
def note(log, count, now, agent, kind, cell):
    """Write a row; there must be room."""
    row = log[count[N_LOG]]
    row["time"], row["agent"], row["kind"], row["cell"] = now, agent, kind, cell
    count[N_LOG] += 1
