"""Who is at a spot at a step: a hash table of the scattered paths of all agents.

An entry is the first agent that is at a spot at a step; `nexts` leads from each agent to the next one there. `parked` says
from which step on an agent rests on a spot.

Invariants  the table holds exactly the paths that were entered and have not left.
"""

import numpy as np

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY
from wayfolk.kernels.table import EMPTY, find

PLACE = np.dtype([("key", np.int64), ("agent", np.int32)], align=True)
NONE = np.int32(2**31 - 1)
STAMP, N_PLACES = range(2)  # places in `counts`


@inner
def n_at(arrays, spot, step):
    """How many agents are at `spot` at `step`; those that rest there do not count."""
    agent, n = _first_at(arrays, spot, step), 0
    while agent != NOBODY:
        n += 1
        agent = arrays.nexts[agent, step]
    return n


@inner
def n_going(arrays, here, there, step):
    """How many agents go from `here` to `there` at `step`."""
    agent, n = _first_at(arrays, here, step), 0
    while agent != NOBODY:
        if step < arrays.lasts[agent] and arrays.paths[agent, step + 1] == there:
            n += 1
        agent = arrays.nexts[agent, step]
    return n


@inner
def _first_at(arrays, spot, step):
    slot = find(arrays.places, np.int64(step) * arrays.parked.size + spot + 1)
    return arrays.places[slot]["agent"] if arrays.places[slot]["key"] != EMPTY else NOBODY


@kernel
def enter(arrays, agent):
    """Put the path of `agent` into the hash table."""
    last = arrays.lasts[agent]
    for step in range(last + 1):
        key = np.int64(step) * arrays.parked.size + arrays.paths[agent, step] + 1
        slot = find(arrays.places, key)
        place = arrays.places[slot]
        if place["key"] == EMPTY:
            place["key"], place["agent"] = key, NOBODY
            arrays.counts[N_PLACES] += 1
        arrays.nexts[agent, step] = place["agent"]
        place["agent"] = agent
    arrays.parked[arrays.goals[agent]] = last + 1


@inner
def leave(arrays, agent):
    """Take the path of `agent` out of the hash table."""
    for step in range(arrays.lasts[agent] + 1):
        slot = find(arrays.places, np.int64(step) * arrays.parked.size + arrays.paths[agent, step] + 1)
        place = arrays.places[slot]
        if place["agent"] == agent:
            place["agent"] = arrays.nexts[agent, step]
            continue
        other = place["agent"]
        while arrays.nexts[other, step] != agent:
            other = arrays.nexts[other, step]
        arrays.nexts[other, step] = arrays.nexts[agent, step]
    arrays.parked[arrays.goals[agent]] = NONE
