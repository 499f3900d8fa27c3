"""A bounded store for the distance fields of many goals, each a search back from its goal that resumes where it is needed.

A field holds a value for each cell, and the open cells of its search in a ring of lists. Both are in blocks of WORDS words,
which a field takes from the store where its search comes to cells for the first time. When a field ends it gives all its
blocks back. A cell without a block is read from the first block, which belongs to nobody and is always zero.

The store has a limit in bytes. When all of its blocks are taken, another field loses its blocks: the one that was used
least recently among those without users, and only if all have users one that is in use. Such a field is searched again
when it is needed. So the limit decides how long things take, and never what a distance is.

Invariants  every block is the first one, free, part of one field, or has never been touched. A row without a list of open
            cells (`chain` is 0) holds no block. The store has room for one field at least.
Why         a store in place of an array for each field: pages of an array stay taken for good, so that an array for each
            agent grows to the whole map for each agent, however small the fields are that are in use.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfolk.compile.jit import inlined, inner
from wayfolk.kernels.lazy import lazy_zeros
from wayfolk.machine import available_bytes

WORDS = 256  # of a block
BLOCK_BYTES = 4 * WORDS
MOST_BYTES = 1 << 31  # by default, and if the machine has four times as much
LARGEST = 1 << 33  # bytes of a store: words are numbered by 32 bits
ONE = np.uint32(1)
NONE = np.int32(2**31 - 1)
FREE, FRESH, OLDEST, NEWEST, HAND, LOST = range(6)  # places in `counts`
FIELD = np.dtype(
    [
        ("current", np.int64),  # the key of the list of open cells that the search has come to
        ("older", np.int32),  # neighbours in the list of fields without users
        ("newer", np.int32),
        ("lowest", np.int32),  # all blocks of values lie between these two
        ("highest", np.int32),
        ("chain", np.int32),  # the last block with open cells, 0 if the field holds nothing
        ("filled", np.int32),  # words of that block that are in use
        ("spare", np.int32),  # entries of the open lists that can be used again
        ("n_open", np.int32),
        ("users", np.int32),
        ("listed", np.bool_),  # whether it is in the list of fields without users
    ],
    align=True,
)


class FieldStore(NamedTuple):
    """A field in each of `fields`; `places[row, cell >> shift]` is the first word of the block with the value of a cell.

    `heads[row]` are the first entries of its open lists, a power of two; an entry is a cell and the entry after it. `after`
    links blocks that are free, and those of one field with open cells.
    """

    words: NDArray[np.uint32]
    after: NDArray[np.int32]
    places: NDArray[np.int32]
    heads: NDArray[np.int32]
    fields: NDArray[np.void]
    counts: NDArray[np.int64]
    shift: int


def default_bytes() -> int:
    """The limit of a store if nobody says another one: a quarter of the memory that is free, and at most 2 GB."""
    return min(MOST_BYTES, available_bytes() // 4)


def new_store(
    n_fields: int, n_cells: int, per_word: int, n_lists: int, memory: int | None = None, most_open: int | None = None
) -> FieldStore:
    """Room for `n_fields` fields of `n_cells` cells in `memory` bytes; a word holds the values of `per_word` cells.

    `n_lists` is the number of lists of open cells, a power of two. A search opens cells `most_open` times at most, by
    default each from each of its neighbours on a grid. Memory is used when it is touched.
    """
    shift = (WORDS * per_word).bit_length() - 1
    n_parts = (n_cells >> shift) + 1
    room = largest(n_cells, per_word, 8 * n_cells if most_open is None else most_open)
    limit = min(default_bytes() if memory is None else memory, LARGEST)
    n_blocks = max(limit // BLOCK_BYTES, room)
    counts = np.zeros(6, np.int64)
    counts[FRESH], counts[OLDEST], counts[NEWEST] = 1, NONE, NONE
    return FieldStore(
        words=lazy_zeros((n_blocks * WORDS,), np.uint32),
        after=lazy_zeros((n_blocks,), np.int32),
        places=lazy_zeros((n_fields, n_parts), np.int32),
        heads=lazy_zeros((n_fields, n_lists), np.int32),
        fields=np.zeros(n_fields, FIELD),
        counts=counts,
        shift=shift,
    )


def largest(n_cells: int, per_word: int, most_open: int) -> int:
    """The most blocks that one field can take, and the first one of the store."""
    return 3 + n_cells // (WORDS * per_word) + 2 * most_open // WORDS


def values(store: FieldStore, row: int, n_cells: int) -> NDArray[np.int64]:
    """The value of each cell in a field; for tests and pictures."""
    per_word = (1 << store.shift) // WORDS
    cells = np.arange(n_cells)
    at = store.places[row, cells >> store.shift] + (cells & ((1 << store.shift) - 1)) // per_word
    bits = 32 // per_word
    found: NDArray[np.int64] = (store.words[at].astype(np.int64) >> (cells % per_word * bits)) & ((1 << bits) - 1)
    return found


def limit_of(store: FieldStore) -> int:
    """The limit of a store in bytes."""
    return len(store.after) * BLOCK_BYTES


def held_bytes(store: FieldStore) -> int:
    """The bytes of all blocks that were ever taken: so much memory the store has claimed."""
    return int(store.counts[FRESH]) * BLOCK_BYTES


@inlined
def is_held(store, row):
    """Whether the search of `row` has begun, and still has its blocks."""
    return store.fields[row]["chain"] != 0


@inner
def use(store, row):
    """One user more of `row`: it keeps its blocks as long as there are fields without users."""
    field = store.fields[row]
    field["users"] += 1
    if field["listed"]:
        _unlist(store, row)


@inner
def leave(store, row):
    """One user less of `row`."""
    field = store.fields[row]
    field["users"] -= 1
    if field["users"] == 0 and field["chain"] != 0:
        _list(store, row)


@inner
def refresh(store, row):
    """Let `row`, which has no users, be the field that was used last."""
    if store.fields[row]["listed"] and store.counts[NEWEST] != row:
        _unlist(store, row)
        _list(store, row)


@inner
def drop(store, row):
    """Give all blocks of `row` back: its search has not begun."""
    field, after = store.fields[row], store.after
    if field["chain"] == 0:
        return
    if field["n_open"] > 0:
        store.heads[row, :] = 0
    places = store.places[row]
    for part in range(field["lowest"], field["highest"] + 1):
        if places[part] != 0:
            _free(store, places[part] // WORDS)
            places[part] = 0
    block = field["chain"] // WORDS
    while block != 0:
        before = after[block]
        _free(store, block)
        block = before
    field["chain"] = field["spare"] = field["n_open"] = 0
    if field["listed"]:
        _unlist(store, row)


@inner
def begin(store, row, cell, key):
    """Begin the search of `row` with one open cell; it held no blocks."""
    field = store.fields[row]
    field["current"], field["lowest"], field["highest"], field["filled"] = key, NONE, 0, WORDS
    push(store, row, cell, key)
    if field["users"] == 0:
        _list(store, row)


@inlined
def push(store, row, cell, key):
    """Open `cell`, with a key that is not below the current one and not a whole ring above it."""
    field, words, heads = store.fields[row], store.words, store.heads[row]
    entry = np.uint32(field["spare"])  # kernels read by unsigned numbers sooner: those are never from the end
    if entry != 0:
        field["spare"] = words[entry + ONE]
    else:
        if field["filled"] == WORDS:
            _lengthen(store, row)
        entry = np.uint32(field["chain"] + field["filled"])
        field["filled"] += 2
    at = np.uint64(key & (heads.size - 1))
    words[entry] = cell
    words[entry + ONE] = heads[at]
    heads[at] = entry
    field["n_open"] += 1


@inlined
def pop(store, row):
    """The cell that was opened last among those with the lowest key, which is then the current one; one must be open."""
    field, words, heads = store.fields[row], store.words, store.heads[row]
    mask = heads.size - 1
    key = field["current"]
    while heads[np.uint64(key & mask)] == 0:
        key += 1
    field["current"] = key
    entry = np.uint32(heads[np.uint64(key & mask)])
    heads[np.uint64(key & mask)] = words[entry + ONE]
    words[entry + ONE] = field["spare"]
    field["spare"] = entry
    field["n_open"] -= 1
    return np.int64(words[entry])


@inlined
def place_of(store, row, cell):
    """The first word of the block that holds the value of `cell`, for writing."""
    first = np.int64(store.places[row, np.uint64(cell >> store.shift)])
    return first if first != 0 else _place(store, row, cell >> store.shift)


@inlined
def value(store, row, cell):
    """The value of `cell` where a word holds one; 0 if it was not written."""
    first = store.places[row, np.uint64(cell >> store.shift)]
    return np.int64(store.words[np.uint64(first + (cell & (WORDS - 1)))])


@inlined
def set_value(store, row, cell, new):
    """Write the value of `cell` where a word holds one."""
    store.words[np.uint64(place_of(store, row, cell) + (cell & (WORDS - 1)))] = new


@inner
def _lengthen(store, row):
    """Take another block for the open cells of `row`."""
    field = store.fields[row]
    block = _take(store, row)
    store.after[block // WORDS] = field["chain"] // WORDS
    field["chain"], field["filled"] = block, 0


@inner
def _place(store, row, part):
    """Take a block for the values of a part of the cells; its first word."""
    field, first = store.fields[row], np.int64(_take(store, row))
    store.places[row, part] = first
    field["lowest"], field["highest"] = min(field["lowest"], part), max(field["highest"], part)
    return first


@inner
def _take(store, row):
    """The first word of a block of zeros for `row`."""
    counts = store.counts
    if counts[FREE] == 0 and counts[FRESH] == store.after.size:
        _make_room(store, row)
    block = counts[FREE]
    if block == 0:
        block = counts[FRESH]
        counts[FRESH] += 1
        return np.int32(block * WORDS)
    counts[FREE] = store.after[block]
    store.words[block * WORDS : (block + 1) * WORDS] = 0
    return np.int32(block * WORDS)


@inner
def _free(store, block):
    store.after[block] = store.counts[FREE]
    store.counts[FREE] = block


@inner
def _make_room(store, row):
    """Take the blocks of the field, other than `row`, that was used least recently; if all have users, of the next one."""
    counts, fields = store.counts, store.fields
    victim = counts[OLDEST]
    if victim == row:
        victim = np.int64(fields[row]["newer"])
    if victim == NONE:
        victim = counts[HAND]
        while victim == row or fields[victim]["chain"] == 0:
            victim = (victim + 1) % fields.size
        counts[HAND] = (victim + 1) % fields.size
    counts[LOST] += 1
    drop(store, victim)


@inner
def _list(store, row):
    """Put `row` at the end of the fields without users."""
    counts, fields = store.counts, store.fields
    last = counts[NEWEST]
    fields[row]["older"], fields[row]["newer"], fields[row]["listed"] = last, NONE, True
    if last == NONE:
        counts[OLDEST] = row
    else:
        fields[last]["newer"] = row
    counts[NEWEST] = row


@inner
def _unlist(store, row):
    """Take `row` out of the fields without users."""
    counts, fields = store.counts, store.fields
    older, newer = fields[row]["older"], fields[row]["newer"]
    fields[row]["listed"] = False
    if older == NONE:
        counts[OLDEST] = newer
    else:
        fields[older]["newer"] = newer
    if newer == NONE:
        counts[NEWEST] = older
    else:
        fields[newer]["older"] = older
