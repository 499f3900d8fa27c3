"""Tests of `wayfolk.kernels.table`: each layout against a dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfolk.compile.jit import kernel
from wayfolk.kernels import table as tables

pytestmark = pytest.mark.plain
KEYS = st.integers(1, 2**62) | st.integers(1, 9)


@kernel
def enter(records, key, item):
    at = tables.find(records, key)
    is_new = records[at]["key"] == tables.EMPTY
    tables.put(records, at, key, item)
    return is_new


@kernel
def item_of(records, key):
    at = tables.find(records, key)
    return records[at]["item"] if records[at]["key"] == key else np.int32(-1)


@kernel
def leave(records, key):
    at = tables.find(records, key)
    if records[at]["key"] == key:
        tables.remove(records, at)


@kernel
def enter_stamped(records, key, item, stamp):
    at = tables.find_stamped(records, key, stamp)
    is_new = records[at]["stamp"] != stamp
    tables.put_stamped(records, at, key, item, stamp)
    return is_new


@kernel
def following(records, stamp):
    return tables.next_stamp(records, stamp)


@kernel
def enter_row(slots, rows, row, n, shares_digest):
    """The number of the row, which is `n` if it is new."""
    key = np.int64(7) if shares_digest else tables.digest(row)
    at = tables.find_row(slots, rows, row, key)
    if slots[at]["key"] == key:
        return slots[at]["item"]
    tables.put(slots, at, key, n)
    for k in range(row.size):
        rows[n, k] = row[k]
    return np.int32(n)


@given(st.lists(st.tuples(KEYS, st.integers(0, 1000), st.booleans()), max_size=60))
def test_find_and_remove_agree_with_a_dictionary(steps):
    records, model = tables.new_table(4), {}
    for key, item, stays in steps:
        records = tables.with_room(records, len(model) + 1)
        assert 2 * (len(model) + 1) <= len(records)
        assert enter(records, key, item) == (key not in model)
        model[key] = item
        if not stays:
            leave(records, key)
            del model[key]
        assert {k: item_of(records, k) for k in model} == model
    assert (records["key"] != tables.EMPTY).sum() == len(model)


@given(st.lists(st.lists(KEYS, max_size=8), max_size=6), st.integers(1, 2**31 - 1))
def test_a_new_stamp_clears_a_table(rounds, stamp):
    records = tables.new_table(8)
    for keys in rounds:
        stamp = following(records, stamp)
        entered = set()
        for key in keys:
            assert enter_stamped(records, key, 0, stamp) == (key not in entered)
            entered.add(key)


@pytest.mark.parametrize("shares_digest", [False, True])
@settings(deadline=None)
@given(rows=st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), max_size=40))
def test_equal_rows_have_one_number(rows, shares_digest):
    slots, seen, model = tables.new_table(64), np.zeros((64, 3), np.int32), {}
    for row in rows:
        array = np.array(row, np.int32)
        n = len(model)
        number = enter_row(slots, seen, array, n, shares_digest)
        assert number == model.setdefault(tuple(row), n)
    larger = tables.with_room(slots, 128)
    assert sorted(larger[larger["key"] != tables.EMPTY]["item"]) == list(range(len(model)))
