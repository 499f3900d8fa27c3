"""The nodes of a search in space and time: rows of `low`, found by their keys in a hash table.

A slot of the table holds the number of a row, and the row holds the number of its slot. A slot is empty unless the two
agree, so that a search that begins anew clears nothing: it lets the number of rows be 0.
"""

import numpy as np

from wayfolk.algorithms.planners._cbs.tables import N_LOW
from wayfolk.compile.jit import inner, kernel

UNKNOWN = np.int64(2**31 - 1)


@inner
def key_of(s, t, cell):
    """The key of the node in `cell` at time `t`."""
    return np.int64(t) * s.distance.shape[1] + s.spots[cell]["spot"]


@inner
def slot_of(s, key):
    """The slot of the node with this key, or the empty one where it belongs."""
    mask = np.int64(s.low_slots.size - 1)
    slot = hashed(key) & mask
    while True:
        k = s.low_slots[slot]
        if k >= s.counts[N_LOW] or s.low[k]["slot"] != slot or s.low[k]["key"] == key:
            return slot
        slot = (slot + 1) & mask


@inner
def hashed(key):
    """The bits of a key, mixed."""
    return np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(33))


@inner
def node_in(s, slot):
    """The number of the node in a slot, UNKNOWN if it is empty."""
    k = np.int64(s.low_slots[slot])
    if k >= s.counts[N_LOW] or s.low[k]["slot"] != slot:
        return UNKNOWN
    return k


@inner
def add_low(s, slot, key):
    """Append a node with this key; its number."""
    k = s.counts[N_LOW]
    s.counts[N_LOW] += 1
    s.low_slots[slot] = k
    s.low[k]["slot"], s.low[k]["key"] = slot, key
    return k


@kernel
def index_low(s):
    """Enter all nodes into a new hash table."""
    n = s.counts[N_LOW]
    s.counts[N_LOW] = 0
    for k in range(n):
        key = s.low[k]["key"]
        add_low(s, slot_of(s, key), key)
