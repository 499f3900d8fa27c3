"""Space-time reservations: who holds a cell at a time.

A hash table (`kernels.table`) from (cell, slot) to agent. A slot is an interval of time: one step, or a fraction of a unit
where the duration of a move is its length. Agents remove their own entries, so a table that is used for window after window
stays small and is never cleared.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel
from wayfolk.kernels import table as tables
from wayfolk.kernels.codes import NOBODY

ENTRY = np.dtype([("key", np.int64), ("holder", np.int32)], align=True)


class Reservations(NamedTuple):
    """An entry's `key` is 1 + cell * 2^31 + slot, its `holder` the agent; `counts[0]` is the number of entries."""

    entries: NDArray[np.void]
    counts: NDArray[np.int64]


def new_reservations(capacity: int) -> Reservations:
    """An empty table with room for `capacity` entries and more."""
    return Reservations(tables.new_table(max(capacity, 16), ENTRY), np.zeros(1, np.int64))


def with_room(table: Reservations, more: int) -> Reservations:
    """The same entries in a table in which `more` fit; the table itself if they do already."""
    need = int(table.counts[0]) + more
    if 2 * need <= len(table.entries):
        return table
    return Reservations(tables.with_room(table.entries, 2 * need), table.counts.copy())


@inner
def _key(cell, slot):
    return (np.int64(cell) << 31) + slot + 1


@kernel
def holder(table, cell, slot):
    """Who holds `cell` at `slot`, or NOBODY."""
    entry = table.entries[tables.find(table.entries, _key(cell, slot))]
    return entry["holder"] if entry["key"] != tables.EMPTY else NOBODY


@kernel
def reserve(table, cell, slot, agent):
    """Let `agent` hold `cell` at `slot`, whichever agent held it before. There must be room."""
    key = _key(cell, slot)
    entry = table.entries[tables.find(table.entries, key)]
    if entry["key"] == tables.EMPTY:
        entry["key"] = key
        table.counts[0] += 1
    entry["holder"] = agent


@kernel
def release(table, cell, slot, agent):
    """Release `cell` at `slot`, if `agent` holds it."""
    at = tables.find(table.entries, _key(cell, slot))
    if table.entries[at]["key"] != tables.EMPTY and table.entries[at]["holder"] == agent:
        tables.remove(table.entries, at)
        table.counts[0] -= 1


@kernel
def is_swap(table, agent, here, there, slot):
    """Whether another agent moves from `there` to `here` when `agent` would move the other way, at `slot`."""
    other = holder(table, there, slot - 1)
    return other != NOBODY and other != agent and holder(table, here, slot) == other
