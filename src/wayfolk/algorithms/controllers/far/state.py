"""The state that FAR and A*-Replan keep for each agent and for each cell."""

import numpy as np
from numpy.typing import NDArray

from wayfolk.kernels.codes import NOBODY, NOWHERE

UNPLANNED, PLANNED, LOST = range(3)  # states of a plan; lost: there is no path
FIXED, ROTATED, SHUFFLED = range(3)  # orders of agents
SEARCHER, AROUND, STAMP, N_UNPLANNED, REFIT = range(5)  # places in `job`
LAST, TOKENS = range(2)  # places in `clock`
PATIENCE = 8.0  # how long an agent waits before it looks for a way around; twice as long each time
LONGEST_PATIENCE = 512.0
RETRY = 4.0  # how long an agent that asked in vain waits before it asks again; twice as long each time
UNTOUCHED = 0.875  # no search for a path around others begins with less than this share of a step's expansions left
UNHURRIED = 0.96875  # the same for all searches that an edit of the map has caused
REST = 2.0  # how long an agent that has made way does not do so again; four times as long each time

MEMBER = np.dtype(
    [
        ("waits_since", np.float64),
        ("patience", np.float64),
        ("yields_until", np.float64),
        ("rests_until", np.float64),  # until when it does not make way
        ("rest", np.float64),  # how long it will rest the next time
        ("next_try", np.float64),  # when it asks again that an agent makes way
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
        ("stale", np.bool_),  # the map was edited: it has lost its path, or a better one may exist
        ("fleeing", np.bool_),  # what it holds is a detour
        ("stalled", np.bool_),  # the agent it waits for cannot be moved
    ],
    align=True,
)
SPOT = np.dtype([("seen", np.int64), ("kept", np.int64), ("owner", np.int32), ("came", np.int32)], align=True)


def new_members(n: int, patience: float) -> NDArray[np.void]:
    """Agents without a plan, which wait for `patience` before they look for a way around others."""
    members = np.zeros(n, MEMBER)
    members["own"] = members["walled"] = members["goal"] = members["top"] = NOWHERE
    members["waits_for"] = members["yields_to"] = NOBODY
    members["waits_since"] = np.inf
    members["patience"], members["retry"], members["rest"] = patience, RETRY, REST
    return members
