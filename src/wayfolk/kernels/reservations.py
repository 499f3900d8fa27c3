"""Space-time reservations: who holds a cell at a time.

A hash table from (cell, slot) to agent with linear probing. A slot is an interval of time: one step, or a fraction of a
unit where the duration of a move is its length. Agents remove their own entries, so a table that is used for window
after window stays small and is never cleared.

Invariants  probing from its home place meets an entry before an empty place: removing an entry moves later ones of its
            run back.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels.codes import NOBODY

_EMPTY = np.int64(0)


ENTRY = np.dtype([("key", np.int64), ("holder", np.int32)], align=True)


class Reservations(NamedTuple):
    """An entry's `key` is 1 + cell * 2^31 + slot, its `holder` the agent; `count[0]` is the number of entries."""

    entries: NDArray[np.void]
    counts: NDArray[np.int64]


def new_reservations(capacity: int) -> Reservations:
    """An empty table with room for about `capacity` entries."""
    size = 1 << max(2 * capacity, 16).bit_length()
    return Reservations(np.zeros(size, ENTRY), np.zeros(1, np.int64))


def with_room(table: Reservations, more: int) -> Reservations:
    """The same entries in a table in which `more` fit; the table itself if they do already."""
    need = 2 * (int(table.counts[0]) + more)
    if need <= len(table.entries):
        return table
    larger = new_reservations(need)
    _copy(table, larger)
    return larger


@inner
def _home(key, size):
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(size - 1))


@inner
def _spot(table, cell, slot):
    """Where the entry is, or the empty place where it would go."""
    key = (np.int64(cell) << 31) + slot + 1
    size = table.entries.size
    at = _home(key, size)
    while table.entries[at]["key"] != _EMPTY and table.entries[at]["key"] != key:
        at = (at + 1) & (size - 1)
    return at, key


@kernel
def holder(table, cell, slot):
    """Who holds `cell` at `slot`, or NOBODY."""
    at, _ = _spot(table, cell, slot)
    if table.entries[at]["key"] == _EMPTY:
        return NOBODY
    return table.entries[at]["holder"]


@kernel
def reserve(table, cell, slot, agent):
    """Let `agent` hold `cell` at `slot`, whichever agent held it before. There must be room."""
    at, key = _spot(table, cell, slot)
    if table.entries[at]["key"] == _EMPTY:
        table.entries[at]["key"] = key
        table.counts[0] += 1
    table.entries[at]["holder"] = agent


@kernel
def release(table, cell, slot, agent):
    """Release `cell` at `slot`, if `agent` holds it."""
    hole, _ = _spot(table, cell, slot)
    if table.entries[hole]["key"] == _EMPTY or table.entries[hole]["holder"] != agent:
        return
    size = table.entries.size
    table.counts[0] -= 1
    at = hole
    while True:
        at = (at + 1) & (size - 1)
        if table.entries[at]["key"] == _EMPTY:
            break
        # an entry may move back into the hole if its home is not between the hole and itself
        if ((at - _home(table.entries[at]["key"], size)) & (size - 1)) >= ((at - hole) & (size - 1)):
            table.entries[hole] = table.entries[at]
            hole = at
    table.entries[hole]["key"] = _EMPTY


@kernel
def is_swap(table, agent, here, there, slot):
    """Whether another agent moves from `there` to `here` when `agent` would move the other way, at `slot`."""
    other = holder(table, there, slot - 1)
    return other != NOBODY and other != agent and holder(table, here, slot) == other


@kernel
def _copy(table, larger):
    for at in range(table.entries.size):
        if table.entries[at]["key"] != _EMPTY:
            key = table.entries[at]["key"] - 1
            reserve(larger, key >> 31, key & np.int64(2**31 - 1), table.entries[at]["holder"])
