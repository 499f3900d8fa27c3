"""Open addressing: hash tables with linear probing, in arrays that the caller owns.

A table is an array of records with a 64-bit field `key`. Its length is a power of two, and at least half of it is empty.
When it is full, the kernel returns, and the caller copies all records into a larger one. There are three layouts:

* `find`: records of any dtype. A record is empty if its key is 0.
* `find_stamped`: records with a `stamp`. A record is empty if it has another stamp than the table, so a new stamp
  (`next_stamp`) clears the table.
* `find_row`: the keys are rows of an array of integers. A record is a SLOT: its key is the `digest` of a row, which is
  never 0, and its `item` the number of the row.

Each returns the place of the key, or the empty place where it belongs.

Invariants  no place between the home of a key and its record is empty.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inner, kernel

EMPTY = np.int64(0)
SLOT = np.dtype([("key", np.int64), ("item", np.int32), ("stamp", np.int32)], align=True)
LAST_STAMP = 2**31 - 1


def new_table(n: int, dtype: np.dtype[np.void] = SLOT) -> NDArray[np.void]:
    """An empty table for `n` records."""
    return np.zeros(n_places(n), dtype)


def n_places(n: int) -> int:
    """The length of a table for `n` records."""
    return 1 << max(2 * n - 1, 1).bit_length()


def with_room(records: NDArray[Any], n: int) -> NDArray[Any]:
    """The table, or a larger one with the same records, if `n` records do not fit into it."""
    if 2 * n <= len(records):
        return records
    larger = new_table(n, records.dtype)
    copy_all(records, larger)
    return larger


@inner
def home(key, n):
    """The place at which a key is looked for first, in a table of `n` places."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(n - 1))


@inner
def find(records, key):
    """The place of `key`, which is not 0, or the empty place where it belongs."""
    at = home(key, records.size)
    while records[at]["key"] != key and records[at]["key"] != EMPTY:
        at = (at + 1) & (records.size - 1)
    return at


@inner
def find_stamped(records, key, stamp):
    """The place of `key` among the records with this stamp, or the first place with another one where it belongs."""
    at = home(key, records.size)
    while records[at]["stamp"] == stamp and records[at]["key"] != key:
        at = (at + 1) & (records.size - 1)
    return at


@inner
def find_row(slots, rows, row, key):
    """The place of the row that is equal to `row`, whose digest is `key`, or the empty place where it belongs."""
    at = home(key, slots.size)
    while slots[at]["key"] != EMPTY:
        if slots[at]["key"] == key and _is_same(rows[slots[at]["item"]], row):
            break
        at = (at + 1) & (slots.size - 1)
    return at


@inner
def _is_same(one, other):
    k = 0
    while k < other.size and one[k] == other[k]:
        k += 1
    return k == other.size


@inner
def digest(row):
    """A key that hardly two rows of integers share."""
    total = np.uint64(0)
    for k in range(row.size):
        word = (np.uint64(k) << np.uint64(32)) + np.uint64(row[k]) + np.uint64(1)
        word = word * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
        total += word ^ (word >> np.uint64(32))
    return max(np.int64(total & np.uint64(0x7FFFFFFFFFFFFFFF)), np.int64(1))


@inner
def put(slots, at, key, item):
    """Write a SLOT to an empty place."""
    slots[at]["key"], slots[at]["item"] = key, item


@inner
def put_stamped(slots, at, key, item, stamp):
    """Write a SLOT with a stamp."""
    slots[at]["key"], slots[at]["item"], slots[at]["stamp"] = key, item, stamp


@inner
def next_stamp(records, stamp):
    """The stamp after `stamp`, with which the table is empty."""
    if stamp < LAST_STAMP:
        return stamp + 1
    for at in range(records.size):
        records[at]["stamp"] = 0
    return np.int64(1)


@inner
def clear(records):
    """Empty a table without stamps."""
    for at in range(records.size):
        records[at]["key"] = EMPTY


@inner
def remove(records, hole):
    """Empty a place of a `find` table; later records of its run move back, so that they are found."""
    at = hole
    while True:
        at = (at + 1) & (records.size - 1)
        if records[at]["key"] == EMPTY:
            break
        # a record may move back into the hole if its home is not between the hole and itself
        behind = (at - home(records[at]["key"], records.size)) & (records.size - 1)
        if behind >= ((at - hole) & (records.size - 1)):
            records[hole] = records[at]
            hole = at
    records[hole]["key"] = EMPTY


@kernel
def copy_all(records, larger):
    """Copy all records of a table without stamps into a larger, empty one."""
    for k in range(records.size):
        if records[k]["key"] != EMPTY:
            at = home(records[k]["key"], larger.size)
            while larger[at]["key"] != EMPTY:
                at = (at + 1) & (larger.size - 1)
            larger[at] = records[k]
