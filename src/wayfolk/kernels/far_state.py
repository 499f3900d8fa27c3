"""What FAR and A*-Replan know of each agent and of each cell."""

import numpy as np
from numpy.typing import NDArray

from wayfolk.graph import NOWHERE
from wayfolk.kernels.crew import NOBODY

UNPLANNED, PLANNED, LOST = range(3)  # states of a plan; lost: there is no way
FIXED, ROTATED, SHUFFLED = range(3)  # orders of agents
SEARCHER, AROUND, STAMP, N_UNPLANNED, REFIT = range(5)  # places in `job`
LAST, TOKENS = range(2)  # places in `clock`
ALL_NEW, FREED = 1, 2  # values of REFIT: the map or the agents changed; cells became free
PATIENCE = 8.0  # how long an agent waits before it looks for a way around; twice as long each time
LONGEST_PATIENCE = 512.0
RETRY = 4.0  # how long an agent that asked in vain waits before it asks again; twice as long each time
UNTOUCHED = 0.875  # the share of a step's expansions that is not spent on ways around, except by the last of them
REST = 2.0  # how long an agent that has made way does not do so again; four times as long each time

MEMBER = np.dtype(
    [
        ("waits_since", np.float64),
        ("patience", np.float64),
        ("yields_until", np.float64),
        ("rests_until", np.float64),  # until when it makes way for nobody
        ("rest", np.float64),  # how long it will rest the next time
        ("next_try", np.float64),  # when it asks again that somebody makes way
        ("retry", np.float64),  # how long it waits before that
        ("seen", np.int64),
        ("own", np.int32),  # the cell it is in and owns, or NOWHERE
        ("walled", np.int32),  # the cell it has closed for good, or NOWHERE
        ("goal", np.int32),  # what the plan is for
        ("plan", np.int32),  # number of the plan
        ("top", np.int32),
        ("n_left", np.int32),  # moves that are not reserved yet
        ("main", np.int32),  # how many of them were left before a detour
        ("n_held", np.int32),
        ("walked", np.int32),  # how many of the held cells have been entered
        ("waits_for", np.int32),
        ("yields_to", np.int32),
        ("host_plan", np.int32),
        ("host_left", np.int32),  # with fewer moves left the host is past
        ("followers", np.int32),
        ("n_before", np.int32),
        ("spent", np.int32),  # expansions of a search that is over and not in the log
        ("state", np.uint8),
        ("stale", np.bool_),  # a better path may exist
        ("fleeing", np.bool_),  # what it holds is a detour
        ("stalled", np.bool_),  # whoever it waits for cannot be moved
    ],
    align=True,
)
SPOT = np.dtype([("seen", np.int64), ("kept", np.int64), ("owner", np.int32), ("came", np.int32)], align=True)


def new_members(n: int) -> NDArray[np.void]:
    """Agents without a plan."""
    members = np.zeros(n, MEMBER)
    members["own"] = members["walled"] = members["goal"] = members["top"] = NOWHERE
    members["waits_for"] = members["yields_to"] = NOBODY
    members["waits_since"] = np.inf
    members["patience"], members["retry"], members["rest"] = PATIENCE, RETRY, REST
    return members
